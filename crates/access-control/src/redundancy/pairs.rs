//! What comparing entries in pairs proves, so that most lists need no search.

use std::collections::BTreeSet;

use super::search::Entry;
use crate::extension;
use crate::pattern::{Segment, common_path};
use crate::{ListKind, Lists, Pattern};

/// The cost of trying a path, in steps of about ten nanoseconds, in addition to the cost of comparing patterns.
const STEPS_EACH: usize = 32;

/// The maximum number of allow entries that are searched for a path that a deny entry decides.
const MAX_OVERLAPS: usize = 8;

/// What an entry does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// It decides at least one path.
    Decides,
    /// It decides no path.
    Nothing,
    /// Comparing pairs is not sufficient.
    Unknown,
}

/// Compares each of `candidates` with each other entry. Returns those that decide no path, and those for which this is not
/// sufficient; `None` if more than `steps` would be needed.
///
/// As in a search, letter case matters in all lists.
pub(super) fn compare_pairs(
    lists: &Lists,
    candidates: BTreeSet<Entry>,
    steps: &mut usize,
) -> Option<(BTreeSet<Entry>, BTreeSet<Entry>)> {
    let pairs = Pairs::new(lists);
    let (mut redundant, mut unknown) = (BTreeSet::new(), BTreeSet::new());
    for entry in candidates {
        let effect = match entry {
            (ListKind::Deny, at) => pairs.effect_of_deny(at, steps)?,
            (ListKind::Allow, at) => pairs.effect_of_allow(at, steps)?,
            (ListKind::DenyExtension | ListKind::AllowExtension, _) => Effect::Unknown,
        };
        match effect {
            Effect::Decides => {}
            Effect::Nothing => drop(redundant.insert(entry)),
            Effect::Unknown => drop(unknown.insert(entry)),
        }
    }
    Some((redundant, unknown))
}

struct Pairs<'l> {
    deny: &'l [Pattern],
    allow: &'l [Pattern],
    /// The total weight of all patterns.
    weight: usize,
    has_extensions: bool,
}

impl<'l> Pairs<'l> {
    fn new(lists: &'l Lists) -> Self {
        let (deny, allow) = (lists.deny.entries(), lists.allow.entries());
        let weight = deny.iter().chain(allow).map(Pattern::weight).sum();
        let has_extensions =
            !lists.deny_extensions.entries().is_empty() || !lists.allow_extensions.entries().is_empty();
        Self { deny, allow, weight, has_extensions }
    }

    fn effect_of_deny(&self, at: usize, steps: &mut usize) -> Option<Effect> {
        let Some(entry) = self.deny.get(at) else { return Some(Effect::Unknown) };
        subtract(steps, self.weight.saturating_mul(entry.weight()))?;
        if entry.is_encapsulated() || covers_any(self.deny, Some(at), entry) {
            return Some(Effect::Nothing);
        }
        let decides = |path: &Pattern| !covers_any(self.deny, Some(at), path);
        if self.allow.is_empty() {
            return self.find_decided(entry, None, decides, steps);
        }
        let mut overlaps = 0;
        for allowing in self.allow {
            match self.find_decided(entry, Some(allowing), decides, steps)? {
                Effect::Decides => return Some(Effect::Decides),
                Effect::Nothing => {}
                Effect::Unknown => overlaps += 1,
            }
            if overlaps == MAX_OVERLAPS {
                break;
            }
        }
        Some(if overlaps == 0 { Effect::Nothing } else { Effect::Unknown })
    }

    fn effect_of_allow(&self, at: usize, steps: &mut usize) -> Option<Effect> {
        let Some(entry) = self.allow.get(at) else { return Some(Effect::Unknown) };
        if self.allow.len() == 1 {
            // Without it everything is allowed, including the root.
            let is_redundant = entry.covers_root() || self.deny.iter().any(Pattern::covers_root);
            return Some(if is_redundant { Effect::Nothing } else { Effect::Decides });
        }
        subtract(steps, self.weight.saturating_mul(entry.weight()))?;
        let is_covered =
            |path: &Pattern| covers_any(self.allow, Some(at), path) || covers_any(self.deny, None, path);
        if entry.is_encapsulated() || is_covered(entry) {
            return Some(Effect::Nothing);
        }
        self.find_decided(entry, None, |path| !is_covered(path), steps)
    }

    /// Tries two paths in the scope of `entry`, and of `other` if it is given: one in which each `**` matches as few names
    /// as possible, and one in which it matches at least one.
    ///
    /// Returns [`Effect::Decides`] if `decides` accepts one of them, and [`Effect::Nothing`] if no path is in both scopes.
    fn find_decided(
        &self,
        entry: &Pattern,
        other: Option<&Pattern>,
        decides: impl Fn(&Pattern) -> bool,
        steps: &mut usize,
    ) -> Option<Effect> {
        let product = entry.weight() * other.map_or(1, Pattern::weight);
        subtract(steps, STEPS_EACH + product)?;
        let (first, second): (Vec<_>, Vec<_>) =
            (entry.segments().collect(), other.into_iter().flat_map(Pattern::segments).collect());
        let Some(path) = common_path(&first, &second) else { return Some(Effect::Nothing) };
        let is_decided = |path: &str| {
            let path = Pattern::parse(if path.is_empty() { "." } else { path });
            path.is_ok_and(|path| {
                // A name of the path may be reserved or have another meaning, such as `.`.
                entry.covers(&path)
                    && other.is_none_or(|other| other.covers(&path))
                    && !path.is_encapsulated()
                    && !(self.has_extensions && has_extension(&path))
                    && decides(&path)
            })
        };
        subtract(steps, STEPS_EACH + self.weight)?;
        if is_decided(&path) {
            return Some(Effect::Decides);
        }
        if !first.contains(&Segment::Any) && !second.contains(&Segment::Any) {
            return Some(Effect::Unknown);
        }
        subtract(steps, 2 * STEPS_EACH + 4 * product + self.weight)?;
        let path = common_path(&matching_segments(&first), &matching_segments(&second));
        Some(if path.is_some_and(|path| is_decided(&path)) { Effect::Decides } else { Effect::Unknown })
    }
}

/// Subtracts the cost of a comparison; `None` if not enough steps are left.
fn subtract(steps: &mut usize, cost: usize) -> Option<()> {
    *steps = steps.checked_sub(cost)?;
    Some(())
}

/// Returns whether an entry other than the one at index `except` covers all of a pattern, as far as it can be proved.
fn covers_any(list: &[Pattern], except: Option<usize>, pattern: &Pattern) -> bool {
    list.iter().enumerate().any(|(at, other)| Some(at) != except && other.covers(pattern))
}

fn has_extension(path: &Pattern) -> bool {
    match path.segments().next_back() {
        Some(Segment::Literal(name)) => extension::of_name(name).is_some(),
        _ => false,
    }
}

/// Returns the segments with each `**` replaced by one that matches at least one name.
fn matching_segments<'p>(segments: &[Segment<'p>]) -> Vec<Segment<'p>> {
    let mut stretched = Vec::with_capacity(2 * segments.len());
    for segment in segments {
        if *segment == Segment::Any {
            stretched.push(Segment::Glob("*"));
        }
        stretched.push(*segment);
    }
    stretched
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;
    use crate::redundancy::{redundant_entries, search};
    use crate::{EntryList, Extension};

    const STEPS: usize = 4_000_000;

    fn patterns(entries: &[&str]) -> EntryList<Pattern> {
        EntryList::from_entries(entries.iter().map(|entry| Pattern::parse(entry).map_err(|_| *entry)))
    }

    fn all_entries(lists: &Lists) -> BTreeSet<Entry> {
        let lengths = [
            (ListKind::Deny, lists.deny.entries().len()),
            (ListKind::DenyExtension, lists.deny_extensions.entries().len()),
            (ListKind::Allow, lists.allow.entries().len()),
            (ListKind::AllowExtension, lists.allow_extensions.entries().len()),
        ];
        lengths.into_iter().flat_map(|(kind, length)| (0..length).map(move |at| (kind, at))).collect()
    }

    /// Compares all entries; expects the redundant and the undecided ones.
    #[track_caller]
    fn check(deny: &[&str], allow: &[&str], redundant: &[&str], unknown: &[&str]) {
        let lists = Lists { deny: patterns(deny), allow: patterns(allow), ..Lists::default() };
        let found = compare_pairs(&lists, all_entries(&lists), &mut STEPS.clone()).unwrap();
        let written = |entries: BTreeSet<Entry>| -> Vec<String> {
            entries.iter().map(|(kind, at)| lists.entry_text(*kind, *at).unwrap().to_string()).collect()
        };
        assert_eq!(
            (written(found.0), written(found.1)),
            (
                redundant.iter().map(ToString::to_string).collect(),
                unknown.iter().map(ToString::to_string).collect(),
            )
        );
    }

    #[test]
    fn ordinary_lists_need_no_search() {
        check(&["src/gen", "**/*.key"], &["src/*", "docs"], &[], &[]);
        check(&["src/*/generated", "**/*.lock"], &["src", "docs/**/drafts", "tests/*-data"], &[], &[]);
        check(&["**/secret", "a/secret"], &[], &["a/secret"], &[]);
        check(&["other/*"], &["src/*", "docs"], &["other/*"], &[]);
        check(&["src/*"], &["src/a*", "docs"], &["src/a*"], &[]);
        check(&["*/x"], &["**", "a/x"], &["a/x"], &[]);
        check(&["a/**/b", "a/b"], &[], &["a/b"], &[]);
        check(&["docs"], &["**"], &["**"], &[]);
        check(&["a*", "b*"], &["a*/**", "*", "c"], &["a*/**", "c"], &[]);
    }

    #[test]
    fn entries_that_only_several_entries_cover_need_a_search() {
        check(&["a/**/b", "a/b", "a/*/**/b"], &[], &["a/b", "a/*/**/b"], &["a/**/b"]);
    }

    #[test]
    fn comparing_pairs_ends_if_the_steps_are_used_up() {
        let many: Vec<String> = (0..100).map(|at| format!("**/*{at}*/x")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let lists = Lists { deny: patterns(&many), allow: patterns(&many), ..Lists::default() };
        let mut steps = 10_000;
        assert_eq!(compare_pairs(&lists, all_entries(&lists), &mut steps), None);
    }

    fn lists() -> impl Strategy<Value = Lists> {
        let segment = || {
            select(vec![
                "a", "b", "A", "ab", "*", "**", "a*", "*b", "a*b", "b*a", "*a*", "~", "*~", ".*", "*.",
                "*.tsk", "x.tsk", "*k", "a.b", "*.b", "é", "e*",
            ])
        };
        let pattern = move || prop::collection::vec(segment(), 1..4).prop_map(|segments| segments.join("/"));
        let entry = move || prop_oneof![20 => pattern(), 1 => Just(".".to_owned())];
        let list = move || {
            prop::collection::vec(entry(), 0..5)
                .prop_map(|entries| patterns(&entries.iter().map(String::as_str).collect::<Vec<_>>()))
        };
        let extension = || select(vec!["a", "b", "B"]).prop_map(|entry| Extension::parse(entry).unwrap());
        let extensions = move || {
            prop_oneof![
                4 => Just(EntryList::Absent),
                1 => prop::collection::vec(extension(), 1..3).prop_map(EntryList::Given),
            ]
        };
        (list(), extensions(), list(), extensions()).prop_map(
            |(deny, deny_extensions, allow, allow_extensions)| Lists {
                deny,
                deny_extensions,
                allow,
                allow_extensions,
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        /// What is proved by pairs is what a search of all entries finds, and both together find the same as the search
        /// alone.
        #[test]
        fn pairs_agree_with_the_search(lists in lists(), is_odd in any::<bool>()) {
            let all = all_entries(&lists);
            let Some(exact) = search::redundant_entries(&lists, all.clone(), &mut STEPS.clone()) else {
                return Ok(());
            };
            let (redundant, unknown) = compare_pairs(&lists, all.clone(), &mut STEPS.clone()).unwrap();
            for entry in all.difference(&unknown) {
                prop_assert_eq!(redundant.contains(entry), exact.contains(entry), "{:?}", entry);
            }
            let chosen = |entries: &BTreeSet<Entry>| -> BTreeSet<Entry> {
                let is_chosen = |entry: &&Entry| all.range(..**entry).count() % 2 == usize::from(is_odd);
                entries.iter().filter(is_chosen).copied().collect()
            };
            for candidates in [all.clone(), chosen(&all)] {
                let found = redundant_entries(&lists, candidates.clone(), &mut STEPS.clone());
                prop_assert_eq!(found, Some(exact.intersection(&candidates).copied().collect()));
            }
        }
    }
}
