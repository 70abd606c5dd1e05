//! Suggestions of similar names.

use std::cmp::Reverse;

/// The maximum number of candidates that are examined, and of their bytes in total.
///
/// These limits and [`MAX_STEPS`] bound the time of one suggestion to some ten microseconds: a file can have a thousand
/// findings, each with a suggestion. [`Candidates`] are prepared once for all of them.
const MAX_CANDIDATES: usize = 1_024;
const MAX_CANDIDATE_BYTES: usize = 12_288;

/// The maximum number of steps for comparing candidates. A comparison takes the product of both lengths.
const MAX_STEPS: usize = 4_096;

/// The same where all candidates are compared, which is done for few names.
const MAX_STEPS_FOR_CLOSEST: usize = 1 << 20;

/// Longer names are not compared: they are not misspellings of a known name.
const MAX_LENGTH: usize = 64;

/// In names of this length even two typos leave no doubt.
const LONG_NAME: usize = 8;

/// Known names, prepared for comparisons with many names that may be misspelled.
///
/// ```
/// let members = minds_diagnostics::Candidates::new(["coder", "tester"]);
/// assert_eq!(members.did_you_mean("codre").as_deref(), Some("did you mean `coder`?"));
/// assert_eq!(members.did_you_mean("nobody"), None);
/// ```
pub struct Candidates<'a>(Vec<Candidate<'a>>);

struct Candidate<'a> {
    name: &'a str,
    folded: String,
    letters: Letters,
}

/// A candidate that was compared with a name.
struct Compared<'a> {
    candidate: &'a str,
    distance: usize,
    limit: usize,
}

impl<'a> Candidates<'a> {
    /// Prepares the first 1,024 names, in at most 12,288 bytes; those of more than 64 bytes are left out.
    pub fn new(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut bytes_left = MAX_CANDIDATE_BYTES;
        let names = names.into_iter().take(MAX_CANDIDATES).filter(|name| name.len() <= MAX_LENGTH);
        let examined = names.map_while(|name| {
            bytes_left = bytes_left.checked_sub(name.len())?;
            let folded = fold(name);
            Some(Candidate { name, letters: Letters::of(&folded), folded })
        });
        Self(examined.collect())
    }

    /// Returns up to `count` candidates that `name` is probably a misspelling of, the nearest first.
    ///
    /// Case, `-` and `_` are ignored. A candidate may differ in a third of its characters, and always in one.
    #[must_use]
    pub fn find_nearest(&self, name: &str, count: usize) -> Vec<&'a str> {
        let mut near = self.within(name, |length| (length / 3).max(1));
        rank(&mut near, name);
        near.dedup();
        near.into_iter().take(count).map(|(_, candidate)| candidate).collect()
    }

    /// Returns "did you mean …?" with the nearest candidate, if one is near.
    #[must_use]
    pub fn did_you_mean(&self, name: &str) -> Option<String> {
        let near = self.find_nearest(name, 1);
        near.first().map(|candidate| format!("did you mean `{candidate}`?"))
    }

    /// Returns the candidates whose distance from `name` is at most the `limit` for the longer length, each with its
    /// distance.
    fn within(&self, name: &str, limit: impl Fn(usize) -> usize) -> Vec<(usize, &'a str)> {
        let compared = self.compare(name, &limit, MAX_STEPS).into_iter();
        compared
            .filter(|found| found.distance <= found.limit && found.candidate != name)
            .map(|found| (found.distance, found.candidate))
            .collect()
    }

    /// Compares those candidates whose distance from `name` may be at most the `limit` for the longer length: the most
    /// similar first, and as many as `max_steps` allows.
    fn compare(&self, name: &str, limit: impl Fn(usize) -> usize, max_steps: usize) -> Vec<Compared<'a>> {
        if name.len() > MAX_LENGTH {
            return Vec::new();
        }
        let wanted = fold(name);
        let wanted_letters = Letters::of(&wanted);
        let possible = self.0.iter().filter_map(|candidate| {
            let length = wanted_letters.length.max(candidate.letters.length);
            let limit = limit(length);
            let least = wanted_letters.least_distance(&candidate.letters);
            (least <= limit).then(|| {
                (least, Reverse(shared_prefix(&wanted, &candidate.folded)), candidate.name, candidate, limit)
            })
        });
        let mut possible: Vec<_> = possible.collect();
        // Only so many are compared; very many need not be sorted.
        let least_steps = possible.iter().map(|(_, _, _, candidate, _)| candidate.letters.length).min();
        let most = max_steps / (wanted_letters.length.max(1) * least_steps.unwrap_or(1).max(1)) + 1;
        if most < possible.len() {
            possible.select_nth_unstable_by_key(most, |&(least, prefix, name, ..)| (least, prefix, name));
            possible.truncate(most);
        }
        possible.sort_unstable_by_key(|&(least, prefix, name, ..)| (least, prefix, name));
        let mut steps_left = max_steps;
        let compared = possible.into_iter().map_while(|(_, _, name, candidate, limit)| {
            let steps = wanted_letters.length.max(1) * candidate.letters.length.max(1);
            steps_left = steps_left.checked_sub(steps)?;
            let distance = strsim::osa_distance(&wanted, &candidate.folded);
            Some(Compared { candidate: name, distance, limit })
        });
        compared.collect()
    }
}

/// As [`Candidates::find_nearest`], for one name.
pub fn find_nearest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    count: usize,
) -> Vec<&'a str> {
    Candidates::new(candidates).find_nearest(name, count)
}

/// As [`Candidates::did_you_mean`], for one name.
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    Candidates::new(candidates).did_you_mean(name)
}

/// Returns the candidate that `name` is almost certainly a misspelling of: with one typo, or two in a longer name.
///
/// For names that need not be known, so that the suggestion itself is the finding. Case, `-` and `_` are ignored.
pub fn find_misspelled<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = |length| if length < LONG_NAME { 1 } else { 2 };
    let mut near = Candidates::new(candidates).within(name, limit);
    rank(&mut near, name);
    near.first().map(|(_, candidate)| *candidate)
}

/// Returns the `count` most similar candidates, however different they are.
pub fn find_closest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    count: usize,
) -> Vec<&'a str> {
    let end =
        name.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|end| *end <= MAX_LENGTH).last();
    let name = name.get(..end.unwrap_or_default()).unwrap_or_default();
    let candidates = Candidates::new(candidates);
    let compared = candidates.compare(name, |_| usize::MAX, MAX_STEPS_FOR_CLOSEST).into_iter();
    let mut ranked: Vec<(usize, &str)> = compared.map(|found| (found.distance, found.candidate)).collect();
    rank(&mut ranked, name);
    ranked.into_iter().take(count).map(|(_, candidate)| candidate).collect()
}

/// Sorts candidates by distance. Of equally distant ones the more likely one is first: typos are rare at the
/// beginning of a name, so it is the candidate with the longest common prefix.
fn rank<'a>(near: &mut [(usize, &'a str)], name: &str) {
    let wanted = fold(name);
    near.sort_by_cached_key(|&(distance, candidate): &(usize, &'a str)| {
        (distance, Reverse(shared_prefix(&wanted, &fold(candidate))), candidate)
    });
}

/// Returns the number of equal bytes at the beginning.
fn shared_prefix(one: &str, other: &str) -> usize {
    one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count()
}

/// The folded characters of a name of at most [`MAX_LENGTH`] bytes, without their order.
struct Letters {
    length: usize,
    /// The number of occurrences of each character, in groups of characters.
    counts: [u8; 32],
}

impl Letters {
    fn of(folded: &str) -> Self {
        let mut letters = Self { length: 0, counts: [0; 32] };
        for c in folded.chars() {
            letters.length += 1;
            if let Some(count) = letters.counts.get_mut(c as usize % 32) {
                *count = count.saturating_add(1);
            }
        }
        letters
    }

    /// Returns the minimum distance of two names with these characters: an edit adds at most one character and
    /// removes at most one.
    fn least_distance(&self, other: &Self) -> usize {
        let surplus = |one: &Self, other: &Self| {
            let counts = one.counts.iter().zip(&other.counts);
            // At most `MAX_LENGTH`. Adding bytes is several times as fast as adding larger numbers.
            counts.fold(0_u8, |sum, (a, b)| sum.wrapping_add(a.saturating_sub(*b)))
        };
        usize::from(surplus(self, other).max(surplus(other, self)))
    }
}

/// Returns the characters that are compared, in lower case.
fn fold(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    for c in name.chars().filter(|c| is_compared(*c)) {
        // For ASCII this is much faster than the general case.
        if c.is_ascii() { folded.push(c.to_ascii_lowercase()) } else { folded.extend(c.to_lowercase()) }
    }
    folded
}

/// Returns whether a character is compared at all.
fn is_compared(c: char) -> bool {
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
                let least = Letters::of(one).least_distance(&Letters::of(other));
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

    /// The limits concern hostile names only: those of a large team are all compared.
    #[test]
    fn the_comparison_of_very_many_names_is_limited() {
        let names: Vec<String> = (0..1_000).map(|number| format!("coder-{number}")).collect();
        let ids = || names.iter().map(String::as_str);
        assert_eq!(find_nearest("codre-999", ids(), 1), ["coder-999"]);
        // Rotations of a long name have the same characters, so that each must be compared completely.
        let alphabet = "abcdefghijklmnopqrstuvwxyz0123456789".repeat(3);
        let rotations: Vec<&str> = (0..36).filter_map(|start| alphabet.get(start..start + 36)).collect();
        let many = || rotations.iter().copied().cycle().take(1_000);
        let candidates = Candidates::new(many());
        let compared = candidates.compare("9876543210zyxwvutsrqponmlkjihgfedcba", |_| usize::MAX, MAX_STEPS);
        assert_eq!(compared.len(), MAX_STEPS / (36 * 36));
        let mut examined = 0;
        find_nearest(alphabet.get(..64).unwrap(), many().inspect(|_| examined += 1), 1);
        assert_eq!(examined, MAX_CANDIDATE_BYTES / 36 + 1);
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
