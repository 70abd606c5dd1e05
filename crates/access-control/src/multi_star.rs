//! Segments with several `*`, all matched at once (a bit-parallel automaton).
//!
//! There is a bit for each position in each segment: whether the text before the position matches the name so far. A byte
//! of the name advances all bits of a word together, so the time is the length of the name times the total length of the
//! segments in words of 64 bits.

/// Matches names against segments with several `*`.
#[derive(Debug)]
pub(crate) struct MultiStarMatcher {
    /// All states that precede one of the segments.
    states: u64,
    /// The first position of each segment.
    start: Vec<u64>,
    /// The positions before a `*`, where any byte keeps the bit set.
    star: Vec<u64>,
    /// For each byte the number of its row in `moves`; 0 for a byte that no segment contains.
    rows: Box<[u8; 256]>,
    /// Rows of words: the positions that a byte advances.
    moves: Vec<u64>,
    ends: Vec<End>,
}

/// The position after a segment.
#[derive(Debug)]
struct End {
    word: usize,
    bit: u64,
    /// The states that precede the segment.
    states: u64,
    /// The minimum length of a name in bytes. Ends are sorted by it, so that a short name skips the rest.
    length: usize,
}

/// Up to this number of words no heap memory is allocated: eight times what the longest pattern needs.
const INLINE: usize = 16;

impl MultiStarMatcher {
    /// Compiles segments, each with the state that precedes it.
    pub(crate) fn new(mut parts: Vec<(&str, u64)>) -> Self {
        let length = |part: &str| part.bytes().filter(|byte| *byte != b'*').count();
        parts.sort_by_key(|(part, _)| length(part));
        let places: usize = parts.iter().map(|(part, _)| part.len() + 1).sum();
        let words = places.div_ceil(64);
        let mut rows = Box::new([0; 256]);
        let mut count = 1_usize;
        for byte in parts.iter().flat_map(|(part, _)| part.bytes()).filter(|byte| *byte != b'*') {
            if let Some(row @ 0) = rows.get_mut(usize::from(byte)) {
                // A valid string has fewer distinct bytes than there are row numbers.
                *row = u8::try_from(count).unwrap_or(u8::MAX);
                count += 1;
            }
        }
        let mut matcher = Self {
            states: parts.iter().fold(0, |states, (_, state)| states | state),
            start: vec![0; words],
            star: vec![0; words],
            moves: vec![0; words * count],
            rows,
            ends: Vec::with_capacity(parts.len()),
        };
        let mut place = 0;
        for (part, states) in parts {
            set(&mut matcher.start, place);
            for byte in part.bytes() {
                if byte == b'*' {
                    set(&mut matcher.star, place);
                } else {
                    let row = usize::from(matcher.rows.get(usize::from(byte)).copied().unwrap_or_default());
                    set(matcher.moves.get_mut(row * words..).unwrap_or_default(), place);
                }
                place += 1;
            }
            matcher.ends.push(End { word: place / 64, bit: 1 << (place % 64), states, length: length(part) });
            place += 1;
        }
        let mut start = std::mem::take(&mut matcher.start);
        matcher.close_over_stars(&mut start);
        matcher.start = start;
        matcher
    }

    /// Returns whether one of `states` precedes one of the segments.
    pub(crate) fn has_state_in(&self, states: u64) -> bool {
        self.states & states != 0
    }

    /// Returns the states whose segments match `name`.
    pub(crate) fn matching(&self, name: &str) -> u64 {
        let ends = self.ends.partition_point(|end| end.length <= name.len());
        let ends = self.ends.get(..ends).unwrap_or_default();
        let words = ends.last().map_or(0, |end| end.word + 1);
        if words <= INLINE {
            let mut places = [0; INLINE];
            self.run(name, places.get_mut(..words).unwrap_or_default(), ends)
        } else {
            self.run(name, &mut vec![0; words], ends)
        }
    }

    fn run(&self, name: &str, places: &mut [u64], ends: &[End]) -> u64 {
        for (place, start) in places.iter_mut().zip(&self.start) {
            *place = *start;
        }
        for byte in name.bytes() {
            let row = usize::from(self.rows.get(usize::from(byte)).copied().unwrap_or_default());
            let row = self.moves.get(row * self.start.len()..).unwrap_or_default();
            let (mut carry, mut skipped) = (0, 0);
            for ((place, star), moves) in places.iter_mut().zip(&self.star).zip(row) {
                let matching = *place & moves;
                let next = *place & star | matching << 1 | carry | skipped;
                carry = matching >> 63;
                skipped = (next & star) >> 63;
                *place = next | (next & star) << 1;
            }
        }
        let is_match = |end: &&End| places.get(end.word).is_some_and(|place| place & end.bit != 0);
        ends.iter().filter(is_match).fold(0, |states, end| states | end.states)
    }

    /// Adds the positions after each `*`, which also matches the empty string. No two `*` are adjacent.
    fn close_over_stars(&self, places: &mut [u64]) {
        let mut skipped = 0;
        for (place, star) in places.iter_mut().zip(&self.star) {
            *place |= skipped;
            skipped = (*place & star) >> 63;
            *place |= (*place & star) << 1;
        }
    }
}

fn set(words: &mut [u64], place: usize) {
    if let Some(word) = words.get_mut(place / 64) {
        *word |= 1 << (place % 64);
    }
}

#[cfg(test)]
mod tests {
    use super::MultiStarMatcher;
    use crate::glob;

    /// Long segments span several words, and a `*` can be at the end of one.
    #[test]
    fn segments_of_every_length_match_like_each_alone() {
        let word: String = (0..200_u8).map(|at| char::from(b'a' + at % 23)).collect();
        for length in 1..200 {
            let (part, rest) = word.split_at(length);
            let parts =
                [format!("*{part}*"), format!("{part}*c*"), format!("*{rest}*{part}"), "*a*b*".to_owned()];
            let states = parts.iter().enumerate().map(|(at, part)| (part.as_str(), 1 << at)).collect();
            let matcher = MultiStarMatcher::new(states);
            for name in [
                part.to_owned(),
                format!("x{part}c"),
                format!("{part}xcy"),
                format!("x{rest}y{part}"),
                word.clone(),
            ] {
                let found = matcher.matching(&name);
                for (at, part) in parts.iter().enumerate() {
                    assert_eq!(found >> at & 1 != 0, glob::matches(part, &name), "{part} on {name}");
                }
            }
        }
    }
}
