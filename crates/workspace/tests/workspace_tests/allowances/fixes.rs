//! Fixes and suppressions.

use crate::allowances::{ALLOW, HEAD, team};

/// Fixes the fields of the member.
#[track_caller]
fn check(fields: &str, expected: &str, count: usize) {
    let before = format!("{HEAD}{fields}");
    let fixed = minds_workspace::fix(&team(&before));
    let after = fixed.files.values().next().map_or(before.as_str(), |(_, after)| after);
    assert_eq!(after.strip_prefix(HEAD), Some(expected));
    assert_eq!(fixed.count, count);
}

#[test]
fn suppressed_findings_are_not_fixed() {
    check("    no_read_dirs: ['a\\b']\n", "    no_read_dirs: ['a/b']\n", 1);
    let kept = "    no_read_dirs: ['a\\b'] # minds: allow(access/backslash) so it came\n";
    check(kept, kept, 0);
}

#[test]
fn unused_comments_are_removed() {
    check(&format!("    name: x {ALLOW}\n    icon: y\n"), "    name: x\n    icon: y\n", 1);
    check(&format!("    name: x \t {ALLOW}  \n    icon: y\n"), "    name: x  \n    icon: y\n", 1);
    check(&format!("    name: x\n    {ALLOW}\n    icon: y\n"), "    name: x\n    icon: y\n", 1);
    check(&format!("    name: x\r\n{ALLOW}\r\n    icon: y\r\n"), "    name: x\r\n    icon: y\r\n", 1);
    check(&format!("    name: x\n  {ALLOW}"), "    name: x\n", 1);
    check(&format!("    name: x {ALLOW}"), "    name: x", 1);
    check(
        &format!("    name: |+\n      x\n\n    {ALLOW}\n    icon: y\n"),
        "    name: |+\n      x\n\n    icon: y\n",
        1,
    );
}

#[test]
fn unused_codes_are_removed() {
    let fields = |codes: &str| format!("    toolsets: [nope] # minds: allow({codes}) x\n");
    let used = fields("team/unknown-toolset");
    for codes in [
        "team/unknown-toolset, team/unsafe-id",
        "team/unsafe-id, team/unknown-toolset",
        "team/unsafe-id,team/unknown-toolset , team/shadow-member",
        "access/backslash, team/unsafe-id,team/unknown-toolset",
    ] {
        check(&fields(codes), &used, codes.matches(',').count());
    }
    check("    name: x # minds: allow(team/unsafe-id, access/backslash) x\n", "    name: x\n", 2);
}

#[test]
fn ambiguous_comments_are_kept() {
    for comment in [
        "# minds: allow(team/unsafe-id)",
        "# minds: allow(team/unsafe-di) x",
        "# minds: allow(yaml/tab) x",
        "# minds: allow team/unsafe-id",
    ] {
        let fields = format!("    name: x {comment}\n");
        check(&fields, &fields, 0);
    }
    // The comment is intended for the finding two lines below.
    let fields = format!("    {ALLOW}\n    toolsets:\n      - nope\n");
    check(&fields, &fields, 0);
    // Without this line, the string above would end with more line breaks.
    let fields = format!("    name: |+\n      x\n    {ALLOW}\n\n\n    icon: y\n");
    check(&fields, &fields, 0);
}
