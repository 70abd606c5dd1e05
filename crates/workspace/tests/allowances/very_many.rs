//! Very many comments and findings: the cap holds, and counts only what is not allowed.

use std::iter::repeat_n;

use minds_diagnostics::{Diagnostic, MAX_PROBLEMS_PER_FILE};

use crate::{ALLOW, HEAD, team};

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
fn as_many_comments_as_findings() {
    let (found, allowed) = check(&toolsets(|_| ALLOW.to_owned()));
    assert_eq!((found.len(), allowed), (0, MANY));
    let (found, allowed) = check(&format!("    toolsets: [{}]\n", "nope, ".repeat(MANY)));
    assert_eq!((found.len(), allowed), (MAX_PROBLEMS_PER_FILE, 0));
    let (found, allowed) = check(&format!("    toolsets: [{}] {ALLOW}\n", "nope, ".repeat(MANY)));
    assert_eq!((found.len(), allowed), (0, MANY));
}

/// What is allowed takes nobody's place and is not counted; what is allowed behind the cap was not in vain.
#[test]
fn allowed_findings_do_not_count_for_the_cap() {
    let spared = 700;
    let (found, allowed) =
        check(&toolsets(|at| if at < MANY - spared { ALLOW.to_owned() } else { String::new() }));
    assert_eq!((found.len(), allowed), (spared, MANY - spared));
    assert!(found.iter().all(|found| found.rule.code == "team/unknown-toolset"));

    // Behind so many findings nothing is built any more.
    let shown = 3 * MAX_PROBLEMS_PER_FILE;
    let (found, allowed) = check(&toolsets(|at| if at < shown { String::new() } else { ALLOW.to_owned() }));
    assert_eq!((found.len(), allowed), (MAX_PROBLEMS_PER_FILE, MANY - shown));
    let last = found.last().expect("there are findings");
    assert_eq!(last.message, format!("{} more problems are not shown", shown + 1 - MAX_PROBLEMS_PER_FILE));
    assert!(found.iter().all(|found| found.rule.area() != "allow"));
}

#[test]
fn findings_about_comments_share_the_cap() {
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
fn all_in_one_place() {
    // Stacked above one line, in one comment, in one line that is no comment at its start.
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
