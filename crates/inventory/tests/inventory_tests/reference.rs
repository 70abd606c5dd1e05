//! References to offered and installed items.

use minds_inventory::{Position, Reference, matches_pattern, select_sources};
use minds_sources::RefusalKind;
use proptest::prelude::*;

use crate::sample::{Sample, identity, key, source};

#[test]
fn a_reference_has_a_source_a_kind_and_a_name() {
    let cases = [
        ("review", "h/o/r", "skill:review", true),
        ("skill:review", "h/o/r", "skill:review", true),
        ("agent:review", "h/o/r", "skill:review", false),
        ("o/r#review", "h/o/r", "skill:review", true),
        ("r#skill:review", "h/o/r", "skill:review", true),
        ("h/o/r#review", "h/o/r", "skill:review", true),
        ("x/o/r#review", "h/o/r", "skill:review", false),
        // A suffix of a name is not a suffix of an identity.
        ("r#review", "h/o/bar", "skill:review", false),
        ("re*", "h/o/r", "rule:review", true),
        ("*", "h/o/r", "rule:a b", true),
        ("rule:*w", "h/o/r", "rule:review", true),
        ("rule:*w", "h/o/r", "skill:review", false),
        ("revie", "h/o/r", "skill:review", false),
    ];
    for (reference, source, item, expected) in cases {
        let found = Reference::parse(reference).unwrap().matches(&identity(source), &key(item));
        assert_eq!(found, expected, "{reference} {source} {item}");
    }
}

#[test]
fn an_invalid_reference_is_rejected() {
    let long = "x".repeat(2_000);
    for text in ["", "#x", "o/r#", "skill:", "sklil:x", "Skill:x", "o/r#skill:", long.as_str()] {
        assert_eq!(Reference::parse(text).unwrap_err().kind, RefusalKind::BadReference, "{text:?}");
    }
}

#[test]
fn a_reference_selects_exactly_one_item() {
    let sample = Sample::new(vec![
        source("h/o/one", "", &[("skill:s", ""), ("agent:s", ""), ("skill:t", "")]),
        source("h/o/two", "", &[("skill:s", "")]),
    ]);
    let select = |text: &str| Reference::parse(text).unwrap().select(&sample.inventory);
    let kind = |text: &str| select(text).unwrap_err().kind;
    assert_eq!(kind("x"), RefusalKind::NotFound);
    assert_eq!(kind("x*"), RefusalKind::NotFound);
    assert_eq!(kind("s"), RefusalKind::Ambiguous);
    assert_eq!(kind("one#s"), RefusalKind::Ambiguous);
    let message = select("skill:s").unwrap_err().message;
    assert_eq!(message, "`skill:s` is ambiguous; matches: h/o/one#skill:s, h/o/two#skill:s");
    assert_eq!(select("two#skill:s").unwrap(), [Position { source: 1, item: 0 }]);
    assert_eq!(select("t").unwrap(), [Position { source: 0, item: 2 }]);
    assert_eq!(select("one#s*").unwrap().len(), 2);
    assert_eq!(select("agent:*").unwrap().len(), 1);
    // Two sources offer items that would be installed under one name.
    let message = select("s*").unwrap_err().message;
    assert_eq!(message, "`s*` is ambiguous; matches: h/o/one#skill:s, h/o/two#skill:s");
    assert_eq!(kind("*"), RefusalKind::Ambiguous);
}

#[test]
fn a_source_can_be_named_by_the_end_of_its_identity() {
    let registry = Sample::new(vec![
        source("h/a/tools", "", &[]),
        source("h/b/tools", "", &[]),
        source("h/b/more-tools", "", &[]),
    ])
    .registry;
    let select = |text: &str| {
        let found = select_sources(text, &registry).map_err(|refusal| refusal.kind)?;
        Ok(found.iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    let found = |names: &[&str]| Ok(names.iter().map(|name| (*name).to_owned()).collect());
    assert_eq!(select("a/tools"), found(&["h/a/tools"]));
    assert_eq!(select("more-tools"), found(&["h/b/more-tools"]));
    assert_eq!(select("tools"), Err(RefusalKind::Ambiguous));
    assert_eq!(select("h/b/*"), found(&["h/b/tools", "h/b/more-tools"]));
    assert_eq!(select("b/*"), found(&["h/b/tools", "h/b/more-tools"]));
    assert_eq!(select("more*"), found(&["h/b/more-tools"]));
    assert_eq!(select("ore*"), Err(RefusalKind::NotFound));
    assert_eq!(select("ools"), Err(RefusalKind::NotFound));
    assert_eq!(select("z*"), Err(RefusalKind::NotFound));
}

/// Slow and obviously correct.
fn oracle(pattern: &[char], text: &[char]) -> bool {
    match (pattern, text) {
        ([], rest) => rest.is_empty(),
        (['*', rest @ ..], _) => (0..=text.len()).any(|skip| oracle(rest, &text[skip..])),
        (['[', '!', a, ']', rest @ ..], [c, text @ ..]) if *a != ']' => a != c && oracle(rest, text),
        (['[', a, '-', b, ']', rest @ ..], [c, text @ ..]) if *b != ']' => {
            (*a..=*b).contains(c) && oracle(rest, text)
        }
        (['[', a, b, ']', rest @ ..], [c, text @ ..]) if *a != '!' => {
            (a == c || b == c) && oracle(rest, text)
        }
        (['?', rest @ ..], [_, text @ ..]) => oracle(rest, text),
        ([a, rest @ ..], [c, text @ ..]) => a == c && oracle(rest, text),
        _ => false,
    }
}

proptest! {
    /// The matcher agrees with the oracle on every pattern and text over a small alphabet.
    #[test]
    fn patterns_agree_with_the_oracle(
        parts in prop::collection::vec(
            prop::sample::select(vec!["a", "b", "-", "*", "?", "[ab]", "[!a]", "[a-b]", "/"]), 0..7),
        text in "[ab/-]{0,7}",
    ) {
        let pattern = parts.concat();
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        prop_assert_eq!(matches_pattern(&pattern, &text), oracle(&chars(&pattern), &chars(&text)));
    }

    /// The matcher terminates for every pattern.
    #[test]
    fn every_pattern_terminates(pattern in "[\\[\\]!^a*?-]{0,12}", text in "[\\[a!-]{0,12}") {
        let _ = matches_pattern(&pattern, &text);
    }
}

#[test]
fn a_pattern_of_stars_is_fast() {
    assert!(!matches_pattern(&"a*".repeat(400), &"a".repeat(399)));
    assert!(matches_pattern(&"*a".repeat(400), &"a".repeat(400)));
    assert!(matches_pattern("[", "["));
    assert!(matches_pattern("[]]", "]"));
}
