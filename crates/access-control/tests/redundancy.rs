//! Entries that change nothing, against trying all paths.
#![allow(clippy::unwrap_used, reason = "a test may stop at once")]

use std::sync::LazyLock;

use minds_access_control::{
    Access, EntryList, Extension, ListKind, Lists, Pattern, Policy, Redundancy, Reserved, redundant,
};
use minds_paths::WorkspacePath;
use proptest::prelude::*;
use proptest::sample::select;

use support::lists;

mod support;

const STEPS: usize = 4_000_000;

#[track_caller]
fn finds(entries: &str, expected: &[(&str, Redundancy)]) {
    let lists = lists(entries);
    let found = redundant(&lists, &mut STEPS.clone()).unwrap();
    let found: Vec<_> = found
        .iter()
        .map(|entry| {
            let sign = match entry.list {
                ListKind::Deny => '-',
                ListKind::DenyExtension => '~',
                ListKind::Allow => '+',
                ListKind::AllowExtension => '=',
            };
            (format!("{sign}{}", lists.written(entry.list, entry.index).unwrap()), entry.why)
        })
        .collect();
    let found: Vec<_> = found.iter().map(|(entry, why)| (entry.as_str(), *why)).collect();
    assert_eq!(found, expected, "{entries}");
}

const fn shadowed(by: usize) -> Redundancy {
    Redundancy::Shadowed { by: Some(by) }
}

#[test]
fn entries_that_decide_something() {
    finds("", &[]);
    finds("+src", &[]);
    finds("-src", &[]);
    finds("+src +docs -src/gen", &[]);
    finds("+src/*/test +src/lib", &[]);
    finds("+* -secrets", &[]);
    finds("-* ", &[]);
    // Without the only entry of an allow list everything is allowed.
    finds("-src +src", &[]);
    finds("-.minds/**", &[]);
    finds("=ts +src", &[]);
    finds("~lock +src", &[]);
    finds("-**/*.ts =ts", &[]);
    finds("-*b -b*", &[]);
    finds("+src -src/*", &[]);
}

#[test]
fn entries_of_the_same_list_say_it_already() {
    finds("-src -src/gen", &[("-src/gen", shadowed(0))]);
    finds("-src/gen -src", &[("-src/gen", shadowed(1))]);
    finds("+src +src/**", &[("+src", shadowed(1)), ("+src/**", shadowed(0))]);
    finds("+** +src", &[("+src", shadowed(0))]);
    finds("-**/gen -src/gen", &[("-src/gen", shadowed(0))]);
    finds("-a* -ab*", &[("-ab*", shadowed(0))]);
    finds("-a/* -a -a/b", &[("-a/*", shadowed(1)), ("-a/b", shadowed(0))]);
    finds("~ts ~.TS", &[("~ts", shadowed(1)), ("~.TS", shadowed(0))]);
    finds("-*/b -**/c/b -b", &[]);
    // What lies in a directory below `a` lies in one that is called so, or in another one.
    finds(
        "-a/**/b -a/b -a/*/**/b",
        &[("-a/**/b", Redundancy::Shadowed { by: None }), ("-a/b", shadowed(0)), ("-a/*/**/b", shadowed(0))],
    );
}

#[test]
fn what_is_allowed_and_denied() {
    finds(
        "+src/gen +docs -src",
        &[("-src", Redundancy::Contradicted { by: None })]
            .map(|_| ("+src/gen", Redundancy::Contradicted { by: Some(0) })),
    );
    finds("+src -other", &[("-other", Redundancy::NotAllowed)]);
    finds("+src/a* +docs -src/*", &[("+src/a*", Redundancy::Contradicted { by: Some(0) })]);
    finds(
        "+docs +a/x/y -a/*/y -other",
        &[("-other", Redundancy::NotAllowed), ("+a/x/y", Redundancy::Contradicted { by: Some(0) })],
    );
    finds("=ts ~ts =md", &[("=ts", Redundancy::Contradicted { by: Some(0) })]);
    finds("~md =ts", &[("~md", Redundancy::NotAllowed)]);
}

#[test]
fn letter_case_counts_in_allow_lists_only() {
    finds("-src -SRC/gen", &[("-SRC/gen", shadowed(0))]);
    finds("-Src -src", &[("-Src", shadowed(1)), ("-src", shadowed(0))]);
    finds("+src +SRC", &[]);
    finds("+docs +SRC/gen -src", &[("+SRC/gen", Redundancy::Contradicted { by: Some(0) })]);
    finds("+docs +S* -src -s*", &[("-src", shadowed(1)), ("+S*", Redundancy::Contradicted { by: Some(1) })]);
    // `Src` lies in the allowed scope, and only this entry denies it.
    finds("+S* -src", &[]);
    finds("+Docs -other", &[("-other", Redundancy::NotAllowed)]);
}

#[test]
fn an_allow_list_of_everything_is_none() {
    finds("+** -secrets", &[("+**", Redundancy::Everything)]);
    finds("+. =ts", &[("+.", Redundancy::Everything)]);
}

#[test]
fn what_can_never_be() {
    finds("-**/*.tsk", &[("-**/*.tsk", Redundancy::Reserved)]);
    finds("-**/*.t*", &[]);
    finds("~tar.gz", &[("~tar.gz", Redundancy::Never)]);
    finds("~tsk", &[("~tsk", Redundancy::Never)]);
}

/// What would take too long is not claimed.
#[test]
fn very_many_wildcards_end_in_silence() {
    let many: Vec<String> = (0..300).map(|at| format!("-**/*{at}*/**/{at}/*{at}")).collect();
    assert_eq!(redundant(&lists(&format!("-**/x/** -**/x/y {}", many.join(" "))), &mut STEPS.clone()), None);
    let many: Vec<String> = (0..500).map(|at| format!("-src/part-{at}")).collect();
    finds(&format!("-src/part-7/x {}", many.join(" ")), &[("-src/part-7/x", shadowed(8))]);
}

#[test]
fn an_unreadable_list_decides_alone() {
    let lists = Lists { allow: EntryList::unreadable(), ..lists("-src -src/gen") };
    assert_eq!(redundant(&lists, &mut STEPS.clone()), Some(vec![]));
}

/// All paths from few names, deep enough for the patterns of the property: three names of an entry, and two more after
/// its `**`. `few` has a name of each kind that the segments of the patterns distinguish.
fn paths() -> Vec<WorkspacePath> {
    let names = [
        "a", "b", "c", "ab", "ba", "aa", "bb", "acb", "a.b", "c.c", "c.b", "c.a", "a.c", "c.B", "c.cb",
        "a.ca", "a.cb",
    ];
    let few = ["a", "b", "c", "ab", "aa", "bb"];
    let below = |above: &[String], names: &[&str]| -> Vec<String> {
        above.iter().flat_map(|above| names.iter().map(move |name| format!("{above}/{name}"))).collect()
    };
    let mut all = vec![String::new()];
    let (mut wide, mut deep) = (all.clone(), all.clone());
    for depth in 1..=5 {
        if depth <= 3 {
            wide = below(&wide, &names);
            all.extend(wide.iter().cloned());
        }
        if depth > 3 {
            all.extend(below(&deep, &["c.a", "c.b", "c.c", "a.c"]));
        }
        deep = below(&deep, &few);
        if depth > 3 {
            all.extend(deep.iter().cloned());
        }
    }
    all.iter().map(|path| WorkspacePath::normalize(path.trim_start_matches('/')).unwrap()).collect()
}

static PATHS: LazyLock<Vec<WorkspacePath>> = LazyLock::new(paths);

fn without(lists: &Lists, kind: ListKind, index: usize) -> Lists {
    fn drop_at<T: Clone>(list: &EntryList<T>, index: usize) -> EntryList<T> {
        let mut entries = list.entries().to_vec();
        entries.remove(index);
        EntryList::Given(entries)
    }
    let mut lists = lists.clone();
    match kind {
        ListKind::Deny => lists.deny = drop_at(&lists.deny, index),
        ListKind::DenyExtension => lists.deny_extensions = drop_at(&lists.deny_extensions, index),
        ListKind::Allow => lists.allow = drop_at(&lists.allow, index),
        ListKind::AllowExtension => lists.allow_extensions = drop_at(&lists.allow_extensions, index),
    }
    lists
}

fn patterns() -> impl Strategy<Value = EntryList<Pattern>> {
    let segment = select(vec!["a", "b", "a", "b", "*", "**", "a*", "*b", "a*b"]);
    let pattern = prop::collection::vec(segment, 1..4)
        .prop_map(|segments| Pattern::parse(&segments.join("/")).unwrap());
    prop::collection::vec(pattern, 0..4).prop_map(EntryList::Given)
}

fn extensions() -> impl Strategy<Value = EntryList<Extension>> {
    let extension = select(vec!["a", "b", "B", "b.c"]).prop_map(|entry| Extension::parse(entry).unwrap());
    prop_oneof![3 => Just(EntryList::Absent), 1 => prop::collection::vec(extension, 1..3).prop_map(EntryList::Given)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// An entry is returned if and only if removing it changes the answer for no path.
    #[test]
    fn an_entry_is_redundant_if_and_only_if_removing_it_changes_nothing(
        deny in patterns(), allow in patterns(), deny_extensions in extensions(), allow_extensions in extensions(),
    ) {
        let lists = Lists { deny, deny_extensions, allow, allow_extensions };
        let found: Vec<_> = redundant(&lists, &mut STEPS.clone()).unwrap().iter().map(|entry| (entry.list, entry.index)).collect();
        let policy = Policy::new(lists.clone(), Lists::default());
        let lengths = [
            (ListKind::Deny, lists.deny.entries().len()),
            (ListKind::DenyExtension, lists.deny_extensions.entries().len()),
            (ListKind::Allow, lists.allow.entries().len()),
            (ListKind::AllowExtension, lists.allow_extensions.entries().len()),
        ];
        for (kind, length) in lengths {
            for index in 0..length {
                let other = Policy::new(without(&lists, kind, index), Lists::default());
                let changed = PATHS.iter().find(|path| {
                    policy.check(Access::Read, path).is_allowed() != other.check(Access::Read, path).is_allowed()
                });
                let is_found = found.contains(&(kind, index));
                prop_assert!(!is_found || changed.is_none(), "{:?} {} decides about {:?}", kind, index, changed);
                // With extensions it can take a name that is not among the tried ones.
                let all_are_tried = lists.deny_extensions.entries().is_empty() && lists.allow_extensions.entries().is_empty();
                prop_assert!(is_found || changed.is_some() || !all_are_tried, "{:?} {} decides nothing", kind, index);
            }
        }
    }

    /// Entries in any letter case: what is returned can be removed.
    #[test]
    fn a_redundant_entry_in_any_letter_case_can_be_removed(
        deny in prop::collection::vec(select(vec!["a", "A", "a/b", "A/*", "*", "**/B", "a*", "*B", "A*b", "K", "ss", "s*"]), 0..4),
        allow in prop::collection::vec(select(vec!["a", "A", "a/b", "A/B", "*", "**/b", "A*", "*b", "a*B", "\u{212a}", "ß", "S*"]), 0..4),
        paths in prop::collection::vec("([abABkKsS\u{17f}\u{212a}ß]{1,3}/){0,2}[abABkKsS\u{17f}\u{212a}ß]{1,3}", 200),
    ) {
        let read = |list: Vec<&str>| EntryList::Given(list.into_iter().map(|entry| Pattern::parse(entry).unwrap()).collect());
        let lists = Lists { deny: read(deny), allow: read(allow), ..Lists::default() };
        let policy = Policy::new(lists.clone(), Lists::default());
        for entry in redundant(&lists, &mut STEPS.clone()).unwrap() {
            let other = Policy::new(without(&lists, entry.list, entry.index), Lists::default());
            for path in paths.iter().filter_map(|path| WorkspacePath::normalize(path).ok()) {
                prop_assert!(
                    policy.check(Access::Read, &path).is_allowed() == other.check(Access::Read, &path).is_allowed(),
                    "{:?} matters for {}", entry, path
                );
            }
        }
    }

    /// Extensions, endings of packages and names of different lengths.
    #[test]
    fn a_redundant_entry_can_be_removed(
        deny in prop::collection::vec(select(vec!["**/*.tsk", "*.t*", "x*", "**/*.tsk/a", "**", "*k", "**/k.*", "*s*"]), 0..4),
        allow in prop::collection::vec(select(vec!["**/*.tsk", "*.t*", "x*", "**", "*k", "k.*", "**/*x*k"]), 0..4),
        extensions in prop::collection::vec(select(vec!["tsk", "ts", "T", "k"]), 0..3),
        paths in prop::collection::vec("[xtk]{0,2}([.][tskTSKx\u{17f}\u{212a}]{1,3})?(/[xtk]{1,2}([.][tsk]{0,3})?){0,2}", 100),
    ) {
        let read = |list: Vec<&str>| EntryList::Given(list.into_iter().map(|entry| Pattern::parse(entry).unwrap()).collect());
        let extensions = EntryList::Given(extensions.into_iter().map(|entry| Extension::parse(entry).unwrap()).collect());
        let lists = Lists { deny: read(deny), allow: read(allow), allow_extensions: extensions, ..Lists::default() };
        let policy = Policy::new(lists.clone(), Lists::default());
        for entry in redundant(&lists, &mut STEPS.clone()).unwrap() {
            let other = Policy::new(without(&lists, entry.list, entry.index), Lists::default());
            for path in paths.iter().filter_map(|path| WorkspacePath::normalize(path.trim_matches('/')).ok()) {
                prop_assert!(
                    Reserved::find(Access::Read, &path).is_some()
                        || policy.check(Access::Read, &path).is_allowed() == other.check(Access::Read, &path).is_allowed(),
                    "{:?} matters for {}", entry, path
                );
            }
        }
    }
}
