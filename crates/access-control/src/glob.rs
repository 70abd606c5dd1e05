//! Matching one name against one pattern with `*`.

/// Returns whether `glob` matches all of `text`. `*` stands for any number of characters, and everything else for itself.
///
/// Takes time linear in both lengths: the literal parts between two `*` are searched from left to right, and the first
/// occurrence of each is always sufficient.
pub fn matches(glob: &str, text: &str) -> bool {
    let Some((head, rest)) = glob.split_once('*') else { return glob == text };
    let (middle, tail) = rest.rsplit_once('*').unwrap_or(("", rest));
    // Most names differ at their ends, so both ends are compared before anything is searched.
    let Some(mut text) = text.strip_prefix(head).and_then(|text| text.strip_suffix(tail)) else {
        return false;
    };
    for part in middle.split('*').filter(|part| !part.is_empty()) {
        let Some((_, behind)) = text.split_once(part) else { return false };
        text = behind;
    }
    true
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::matches;

    #[track_caller]
    fn check(glob: &str, text: &str, expected: bool) {
        assert_eq!(matches(glob, text), expected, "{glob:?} on {text:?}");
    }

    #[test]
    fn a_star_matches_any_number_of_characters() {
        check("*", "", true);
        check("*", "é", true);
        check("a*", "a", true);
        check("*a", "ba", true);
        check("a*b", "ab", true);
        check("a*b", "axb", true);
        check("a*a", "a", false);
        check("ab*ba", "aba", false);
        check("a*b*c", "axbxc", true);
        check("a*b*c", "axc", false);
        check("*aa*", "aXaXaa", true);
        check("a", "aa", false);
    }

    /// Tries every length for every star.
    fn slow(glob: &str, text: &str) -> bool {
        let mut characters = glob.chars();
        match characters.next() {
            None => text.is_empty(),
            Some('*') => (0..=text.len()).any(|skip| slow(characters.as_str(), text.get(skip..).unwrap())),
            Some(c) => text.strip_prefix(c).is_some_and(|rest| slow(characters.as_str(), rest)),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

        /// Searching for the first occurrence of each part gives the same result as trying every length.
        #[test]
        fn the_first_occurrence_is_sufficient(glob in "[ab*]{0,8}", text in "[ab]{0,10}") {
            prop_assert_eq!(matches(&glob, &text), slow(&glob, &text));
        }
    }
}
