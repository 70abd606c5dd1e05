//! Redundant entries, compared with trying all paths.

use std::sync::LazyLock;

use minds_access_control::{
    Access, EntryList, Extension, ListKind, Lists, Pattern, Policy, Redundancy, ReservedArea, find_redundant,
};
use minds_vfs::WorkspacePath;
use proptest::prelude::*;
use proptest::sample::select;

use support::lists;

use crate::support;

const STEPS: usize = 4_000_000;

#[track_caller]
fn expect_redundant(entries: &str, expected: &[(&str, Redundancy)]) {
    let lists = lists(entries);
    let found = find_redundant(&lists, &mut STEPS.clone()).unwrap();
    let found: Vec<_> = found
        .iter()
        .map(|entry| {
            let sign = match entry.list {
                ListKind::Deny => '-',
                ListKind::DenyExtension => '~',
                ListKind::Allow => '+',
                ListKind::AllowExtension => '=',
            };
            (format!("{sign}{}", lists.entry_text(entry.list, entry.index).unwrap()), entry.redundancy)
        })
        .collect();
    let found: Vec<_> = found.iter().map(|(entry, why)| (entry.as_str(), *why)).collect();
    assert_eq!(found, expected, "{entries}");
}

const fn shadowed_by(by: usize) -> Redundancy {
    Redundancy::Shadowed { by: Some(by) }
}

#[test]
fn effective_entries_are_not_reported() {
    expect_redundant("", &[]);
    expect_redundant("+src", &[]);
    expect_redundant("-src", &[]);
    expect_redundant("+src +docs -src/gen", &[]);
    expect_redundant("+src/*/test +src/lib", &[]);
    expect_redundant("+* -secrets", &[]);
    expect_redundant("-* ", &[]);
    // Without the only entry of an allow list everything is allowed.
    expect_redundant("-src +src", &[]);
    expect_redundant("-.minds/**", &[]);
    expect_redundant("=ts +src", &[]);
    expect_redundant("~lock +src", &[]);
    expect_redundant("-**/*.ts =ts", &[]);
    expect_redundant("-*b -b*", &[]);
    expect_redundant("+src -src/*", &[]);
}

#[test]
fn entries_covered_by_their_own_list_are_shadowed() {
    expect_redundant("-src -src/gen", &[("-src/gen", shadowed_by(0))]);
    expect_redundant("-src/gen -src", &[("-src/gen", shadowed_by(1))]);
    expect_redundant("+src +src/**", &[("+src", shadowed_by(1)), ("+src/**", shadowed_by(0))]);
    expect_redundant("+** +src", &[("+src", shadowed_by(0))]);
    expect_redundant("-**/gen -src/gen", &[("-src/gen", shadowed_by(0))]);
    expect_redundant("-a* -ab*", &[("-ab*", shadowed_by(0))]);
    expect_redundant("-a/* -a -a/b", &[("-a/*", shadowed_by(1)), ("-a/b", shadowed_by(0))]);
    expect_redundant("~ts ~.TS", &[("~ts", shadowed_by(1)), ("~.TS", shadowed_by(0))]);
    expect_redundant("-*/b -**/c/b -b", &[]);
    // Only the other two entries together cover the first.
    expect_redundant(
        "-a/**/b -a/b -a/*/**/b",
        &[
            ("-a/**/b", Redundancy::Shadowed { by: None }),
            ("-a/b", shadowed_by(0)),
            ("-a/*/**/b", shadowed_by(0)),
        ],
    );
}

#[test]
fn contradicted_and_unnecessary_entries_are_reported() {
    expect_redundant(
        "+src/gen +docs -src",
        &[("-src", Redundancy::Contradicted { by: None })]
            .map(|_| ("+src/gen", Redundancy::Contradicted { by: Some(0) })),
    );
    expect_redundant("+src -other", &[("-other", Redundancy::NotAllowed)]);
    expect_redundant("+src/a* +docs -src/*", &[("+src/a*", Redundancy::Contradicted { by: Some(0) })]);
    expect_redundant(
        "+docs +a/x/y -a/*/y -other",
        &[("-other", Redundancy::NotAllowed), ("+a/x/y", Redundancy::Contradicted { by: Some(0) })],
    );
    expect_redundant("=ts ~ts =md", &[("=ts", Redundancy::Contradicted { by: Some(0) })]);
    expect_redundant("~md =ts", &[("~md", Redundancy::NotAllowed)]);
}

#[test]
fn letter_case_matters_in_allow_lists_only() {
    expect_redundant("-src -SRC/gen", &[("-SRC/gen", shadowed_by(0))]);
    expect_redundant("-Src -src", &[("-Src", shadowed_by(1)), ("-src", shadowed_by(0))]);
    expect_redundant("+src +SRC", &[]);
    expect_redundant("+docs +SRC/gen -src", &[("+SRC/gen", Redundancy::Contradicted { by: Some(0) })]);
    expect_redundant(
        "+docs +S* -src -s*",
        &[("-src", shadowed_by(1)), ("+S*", Redundancy::Contradicted { by: Some(1) })],
    );
    // `Src` is in the allowed scope, and only this entry denies it.
    expect_redundant("+S* -src", &[]);
    expect_redundant("+Docs -other", &[("-other", Redundancy::NotAllowed)]);
}

#[test]
fn an_allow_list_of_everything_is_redundant() {
    expect_redundant("+** -secrets", &[("+**", Redundancy::Everything)]);
    expect_redundant("+. =ts", &[("+.", Redundancy::Everything)]);
}

#[test]
fn entries_that_never_match_are_reported() {
    expect_redundant("-**/*.tsk", &[("-**/*.tsk", Redundancy::Reserved)]);
    expect_redundant("-**/*.t*", &[]);
    expect_redundant("~tar.gz", &[("~tar.gz", Redundancy::Never)]);
    expect_redundant("~tsk", &[("~tsk", Redundancy::Never)]);
}

/// If the search would take too long, there is no result.
#[test]
fn too_many_wildcards_give_no_result() {
    let many: Vec<String> = (0..300).map(|at| format!("-**/*{at}*/**/{at}/*{at}")).collect();
    let many = many.join(" ");
    // Only the next two entries together cover the first.
    assert_eq!(find_redundant(&lists(&format!("-a/**/b -a/b -a/*/**/b {many}")), &mut STEPS.clone()), None);
    // Entries that a single entry covers need no search.
    expect_redundant(&format!("-**/x/** -**/x/y {many}"), &[("-**/x/y", shadowed_by(0))]);
    let many: Vec<String> = (0..500).map(|at| format!("-src/part-{at}")).collect();
    expect_redundant(&format!("-src/part-7/x {}", many.join(" ")), &[("-src/part-7/x", shadowed_by(8))]);
}

#[test]
fn no_entry_is_redundant_next_to_an_unreadable_list() {
    let lists = Lists { allow: EntryList::unreadable(), ..lists("-src -src/gen") };
    assert_eq!(find_redundant(&lists, &mut STEPS.clone()), Some(vec![]));
}

/// All paths of few names, deep enough for the patterns of the property: three segments of an entry, and two more for
/// `**`. `few` has one name of each class that the segments of the patterns distinguish.
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

fn remove_entry(lists: &Lists, kind: ListKind, index: usize) -> Lists {
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

    /// An entry is returned if and only if removing it changes no decision.
    #[test]
    fn an_entry_is_redundant_if_and_only_if_removing_it_changes_nothing(
        deny in patterns(), allow in patterns(), deny_extensions in extensions(), allow_extensions in extensions(),
    ) {
        let lists = Lists { deny, deny_extensions, allow, allow_extensions };
        let found: Vec<_> = find_redundant(&lists, &mut STEPS.clone()).unwrap().iter().map(|entry| (entry.list, entry.index)).collect();
        let policy = Policy::new(lists.clone(), Lists::default());
        let lengths = [
            (ListKind::Deny, lists.deny.entries().len()),
            (ListKind::DenyExtension, lists.deny_extensions.entries().len()),
            (ListKind::Allow, lists.allow.entries().len()),
            (ListKind::AllowExtension, lists.allow_extensions.entries().len()),
        ];
        for (kind, length) in lengths {
            for index in 0..length {
                let other = Policy::new(remove_entry(&lists, kind, index), Lists::default());
                let changed = PATHS.iter().find(|path| {
                    policy.check(Access::Read, path).is_allowed() != other.check(Access::Read, path).is_allowed()
                });
                let is_found = found.contains(&(kind, index));
                prop_assert!(!is_found || changed.is_none(), "{:?} {} decides {:?}", kind, index, changed);
                // With extension lists the deciding name may not be among the tried ones.
                let all_are_tried = lists.deny_extensions.entries().is_empty() && lists.allow_extensions.entries().is_empty();
                prop_assert!(is_found || changed.is_some() || !all_are_tried, "{:?} {} has no effect", kind, index);
            }
        }
    }

    /// Returned entries in any letter case can be removed.
    #[test]
    fn a_redundant_entry_in_any_letter_case_can_be_removed(
        deny in prop::collection::vec(select(vec!["a", "A", "a/b", "A/*", "*", "**/B", "a*", "*B", "A*b", "K", "ss", "s*"]), 0..4),
        allow in prop::collection::vec(select(vec!["a", "A", "a/b", "A/B", "*", "**/b", "A*", "*b", "a*B", "\u{212a}", "ß", "S*"]), 0..4),
        paths in prop::collection::vec("([abABkKsS\u{17f}\u{212a}ß]{1,3}/){0,2}[abABkKsS\u{17f}\u{212a}ß]{1,3}", 200),
    ) {
        let read = |list: Vec<&str>| EntryList::Given(list.into_iter().map(|entry| Pattern::parse(entry).unwrap()).collect());
        let lists = Lists { deny: read(deny), allow: read(allow), ..Lists::default() };
        let policy = Policy::new(lists.clone(), Lists::default());
        for entry in find_redundant(&lists, &mut STEPS.clone()).unwrap() {
            let other = Policy::new(remove_entry(&lists, entry.list, entry.index), Lists::default());
            for path in paths.iter().filter_map(|path| WorkspacePath::normalize(path).ok()) {
                prop_assert!(
                    policy.check(Access::Read, &path).is_allowed() == other.check(Access::Read, &path).is_allowed(),
                    "{:?} decides {}", entry, path
                );
            }
        }
    }

    /// Extensions, package suffixes and names of different lengths.
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
        for entry in find_redundant(&lists, &mut STEPS.clone()).unwrap() {
            let other = Policy::new(remove_entry(&lists, entry.list, entry.index), Lists::default());
            for path in paths.iter().filter_map(|path| WorkspacePath::normalize(path.trim_matches('/')).ok()) {
                prop_assert!(
                    ReservedArea::find(Access::Read, &path).is_some()
                        || policy.check(Access::Read, &path).is_allowed() == other.check(Access::Read, &path).is_allowed(),
                    "{:?} decides {}", entry, path
                );
            }
        }
    }
}
