//! Whether one scope is contained in another.

use super::{Kind, Pattern, Segment};
use crate::glob;

/// Compares the literal prefixes first, which is sufficient for most patterns.
pub(super) fn covers(general: &Pattern, special: &Pattern) -> bool {
    let mut parts = special.parts.iter();
    for name in &*general.parts {
        if name.kind != Kind::Literal {
            return covers_by_table(general, special);
        }
        let is_same = parts.next().is_some_and(|part| {
            part.kind == Kind::Literal
                && part.length() == name.length()
                && special.text(*part) == general.text(*name)
        });
        if !is_same {
            return false;
        }
    }
    true
}

/// Takes time proportional to the product of both lengths.
#[inline(never)] // Keeps the stack frame of `covers` small.
fn covers_by_table(general: &Pattern, special: &Pattern) -> bool {
    // `row[j]`: whether the rest of `general` covers the rest of `special` from segment `j` on.
    let mut row = vec![true; special.parts.len() + 1];
    for segment in general.segments().rev() {
        let below = row.clone();
        let mut next = match segment {
            Segment::Any => below.last().copied().unwrap_or_default(),
            Segment::Glob(_) | Segment::Literal(_) => false,
        };
        for (at, other) in special.segments().enumerate().rev() {
            let after = below.get(at + 1).copied().unwrap_or_default();
            let here = match (segment, other) {
                (Segment::Any, _) => below.get(at).copied().unwrap_or_default() || next,
                (Segment::Literal(a), Segment::Literal(b)) => a == b && after,
                // A special scope with a wildcard contains more than this segment can match.
                (_, Segment::Any) | (Segment::Literal(_), Segment::Glob(_)) => false,
                (Segment::Glob(a), Segment::Literal(b)) => glob::matches(a, b) && after,
                (Segment::Glob(a), Segment::Glob(b)) => (a == b || a == "*") && after,
            };
            if let Some(cell) = row.get_mut(at) {
                *cell = here;
            }
            next = here;
        }
        if let Some(cell) = row.last_mut() {
            *cell = matches!(segment, Segment::Any) && below.last().copied().unwrap_or_default();
        }
    }
    row.first().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::Pattern;

    fn pattern(text: &str) -> Pattern {
        Pattern::parse(text).expect("pattern is valid")
    }

    #[track_caller]
    fn check_covers(general: &str, special: &str, expected: bool) {
        assert_eq!(pattern(general).covers(&pattern(special)), expected, "{general:?} over {special:?}");
    }

    #[test]
    fn a_scope_covers_the_scopes_inside_it() {
        check_covers("src", "src/gen", true);
        check_covers("src/gen", "src", false);
        check_covers(".", "src", true);
        check_covers("src", ".", false);
        check_covers(".minds/**", ".minds/team.yaml", true);
        check_covers("src", "src-old", false);
        check_covers("*", "src/*/x", true);
        check_covers("**/x", "a/b/x/c", true);
        check_covers("**/x", "x", true);
        check_covers("**/x", "**/x/y", true);
        check_covers("a/**/b", "a/b", true);
        check_covers("a/*/b", "a/**/b", false);
        check_covers("a/draft-*", "a/draft-1", true);
        check_covers("a/draft-*", "a/final-*", false);
        check_covers("a*b*c", "axbxc", true);
        check_covers("a*b*c", "axc", false);
    }

    /// A second, slow definition of the scope of a pattern.
    fn matches(pattern: &[&str], path: &[&str]) -> bool {
        match pattern {
            [] => true,
            ["**", rest @ ..] => (0..=path.len()).any(|skip| matches(rest, &path[skip..])),
            [head, rest @ ..] => {
                path.first().is_some_and(|name| glob(head, name)) && matches(rest, &path[1..])
            }
        }
    }

    fn glob(glob: &str, text: &str) -> bool {
        match glob.chars().next() {
            None => text.is_empty(),
            Some('*') => (0..=text.len())
                .any(|skip| self::glob(glob.strip_prefix('*').unwrap(), text.get(skip..).unwrap())),
            Some(c) => {
                text.strip_prefix(c).is_some_and(|rest| self::glob(glob.strip_prefix(c).unwrap(), rest))
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

        /// If one scope covers another, no path is in the special scope but outside of the general one.
        #[test]
        fn covering_agrees_with_matching(
            general in prop::collection::vec(prop::sample::select(vec!["a", "b", "ab", "*", "**", "a*", "*b"]), 0..4),
            special in prop::collection::vec(prop::sample::select(vec!["a", "b", "ab", "*", "**", "a*", "*b"]), 0..4),
            path in prop::collection::vec(prop::sample::select(vec!["a", "b", "ab", "c"]), 0..6),
        ) {
            let read = |segments: &[&str]| pattern(&if segments.is_empty() { ".".into() } else { segments.join("/") });
            if read(&general).covers(&read(&special)) && matches(&special, &path) {
                prop_assert!(matches(&general, &path));
            }
            // Without wildcards the answer is exact.
            if special.iter().all(|segment| !segment.contains('*')) {
                prop_assert_eq!(read(&general).covers(&read(&special)), matches(&general, &special));
            }
        }
    }
}
