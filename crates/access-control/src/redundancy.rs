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
        /// One that says it alone; none if it takes several, or finding it would take too long.
        by: Option<usize>,
    },
    /// All that it allows is denied.
    Contradicted {
        /// The entry of the deny list that denies all of it; none if it takes several, or lists of extensions, or
        /// finding it would take too long.
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
/// What is returned is certain. Nothing is missing either where all patterns are written in lower case and there are no
/// lists of extensions; elsewhere letter case can hide an entry that decides nothing. There is no answer if finding out
/// would take more steps than `steps` says, of about ten nanoseconds each: wildcards can combine in very many ways. Unused
/// steps remain in `steps`.
pub fn redundant(lists: &Lists, steps: &mut usize) -> Option<Vec<RedundantEntry>> {
    let suspects = if lists.is_unreadable() { BTreeSet::new() } else { suspects(lists) };
    if suspects.is_empty() {
        return Some(Vec::new());
    }
    let folded = folded(lists);
    let found = deciding_nothing_in(lists, folded.as_ref(), suspects, steps)?;
    // Those that decide nothing within their own list either.
    let mut shadowed: BTreeSet<Entry> = BTreeSet::new();
    for kind in ListKind::ALL {
        let of_kind: BTreeSet<Entry> = found.iter().filter(|(list, _)| *list == kind).copied().collect();
        if !of_kind.is_empty() {
            let lists = if kind == ListKind::Deny { folded.as_ref().unwrap_or(lists) } else { lists };
            shadowed.extend(deciding_nothing(&own_list(lists, kind), of_kind, steps)?);
        }
    }
    let mut why = |entry: &Entry| match entry.0 {
        ListKind::Deny | ListKind::Allow => why_pattern(lists, *entry, shadowed.contains(entry), steps),
        ListKind::DenyExtension | ListKind::AllowExtension => {
            why_extension(lists, *entry, shadowed.contains(entry))
        }
    };
    Some(
        found.iter().map(|entry| RedundantEntry { list: entry.0, index: entry.1, why: why(entry) }).collect(),
    )
}

/// Returns the lists with all patterns folded; none if they are so already.
fn folded(lists: &Lists) -> Option<Lists> {
    let patterns = || lists.deny.entries().iter().chain(lists.allow.entries());
    if patterns().all(|pattern| std::ptr::eq(pattern.folded(), pattern)) {
        return None;
    }
    let fold = |list: &EntryList<Pattern>| {
        EntryList::Given(list.entries().iter().map(|pattern| pattern.folded().clone()).collect())
    };
    Some(Lists { deny: fold(&lists.deny), allow: fold(&lists.allow), ..lists.clone() })
}

/// Finds out which of `suspects` decide about no path.
///
/// Deny lists match folded paths and allow lists paths as they are, so where letter case makes a difference no one search
/// looks at both. Two searches are certain together: where everything is folded, more is allowed than really is, so a
/// deny entry that decides nothing there decides nothing. Where nothing is folded, less is denied, which is as certain
/// for all other entries. Of those, what a deny entry covers by folding is added.
fn deciding_nothing_in(
    lists: &Lists,
    folded: Option<&Lists>,
    suspects: BTreeSet<Entry>,
    steps: &mut usize,
) -> Option<BTreeSet<Entry>> {
    let Some(folded) = folded else { return deciding_nothing(lists, suspects, steps) };
    let (denying, others): (BTreeSet<Entry>, BTreeSet<Entry>) =
        suspects.into_iter().partition(|(kind, _)| *kind == ListKind::Deny);
    let is_denied = |(kind, at): &&Entry| {
        let allow = lists.allow.entries();
        *kind == ListKind::Allow
            && allow.len() > 1
            && allow
                .get(*at)
                .is_some_and(|entry| lists.deny.entries().iter().any(|denying| denying.covers_folded(entry)))
    };
    let mut found: BTreeSet<Entry> = others.iter().filter(is_denied).copied().collect();
    if !denying.is_empty() {
        found.extend(deciding_nothing(folded, denying, steps)?);
    }
    if !others.is_empty() {
        found.extend(deciding_nothing(lists, others, steps)?);
    }
    Some(found)
}

/// Returns whether it is seen at once that each entry decides something, where there are no lists of extensions. For
/// nearly all lists it is; otherwise [`redundant`] finds out. Takes time in the square of the number of entries.
pub fn each_decides<'p>(
    deny: impl Iterator<Item = &'p Pattern> + Clone,
    allow: impl Iterator<Item = &'p Pattern> + Clone,
) -> bool {
    undecided(deny, allow).next().is_none()
}

/// Returns the entries about which looking at the entries in pairs does not show that they decide something.
fn suspects(lists: &Lists) -> BTreeSet<Entry> {
    let extensions = [
        (ListKind::DenyExtension, lists.deny_extensions.entries().len()),
        (ListKind::AllowExtension, lists.allow_extensions.entries().len()),
    ];
    let extensions = extensions.into_iter().flat_map(|(kind, length)| (0..length).map(move |at| (kind, at)));
    let mut suspects: BTreeSet<Entry> = extensions.collect();
    let (deny, allow) = (lists.deny.entries(), lists.allow.entries());
    if suspects.is_empty() {
        suspects.extend(undecided(deny.iter(), allow.iter()));
    } else {
        suspects.extend((0..deny.len()).map(|at| (ListKind::Deny, at)));
        suspects.extend((0..allow.len()).map(|at| (ListKind::Allow, at)));
    }
    suspects
}

/// Returns the entries of which it is not seen at once that they decide something, where no list of extensions is.
fn undecided<'p>(
    deny: impl Iterator<Item = &'p Pattern> + Clone,
    allow: impl Iterator<Item = &'p Pattern> + Clone,
) -> impl Iterator<Item = Entry> {
    let is_open = allow.clone().next().is_none();
    let is_single = allow.clone().nth(1).is_none();
    let (denied, allowed) = (deny.clone(), allow.clone());
    let of_deny = deny.clone().enumerate().filter(move |(at, entry)| {
        let decides = |path: &Pattern| {
            !path.is_encapsulated()
                && !covered(denied.clone(), path, Some(*at), Pattern::covers_folded)
                && (is_open || covered(allowed.clone(), path, None, Pattern::covers))
        };
        // Where nothing allows all of it, something that it covers may be allowed.
        let below = |other: &Pattern| other.is_literal() && entry.covers(other) && decides(other);
        !(at_a_path(entry, decides) || allowed.clone().any(below))
    });
    let others = allow.clone();
    let of_allow = allow.enumerate().filter(move |(at, entry)| {
        let decides = |path: &Pattern| {
            !path.is_encapsulated()
                && !covered(others.clone(), path, Some(*at), Pattern::covers)
                && !covered(deny.clone(), path, None, Pattern::covers_folded)
        };
        !if is_single {
            // Without it everything is allowed, the root to begin with.
            !entry.covers_root() && !deny.clone().any(Pattern::covers_root)
        } else {
            at_a_path(entry, decides)
        }
    });
    of_deny.map(|(at, _)| (ListKind::Deny, at)).chain(of_allow.map(|(at, _)| (ListKind::Allow, at)))
}

/// Returns whether something holds for a path that an entry covers. A pattern without wildcards is such a path, of which
/// it is easy to see what is said about it.
fn at_a_path(entry: &Pattern, holds: impl Fn(&Pattern) -> bool) -> bool {
    if entry.is_literal() { holds(entry) } else { entry.sample().is_some_and(|path| holds(&path)) }
}

/// Returns whether an entry, but the one at `but`, covers a path.
fn covered<'p>(
    list: impl Iterator<Item = &'p Pattern>,
    path: &Pattern,
    but: Option<usize>,
    covers: fn(&Pattern, &Pattern) -> bool,
) -> bool {
    list.enumerate().any(|(at, other)| Some(at) != but && covers(other, path))
}

fn why_pattern(lists: &Lists, (kind, index): Entry, is_shadowed: bool, steps: &mut usize) -> Redundancy {
    let list = if kind == ListKind::Deny { &lists.deny } else { &lists.allow }.entries();
    let Some(pattern) = list.get(index) else { return Redundancy::Never };
    if pattern.is_encapsulated() {
        Redundancy::Reserved
    } else if kind == ListKind::Allow && list.len() == 1 {
        Redundancy::Everything
    } else if is_shadowed {
        let is_folded = kind == ListKind::Deny;
        Redundancy::Shadowed { by: covering(list, pattern, Some(index), is_folded, steps) }
    } else if kind == ListKind::Allow {
        Redundancy::Contradicted { by: covering(lists.deny.entries(), pattern, None, true, steps) }
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
const MAX_COMPARED: usize = 64;

/// What preparing a comparison of two entries costs, in steps of about ten nanoseconds.
const STEPS_EACH: usize = 1_000;

/// Returns the first entry of a list, but the one at `but`, that covers all of a pattern; none also if the steps end.
fn covering(
    list: &[Pattern],
    pattern: &Pattern,
    but: Option<usize>,
    is_folded: bool,
    steps: &mut usize,
) -> Option<usize> {
    let fold = |pattern: &'_ Pattern| if is_folded { pattern.folded().clone() } else { pattern.clone() };
    let others = || list.iter().enumerate().filter(|(at, _)| Some(*at) != but);
    let easy = others().find(
        |(_, other)| {
            if is_folded { other.covers_folded(pattern) } else { other.covers(pattern) }
        },
    );
    let found = easy.or_else(|| {
        others().take(MAX_COMPARED).find(|(_, other)| {
            let Some(left) = steps.checked_sub(STEPS_EACH) else { return false };
            *steps = left;
            lies_in(&fold(pattern), &fold(other), steps)
        })
    });
    found.map(|(at, _)| at)
}

/// Returns whether all that a pattern covers is covered by another one.
fn lies_in(pattern: &Pattern, other: &Pattern, steps: &mut usize) -> bool {
    let deny = EntryList::Given(vec![other.clone(), pattern.clone()]);
    let second = (ListKind::Deny, 1);
    let found = deciding_nothing(&Lists { deny, ..Lists::default() }, BTreeSet::from([second]), steps);
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
