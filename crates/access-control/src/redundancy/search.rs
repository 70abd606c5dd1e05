//! Searches for a path that an entry decides.

use std::collections::{BTreeSet, VecDeque};

use super::representatives::representatives;
use crate::extension::{self, Extension};
use crate::pattern::Segment;
use crate::{ListKind, Lists, Pattern};

/// An entry: its list, and its index in the list.
pub(super) type Entry = (ListKind, usize);

/// Returns those of `unresolved` that decide no path: removing one of them alone changes no decision. `None` if the search
/// would take more than `steps`, or too much memory.
///
/// Paths are explored segment by segment, with one representative for all names that no pattern distinguishes. Two path
/// prefixes are equivalent if all patterns are in the same state and the relevant coverage is the same.
pub(super) fn redundant_entries(
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
    let names = representative_names(lists, &patterns, steps)?;
    let mut search = Search { lists, entries, patterns, names, unresolved };
    search.run(steps).then_some(search.unresolved)
}

fn representative_names(lists: &Lists, patterns: &[&Pattern], steps: &mut usize) -> Option<Vec<String>> {
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

/// The cost of extending a path by a name, in steps of about ten nanoseconds, in addition to one step for each pattern; and
/// the extra cost of each pattern that can still match.
const STEPS_EACH_NAME: usize = 24;
const STEPS_EACH_ACTIVE: usize = 4;

/// The maximum memory for path prefixes, in bytes.
const MAX_NODE_BYTES: usize = 16 * 1024 * 1024;

/// Which entries of a list cover a path, as far as this matters when one of them is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Coverage {
    None,
    /// Only this entry.
    One(Entry),
    /// Several entries, or one that is already resolved.
    Complete,
}

impl Coverage {
    fn with(self, entry: Entry) -> Self {
        match self {
            Self::None => Self::One(entry),
            Self::One(other) if other == entry => self,
            Self::One(_) | Self::Complete => Self::Complete,
        }
    }
}

/// An equivalence class of path prefixes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Node {
    /// The states of each pattern; 0 for one that can no longer matter below.
    states: Vec<u64>,
    deny: Coverage,
    allow: Coverage,
}

struct Search<'l> {
    lists: &'l Lists,
    /// The entries of both lists of patterns, and their patterns.
    entries: Vec<Entry>,
    patterns: Vec<&'l Pattern>,
    /// Names that occur in no pattern.
    names: Vec<String>,
    unresolved: BTreeSet<Entry>,
}

impl Search<'_> {
    /// Removes entries that decide a path from the unresolved ones; returns whether all paths were explored.
    fn run(&mut self, steps: &mut usize) -> bool {
        let start = self.patterns.iter().map(|pattern| pattern.start()).collect();
        let allow = if self.lists.allow.entries().is_empty() { Coverage::Complete } else { Coverage::None };
        let root = self.update_coverage(Node { states: start, deny: Coverage::None, allow });
        self.resolve_deciding_entry(&root, None);
        let mut seen = BTreeSet::from([root.clone()]);
        let mut queue = VecDeque::from([root]);
        let mut memory = MAX_NODE_BYTES;
        while let Some(node) = queue.pop_front() {
            // Entries that were resolved in the meantime may have made the node irrelevant.
            if !self.is_effective(&node) {
                continue;
            }
            let names = self.next_names(&node);
            let live = node.states.iter().filter(|states| **states != 0).count();
            let cost = self.patterns.len() + STEPS_EACH_NAME + STEPS_EACH_ACTIVE * live;
            for name in names {
                let Some(left) = steps.checked_sub(cost) else { return false };
                *steps = left;
                let states = self.patterns.iter().zip(&node.states);
                let states = states
                    .map(|(pattern, states)| if *states == 0 { 0 } else { pattern.step(*states, &name) });
                let next = self.update_coverage(Node { states: states.collect(), ..node });
                self.resolve_deciding_entry(&next, Some(&name));
                if self.is_effective(&next) && seen.insert(next.clone()) {
                    // Each node is stored twice.
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

    /// Returns the names that lead to different nodes: the literals that can match next, and the representatives of all other
    /// names.
    fn next_names(&self, node: &Node) -> Vec<String> {
        let mut literals = BTreeSet::new();
        for (pattern, states) in self.patterns.iter().zip(&node.states) {
            for (_, segment) in pattern.active_segments(*states) {
                if let Segment::Literal(text) = segment
                    && !minds_vfs::portable::is_encapsulated(text)
                {
                    literals.insert(text.to_owned());
                }
            }
        }
        literals.into_iter().chain(self.names.iter().cloned()).collect()
    }

    /// Updates the coverage from the accepting states, and clears the states that cannot matter below.
    fn update_coverage(&self, mut node: Node) -> Node {
        for ((states, pattern), entry) in node.states.iter_mut().zip(&self.patterns).zip(&self.entries) {
            if pattern.is_end(*states) {
                // The pattern covers everything below.
                *states = 0;
                match entry.0 {
                    ListKind::Deny => node.deny = node.deny.with(*entry),
                    _ => node.allow = node.allow.with(*entry),
                }
            }
        }
        if let Coverage::One(entry) = node.allow
            && (node.deny != Coverage::None || !self.unresolved.contains(&entry))
        {
            node.allow = Coverage::Complete;
        }
        if let Coverage::One(entry) = node.deny
            && !self.unresolved.contains(&entry)
        {
            node.deny = Coverage::Complete;
        }
        let is_over = |kind| match kind {
            ListKind::Deny => node.deny == Coverage::Complete,
            _ => node.deny == Coverage::Complete || node.allow == Coverage::Complete,
        };
        for (states, (kind, _)) in node.states.iter_mut().zip(&self.entries) {
            if is_over(*kind) {
                *states = 0;
            }
        }
        node
    }

    /// Returns whether an unresolved entry could still decide a path below.
    fn is_effective(&self, node: &Node) -> bool {
        if node.deny == Coverage::Complete {
            return false;
        }
        if let Coverage::One(entry) = node.deny {
            return self.unresolved.contains(&entry);
        }
        let is_single = |kind| kind == ListKind::Allow && self.lists.allow.entries().len() == 1;
        let is_anywhere = |(kind, _): &Entry| {
            matches!(kind, ListKind::DenyExtension | ListKind::AllowExtension) || is_single(*kind)
        };
        let states = self.entries.iter().zip(&node.states);
        self.unresolved.iter().any(is_anywhere)
            || matches!(node.allow, Coverage::One(entry) if self.unresolved.contains(&entry))
            || states.into_iter().any(|(entry, states)| *states != 0 && self.unresolved.contains(entry))
    }

    /// Removes the entry that decides the path, if there is one, from the unresolved entries.
    fn resolve_deciding_entry(&mut self, node: &Node, name: Option<&str>) {
        let extension = name.and_then(extension::of_name);
        let covering = |kind, list: &[Extension]| {
            let listed =
                list.iter().enumerate().filter(|(_, entry)| extension.as_deref() == Some(entry.as_str()));
            listed.fold(Coverage::None, |cover, (at, _)| cover.with((kind, at)))
        };
        let (denied, allowed) = (self.lists.deny_extensions.entries(), self.lists.allow_extensions.entries());
        let deny_extension = covering(ListKind::DenyExtension, denied);
        let allow_extension = if allowed.is_empty() || extension.is_none() {
            Coverage::Complete
        } else {
            covering(ListKind::AllowExtension, allowed)
        };
        let only = |kind, length| if length == 1 { Obstacle::One((kind, 0)) } else { Obstacle::Fixed };
        let obstacles = [
            deny_obstacle(node.deny),
            deny_obstacle(deny_extension),
            allow_obstacle(node.allow, only(ListKind::Allow, self.lists.allow.entries().len())),
            allow_obstacle(allow_extension, only(ListKind::AllowExtension, allowed.len())),
        ];
        let mut obstacles = obstacles.into_iter().filter(|obstacle| *obstacle != Obstacle::None);
        match (obstacles.next(), obstacles.next()) {
            (None, _) => {
                // The path is allowed: the entry that allows it has an effect, unless the list would be empty without it.
                let lists =
                    [(node.allow, self.lists.allow.entries().len()), (allow_extension, allowed.len())];
                for (cover, length) in lists {
                    if let Coverage::One(entry) = cover
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

/// Why a list denies a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Obstacle {
    None,
    /// Removing this entry removes the obstacle.
    One(Entry),
    /// Removing a single entry does not remove the obstacle.
    Fixed,
}

/// Returns why a deny list denies a path.
fn deny_obstacle(cover: Coverage) -> Obstacle {
    match cover {
        Coverage::None => Obstacle::None,
        Coverage::One(entry) => Obstacle::One(entry),
        Coverage::Complete => Obstacle::Fixed,
    }
}

/// Returns why an allow list denies a path: it does not cover the path.
fn allow_obstacle(cover: Coverage, uncovered: Obstacle) -> Obstacle {
    if cover == Coverage::None { uncovered } else { Obstacle::None }
}
