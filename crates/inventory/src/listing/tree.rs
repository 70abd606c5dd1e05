//! Dependency trees.
//!
//! The dependencies of an item are listed once: where the item occurs again, only its name is. So a tree has
//! at most as many lines as there are dependencies, however many paths lead to an item.

use std::collections::BTreeSet;

use minds_sources::ItemKey;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{Inventory, Position};

/// The maximum depth of a tree. Deeper trees are cut, to bound both the output and the recursion of JSON
/// parsers.
const MAX_LEVELS: usize = 64;

/// A line of a tree.
struct Line {
    depth: usize,
    key: ItemKey,
    mark: Mark,
}

/// Why a line has no lines below it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    /// The dependencies of the item follow, if it has any.
    Open,
    /// The item depends on itself.
    Cycle,
    /// The dependencies of the item are listed above.
    Above,
    /// The tree is too deep.
    Deep,
}

/// Walks from each of `roots` through its dependencies.
fn walk(inventory: &Inventory, roots: &[Position]) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut listed: BTreeSet<Position> = BTreeSet::new();
    for root in roots {
        // Not recursive, because chains of dependencies can be long.
        let mut stack = vec![(*root, 0)];
        let mut path: Vec<Position> = Vec::new();
        while let Some((at, depth)) = stack.pop() {
            path.truncate(depth);
            let Some((source, offered)) = inventory.get(at) else { continue };
            let needs = source.graph.needs(at.item);
            let mark = if path.contains(&at) {
                Mark::Cycle
            } else if listed.contains(&at) && !needs.is_empty() {
                Mark::Above
            } else if depth >= MAX_LEVELS && !needs.is_empty() {
                Mark::Deep
            } else {
                Mark::Open
            };
            lines.push(Line { depth, key: offered.key.clone(), mark });
            if mark == Mark::Open {
                listed.insert(at);
                path.push(at);
                let below = needs.iter().rev().map(|item| (Position { item: *item, ..at }, depth + 1));
                stack.extend(below);
            }
        }
    }
    lines
}

/// Returns those of `items` on which no other one of them depends, and one item per cycle: their trees
/// contain all of `items`.
pub fn roots(inventory: &Inventory, items: &[Position]) -> Vec<Position> {
    let all: BTreeSet<Position> = items.iter().copied().collect();
    let mut needed = BTreeSet::new();
    for item in &all {
        let direct = dependencies_of(inventory, *item).filter(|need| need != item).collect();
        collect_reachable(inventory, direct, &mut needed);
    }
    let mut roots: Vec<Position> = all.difference(&needed).copied().collect();
    let mut reached = BTreeSet::new();
    collect_reachable(inventory, roots.clone(), &mut reached);
    for item in all {
        if !reached.contains(&item) {
            roots.push(item);
            collect_reachable(inventory, vec![item], &mut reached);
        }
    }
    roots.sort_unstable();
    roots
}

fn dependencies_of(inventory: &Inventory, at: Position) -> impl Iterator<Item = Position> {
    let needs = inventory.get(at).map(|(source, _)| source.graph.needs(at.item)).unwrap_or_default();
    needs.iter().map(move |item| Position { item: *item, ..at })
}

/// Adds `from` and its transitive dependencies to `reached`.
fn collect_reachable(inventory: &Inventory, mut from: Vec<Position>, reached: &mut BTreeSet<Position>) {
    while let Some(at) = from.pop() {
        if reached.insert(at) {
            from.extend(dependencies_of(inventory, at));
        }
    }
}

/// Returns the lines of the tree of each of `roots`, in the order in which they are offered.
pub fn tree_lines(inventory: &Inventory, roots: &[Position]) -> Vec<String> {
    let roots: BTreeSet<Position> = roots.iter().copied().collect();
    let roots: Vec<Position> = roots.into_iter().collect();
    let lines = walk(inventory, &roots);
    let line_text = |line: &Line| {
        let more = match line.mark {
            Mark::Open => "",
            Mark::Cycle => " (cycle)",
            Mark::Above => " (see above)",
            Mark::Deep => " …",
        };
        format!("{:indent$}- {}{more}", "", line.key, indent = line.depth * 2)
    };
    lines.iter().map(line_text).collect()
}

/// An item with its dependencies, or with the reason why these are not listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TreeItem {
    /// The dependencies are listed above; omitted otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub above: bool,
    /// The tree is too deep to list the dependencies; omitted otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// The item depends on itself; omitted otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cycle: bool,
    /// The dependencies; omitted if they are not listed here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dependencies: Option<Vec<TreeItem>>,
    /// The kind and the name.
    pub key: ItemKey,
}

impl From<Line> for TreeItem {
    fn from(line: Line) -> Self {
        Self {
            above: line.mark == Mark::Above,
            cut: line.mark == Mark::Deep,
            cycle: line.mark == Mark::Cycle,
            dependencies: (line.mark == Mark::Open).then(Vec::new),
            key: line.key,
        }
    }
}

/// Returns the tree of each of `roots`.
pub fn trees(inventory: &Inventory, roots: &[Position]) -> Vec<TreeItem> {
    let mut done: Vec<TreeItem> = Vec::new();
    // The items that are still open, each with its depth; a line closes all that are not its ancestors.
    let mut open: Vec<(usize, TreeItem)> = Vec::new();
    for line in walk(inventory, roots) {
        close_items(&mut open, &mut done, line.depth);
        open.push((line.depth, line.into()));
    }
    close_items(&mut open, &mut done, 0);
    done
}

/// Adds every open item at `depth` or deeper to its parent.
fn close_items(open: &mut Vec<(usize, TreeItem)>, done: &mut Vec<TreeItem>, depth: usize) {
    while open.last().is_some_and(|(at, _)| *at >= depth) {
        let Some((_, item)) = open.pop() else { return };
        match open.last_mut().and_then(|(_, above)| above.dependencies.as_mut()) {
            Some(list) => list.push(item),
            None => done.push(item),
        }
    }
}
