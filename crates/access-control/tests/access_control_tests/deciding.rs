//! Access decisions: the order of the reasons, and the pattern syntax.

use minds_access_control::{Access, EntryList, Lists, Pattern, Policy, Reason};
use minds_vfs::WorkspacePath;

use support::lists;

use crate::support;

fn policy(entries: &str) -> Policy {
    let lists = lists(entries);
    Policy::new(lists.clone(), lists)
}

#[track_caller]
fn expect_decision(entries: &str, path: &str, reason: Reason, entry: Option<&str>) {
    let policy = policy(entries);
    let path = WorkspacePath::normalize(path).unwrap();
    let decision = policy.check(Access::Read, &path);
    let found = decision.entry().and_then(|entry| entry.text);
    assert_eq!((decision.reason(), found), (reason, entry), "{entries:?} about {path}");
}

#[test]
fn the_first_reason_that_applies_expect_decision() {
    expect_decision("", "README.md", Reason::AllowedByDefault, None);
    expect_decision("", "", Reason::AllowedByDefault, None);
    expect_decision("+src", "src/a", Reason::Allowed, Some("src"));
    expect_decision("+src", "doc", Reason::NotInAllowList, None);
    expect_decision("+src", "", Reason::NotInAllowList, None);
    expect_decision("-src", "src/a", Reason::Denied, Some("src"));
    expect_decision("-src", "doc", Reason::AllowedByDefault, None);
    expect_decision("+src/public -src", "src/public/a", Reason::Denied, Some("src"));
    expect_decision("+src/public -src", "doc", Reason::NotInAllowList, None);
    expect_decision("=ts", "a.ts", Reason::AllowedByDefault, None);
    expect_decision("=ts +src", "src/a.ts", Reason::Allowed, Some("src"));
    expect_decision("=ts +src", "src/a.md", Reason::ExtensionNotAllowed, None);
    expect_decision("=ts +src", "doc/a.md", Reason::NotInAllowList, None);
    expect_decision("=ts +src", "src/Makefile", Reason::Allowed, Some("src"));
    expect_decision("~.Env", "x.ENV", Reason::ExtensionDenied, Some(".Env"));
    expect_decision("~env", ".env", Reason::AllowedByDefault, None);
    expect_decision("~env -doc +src", "doc/x.env", Reason::Denied, Some("doc"));
    expect_decision("~env -doc +src", "lib/x.env", Reason::ExtensionDenied, Some("env"));
    expect_decision("=env ~env", "x.env", Reason::ExtensionDenied, Some("env"));
    expect_decision("-..", "a/x.tsk", Reason::Reserved, None);
    expect_decision("+**", "a/x.tsk/goals.md", Reason::Reserved, None);
}

#[test]
fn an_unreadable_list_denies_every_path() {
    expect_decision("-src -a**b", "README.md", Reason::InvalidPolicy, Some("a**b"));
    expect_decision("-src -a**b", "src", Reason::InvalidPolicy, Some("a**b"));
    expect_decision("+..", "README.md", Reason::InvalidPolicy, Some(".."));
    expect_decision("+.. -a** ~a/b", "README.md", Reason::InvalidPolicy, Some("a**"));
    expect_decision("=a/b", "Makefile", Reason::InvalidPolicy, Some("a/b"));
    let unreadable = Lists { allow: EntryList::unreadable(), ..Lists::default() };
    let policy = Policy::new(unreadable, Lists::default());
    let path = WorkspacePath::root();
    assert_eq!(policy.check(Access::Read, &path).reason(), Reason::InvalidPolicy);
    assert_eq!(policy.check(Access::Write, &path).reason(), Reason::AllowedByDefault);
}

#[test]
fn an_empty_list_restricts_nothing() {
    let given = Lists { deny: EntryList::Given(vec![]), allow: EntryList::Given(vec![]), ..Lists::default() };
    let policy = Policy::new(given.clone(), given);
    let path = WorkspacePath::root();
    assert_eq!(policy.check(Access::Read, &path).reason(), Reason::AllowedByDefault);
}

#[test]
fn the_minds_directory_is_never_written_and_read_if_the_lists_allow_it() {
    let policy = policy("-.minds/llm.yaml");
    let reason = |access, path: &str| policy.check(access, &WorkspacePath::parse(path).unwrap()).reason();
    assert_eq!(reason(Access::Write, ".minds/team.yaml"), Reason::Reserved);
    assert_eq!(reason(Access::Write, ".MINDS"), Reason::Reserved);
    assert_eq!(reason(Access::Write, "a/.minds"), Reason::AllowedByDefault);
    assert_eq!(reason(Access::Read, ".minds/team.yaml"), Reason::AllowedByDefault);
    assert_eq!(reason(Access::Read, ".minds/llm.yaml"), Reason::Denied);
}

#[track_caller]
fn expect_match(pattern: &str, path: &str, expected: bool) {
    let path = WorkspacePath::normalize(path).unwrap();
    let alone = Pattern::parse(pattern).unwrap();
    assert_eq!(alone.matches(&path), expected, "{pattern:?} about {path}");
    let is_allowed = policy(&format!("+{pattern}")).check(Access::Read, &path).is_allowed();
    assert_eq!(is_allowed, expected, "{pattern:?} in an allow list about {path}");
    if expected {
        let reason = policy(&format!("-{pattern}")).check(Access::Read, &path).reason();
        assert_eq!(reason, Reason::Denied, "{pattern:?} in a deny list about {path}");
    }
}

/// Expects that a deny list matches by folding only, and an allow list not at all.
#[track_caller]
fn expect_denied_by_folding(pattern: &str, path: &str) {
    expect_match(pattern, path, false);
    let policy = policy(&format!("-{pattern}"));
    let path = WorkspacePath::normalize(path).unwrap();
    let entry = policy.check(Access::Read, &path).entry();
    let found = entry.map(|entry| (entry.text, entry.is_by_folding));
    assert_eq!(found, Some((Some(pattern), true)), "{pattern:?} in a deny list about {path}");
}

#[test]
fn deny_lists_ignore_letter_case_and_normalization() {
    for path in ["Secret/key.txt", "SECRET/KEY.TXT", "\u{17f}ecret/key", "sECRET"] {
        expect_denied_by_folding("secret", path);
    }
    for path in ["CAFÉ", "cafe\u{301}/x", "Cafe\u{301}", "CAFE\u{301}"] {
        expect_denied_by_folding("café", path);
    }
    expect_denied_by_folding("cafe\u{301}", "café");
    expect_denied_by_folding("secret", "sec\u{200d}ret/key");
    expect_denied_by_folding("Src/GEN", "src/gen/a");
    expect_denied_by_folding("straße", "STRASSE/x");
    expect_denied_by_folding("key", "\u{212a}ey");
    expect_denied_by_folding("**/*.PEM", "a/b/server.pem");
    expect_denied_by_folding("*A*b*", "xaxbx");
    expect_denied_by_folding("a*", "AB");
    expect_denied_by_folding("Σίσυφος", "σίσυφοσ");
    // Without a known language, Turkish `ı` and `İ` are not case variants of `i`.
    for path in ["fıle", "fİle"] {
        expect_decision("-file", path, Reason::AllowedByDefault, None);
    }
    // An exact match denies, even if normalization would join characters across the parts of the pattern.
    expect_match("e*", "e\u{301}", true);
    expect_match("*\u{301}", "e\u{301}", true);
    expect_decision("-a -A", "A", Reason::Denied, Some("A"));
    expect_decision("+src -secret", "SRC", Reason::NotInAllowList, None);
}

#[test]
fn a_scope_is_the_path_and_everything_below_it() {
    expect_match("src", "src", true);
    expect_match("src", "src/lib/a.rs", true);
    expect_match("src", "src-old/a", false);
    expect_match("src", "a/src", false);
    expect_match("src", "", false);
    expect_match("src/lib", "src", false);
    expect_denied_by_folding("src", "SRC/a");
    expect_match("README.md", "README.md", true);
    for pattern in ["src/", "/src", "./src", "src/**", "src/**/**", "src//", "src/.", "src\\"] {
        expect_match(pattern, "src", true);
        expect_match(pattern, "src/a", true);
        expect_match(pattern, "srcs", false);
    }
}

#[test]
fn a_star_stays_within_a_segment() {
    expect_match("*.md", "README.md", true);
    expect_match("*.md", "a/README.md", false);
    expect_match("*.md", "x.md/below", true);
    expect_match("src/*", "src", false);
    expect_match("src/*", "src/.hidden/deeper", true);
    expect_match("src/*/test", "src/test", false);
    expect_match("src/*/test", "src/a/test", true);
    expect_match("src/*/test", "src/a/b/test", false);
    expect_match("a*c", "abc", true);
    expect_match("a*c", "a/c", false);
}

#[test]
fn two_stars_match_any_number_of_segments() {
    expect_match("**/secret", "secret", true);
    expect_match("**/secret", "a/b/secret/c", true);
    expect_match("**/secret", "a/secrets", false);
    expect_match("a/**/b", "a/b", true);
    expect_match("a/**/b", "a/x/y/b", true);
    expect_match("a/**/b", "x/a/b", false);
    expect_match("src/**/*.ts", "src/x.ts", true);
    expect_match("src/**/*.ts", "src/lib/x.ts", true);
    expect_match("src/**/*.ts", "other/a.ts", false);
    expect_match("**/a/**/b", "b/a/a/b", true);
    expect_match("**/a/*/b", "a/a/x/b", true);
}

#[test]
fn some_patterns_cover_the_whole_workspace() {
    for pattern in [".", "./", "/", "**", "**/**"] {
        expect_match(pattern, "", true);
        expect_match(pattern, "a/b", true);
    }
    for pattern in ["*", "**/*"] {
        expect_match(pattern, "", false);
        expect_match(pattern, "a/b", true);
    }
    expect_match("*/*", "a", false);
    expect_match("*/*", "a/b", true);
}

#[test]
fn other_characters_are_literal() {
    expect_match("a?b", "a?b", true);
    expect_match("a?b", "axb", false);
    expect_match("[ab]", "a", false);
    expect_match("{a,b}", "{a,b}", true);
    expect_match("!a", "a", false);
    expect_match("été/ß", "été/ß", true);
    expect_match("a|b", "a|b/c", true);
}

/// Patterns of all lengths are packed into the words of the automaton.
#[test]
fn each_of_many_patterns_of_any_length_takes_effect() {
    for length in 1..=32 {
        let pattern = |index: usize| {
            let others = if index.is_multiple_of(2) { "/a" } else { "/*" };
            format!("p{index}{}", others.repeat(length - 1))
        };
        let all = (0..70).map(|index| format!("-{}", pattern(index))).collect::<Vec<_>>().join(" ");
        let policy = policy(&all);
        for index in 0..70 {
            let path = WorkspacePath::parse(&pattern(index).replace('*', "b")).unwrap();
            assert_eq!(policy.check(Access::Read, &path).reason(), Reason::Denied, "{path}");
            let above = path.parent().unwrap_or_default();
            assert_eq!(policy.check(Access::Read, &above).reason(), Reason::AllowedByDefault, "{above}");
        }
    }
}
