//! Suggestions of similar names.

use std::cmp::Reverse;

/// The maximum number of candidates that are compared, which bounds the time.
const MAX_CANDIDATES: usize = 1_024;

/// Longer names are not compared: they are not misspellings of a known name.
const MAX_LENGTH: usize = 64;

/// In names of this length even two typos leave no doubt.
const LONG_NAME: usize = 8;

/// Returns up to `count` candidates that `name` is probably a misspelling of, the nearest first.
///
/// Case, `-` and `_` are ignored. A candidate may differ in a third of its characters, and always in one.
pub fn find_nearest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    count: usize,
) -> Vec<&'a str> {
    let mut near = within(name, candidates, |length| (length / 3).max(1));
    rank(&mut near, name);
    near.dedup();
    near.into_iter().take(count).map(|(_, candidate)| candidate).collect()
}

/// Returns the candidate that `name` is almost certainly a misspelling of: with one typo, or two in a longer name.
///
/// For names that need not be known, so that the suggestion itself is the finding. Case, `-` and `_` are ignored.
pub fn find_misspelled<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near = within(name, candidates, |length| if length < LONG_NAME { 1 } else { 2 });
    let mut near = near;
    rank(&mut near, name);
    near.first().map(|(_, candidate)| *candidate)
}

/// Sorts candidates by distance. Of equally distant ones the more likely one is first: typos are rare at the
/// beginning of a name, so it is the candidate with the longest common prefix.
fn rank<'a>(near: &mut [(usize, &'a str)], name: &str) {
    let wanted = fold(name);
    near.sort_by_cached_key(|&(distance, candidate): &(usize, &'a str)| {
        let folded = fold(candidate);
        let shared = wanted.chars().zip(folded.chars()).take_while(|(one, other)| one == other).count();
        (distance, Reverse(shared), candidate)
    });
}

/// Returns the candidates whose distance from `name` is at most the `limit` for the longer length, each with its
/// distance.
fn within<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    limit: impl Fn(usize) -> usize,
) -> Vec<(usize, &'a str)> {
    if name.len() > MAX_LENGTH {
        return Vec::new();
    }
    let wanted = fold(name);
    let length = wanted.chars().count();
    let wanted_counts = counts(&wanted);
    candidates
        .into_iter()
        .take(MAX_CANDIDATES)
        .filter(|candidate| candidate.len() <= MAX_LENGTH && *candidate != name)
        .filter_map(|candidate| {
            let other = candidate.chars().filter(|c| weighs(*c)).count();
            let limit = limit(length.max(other));
            // The distance is at least the difference in length.
            if length.abs_diff(other) > limit {
                return None;
            }
            let folded = fold(candidate);
            // The full comparison takes the product of both lengths, so it comes last.
            if least_distance(&wanted_counts, &counts(&folded)) > limit {
                return None;
            }
            let distance = strsim::osa_distance(&wanted, &folded);
            (distance <= limit).then_some((distance, candidate))
        })
        .collect()
}

/// Returns "did you mean …?" with the nearest candidate, if one is near.
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let near = find_nearest(name, candidates, 1);
    near.first().map(|candidate| format!("did you mean `{candidate}`?"))
}

/// Returns the `count` most similar candidates, however different they are.
pub fn find_closest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    count: usize,
) -> Vec<&'a str> {
    let wanted: String = fold(name).chars().take(MAX_LENGTH).collect();
    let mut ranked: Vec<(usize, &str)> = candidates
        .into_iter()
        .take(MAX_CANDIDATES)
        .map(|candidate| (strsim::osa_distance(&wanted, &fold(candidate)), candidate))
        .collect();
    rank(&mut ranked, name);
    ranked.into_iter().take(count).map(|(_, candidate)| candidate).collect()
}

/// The number of occurrences of each character of a name, in groups of characters.
type Counts = [usize; 32];

fn counts(name: &str) -> Counts {
    let mut counts = Counts::default();
    for c in name.chars() {
        if let Some(count) = counts.get_mut(c as usize % 32) {
            *count += 1;
        }
    }
    counts
}

/// Returns the minimum distance of two names with these characters: an edit adds at most one character and removes at
/// most one.
fn least_distance(one: &Counts, other: &Counts) -> usize {
    let surplus = |one: &Counts, other: &Counts| {
        one.iter().zip(other).map(|(a, b)| a.saturating_sub(*b)).sum::<usize>()
    };
    surplus(one, other).max(surplus(other, one))
}

fn fold(name: &str) -> String {
    name.chars().filter(|c| weighs(*c)).flat_map(char::to_lowercase).collect()
}

/// Returns whether a character is compared at all.
fn weighs(c: char) -> bool {
    !matches!(c, '-' | '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Candidates that are rejected without a comparison are really too far away.
    #[test]
    fn counted_characters_never_overstate_the_distance() {
        let names = [
            "", "a", "ab", "ba", "coder", "codre", "docer", "codder", "cdr", "tester", "größe", "grosse",
            "aaaa", "aaab", "AAAA!",
        ];
        for one in names {
            for other in names {
                let least = least_distance(&counts(one), &counts(other));
                assert!(least <= strsim::osa_distance(one, other), "{one} {other}");
            }
        }
    }

    const NAMES: &[&str] = &["ws_read", "ws_mod", "team_memory", "personal_memory", "os"];

    #[track_caller]
    fn check(name: &str, expected: &[&str]) {
        assert_eq!(find_nearest(name, NAMES.iter().copied(), 3), expected, "{name}");
    }

    #[test]
    fn a_typo_finds_the_name() {
        check("ws_raed", &["ws_read"]);
        check("WS-READ", &["ws_read"]);
        check("wsmod", &["ws_mod"]);
        check("team_memroy", &["team_memory"]);
    }

    #[test]
    fn equally_distant_names_are_sorted_by_common_prefix() {
        let models = ["a-large", "b-large-2", "b-large"];
        assert_eq!(find_nearest("c-large", models, 3), ["a-large", "b-large", "b-large-2"]);
        assert_eq!(find_nearest("b-largx", ["a-largx", "b-large"], 3), ["b-large", "a-largx"]);
        assert_eq!(find_misspelled("gpt-5.1-mini", ["apt-5.1-mini", "gpt-5.2-mini"]), Some("gpt-5.2-mini"));
        assert_eq!(find_closest("coder2", ["boder2", "coder1"], 1), ["coder1"]);
    }

    #[test]
    fn a_misspelling_is_distinguished_from_another_name() {
        let near = |name| find_misspelled(name, ["supports_image_input", "context_length", "name"]);
        assert_eq!(near("contextLenght"), Some("context_length"));
        assert_eq!(near("nane"), Some("name"));
        assert_eq!(near("supports_audio_input"), None);
        assert_eq!(near("context_size"), None);
        assert_eq!(near("fame_s"), None);
    }

    #[test]
    fn a_different_word_has_no_suggestion() {
        check("playwright", &[]);
        check("", &[]);
        check(&"x".repeat(10_000), &[]);
    }
}
