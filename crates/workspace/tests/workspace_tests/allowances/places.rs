//! Valid suppressions, and the findings that they apply to.

use minds_vfs::Snapshot;

use crate::allowances::{ALLOW, check, check_team, path, summarize};

const TOP: &str = "member_defaults: {provider: codex, model: gpt-5.2}";

#[test]
fn findings_are_reported_without_a_comment() {
    check("    toolsets: [nope]\n", &["1:16 team/unknown-toolset"], 0);
}

#[test]
fn a_comment_at_the_end_of_the_line_applies_to_it() {
    check(&format!("    toolsets: [nope] {ALLOW}\n"), &[], 1);
    check(&format!("    toolsets: [nope]\t{ALLOW}"), &[], 1);
    check(&format!("    toolsets:\n      - nope {ALLOW}\n"), &[], 1);
    check(&format!("    toolsets: [ws_read, nope, {ALLOW}\n      team-mgmt]\n"), &[], 1);
    check(&format!("    toolsets: [nope, nada] {ALLOW}\n"), &[], 2);
    check(&format!("    toolsets: ['nope'] {ALLOW}\n    name: é\n"), &[], 1);
}

#[test]
fn a_comment_on_its_own_line_applies_to_the_next_line() {
    check(&format!("    {ALLOW}\n    toolsets: [nope]\n"), &[], 1);
    check(&format!("{ALLOW}\n    toolsets: [nope]\n"), &[], 1);
    check(&format!("    {ALLOW}\n    # why\n\n  \t\n    toolsets: [nope]\n"), &[], 1);
    check(&format!("    toolsets:\n      {ALLOW}\n      - nope\n"), &[], 1);
    check(&format!("    toolsets: [\n      {ALLOW}\n      nope]\n"), &[], 1);
    // Several comments apply to the same line.
    check(
        &format!(
            "    {ALLOW}\n    # minds: allow(team/excluded-tool) no\n    # minds: allow(team/unknown-tool) tool\n    {{toolsets: [nope], tools: [nothing]}}\n"
        ),
        &["2:20 allow/unused"],
        2,
    );
}

#[test]
fn a_comment_does_not_apply_to_other_lines() {
    check(
        &format!("    {ALLOW}\n    name: x\n    toolsets: [nope]\n"),
        &["1:20 allow/unused", "3:16 team/unknown-toolset"],
        0,
    );
    // Findings about multi-line values are suppressed on the line where they start.
    check(
        &format!("    {ALLOW}\n    toolsets:\n      - nope\n"),
        &["1:20 allow/unused", "3:9 team/unknown-toolset"],
        0,
    );
    check(
        &format!("    toolsets: [nope,\n      team-mgmt] {ALLOW}\n"),
        &["1:16 team/unknown-toolset", "2:33 allow/unused"],
        0,
    );
    check(&format!("    toolsets: [ws_read]\n    {ALLOW}\n"), &["2:20 allow/unused"], 0);
}

#[test]
fn all_line_breaks_are_supported() {
    for end in ["\n", "\r\n"] {
        for fields in
            [format!("    toolsets: [nope] {ALLOW}\n"), format!("    {ALLOW}\n\n    toolsets: [nope]\n")]
        {
            check_team(&format!("{}{fields}", crate::allowances::HEAD).replace('\n', end), &[], 1);
        }
    }
}

#[test]
fn comments_before_the_content_are_supported() {
    let code = "# minds: allow(team/missing-model) set where it runs";
    let text = "members: {a: {provider: codex, model: gpt-5.2}}\n";
    let without: Vec<String> = summarize(&minds_workspace::check(&crate::allowances::team(text))).0;
    assert_eq!(without, ["1:1 team/missing-model", "1:1 team/missing-provider"], "both have no defaults");
    let left = |line: u32| format!("{line}:1 team/missing-provider");
    check_team(&format!("{code}\n{text}"), &[&left(2)], 1);
    check_team(&format!("\u{feff}{code}\n{text}"), &[&left(2)], 1);
    check_team(&format!("{code}\n\n---\n{text}"), &[&left(4)], 1);
    check_team(&format!("{code}\n%YAML 1.2\n# more\n---\n# even more\n{text}"), &[&left(6)], 1);
    check_team(&format!("---\n{code}\n{text}"), &[&left(3)], 1);
}

#[test]
fn strings_are_not_comments() {
    let found = |line: u32| format!("{line}:16 team/unknown-toolset");
    for (name, line) in [
        (format!("'x {ALLOW}'"), 2),
        (format!("\"x {ALLOW}\""), 2),
        (format!("\"x\n      {ALLOW}\n      y\""), 4),
        (format!("'x\n\n      {ALLOW}\n      '"), 5),
        (format!("|\n      {ALLOW}"), 3),
        (format!(">-\n      {ALLOW}\n      x"), 4),
        (format!("|\n      x\n       {ALLOW}\n\n"), 6),
        ("x#minds:allow(team/unknown-toolset)x".to_owned(), 2),
        (format!("&n 'x {ALLOW}'"), 2),
        (format!("!!str 'x {ALLOW}'"), 2),
    ] {
        check(&format!("    name: {name}\n    toolsets: [nope]\n"), &[&found(line)], 0);
    }
    // A key is a string as well.
    check(&format!("    'x-{ALLOW}': 1\n    toolsets: [nope]\n"), &[&found(2)], 0);
    // An invalid string is still a string.
    check(
        &format!("    name: !other 'x {ALLOW}'\n    toolsets: [nope]\n"),
        &["1:11 yaml/tag", "2:16 team/unknown-toolset"],
        0,
    );
}

#[test]
fn comments_next_to_strings_are_comments() {
    for name in ["|", ">-", "|2"] {
        check(&format!("    toolsets: [nope] {ALLOW}\n    name: {name} # x\n      # text\n"), &[], 1);
        // After the header of a block scalar, and below its text.
        let unused = format!("1:{} allow/unused", 26 + name.len() + 1);
        check(&format!("    name: {name} {ALLOW}\n      text\n"), &[&unused], 0);
        check(&format!("    name: {name}\n      # text\n    {ALLOW}\n    toolsets: [nope]\n"), &[], 1);
        check(&format!("    name: {name}\n      text\n\n\n{ALLOW}\n    toolsets: [nope]\n"), &[], 1);
    }
    check(&format!("    name: 'it''s \\'\n    {ALLOW}\n    toolsets: [nope]\n"), &[], 1);
    check(&format!("    name: \"\\\"#\" # x\n    {ALLOW}\n    toolsets: [nope]\n"), &[], 1);
    check(&format!("    name: &a#b x#y\n    toolsets: [nope] {ALLOW}\n"), &[], 1);
    check(&format!("    x-a: &n ~\n    x-b: *n {ALLOW}\n"), &["2:28 allow/unused"], 0);
    check(&format!("    name: # empty\n    {ALLOW}\n    toolsets: [nope]\n"), &["1:10 schema/type"], 1);
}

#[test]
fn the_comment_must_begin_with_the_marker() {
    for comment in [
        "# see # minds: allow(team/unknown-toolset) x",
        "# x minds: allow(team/unknown-toolset) x",
        "## minds:",
    ] {
        check(&format!("    toolsets: [nope] {comment}\n"), &["1:16 team/unknown-toolset"], 0);
    }
    check("    toolsets: [nope] #minds:allow(team/unknown-toolset)x\n", &[], 1);
    check("    toolsets: [nope] # \t minds: \t allow ( team/unknown-toolset ) x\n", &[], 1);
}

#[test]
fn several_codes_are_supported() {
    let both =
        "    read_dirs: ['b\\c', 'a?'] # minds: allow(access/backslash,access/literal-character) yes\n";
    check(both, &[], 2);
    check(
        "    read_dirs: ['b\\c', 'a?'] # minds: allow(access/backslash, team/unsafe-id, access/whole-workspace) yes\n",
        &["1:24 access/literal-character", "1:63 allow/unused", "1:79 allow/unused"],
        1,
    );
}

#[test]
fn duplicate_codes_are_reported() {
    check(&format!("    {ALLOW}\n    toolsets: [nope] {ALLOW}\n"), &["2:37 allow/unused"], 1);
    check(
        "    toolsets: [nope] # minds: allow(team/unknown-toolset, team/unknown-toolset) x\n",
        &["1:59 allow/unused"],
        1,
    );
}

#[test]
fn a_comment_without_a_reason_suppresses_nothing() {
    check(
        "    toolsets: [nope] # minds: allow(team/unknown-toolset)  \n",
        &["1:16 team/unknown-toolset", "1:22 allow/without-reason"],
        0,
    );
    check("    name: x # minds: allow(team/unknown-toolset) --\n", &["1:13 allow/without-reason"], 0);
    check(
        "    name: x # minds: allow(team/unknown-toolst, schema/type)\n",
        &["1:13 allow/without-reason", "1:28 allow/unknown-code", "1:49 allow/not-allowable"],
        0,
    );
    check(
        &format!("    # minds: allow(team/unknown-toolset)\n    toolsets: [nope] {ALLOW}\n"),
        &["1:5 allow/without-reason"],
        1,
    );
}

#[test]
fn malformed_comments_are_reported() {
    for comment in
        ["allow", "allow nope", "allow(", "allow() x", "allow(team/unknown-toolset,) x", "alow(a/b) x"]
    {
        check(
            &format!("    toolsets: [nope] # minds: {comment}\n"),
            &["1:16 team/unknown-toolset", "1:22 allow/malformed"],
            0,
        );
    }
    check("    name: x # minds: allow(team/nonsense) why\n", &["1:28 allow/unknown-code"], 0);
    check("    name: x # minds: allow(team) why\n", &["1:28 allow/unknown-code"], 0);
    check("    name: x # minds: the staff\n", &[], 0);
}

#[test]
fn findings_about_unreadable_content_cannot_be_suppressed() {
    check(
        "    name: x\n    name: y # minds: allow(yaml/duplicate-key) on purpose\n",
        &["2:5 yaml/duplicate-key", "2:28 allow/not-allowable"],
        0,
    );
    check(
        "    no_read_dirs: [../x] # minds: allow(access/invalid-pattern) on purpose\n",
        &["1:20 access/invalid-pattern", "1:41 allow/not-allowable"],
        0,
    );
    check("    name: x # minds: allow(allow/unused) so\n", &["1:28 allow/not-allowable"], 0);
}

/// Unreadable content may contain the suppressed finding, so the comment is not unused.
#[test]
fn nothing_is_unused_while_something_is_unreadable() {
    check_team(&format!("{TOP}\nmembers: [ {ALLOW}\n"), &["3:1 yaml/syntax"], 0);
    // The same applies to another file.
    let team = format!("{TOP} # minds: allow(team/unknown-provider) x\nmembers: {{a: {{}}}}\n");
    let unused = crate::allowances::team(&team);
    assert_eq!(summarize(&minds_workspace::check(&unused)).0, ["1:67 allow/unused"]);
    let unreadable = unused.with_file(path(".minds/llm.yaml"), "providers: [\n");
    assert_eq!(summarize(&minds_workspace::check(&unreadable)).0, ["2:1 yaml/syntax"]);
}

/// Invalid content may hide the finding, so the comment is reported, but no fix is offered.
#[test]
fn unused_comments_are_reported_without_a_fix_while_content_is_invalid() {
    let toolset = format!("    toolset: [nope] {ALLOW}\n");
    check(&toolset, &["1:5 schema/unknown-key", "1:36 allow/unused"], 0);
    assert_eq!(
        minds_workspace::fix(&crate::allowances::team([crate::allowances::HEAD, &toolset].concat())).count,
        0
    );
}

#[test]
fn comments_in_a_second_document_are_not_read() {
    check_team(
        &format!(
            "{TOP}\nmembers: {{a: {{toolsets: [nope]}}}} {ALLOW}\n---\nx: 'y # minds: allow(' {ALLOW}\n# minds: allow\n"
        ),
        &["3:1 yaml/several-documents"],
        1,
    );
    check_team(&format!("{TOP}\nmembers: {{a: {{}}}}\n...\n# minds: allow\n"), &["4:1 allow/malformed"], 0);
}

#[test]
fn a_comment_applies_to_its_own_file_only() {
    let files = |team: &str, mcp: &str| {
        let snapshot = Snapshot::new()
            .with_file(path(".minds/team.yaml"), format!("{TOP}\nmembers: {{a: {{}}}}{team}\n"));
        let snapshot = snapshot.with_file(
            path(".minds/mcp.yaml"),
            format!("version: 1\nservers:\n  os: {{transport: stdio, command: x}}{mcp}\n"),
        );
        summarize(&minds_workspace::check(&snapshot))
    };
    let comment = " # minds: allow(mcp/toolset-collision) meant";
    assert_eq!(files("", ""), (vec!["3:3 mcp/toolset-collision".to_owned()], 0));
    assert_eq!(files("", comment), (vec![], 1));
    let (found, allowed) = files(comment, "");
    assert_eq!(found, ["3:3 mcp/toolset-collision", "2:33 allow/unused"]);
    assert_eq!(allowed, 0);
}
