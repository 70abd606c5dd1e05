//! Entries that have no effect.

mod pairs;
mod representatives;
mod search;

use std::collections::BTreeSet;

use self::search::Entry;
use crate::{EntryList, ListKind, Lists, Pattern};

/// An entry without effect: removing it changes no decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RedundantEntry {
    /// Its list.
    pub list: ListKind,
    /// Its zero-based index in the list.
    pub index: usize,
    /// Why it has no effect.
    pub redundancy: Redundancy,
}

/// Why an entry has no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Redundancy {
    /// Other entries of its list cover the same paths.
    Shadowed {
        /// An entry that covers all of it alone; `None` if only several together do, or finding it would take too long.
        by: Option<usize>,
    },
    /// Everything that it allows is denied.
    Contradicted {
        /// The entry of the deny list that denies all of it; `None` if only several together do, or extension lists are
        /// involved, or finding it would take too long.
        by: Option<usize>,
    },
    /// Nothing that it denies would be allowed without it.
    NotAllowed,
    /// It allows everything, like having no list.
    Everything,
    /// Everything that it covers is in task packages, which are always denied.
    Reserved,
    /// No file name has this extension, or the other lists already decide about all of them.
    Never,
}

/// Finds the entries without effect, in the order of [`ListKind::ALL`] and of their lists: entries whose removal, each on
/// its own, changes the decision for no path.
///
/// Task packages count as denied. That `.minds` is never written is not taken into account, because programs that do not
/// reserve it rely on the entries that deny it. The result is empty if a list is unreadable, because then no entry decides.
///
/// Every returned entry is certain to have no effect. The result is also complete if all patterns are lowercase and
/// extension lists are absent; otherwise letter case can hide a redundant entry. Returns `None` if the search would take more
/// than `steps` steps of about ten nanoseconds each, because wildcards can combine in very many ways. The number of steps
/// used is subtracted from `steps`.
pub fn find_redundant(lists: &Lists, steps: &mut usize) -> Option<Vec<RedundantEntry>> {
    let candidates = if lists.is_unreadable() { BTreeSet::new() } else { candidates(lists) };
    if candidates.is_empty() {
        return Some(Vec::new());
    }
    let folded = fold_patterns(lists);
    let found = redundant_entries_folded(lists, folded.as_ref(), candidates, steps)?;
    // Entries that are redundant within their own list as well.
    let mut shadowed: BTreeSet<Entry> = BTreeSet::new();
    for kind in ListKind::ALL {
        let of_kind: BTreeSet<Entry> = found.iter().filter(|(list, _)| *list == kind).copied().collect();
        if !of_kind.is_empty() {
            let lists = if kind == ListKind::Deny { folded.as_ref().unwrap_or(lists) } else { lists };
            shadowed.extend(redundant_entries(&only_list(lists, kind), of_kind, steps)?);
        }
    }
    let mut classify = |entry: &Entry| match entry.0 {
        ListKind::Deny | ListKind::Allow => classify_pattern(lists, *entry, shadowed.contains(entry), steps),
        ListKind::DenyExtension | ListKind::AllowExtension => {
            classify_extension(lists, *entry, shadowed.contains(entry))
        }
    };
    Some(
        found
            .iter()
            .map(|entry| RedundantEntry { list: entry.0, index: entry.1, redundancy: classify(entry) })
            .collect(),
    )
}

/// Returns those of `candidates` that decide no path; `None` if this would take more than `steps`. Letter case matters in
/// all lists.
///
/// Only entries that comparing pairs leaves undecided are searched for, which is rare and costs much more.
fn redundant_entries(
    lists: &Lists,
    candidates: BTreeSet<Entry>,
    steps: &mut usize,
) -> Option<BTreeSet<Entry>> {
    let (mut redundant, unknown) = pairs::compare_pairs(lists, candidates, steps)?;
    if !unknown.is_empty() {
        redundant.extend(search::redundant_entries(lists, unknown, steps)?);
    }
    Some(redundant)
}

/// Returns the lists with all patterns folded; `None` if folding does not change them.
fn fold_patterns(lists: &Lists) -> Option<Lists> {
    let patterns = || lists.deny.entries().iter().chain(lists.allow.entries());
    if patterns().all(|pattern| std::ptr::eq(pattern.folded_pattern(), pattern)) {
        return None;
    }
    let fold = |list: &EntryList<Pattern>| {
        EntryList::Given(list.entries().iter().map(|pattern| pattern.folded_pattern().clone()).collect())
    };
    Some(Lists { deny: fold(&lists.deny), allow: fold(&lists.allow), ..lists.clone() })
}

/// Finds those of `candidates` that have no effect.
///
/// Deny lists match folded paths and allow lists exact paths, so a single comparison cannot handle both if letter case
/// matters. Two comparisons together are sound: with everything folded, more is allowed than in reality, so a deny entry that
/// is redundant there is redundant. With nothing folded, less is denied, which is sound for all other entries. Allow
/// entries that a deny entry covers by folding are added.
fn redundant_entries_folded(
    lists: &Lists,
    folded: Option<&Lists>,
    candidates: BTreeSet<Entry>,
    steps: &mut usize,
) -> Option<BTreeSet<Entry>> {
    let Some(folded) = folded else { return redundant_entries(lists, candidates, steps) };
    let (denying, others): (BTreeSet<Entry>, BTreeSet<Entry>) =
        candidates.into_iter().partition(|(kind, _)| *kind == ListKind::Deny);
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
        found.extend(redundant_entries(folded, denying, steps)?);
    }
    if !others.is_empty() {
        found.extend(redundant_entries(lists, others, steps)?);
    }
    Some(found)
}

/// Returns whether a quick check proves that every entry has an effect, given that there are no extension lists. This is
/// the case for nearly all lists; otherwise use [`find_redundant`]. Takes time quadratic in the number of entries.
pub fn all_are_effective<'p>(
    deny: impl Iterator<Item = &'p Pattern> + Clone,
    allow: impl Iterator<Item = &'p Pattern> + Clone,
) -> bool {
    undetermined_entries(deny, allow).next().is_none()
}

/// Returns the entries that comparing entries in pairs does not prove to have an effect.
fn candidates(lists: &Lists) -> BTreeSet<Entry> {
    let extensions = [
        (ListKind::DenyExtension, lists.deny_extensions.entries().len()),
        (ListKind::AllowExtension, lists.allow_extensions.entries().len()),
    ];
    let extensions = extensions.into_iter().flat_map(|(kind, length)| (0..length).map(move |at| (kind, at)));
    let mut candidates: BTreeSet<Entry> = extensions.collect();
    let (deny, allow) = (lists.deny.entries(), lists.allow.entries());
    if candidates.is_empty() {
        candidates.extend(undetermined_entries(deny.iter(), allow.iter()));
    } else {
        candidates.extend((0..deny.len()).map(|at| (ListKind::Deny, at)));
        candidates.extend((0..allow.len()).map(|at| (ListKind::Allow, at)));
    }
    candidates
}

/// Returns the entries that the quick check does not prove to have an effect, given that there are no extension lists.
fn undetermined_entries<'p>(
    deny: impl Iterator<Item = &'p Pattern> + Clone,
    allow: impl Iterator<Item = &'p Pattern> + Clone,
) -> impl Iterator<Item = Entry> {
    let is_open = allow.clone().next().is_none();
    let is_single = allow.clone().nth(1).is_none();
    let (denied, allowed) = (deny.clone(), allow.clone());
    let of_deny = deny.clone().enumerate().filter(move |(at, entry)| {
        let decides = |path: &Pattern| {
            !path.is_encapsulated()
                && !is_covered(denied.clone(), path, Some(*at), Pattern::covers_folded)
                && (is_open || is_covered(allowed.clone(), path, None, Pattern::covers))
        };
        // If its scope is not allowed as a whole, a path inside it may be.
        let below = |other: &Pattern| other.is_literal() && entry.covers(other) && decides(other);
        !(holds_at_sample(entry, decides) || allowed.clone().any(below))
    });
    let others = allow.clone();
    let of_allow = allow.enumerate().filter(move |(at, entry)| {
        let decides = |path: &Pattern| {
            !path.is_encapsulated()
                && !is_covered(others.clone(), path, Some(*at), Pattern::covers)
                && !is_covered(deny.clone(), path, None, Pattern::covers_folded)
        };
        !if is_single {
            // Without it everything is allowed, including the root.
            !entry.covers_root() && !deny.clone().any(Pattern::covers_root)
        } else {
            holds_at_sample(entry, decides)
        }
    });
    of_deny.map(|(at, _)| (ListKind::Deny, at)).chain(of_allow.map(|(at, _)| (ListKind::Allow, at)))
}

/// Returns whether a predicate holds for a sample path of the scope of an entry: the pattern itself if it has no wildcard.
fn holds_at_sample(entry: &Pattern, holds: impl Fn(&Pattern) -> bool) -> bool {
    if entry.is_literal() { holds(entry) } else { entry.sample().is_some_and(|path| holds(&path)) }
}

/// Returns whether an entry other than the one at index `except` covers a path.
fn is_covered<'p>(
    list: impl Iterator<Item = &'p Pattern>,
    path: &Pattern,
    except: Option<usize>,
    covers: fn(&Pattern, &Pattern) -> bool,
) -> bool {
    list.enumerate().any(|(at, other)| Some(at) != except && covers(other, path))
}

fn classify_pattern(lists: &Lists, (kind, index): Entry, is_shadowed: bool, steps: &mut usize) -> Redundancy {
    let list = if kind == ListKind::Deny { &lists.deny } else { &lists.allow }.entries();
    let Some(pattern) = list.get(index) else { return Redundancy::Never };
    if pattern.is_encapsulated() {
        Redundancy::Reserved
    } else if kind == ListKind::Allow && list.len() == 1 {
        Redundancy::Everything
    } else if is_shadowed {
        let is_folded = kind == ListKind::Deny;
        Redundancy::Shadowed { by: find_covering(list, pattern, Some(index), is_folded, steps) }
    } else if kind == ListKind::Allow {
        Redundancy::Contradicted { by: find_covering(lists.deny.entries(), pattern, None, true, steps) }
    } else {
        Redundancy::NotAllowed
    }
}

fn classify_extension(lists: &Lists, (kind, index): Entry, is_shadowed: bool) -> Redundancy {
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

/// The maximum number of entries that are compared with a pattern by a search.
const MAX_COMPARED: usize = 64;

/// The cost of preparing a comparison of two entries, in steps of about ten nanoseconds.
const STEPS_EACH: usize = 1_000;

/// Returns the first entry of a list, except the one at index `except`, that covers all of a pattern; `None` also if the
/// steps are used up.
fn find_covering(
    list: &[Pattern],
    pattern: &Pattern,
    except: Option<usize>,
    is_folded: bool,
    steps: &mut usize,
) -> Option<usize> {
    let fold =
        |pattern: &'_ Pattern| if is_folded { pattern.folded_pattern().clone() } else { pattern.clone() };
    let others = || list.iter().enumerate().filter(|(at, _)| Some(*at) != except);
    let easy = others().find(
        |(_, other)| {
            if is_folded { other.covers_folded(pattern) } else { other.covers(pattern) }
        },
    );
    let found = easy.or_else(|| {
        others().take(MAX_COMPARED).find(|(_, other)| {
            let Some(left) = steps.checked_sub(STEPS_EACH) else { return false };
            *steps = left;
            is_covered_by(&fold(pattern), &fold(other), steps)
        })
    });
    found.map(|(at, _)| at)
}

/// Returns whether `other` covers everything that `pattern` covers.
fn is_covered_by(pattern: &Pattern, other: &Pattern, steps: &mut usize) -> bool {
    let deny = EntryList::Given(vec![other.clone(), pattern.clone()]);
    let second = (ListKind::Deny, 1);
    let found = redundant_entries(&Lists { deny, ..Lists::default() }, BTreeSet::from([second]), steps);
    found.is_some_and(|found| found.contains(&second))
}

/// Returns lists of which all but one are absent.
fn only_list(lists: &Lists, kind: ListKind) -> Lists {
    let mut own = Lists::default();
    match kind {
        ListKind::Deny => own.deny.clone_from(&lists.deny),
        ListKind::DenyExtension => own.deny_extensions.clone_from(&lists.deny_extensions),
        ListKind::Allow => own.allow.clone_from(&lists.allow),
        ListKind::AllowExtension => own.allow_extensions.clone_from(&lists.allow_extensions),
    }
    own
}
