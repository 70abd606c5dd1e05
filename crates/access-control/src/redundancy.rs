//! Entries that change nothing.

mod names;
mod search;

use std::collections::BTreeSet;

use self::search::{Entry, deciding_nothing};
use crate::{EntryList, ListKind, Lists, Pattern};

/// An entry that decides about no path: everything is allowed or denied without it as it is with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RedundantEntry {
    /// Its list.
    pub list: ListKind,
    /// Its place in the list, from 0 on.
    pub index: usize,
    /// Why it decides nothing.
    pub why: Redundancy,
}

/// Why an entry decides nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Redundancy {
    /// Other entries of its list say the same.
    Shadowed {
        /// One that says it alone; none if it takes several.
        by: Option<usize>,
    },
    /// All that it allows is denied.
    Contradicted {
        /// The entry of the deny list that denies all of it; none if it takes several, or lists of extensions.
        by: Option<usize>,
    },
    /// Nothing of what it denies would be allowed without it.
    NotAllowed,
    /// It allows everything, as no list would.
    Everything,
    /// All that it covers is in task packages, which are closed anyway.
    Reserved,
    /// No name has such an extension, or none that the other lists leave over.
    Never,
}

/// Returns the entries that decide nothing, in the order of [`ListKind::ALL`] and of their lists: those whose removal,
/// each for itself, changes for no path whether it is allowed.
///
/// Task packages count as closed. That `.minds` cannot be written does not count: programs that do not reserve it rely on
/// the entries that deny it. Nothing is returned if a list is unreadable, because then no entry decides.
///
/// The answer is exact. There is none where wildcards combine in so many ways that it would take more than some tenths of
/// a second to find out.
pub fn redundant(lists: &Lists) -> Option<Vec<RedundantEntry>> {
    let suspects = if lists.is_unreadable() { BTreeSet::new() } else { suspects(lists) };
    if suspects.is_empty() {
        return Some(Vec::new());
    }
    let found = deciding_nothing(lists, suspects)?;
    // Those that decide nothing within their own list either.
    let shadowed: BTreeSet<Entry> = ListKind::ALL
        .into_iter()
        .filter_map(|kind| {
            let of_kind: BTreeSet<Entry> = found.iter().filter(|(list, _)| *list == kind).copied().collect();
            if of_kind.is_empty() { None } else { deciding_nothing(&own_list(lists, kind), of_kind) }
        })
        .flatten()
        .collect();
    let why = |entry: &Entry| match entry.0 {
        ListKind::Deny | ListKind::Allow => why_pattern(lists, *entry, shadowed.contains(entry)),
        ListKind::DenyExtension | ListKind::AllowExtension => {
            why_extension(lists, *entry, shadowed.contains(entry))
        }
    };
    Some(
        found.iter().map(|entry| RedundantEntry { list: entry.0, index: entry.1, why: why(entry) }).collect(),
    )
}

/// Returns the entries about which looking at the entries in pairs does not show that they decide something. For most
/// lists there are none.
fn suspects(lists: &Lists) -> BTreeSet<Entry> {
    let (deny, allow) = (lists.deny.entries(), lists.allow.entries());
    let (denied, allowed) = (lists.deny_extensions.entries(), lists.allow_extensions.entries());
    let mut suspects = BTreeSet::new();
    for (kind, length) in [(ListKind::DenyExtension, denied.len()), (ListKind::AllowExtension, allowed.len())]
    {
        suspects.extend((0..length).map(|at| (kind, at)));
    }
    let has_extensions = !suspects.is_empty();
    // A pattern without wildcards is a path; of such a one it is easy to see what is said about it.
    let is_path = |pattern: &Pattern| !has_extensions && pattern.is_literal() && !pattern.is_encapsulated();
    let covered = |list: &[Pattern], path: &Pattern, but: Option<usize>| {
        list.iter().enumerate().any(|(at, other)| Some(at) != but && other.covers(path))
    };
    for (at, entry) in deny.iter().enumerate() {
        let decides = |path: &Pattern| {
            is_path(path)
                && !covered(deny, path, Some(at))
                && (allow.is_empty() || covered(allow, path, None))
        };
        let below = || allow.iter().any(|other| entry.covers(other) && decides(other));
        if !(decides(entry) || below()) {
            suspects.insert((ListKind::Deny, at));
        }
    }
    for (at, entry) in allow.iter().enumerate() {
        let decides = match allow {
            // Without it everything is allowed, the root to begin with.
            [_] => !has_extensions && !entry.covers_root() && !deny.iter().any(Pattern::covers_root),
            _ => is_path(entry) && !covered(allow, entry, Some(at)) && !covered(deny, entry, None),
        };
        if !decides {
            suspects.insert((ListKind::Allow, at));
        }
    }
    suspects
}

fn why_pattern(lists: &Lists, (kind, index): Entry, is_shadowed: bool) -> Redundancy {
    let list = if kind == ListKind::Deny { &lists.deny } else { &lists.allow }.entries();
    let Some(pattern) = list.get(index) else { return Redundancy::Never };
    if pattern.is_encapsulated() {
        Redundancy::Reserved
    } else if kind == ListKind::Allow && list.len() == 1 {
        Redundancy::Everything
    } else if is_shadowed {
        Redundancy::Shadowed { by: covering(list, pattern, Some(index)) }
    } else if kind == ListKind::Allow {
        Redundancy::Contradicted { by: covering(lists.deny.entries(), pattern, None) }
    } else {
        Redundancy::NotAllowed
    }
}

fn why_extension(lists: &Lists, (kind, index): Entry, is_shadowed: bool) -> Redundancy {
    let (denied, allowed) = (lists.deny_extensions.entries(), lists.allow_extensions.entries());
    let list = if kind == ListKind::DenyExtension { denied } else { allowed };
    let Some(extension) = list.get(index) else { return Redundancy::Never };
    let same = list.iter().enumerate().position(|(at, other)| at != index && other == extension);
    if same.is_some() {
        Redundancy::Shadowed { by: same }
    } else if is_shadowed {
        Redundancy::Never
    } else if kind == ListKind::DenyExtension {
        Redundancy::NotAllowed
    } else {
        Redundancy::Contradicted { by: denied.iter().position(|other| other == extension) }
    }
}

/// How many entries are asked for the one that covers a pattern, where that is not easy to see.
const MOST_ASKED: usize = 64;

/// Returns the first entry of a list, but the one at `but`, that covers all of a pattern.
fn covering(list: &[Pattern], pattern: &Pattern, but: Option<usize>) -> Option<usize> {
    let others = || list.iter().enumerate().filter(|(at, _)| Some(*at) != but);
    let easy = others().find(|(_, other)| other.covers(pattern));
    let found = easy.or_else(|| others().take(MOST_ASKED).find(|(_, other)| lies_in(pattern, other)));
    found.map(|(at, _)| at)
}

/// Returns whether all that a pattern covers is covered by another one.
fn lies_in(pattern: &Pattern, other: &Pattern) -> bool {
    let deny = EntryList::Given(vec![other.clone(), pattern.clone()]);
    let second = (ListKind::Deny, 1);
    let found = deciding_nothing(&Lists { deny, ..Lists::default() }, BTreeSet::from([second]));
    found.is_some_and(|found| found.contains(&second))
}

/// Returns one list alone.
fn own_list(lists: &Lists, kind: ListKind) -> Lists {
    let mut own = Lists::default();
    match kind {
        ListKind::Deny => own.deny.clone_from(&lists.deny),
        ListKind::DenyExtension => own.deny_extensions.clone_from(&lists.deny_extensions),
        ListKind::Allow => own.allow.clone_from(&lists.allow),
        ListKind::AllowExtension => own.allow_extensions.clone_from(&lists.allow_extensions),
    }
    own
}
