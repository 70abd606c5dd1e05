//! All segments with `*` of a few patterns, matched against one name.

use crate::multi_star::MultiStarMatcher;

/// Segments with `*`, each with the states that precede it.
#[derive(Debug, Default)]
pub(crate) struct GlobSet {
    /// Segments with one `*`, without duplicates.
    ends: Vec<PrefixAndSuffix>,
    /// Segments with several `*`.
    matcher: Option<Box<MultiStarMatcher>>,
}

/// A segment with one `*`: the prefix and suffix of a name.
#[derive(Debug)]
struct PrefixAndSuffix {
    states: u64,
    /// The first eight bytes of the prefix and the last eight of the suffix, or all of them.
    head: Key,
    tail: Key,
    /// The minimum length of a name in bytes.
    length: usize,
    /// The complete prefix and suffix, if one of them is longer than eight bytes.
    long: Option<Box<(Box<str>, Box<str>)>>,
}

/// A few bytes of a name.
#[derive(Clone, Copy, Debug)]
struct Key {
    bytes: u64,
    mask: u64,
}

/// A segment of a path, with its first and last bytes as integers for fast comparison.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name<'n> {
    pub(crate) text: &'n str,
    /// The first eight bytes in big-endian order, padded with zeros on the right.
    head: u64,
    /// The last eight bytes in big-endian order, padded with zeros on the left.
    tail: u64,
}

impl<'n> Name<'n> {
    pub(crate) fn new(text: &'n str) -> Self {
        let bytes = text.as_bytes();
        if let (Some(head), Some(tail)) = (bytes.first_chunk(), bytes.last_chunk()) {
            return Self { text, head: u64::from_be_bytes(*head), tail: u64::from_be_bytes(*tail) };
        }
        let tail = bytes.iter().fold(0, |key, byte| key << 8 | u64::from(*byte));
        let missing = 64 - 8 * u32::try_from(bytes.len()).unwrap_or_default();
        Self { text, head: tail.checked_shl(missing).unwrap_or_default(), tail }
    }
}

impl Key {
    /// Returns the key of the first bytes of a string.
    fn head(text: &str) -> Self {
        let length = text.len().min(8);
        let mask = u64::MAX.checked_shl(shift(length)).unwrap_or_default();
        Self { bytes: Name::new(text).head, mask }
    }

    /// Returns the key of the last bytes of a string.
    fn tail(text: &str) -> Self {
        let length = text.len().min(8);
        let mask = u64::MAX.checked_shr(shift(length)).unwrap_or_default();
        Self { bytes: Name::new(text).tail, mask }
    }

    fn matches(self, bytes: u64) -> bool {
        bytes & self.mask == self.bytes
    }
}

/// Returns the number of bits of a key that `bytes` bytes leave unused.
fn shift(bytes: usize) -> u32 {
    64 - 8 * u32::try_from(bytes).unwrap_or(8)
}

impl PrefixAndSuffix {
    fn new(head: &str, tail: &str, states: u64) -> Self {
        let long = (head.len() > 8 || tail.len() > 8).then(|| Box::new((head.into(), tail.into())));
        Self { states, head: Key::head(head), tail: Key::tail(tail), length: head.len() + tail.len(), long }
    }

    fn matches(&self, name: &Name<'_>) -> bool {
        self.tail.matches(name.tail)
            && self.head.matches(name.head)
            && name.text.len() >= self.length
            && self.long.as_ref().is_none_or(|long| {
                let (head, tail) = &**long;
                name.text.starts_with(&**head) && name.text.ends_with(&**tail)
            })
    }
}

impl GlobSet {
    /// Returns those of `states` whose segment matches `name`.
    pub(crate) fn matching(&self, states: u64, name: &Name<'_>) -> u64 {
        let mut matching = 0;
        for ends in &self.ends {
            if states & ends.states != 0 && ends.matches(name) {
                matching |= ends.states;
            }
        }
        if let Some(matcher) = self.matcher.as_ref().filter(|matcher| matcher.has_state_in(states)) {
            matching |= matcher.matching(name.text);
        }
        matching & states
    }
}

/// Collects segments.
#[derive(Default)]
pub(crate) struct GlobSetBuilder<'p> {
    set: GlobSet,
    ends: Vec<(&'p str, &'p str)>,
    several: Vec<(&'p str, u64)>,
}

impl<'p> GlobSetBuilder<'p> {
    /// Adds the segment that follows a state.
    pub(crate) fn add(&mut self, glob: &'p str, state: u64) {
        let Some((head, rest)) = glob.split_once('*') else { return };
        if rest.contains('*') {
            return self.several.push((glob, state));
        }
        let same = self.ends.iter().position(|ends| *ends == (head, rest));
        if let Some(same) = same.and_then(|at| self.set.ends.get_mut(at)) {
            same.states |= state;
        } else {
            self.ends.push((head, rest));
            self.set.ends.push(PrefixAndSuffix::new(head, rest, state));
        }
    }

    pub(crate) fn build(mut self) -> GlobSet {
        if !self.several.is_empty() {
            self.set.matcher = Some(Box::new(MultiStarMatcher::new(self.several)));
        }
        self.set
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{GlobSetBuilder, Name};
    use crate::glob;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        /// Segments of any length that are matched together give the same result as each alone.
        #[test]
        fn a_set_matches_like_each_glob_alone(
            globs in prop::collection::vec("[ab*é]{0,3}[*][ab*]{0,3}|[ab]{6,10}[*][ab]{6,10}|[*][ab]{60,70}[*]", 1..8),
            name in "[abé]{1,9}|[ab]{12,20}|[ab]{60,80}",
        ) {
            let globs: Vec<String> = globs.into_iter().filter(|glob| !glob.contains("**")).collect();
            let mut builder = GlobSetBuilder::default();
            for (at, glob) in globs.iter().enumerate() {
                builder.add(glob, 1 << at);
            }
            let found = builder.build().matching(u64::MAX, &Name::new(&name));
            for (at, glob) in globs.iter().enumerate() {
                prop_assert_eq!(found >> at & 1 != 0, glob::matches(glob, &name), "{} on {}", glob, name);
            }
        }
    }
}
