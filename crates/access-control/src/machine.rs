//! Parts with several `*`, all at once.
//!
//! A bit for each place in each part: whether what stands before the place fits the name so far. A byte of the name moves
//! all bits of a word together, so the time is the length of the name times that of the parts in words of 64.

/// Parts with several `*`, as one machine.
#[derive(Debug)]
pub(crate) struct Machine {
    /// All states that stand before one of the parts.
    states: u64,
    /// Where each part begins.
    start: Vec<u64>,
    /// The places before a `*`, which any byte leaves as they are.
    star: Vec<u64>,
    /// For each byte the number of its row in `moves`; 0 for one that stands in no part.
    rows: Box<[u8; 256]>,
    /// Rows of words: the places that a byte moves.
    moves: Vec<u64>,
    ends: Vec<End>,
}

/// The place behind a part.
#[derive(Debug)]
struct End {
    word: usize,
    bit: u64,
    /// The states that stand before the part.
    states: u64,
    /// How many bytes a name has at least. The ends come in this order, so a short name ends early.
    length: usize,
}

/// The number of words for which no memory is asked for: eight times what the longest pattern needs.
const INLINE: usize = 16;

impl Machine {
    /// Compiles parts, each with the state before it.
    pub(crate) fn new(mut parts: Vec<(&str, u64)>) -> Self {
        let length = |part: &str| part.bytes().filter(|byte| *byte != b'*').count();
        parts.sort_by_key(|(part, _)| length(part));
        let places: usize = parts.iter().map(|(part, _)| part.len() + 1).sum();
        let words = places.div_ceil(64);
        let mut rows = Box::new([0; 256]);
        let mut count = 1_usize;
        for byte in parts.iter().flat_map(|(part, _)| part.bytes()).filter(|byte| *byte != b'*') {
            if let Some(row @ 0) = rows.get_mut(usize::from(byte)) {
                // There are fewer bytes that can stand in a text than a row can have numbers.
                *row = u8::try_from(count).unwrap_or(u8::MAX);
                count += 1;
            }
        }
        let mut machine = Self {
            states: parts.iter().fold(0, |states, (_, state)| states | state),
            start: vec![0; words],
            star: vec![0; words],
            moves: vec![0; words * count],
            rows,
            ends: Vec::with_capacity(parts.len()),
        };
        let mut place = 0;
        for (part, states) in parts {
            set(&mut machine.start, place);
            for byte in part.bytes() {
                if byte == b'*' {
                    set(&mut machine.star, place);
                } else {
                    let row = usize::from(machine.rows.get(usize::from(byte)).copied().unwrap_or_default());
                    set(machine.moves.get_mut(row * words..).unwrap_or_default(), place);
                }
                place += 1;
            }
            machine.ends.push(End { word: place / 64, bit: 1 << (place % 64), states, length: length(part) });
            place += 1;
        }
        let mut start = std::mem::take(&mut machine.start);
        machine.skip(&mut start);
        machine.start = start;
        machine
    }

    /// Returns whether one of `states` stands before one of the parts.
    pub(crate) fn is_about(&self, states: u64) -> bool {
        self.states & states != 0
    }

    /// Returns the states before the parts that `name` fits.
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
                let fitting = *place & moves;
                let next = *place & star | fitting << 1 | carry | skipped;
                carry = fitting >> 63;
                skipped = (next & star) >> 63;
                *place = next | (next & star) << 1;
            }
        }
        let fits = |end: &&End| places.get(end.word).is_some_and(|place| place & end.bit != 0);
        ends.iter().filter(fits).fold(0, |states, end| states | end.states)
    }

    /// Adds the places behind each `*`, which stands for nothing as well. No two follow each other.
    fn skip(&self, places: &mut [u64]) {
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
    use super::Machine;
    use crate::glob;

    /// Long parts go over several words, and a `*` can stand at the end of one.
    #[test]
    fn parts_of_every_length_fit_what_they_fit_alone() {
        let word: String = (0..200_u8).map(|at| char::from(b'a' + at % 23)).collect();
        for length in 1..200 {
            let (part, rest) = word.split_at(length);
            let parts =
                [format!("*{part}*"), format!("{part}*c*"), format!("*{rest}*{part}"), "*a*b*".to_owned()];
            let states = parts.iter().enumerate().map(|(at, part)| (part.as_str(), 1 << at)).collect();
            let machine = Machine::new(states);
            for name in [
                part.to_owned(),
                format!("x{part}c"),
                format!("{part}xcy"),
                format!("x{rest}y{part}"),
                word.clone(),
            ] {
                let found = machine.matching(&name);
                for (at, part) in parts.iter().enumerate() {
                    assert_eq!(found >> at & 1 != 0, glob::matches(part, &name), "{part} on {name}");
                }
            }
        }
    }
}
