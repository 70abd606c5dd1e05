//! Whether a path exists that an entry decides.

use std::collections::{BTreeSet, VecDeque};

use super::names::representatives;
use crate::extension::{self, Extension};
use crate::pattern::Segment;
use crate::{ListKind, Lists, Pattern};

/// An entry: its list, and its place in it.
pub(super) type Entry = (ListKind, usize);

/// Finds out which of `unresolved` decide about no path: removing one of them alone would change nothing. None if that
/// would take more than `steps`, or too much memory.
///
/// Paths are looked at segment by segment, names that no pattern tells apart once. Two beginnings are the same if all
/// patterns are in the same state, and the same entries cover them as far as that matters.
pub(super) fn deciding_nothing(
    lists: &Lists,
    unresolved: BTreeSet<Entry>,
    steps: &mut usize,
) -> Option<BTreeSet<Entry>> {
    let patterns = |kind, list: &'_ [Pattern]| {
        list.iter().enumerate().map(move |(at, _)| (kind, at)).collect::<Vec<_>>()
    };
    let (deny, allow) = (lists.deny.entries(), lists.allow.entries());
    let mut entries = patterns(ListKind::Deny, deny);
    entries.extend(patterns(ListKind::Allow, allow));
    let patterns: Vec<&Pattern> = deny.iter().chain(allow).collect();
    let names = names(lists, &patterns, steps)?;
    let mut search = Search { lists, entries, patterns, names, unresolved };
    search.run(steps).then_some(search.unresolved)
}

fn names(lists: &Lists, patterns: &[&Pattern], steps: &mut usize) -> Option<Vec<String>> {
    let (mut globs, mut literals) = (BTreeSet::new(), BTreeSet::new());
    for segment in patterns.iter().flat_map(|pattern| pattern.segments()) {
        match segment {
            Segment::Glob(text) => globs.insert(text),
            Segment::Literal(text) => literals.insert(text),
            Segment::Any => false,
        };
    }
    let extensions: Vec<&Extension> =
        lists.deny_extensions.entries().iter().chain(lists.allow_extensions.entries()).collect();
    representatives(&globs, &literals, &extensions, steps)
}

/// What it costs to go on by a name, in steps of about ten nanoseconds, beside a step for each pattern; and what each
/// pattern adds that can still match.
const STEPS_EACH_NAME: usize = 24;
const STEPS_EACH_LIVE: usize = 4;

/// How much memory the beginnings of paths may take.
const MAX_NODE_BYTES: usize = 16 * 1024 * 1024;

/// Which entries of a list cover a path, as far as it matters when one is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Cover {
    Nothing,
    /// One, and nothing would without it.
    One(Entry),
    /// Several, or one about which all is known.
    Enough,
}

impl Cover {
    fn with(self, entry: Entry) -> Self {
        match self {
            Self::Nothing => Self::One(entry),
            Self::One(other) if other == entry => self,
            Self::One(_) | Self::Enough => Self::Enough,
        }
    }
}

/// The beginning of a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Node {
    /// The states of each pattern; none for one that cannot matter below any more.
    states: Vec<u64>,
    deny: Cover,
    allow: Cover,
}

struct Search<'l> {
    lists: &'l Lists,
    /// The entries of both lists of patterns, and their patterns.
    entries: Vec<Entry>,
    patterns: Vec<&'l Pattern>,
    /// Names that stand in no pattern.
    names: Vec<String>,
    unresolved: BTreeSet<Entry>,
}

impl Search<'_> {
    /// Takes entries that decide about a path from the unresolved ones; returns whether all paths were looked at.
    fn run(&mut self, steps: &mut usize) -> bool {
        let start = self.patterns.iter().map(|pattern| pattern.start()).collect();
        let allow = if self.lists.allow.entries().is_empty() { Cover::Enough } else { Cover::Nothing };
        let root = self.settle(Node { states: start, deny: Cover::Nothing, allow });
        self.judge(&root, None);
        let mut seen = BTreeSet::from([root.clone()]);
        let mut queue = VecDeque::from([root]);
        let mut memory = MAX_NODE_BYTES;
        while let Some(node) = queue.pop_front() {
            // What was found out since may have made it pointless.
            if !self.is_of_use(&node) {
                continue;
            }
            let names = self.names_behind(&node);
            let live = node.states.iter().filter(|states| **states != 0).count();
            let cost = self.patterns.len() + STEPS_EACH_NAME + STEPS_EACH_LIVE * live;
            for name in names {
                let Some(left) = steps.checked_sub(cost) else { return false };
                *steps = left;
                let states = self.patterns.iter().zip(&node.states);
                let states = states
                    .map(|(pattern, states)| if *states == 0 { 0 } else { pattern.step(*states, &name) });
                let next = self.settle(Node { states: states.collect(), ..node });
                self.judge(&next, Some(&name));
                if self.is_of_use(&next) && seen.insert(next.clone()) {
                    // Each node is held twice.
                    let Some(left) = memory.checked_sub(2 * 8 * (self.patterns.len() + 16)) else {
                        return false;
                    };
                    memory = left;
                    queue.push_back(next);
                }
            }
        }
        true
    }

    /// Returns the names that lead to different places: those that stand before a state, and one for each kind of others.
    fn names_behind(&self, node: &Node) -> Vec<String> {
        let mut literals = BTreeSet::new();
        for (pattern, states) in self.patterns.iter().zip(&node.states) {
            for (_, segment) in pattern.live(*states) {
                if let Segment::Literal(text) = segment
                    && !minds_paths::portable::is_encapsulated(text)
                {
                    literals.insert(text.to_owned());
                }
            }
        }
        literals.into_iter().chain(self.names.iter().cloned()).collect()
    }

    /// Moves what covers the path from the states to the covers, and drops what cannot matter below.
    fn settle(&self, mut node: Node) -> Node {
        for ((states, pattern), entry) in node.states.iter_mut().zip(&self.patterns).zip(&self.entries) {
            if pattern.is_end(*states) {
                // It covers all that lies below.
                *states = 0;
                match entry.0 {
                    ListKind::Deny => node.deny = node.deny.with(*entry),
                    _ => node.allow = node.allow.with(*entry),
                }
            }
        }
        if let Cover::One(entry) = node.allow
            && (node.deny != Cover::Nothing || !self.unresolved.contains(&entry))
        {
            node.allow = Cover::Enough;
        }
        if let Cover::One(entry) = node.deny
            && !self.unresolved.contains(&entry)
        {
            node.deny = Cover::Enough;
        }
        let is_over = |kind| match kind {
            ListKind::Deny => node.deny == Cover::Enough,
            _ => node.deny == Cover::Enough || node.allow == Cover::Enough,
        };
        for (states, (kind, _)) in node.states.iter_mut().zip(&self.entries) {
            if is_over(*kind) {
                *states = 0;
            }
        }
        node
    }

    /// Returns whether something unresolved could decide about a path below.
    fn is_of_use(&self, node: &Node) -> bool {
        if node.deny == Cover::Enough {
            return false;
        }
        if let Cover::One(entry) = node.deny {
            return self.unresolved.contains(&entry);
        }
        let is_single = |kind| kind == ListKind::Allow && self.lists.allow.entries().len() == 1;
        let is_anywhere = |(kind, _): &Entry| {
            matches!(kind, ListKind::DenyExtension | ListKind::AllowExtension) || is_single(*kind)
        };
        let states = self.entries.iter().zip(&node.states);
        self.unresolved.iter().any(is_anywhere)
            || matches!(node.allow, Cover::One(entry) if self.unresolved.contains(&entry))
            || states.into_iter().any(|(entry, states)| *states != 0 && self.unresolved.contains(entry))
    }

    /// Takes from the unresolved entries the one that decides about the path, if there is one.
    fn judge(&mut self, node: &Node, name: Option<&str>) {
        let extension = name.and_then(extension::of_name);
        let covering = |kind, list: &[Extension]| {
            let listed =
                list.iter().enumerate().filter(|(_, entry)| extension.as_deref() == Some(entry.as_str()));
            listed.fold(Cover::Nothing, |cover, (at, _)| cover.with((kind, at)))
        };
        let (denied, allowed) = (self.lists.deny_extensions.entries(), self.lists.allow_extensions.entries());
        let deny_extension = covering(ListKind::DenyExtension, denied);
        let allow_extension = if allowed.is_empty() || extension.is_none() {
            Cover::Enough
        } else {
            covering(ListKind::AllowExtension, allowed)
        };
        let only = |kind, length| if length == 1 { Obstacle::One((kind, 0)) } else { Obstacle::Firm };
        let obstacles = [
            blocking(node.deny),
            blocking(deny_extension),
            missing(node.allow, only(ListKind::Allow, self.lists.allow.entries().len())),
            missing(allow_extension, only(ListKind::AllowExtension, allowed.len())),
        ];
        let mut obstacles = obstacles.into_iter().filter(|obstacle| *obstacle != Obstacle::Nothing);
        match (obstacles.next(), obstacles.next()) {
            (None, _) => {
                // It is allowed: what allows it matters, unless everything is without it.
                let lists =
                    [(node.allow, self.lists.allow.entries().len()), (allow_extension, allowed.len())];
                for (cover, length) in lists {
                    if let Cover::One(entry) = cover
                        && length > 1
                    {
                        self.unresolved.remove(&entry);
                    }
                }
            }
            (Some(Obstacle::One(entry)), None) => {
                self.unresolved.remove(&entry);
            }
            _ => {}
        }
    }
}

/// What a list has against a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Obstacle {
    Nothing,
    /// Something that goes with this entry.
    One(Entry),
    /// Something that goes with no single entry.
    Firm,
}

/// Returns what a deny list has against a path.
fn blocking(cover: Cover) -> Obstacle {
    match cover {
        Cover::Nothing => Obstacle::Nothing,
        Cover::One(entry) => Obstacle::One(entry),
        Cover::Enough => Obstacle::Firm,
    }
}

/// Returns what an allow list has against a path: it is against what it does not cover.
fn missing(cover: Cover, uncovered: Obstacle) -> Obstacle {
    if cover == Cover::Nothing { uncovered } else { Obstacle::Nothing }
}
