//! An entry is reported as redundant if it has no effect for any member that has it.

use minds_vfs::{Snapshot, WorkspacePath};

/// Returns the findings about entries of lists, as `line entry kind`.
fn findings(team: &str) -> Vec<String> {
    let snapshot = Snapshot::new().with_file(WorkspacePath::parse(".minds/team.yaml").unwrap(), team);
    let kinds = [
        "shadowed-entry",
        "dead-entry",
        "moot-entry",
        "contradictory-entry",
        "confusable-entry",
        "uncompared-lists",
    ];
    let found = minds_workspace::check(&snapshot).diagnostics.into_iter().filter_map(|found| {
        let kind = kinds.iter().find(|kind| found.rule.code.ends_with(*kind))?;
        let label = found.primary?;
        let line = label.source.range(label.span).start.line;
        Some(format!("{line} {} {}", label.source.slice(label.span), kind.split('-').next()?))
    });
    found.collect()
}

#[track_caller]
fn check(team: &str, expected: &[&str]) {
    assert_eq!(findings(team), expected, "{team}");
}

#[test]
fn an_inherited_entry_must_be_redundant_for_all_members() {
    // For `a` it is moot, for all other members it is not.
    check(
        "member_defaults:\n  no_read_dirs: [docs]\nmembers:\n  a: {read_dirs: [src]}\n  b: {read_dirs: [docs, lib]}\n",
        &["5 docs contradictory"],
    );
    // Built-in members inherit as well.
    check("member_defaults:\n  no_read_dirs: [docs]\nmembers:\n  a: {read_dirs: [src]}\n", &[]);
    check(
        "member_defaults:\n  no_read_dirs: [docs, docs/a]\nmembers:\n  a: {read_dirs: [src]}\n",
        &["2 docs/a shadowed"],
    );
    // A list that no member has is not reported.
    check(
        "member_defaults:\n  read_dirs: [src, docs]\n  no_read_dirs: [lib]\nmembers:\n  a: {no_read_dirs: [src/x, lib]}\n",
        &["3 lib moot"],
    );
}

#[test]
fn an_entry_that_repeats_an_inherited_one_is_kept() {
    check(
        "member_defaults:\n  no_write_dirs: [archive]\nmembers:\n  a:\n    write_dirs: [site]\n    no_write_dirs: [archive, other, site/x]\n",
        &["6 other moot"],
    );
}

#[test]
fn lists_with_an_alias_are_one_list() {
    check("members:\n  a: {read_dirs: &l [src, docs], no_read_dirs: [docs]}\n  b: {read_dirs: *l}\n", &[]);
    check(
        "members:\n  a: {read_dirs: &l [src, docs, docs/x]}\n  b: {read_dirs: *l}\n",
        &["2 docs/x shadowed"],
    );
}

#[test]
fn nothing_is_reported_about_unreadable_lists() {
    // The list denies everything, regardless of its other entries.
    check("members:\n  a: {read_dirs: [src, src/a, a**b]}\n", &[]);
    // The entry could be effective for the other member.
    check("member_defaults: {no_read_dirs: [src, src/a]}\nmembers:\n  a: {}\n  b: 7\n", &[]);
    check("members:\n  a: {read_dirs: [src, src/a]}\n---\nx: y\n", &[]);
}

#[test]
fn operations_are_independent() {
    check(
        "members:\n  a: {read_dirs: [src], write_dirs: [src/a], no_write_dirs: [docs]}\n",
        &["2 docs moot"],
    );
    check("members:\n  a: {no_read_dirs: [docs], no_write_dirs: [docs/x]}\n", &[]);
}

#[test]
fn extension_lists_are_taken_into_account() {
    check(
        "members:\n  a: {read_file_ext_names: [md, .MD], no_read_file_ext_names: [pem]}\n",
        &["2 md shadowed", "2 .MD shadowed", "2 pem moot"],
    );
    check("members:\n  a: {no_write_file_ext_names: [tsk]}\n", &["2 tsk dead"]);
    // Unlike patterns, extensions are always case-insensitive.
    check("members:\n  a: {no_write_dirs: ['**/*.pem'], no_write_file_ext_names: [pem]}\n", &[]);
}

#[test]
fn confusable_names_are_reported() {
    check("members:\n  a: {read_dirs: [Docs]}\n  b: {read_dirs: [docs]}\n", &["3 docs confusable"]);
    check("members:\n  a: {read_dirs: [doc, Doc/x]}\n", &[]);
    check("members:\n  a: {read_dirs: [\"e\\u0301t\", \"\\u00e9t\"]}\n", &["2 \"\\u00e9t\" confusable"]);
    check(
        "members:\n  a: {read_dirs: [src]}\n  b: {read_dirs: [\"sr\u{441}\"]}\n",
        &["3 \"sr\u{441}\" confusable"],
    );
    // Similar ASCII names are intended.
    check("members:\n  a: {read_dirs: [v1, vl]}\n", &[]);
}

#[test]
fn very_long_lists_are_not_compared() {
    let many: Vec<String> = (0..3_000).map(|at| format!("'**/a{at}*b'")).collect();
    let found = findings(&format!("members:\n  a: {{read_dirs: [{}]}}\n", many.join(", ")));
    assert_eq!(found.len(), 1);
    assert!(found[0].ends_with(" uncompared"), "{found:?}");
}
