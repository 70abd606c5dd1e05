use proptest::prelude::*;

use super::*;

fn pattern(text: &str) -> Pattern {
    Pattern::parse(text).expect("pattern is valid")
}

#[track_caller]
fn expect_pattern(text: &str, canonical: &str, remarks: &[Remark]) {
    let pattern = pattern(text);
    assert_eq!((pattern.to_string().as_str(), pattern.remarks()), (canonical, remarks), "{text:?}");
}

#[track_caller]
fn expect_error(text: &str, kind: PatternErrorKind, span: Range<usize>) {
    let error = Pattern::parse(text).expect_err("pattern is invalid");
    assert_eq!((error.kind(), error.span()), (kind, span), "{text:?}");
}

#[test]
fn equivalent_patterns_have_one_canonical_form() {
    for text in ["src", "src/", "/src", "./src", "src/.", "src//", "src/**", "src/**/**", "src/**/."] {
        expect_pattern(text, "src", &[]);
    }
    expect_pattern("**/.git", "**/.git", &[]);
    expect_pattern("**/**/x", "**/x", &[]);
    expect_pattern("a/**/b/", "a/**/b", &[]);
    expect_pattern(".minds/team/**", ".minds/team", &[]);
    expect_pattern("docs/draft-*", "docs/draft-*", &[]);
}

#[test]
fn questionable_patterns_have_remarks() {
    expect_pattern("src\\gen", "src/gen", &[Remark::Backslash { at: 3 }]);
    expect_pattern("a?b", "a?b", &[Remark::Literal { at: 1, character: '?' }]);
    expect_pattern("!a", "!a", &[Remark::Literal { at: 0, character: '!' }]);
    for text in [".", "./", "/", "**", "//", "**/**"] {
        expect_pattern(text, ".", &[Remark::WholeWorkspace]);
    }
    expect_pattern("*", "*", &[Remark::WholeWorkspace]);
    expect_pattern("**/*", "**/*", &[Remark::WholeWorkspace]);
    expect_pattern("*/*", "*/*", &[]);
}

#[test]
fn invalid_patterns_are_rejected() {
    expect_error("", PatternErrorKind::Blank, 0..0);
    expect_error("  ", PatternErrorKind::Blank, 0..2);
    expect_error("../x", PatternErrorKind::ParentDirectory, 0..2);
    expect_error("a/../b", PatternErrorKind::ParentDirectory, 2..4);
    expect_error("a\\..", PatternErrorKind::ParentDirectory, 2..4);
    expect_error("a**b", PatternErrorKind::DoubleStarInSegment, 0..4);
    expect_error("src/***", PatternErrorKind::DoubleStarInSegment, 4..7);
    expect_error("a\nb", PatternErrorKind::HiddenCharacter, 1..2);
    expect_error("a\u{202e}b", PatternErrorKind::HiddenCharacter, 1..4);
    expect_error(&"a".repeat(513), PatternErrorKind::TooLong, 0..513);
    expect_error(&vec!["a"; 33].join("/"), PatternErrorKind::TooLong, 0..65);
    assert!(Pattern::parse(&vec!["a"; 32].join("/")).is_ok());
}

#[test]
fn patterns_inside_packages_and_directories_are_recognized() {
    for text in ["x.tsk", "a/X.TSK/b", "**/*.tsk", "*.tsk/**", ".tsk"] {
        assert!(pattern(text).is_encapsulated(), "{text}");
    }
    assert!(!pattern("x.tsk.md").is_encapsulated());
    assert!(pattern(".MINDS/x").is_at_or_below(".minds"));
    assert!(!pattern("a/.minds").is_at_or_below(".minds"));
    assert!(!pattern("*/x").is_at_or_below(".minds"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    /// Every string is accepted or rejected, and the canonical form of an accepted pattern is equal to it.
    #[test]
    fn the_canonical_form_is_equivalent(text in "[ab*./\\\\?é ]{0,12}") {
        if let Ok(parsed) = Pattern::parse(&text) {
            let canonical = pattern(&parsed.to_string());
            prop_assert_eq!(canonical, parsed);
        }
    }
}
