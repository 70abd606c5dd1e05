//! The parts with a `*` of a few patterns, all on one name.

use crate::machine::Machine;

/// Parts with a `*`, each with the states that stand before it.
#[derive(Debug, Default)]
pub(crate) struct Globs {
    /// Those with one `*`, each text once.
    ends: Vec<Ends>,
    /// Those with several.
    machine: Option<Box<Machine>>,
}

/// A part with one `*`: how a name begins and ends.
#[derive(Debug)]
struct Ends {
    states: u64,
    /// The first and the last eight bytes of both, or all of them.
    head: Key,
    tail: Key,
    /// How many bytes a name has at least.
    length: usize,
    /// What `head` and `tail` do not hold: both whole, if they are longer.
    long: Option<Box<(Box<str>, Box<str>)>>,
}

/// A few bytes of a name.
#[derive(Clone, Copy, Debug)]
struct Key {
    bytes: u64,
    mask: u64,
}

/// A segment of a path, with what is asked of it most.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name<'n> {
    pub(crate) text: &'n str,
    /// The first eight bytes, the first of them highest; behind a shorter name zero.
    head: u64,
    /// The last eight bytes, the last of them lowest; before a shorter name zero.
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
    /// The key of the first bytes of a text.
    fn head(text: &str) -> Self {
        let length = text.len().min(8);
        let mask = u64::MAX.checked_shl(shift(length)).unwrap_or_default();
        Self { bytes: Name::new(text).head, mask }
    }

    /// The key of the last bytes of a text.
    fn tail(text: &str) -> Self {
        let length = text.len().min(8);
        let mask = u64::MAX.checked_shr(shift(length)).unwrap_or_default();
        Self { bytes: Name::new(text).tail, mask }
    }

    fn is_of(self, bytes: u64) -> bool {
        bytes & self.mask == self.bytes
    }
}

/// The number of bits of a key that so many bytes leave over.
fn shift(bytes: usize) -> u32 {
    64 - 8 * u32::try_from(bytes).unwrap_or(8)
}

impl Ends {
    fn new(head: &str, tail: &str, states: u64) -> Self {
        let long = (head.len() > 8 || tail.len() > 8).then(|| Box::new((head.into(), tail.into())));
        Self { states, head: Key::head(head), tail: Key::tail(tail), length: head.len() + tail.len(), long }
    }

    fn matches(&self, name: &Name<'_>) -> bool {
        self.tail.is_of(name.tail)
            && self.head.is_of(name.head)
            && name.text.len() >= self.length
            && self.long.as_ref().is_none_or(|long| {
                let (head, tail) = &**long;
                name.text.starts_with(&**head) && name.text.ends_with(&**tail)
            })
    }
}

impl Globs {
    /// Returns which of `states` stand before a part that `name` fits.
    pub(crate) fn matching(&self, states: u64, name: &Name<'_>) -> u64 {
        let mut matching = 0;
        for ends in &self.ends {
            if states & ends.states != 0 && ends.matches(name) {
                matching |= ends.states;
            }
        }
        if let Some(machine) = self.machine.as_ref().filter(|machine| machine.is_about(states)) {
            matching |= machine.matching(name.text);
        }
        matching & states
    }
}

/// Parts that are being collected.
#[derive(Default)]
pub(crate) struct GlobsBuilder<'p> {
    made: Globs,
    ends: Vec<(&'p str, &'p str)>,
    several: Vec<(&'p str, u64)>,
}

impl<'p> GlobsBuilder<'p> {
    /// Adds the part before which a state stands.
    pub(crate) fn add(&mut self, glob: &'p str, state: u64) {
        let Some((head, rest)) = glob.split_once('*') else { return };
        if rest.contains('*') {
            return self.several.push((glob, state));
        }
        let same = self.ends.iter().position(|ends| *ends == (head, rest));
        if let Some(same) = same.and_then(|at| self.made.ends.get_mut(at)) {
            same.states |= state;
        } else {
            self.ends.push((head, rest));
            self.made.ends.push(Ends::new(head, rest, state));
        }
    }

    pub(crate) fn build(mut self) -> Globs {
        if !self.several.is_empty() {
            self.made.machine = Some(Box::new(Machine::new(self.several)));
        }
        self.made
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{GlobsBuilder, Name};
    use crate::glob;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        /// Parts tried together say the same as each alone, whatever their lengths are.
        #[test]
        fn together_they_say_what_each_says_alone(
            globs in prop::collection::vec("[ab*é]{0,3}[*][ab*]{0,3}|[ab]{6,10}[*][ab]{6,10}|[*][ab]{60,70}[*]", 1..8),
            name in "[abé]{1,9}|[ab]{12,20}|[ab]{60,80}",
        ) {
            let globs: Vec<String> = globs.into_iter().filter(|glob| !glob.contains("**")).collect();
            let mut builder = GlobsBuilder::default();
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
