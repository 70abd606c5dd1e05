//! Who may do what: the order of the reasons, and the language of the patterns.
#![allow(clippy::unwrap_used, reason = "a test may stop at once")]

use minds_access_control::{Access, EntryList, Lists, Pattern, Policy, Reason};
use minds_paths::WorkspacePath;

use support::lists;

mod support;

fn policy(entries: &str) -> Policy {
    let lists = lists(entries);
    Policy::new(lists.clone(), lists)
}

#[track_caller]
fn decides(entries: &str, path: &str, reason: Reason, entry: Option<&str>) {
    let policy = policy(entries);
    let path = WorkspacePath::normalize(path).unwrap();
    let decision = policy.check(Access::Read, &path);
    let found = decision.entry().and_then(|entry| entry.written);
    assert_eq!((decision.reason(), found), (reason, entry), "{entries:?} about {path}");
}

#[test]
fn the_first_reason_that_applies_decides() {
    decides("", "README.md", Reason::AllowedByDefault, None);
    decides("", "", Reason::AllowedByDefault, None);
    decides("+src", "src/a", Reason::Allowed, Some("src"));
    decides("+src", "doc", Reason::NotInAllowList, None);
    decides("+src", "", Reason::NotInAllowList, None);
    decides("-src", "src/a", Reason::Denied, Some("src"));
    decides("-src", "doc", Reason::AllowedByDefault, None);
    decides("+src/public -src", "src/public/a", Reason::Denied, Some("src"));
    decides("+src/public -src", "doc", Reason::NotInAllowList, None);
    decides("=ts", "a.ts", Reason::AllowedByDefault, None);
    decides("=ts +src", "src/a.ts", Reason::Allowed, Some("src"));
    decides("=ts +src", "src/a.md", Reason::ExtensionNotAllowed, None);
    decides("=ts +src", "doc/a.md", Reason::NotInAllowList, None);
    decides("=ts +src", "src/Makefile", Reason::Allowed, Some("src"));
    decides("~.Env", "x.ENV", Reason::ExtensionDenied, Some(".Env"));
    decides("~env", ".env", Reason::AllowedByDefault, None);
    decides("~env -doc +src", "doc/x.env", Reason::Denied, Some("doc"));
    decides("~env -doc +src", "lib/x.env", Reason::ExtensionDenied, Some("env"));
    decides("=env ~env", "x.env", Reason::ExtensionDenied, Some("env"));
    decides("-..", "a/x.tsk", Reason::Reserved, None);
    decides("+**", "a/x.tsk/goals.md", Reason::Reserved, None);
}

#[test]
fn an_unreadable_list_denies_all_but_what_is_denied_anyway_for_other_reasons() {
    decides("-src -a**b", "README.md", Reason::InvalidPolicy, Some("a**b"));
    decides("-src -a**b", "src", Reason::InvalidPolicy, Some("a**b"));
    decides("+..", "README.md", Reason::InvalidPolicy, Some(".."));
    decides("+.. -a** ~a/b", "README.md", Reason::InvalidPolicy, Some("a**"));
    decides("=a/b", "Makefile", Reason::InvalidPolicy, Some("a/b"));
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
fn minds_are_never_written_and_read_as_the_lists_say() {
    let policy = policy("-.minds/llm.yaml");
    let reason = |access, path: &str| policy.check(access, &WorkspacePath::parse(path).unwrap()).reason();
    assert_eq!(reason(Access::Write, ".minds/team.yaml"), Reason::Reserved);
    assert_eq!(reason(Access::Write, ".MINDS"), Reason::Reserved);
    assert_eq!(reason(Access::Write, "a/.minds"), Reason::AllowedByDefault);
    assert_eq!(reason(Access::Read, ".minds/team.yaml"), Reason::AllowedByDefault);
    assert_eq!(reason(Access::Read, ".minds/llm.yaml"), Reason::Denied);
}

#[track_caller]
fn matches(pattern: &str, path: &str, expected: bool) {
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
fn denies_by_folding(pattern: &str, path: &str) {
    matches(pattern, path, false);
    let policy = policy(&format!("-{pattern}"));
    let path = WorkspacePath::normalize(path).unwrap();
    let entry = policy.check(Access::Read, &path).entry();
    let found = entry.map(|entry| (entry.written, entry.is_by_folding));
    assert_eq!(found, Some((Some(pattern), true)), "{pattern:?} in a deny list about {path}");
}

#[test]
fn deny_lists_ignore_letter_case_and_normalisation() {
    for path in ["Secret/key.txt", "SECRET/KEY.TXT", "\u{17f}ecret/key", "sECRET"] {
        denies_by_folding("secret", path);
    }
    for path in ["CAFÉ", "cafe\u{301}/x", "Cafe\u{301}", "CAFE\u{301}"] {
        denies_by_folding("café", path);
    }
    denies_by_folding("cafe\u{301}", "café");
    denies_by_folding("secret", "sec\u{200d}ret/key");
    denies_by_folding("Src/GEN", "src/gen/a");
    denies_by_folding("straße", "STRASSE/x");
    denies_by_folding("key", "\u{212a}ey");
    denies_by_folding("**/*.PEM", "a/b/server.pem");
    denies_by_folding("*A*b*", "xaxbx");
    denies_by_folding("a*", "AB");
    denies_by_folding("Σίσυφος", "σίσυφοσ");
    // Turkish letters are no other case of `i` where the language is not known.
    for path in ["fıle", "fİle"] {
        decides("-file", path, Reason::AllowedByDefault, None);
    }
    // What an entry matches as it is written, it denies, also where normalisation would join characters across its parts.
    matches("e*", "e\u{301}", true);
    matches("*\u{301}", "e\u{301}", true);
    decides("-a -A", "A", Reason::Denied, Some("A"));
    decides("+src -secret", "SRC", Reason::NotInAllowList, None);
}

#[test]
fn a_scope_is_the_path_itself_and_what_lies_below() {
    matches("src", "src", true);
    matches("src", "src/lib/a.rs", true);
    matches("src", "src-old/a", false);
    matches("src", "a/src", false);
    matches("src", "", false);
    matches("src/lib", "src", false);
    denies_by_folding("src", "SRC/a");
    matches("README.md", "README.md", true);
    for pattern in ["src/", "/src", "./src", "src/**", "src/**/**", "src//", "src/.", "src\\"] {
        matches(pattern, "src", true);
        matches(pattern, "src/a", true);
        matches(pattern, "srcs", false);
    }
}

#[test]
fn a_star_stays_within_a_segment() {
    matches("*.md", "README.md", true);
    matches("*.md", "a/README.md", false);
    matches("*.md", "x.md/below", true);
    matches("src/*", "src", false);
    matches("src/*", "src/.hidden/deeper", true);
    matches("src/*/test", "src/test", false);
    matches("src/*/test", "src/a/test", true);
    matches("src/*/test", "src/a/b/test", false);
    matches("a*c", "abc", true);
    matches("a*c", "a/c", false);
}

#[test]
fn two_stars_are_any_segments_none_included() {
    matches("**/secret", "secret", true);
    matches("**/secret", "a/b/secret/c", true);
    matches("**/secret", "a/secrets", false);
    matches("a/**/b", "a/b", true);
    matches("a/**/b", "a/x/y/b", true);
    matches("a/**/b", "x/a/b", false);
    matches("src/**/*.ts", "src/x.ts", true);
    matches("src/**/*.ts", "src/lib/x.ts", true);
    matches("src/**/*.ts", "other/a.ts", false);
    matches("**/a/**/b", "b/a/a/b", true);
    matches("**/a/*/b", "a/a/x/b", true);
}

#[test]
fn what_covers_everything() {
    for pattern in [".", "./", "/", "**", "**/**"] {
        matches(pattern, "", true);
        matches(pattern, "a/b", true);
    }
    for pattern in ["*", "**/*"] {
        matches(pattern, "", false);
        matches(pattern, "a/b", true);
    }
    matches("*/*", "a", false);
    matches("*/*", "a/b", true);
}

#[test]
fn other_characters_are_themselves() {
    matches("a?b", "a?b", true);
    matches("a?b", "axb", false);
    matches("[ab]", "a", false);
    matches("{a,b}", "{a,b}", true);
    matches("!a", "a", false);
    matches("été/ß", "été/ß", true);
    matches("a|b", "a|b/c", true);
}

/// Whatever the lengths are that have to find room beside each other.
#[test]
fn each_of_many_patterns_of_any_length_counts() {
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
