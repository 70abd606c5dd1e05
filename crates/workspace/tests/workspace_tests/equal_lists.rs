//! Lists that are compared once for many members give the same findings as lists that are compared for each member.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use minds_vfs::{Snapshot, WorkspacePath};
use proptest::prelude::*;
use proptest::sample::select;

/// Returns the findings about entries without effect, each with the line that it is about and without other lines.
fn findings(team: &str) -> BTreeSet<(usize, &'static str, String)> {
    let snapshot = Snapshot::new().with_file(WorkspacePath::parse(".minds/team.yaml").unwrap(), team);
    let found = minds_workspace::check(&snapshot).diagnostics.into_iter().filter_map(|found| {
        let is_about_entries = found.rule.code.starts_with("access/") && found.rule.code.ends_with("-entry");
        let label = found.primary.filter(|_| is_about_entries)?;
        let line = usize::try_from(label.source.range(label.span).start.line).unwrap();
        Some((line, found.rule.code, found.message))
    });
    found.collect()
}

/// The keys of lists, each with the entries that are generated for it.
const KEYS: [(&str, &[&str]); 5] = [
    ("read_dirs", &["a", "a/b", "c", "*", "a/*"]),
    ("no_read_dirs", &["a", "a/*/b", "**/c", "d"]),
    ("write_dirs", &["a", "**/b", "a/b/*", "c/d", "*/c"]),
    ("no_write_dirs", &["a/b", "**/d", "a/*/b", "c", "x"]),
    ("no_write_file_ext_names", &["b", "tsk", "B"]),
];

/// Returns the lists of a member or of the defaults, one on each line.
fn fields() -> impl Strategy<Value = Vec<String>> {
    let list = |(key, entries): (&'static str, &'static [&'static str])| {
        let list = prop::collection::vec(select(entries), 1..4)
            .prop_map(move |entries| format!("    {key}: ['{}']\n", entries.join("', '")));
        prop_oneof![1 => Just(None), 1 => list.prop_map(Some)]
    };
    KEYS.map(list).prop_map(|lists| lists.into_iter().flatten().collect())
}

/// Returns a team, and the number of the line in front of each member.
fn team(defaults: &[String], members: &[&Vec<String>]) -> (String, Vec<usize>) {
    let mut text = format!("member_defaults:\n    model: m\n{}members:\n", defaults.concat());
    let lines = members.iter().enumerate().map(|(at, fields)| {
        let line = text.lines().count();
        let _ = write!(text, "  m{at}:\n    name: m\n{}", fields.concat());
        line
    });
    let lines = lines.collect();
    (text, lines)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// The findings about the lists of a member are those of a team that has only this member, and the findings about the
    /// lists of the defaults are those that are in all such teams.
    #[test]
    fn equal_lists_have_the_same_findings_as_each_of_them(
        defaults in fields(),
        kinds in prop::collection::vec(fields(), 1..4),
        members in prop::collection::vec(any::<prop::sample::Index>(), 1..8),
    ) {
        let members: Vec<&Vec<String>> = members.iter().map(|index| index.get(&kinds)).collect();
        let (text, lines) = team(&defaults, &members);
        let found = findings(&text);
        let first_line = *lines.first().unwrap();
        let of_defaults = |found: &BTreeSet<(usize, &'static str, String)>| -> BTreeSet<_> {
            found.iter().filter(|(line, ..)| *line <= first_line).cloned().collect()
        };
        let mut common: Option<BTreeSet<_>> = None;
        let mut expected = BTreeSet::new();
        for (member, line) in members.iter().zip(&lines) {
            let alone = findings(&team(&defaults, &[*member]).0);
            let own = of_defaults(&alone);
            common = Some(common.map_or(own.clone(), |common| common.intersection(&own).cloned().collect()));
            let moved = |(at, code, message): (usize, _, _)| (at + line - first_line, code, message);
            expected.extend(alone.into_iter().filter(|(at, ..)| *at > first_line).map(moved));
        }
        expected.extend(common.unwrap_or_default());
        prop_assert_eq!(found, expected, "{}", text);
    }
}
