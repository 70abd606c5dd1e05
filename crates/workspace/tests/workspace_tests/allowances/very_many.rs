//! Very many comments and findings: the limit applies only to findings that are not suppressed.

use std::iter::repeat_n;

use minds_diagnostics::{Diagnostic, MAX_PROBLEMS_PER_FILE};

use crate::allowances::{ALLOW, HEAD, team};

const MANY: usize = 100_000;

fn check(fields: &str) -> (Vec<Diagnostic>, usize) {
    let checked = minds_workspace::check(&team(format!("{HEAD}{fields}")));
    assert!(checked.diagnostics.len() <= MAX_PROBLEMS_PER_FILE);
    (checked.diagnostics, checked.allowed.values().sum())
}

fn toolsets(line: impl Fn(usize) -> String) -> String {
    "    toolsets:\n".to_owned()
        + &(0..MANY).map(|at| format!("      - n{at} {}\n", line(at))).collect::<String>()
}

#[test]
fn every_finding_can_be_suppressed() {
    let (found, allowed) = check(&toolsets(|_| ALLOW.to_owned()));
    assert_eq!((found.len(), allowed), (0, MANY));
    let (found, allowed) = check(&format!("    toolsets: [{}]\n", "nope, ".repeat(MANY)));
    assert_eq!((found.len(), allowed), (MAX_PROBLEMS_PER_FILE, 0));
    let (found, allowed) = check(&format!("    toolsets: [{}] {ALLOW}\n", "nope, ".repeat(MANY)));
    assert_eq!((found.len(), allowed), (0, MANY));
}

/// Suppressed findings do not count towards the limit, and suppressions beyond the limit are not unused.
#[test]
fn suppressed_findings_do_not_count_towards_the_limit() {
    let spared = 700;
    let (found, allowed) =
        check(&toolsets(|at| if at < MANY - spared { ALLOW.to_owned() } else { String::new() }));
    assert_eq!((found.len(), allowed), (spared, MANY - spared));
    assert!(found.iter().all(|found| found.rule.code == "team/unknown-toolset"));

    // Beyond the limit, no findings are built.
    let shown = 3 * MAX_PROBLEMS_PER_FILE;
    let (found, allowed) = check(&toolsets(|at| if at < shown { String::new() } else { ALLOW.to_owned() }));
    assert_eq!((found.len(), allowed), (MAX_PROBLEMS_PER_FILE, MANY - shown));
    let last = found.last().expect("there are findings");
    assert_eq!(last.message, format!("{} more problems are not shown", shown + 1 - MAX_PROBLEMS_PER_FILE));
    assert!(found.iter().all(|found| found.rule.area() != "allow"));
}

#[test]
fn findings_about_comments_share_the_limit() {
    for (comment, code) in [
        ("# minds: allow(team/unknown-tool) x", "allow/unused"),
        ("# minds: allow(team/unknown-tol) x", "allow/unknown-code"),
        ("# minds: allow(schema/type) x", "allow/not-allowable"),
        ("# minds: allow(team/unknown-tool)", "allow/without-reason"),
        ("# minds: allow", "allow/malformed"),
    ] {
        let (found, allowed) = check(&toolsets(|_| comment.to_owned()));
        assert_eq!((found.len(), allowed), (MAX_PROBLEMS_PER_FILE, 0));
        assert!(found.iter().any(|found| found.rule.code == code), "{code}");
        let expected = format!("{} more problems are not shown", 2 * MANY + 1 - MAX_PROBLEMS_PER_FILE);
        assert_eq!(found.last().expect("there are findings").message, expected);
    }
}

#[test]
fn many_comments_at_one_place_are_fast() {
    // Above one line, within one comment, and on one line that does not begin with a comment.
    let (found, allowed) = check(&format!("{}    toolsets: [nope]\n", format!("    {ALLOW}\n").repeat(MANY)));
    assert_eq!((found.len(), allowed), (MAX_PROBLEMS_PER_FILE, 1));
    let codes: Vec<&str> = repeat_n("team/unknown-toolset", MANY).collect();
    let (found, allowed) = check(&format!("    toolsets: [nope] # minds: allow({}) x\n", codes.join(",")));
    assert_eq!((found.len(), allowed), (MAX_PROBLEMS_PER_FILE, 1));
    let (found, allowed) = check(&format!("    name: x # {}\n", ALLOW.repeat(MANY)));
    assert_eq!((found.len(), allowed), (0, 0));
    let (found, allowed) =
        check(&format!("    toolsets: [{}nope] {ALLOW}\n", format!("'{ALLOW}', ").repeat(10_000)));
    assert_eq!((found.len(), allowed), (0, 10_001));
    let (found, allowed) = check(&format!("    name: x\n{}", format!("{ALLOW}\n").repeat(MANY)));
    assert_eq!((found.len(), allowed), (MAX_PROBLEMS_PER_FILE, 0));
    let (found, allowed) = check(&format!("    name: x {ALLOW} {}\n", " ".repeat(15 << 20)));
    assert_eq!((found.len(), allowed), (1, 0));
}
