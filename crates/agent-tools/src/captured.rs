//! The beginning and the end of the output of a command.

/// The beginning and the end of a stream of bytes, in bounded memory.
#[derive(Debug)]
pub(crate) struct Captured {
    start: Vec<u8>,
    end: Vec<u8>,
    /// The maximum length of each part.
    part: usize,
    len: usize,
}

impl Captured {
    /// Returns an empty one that keeps `limit` bytes at each end.
    pub(crate) fn new(limit: usize) -> Self {
        Self { start: Vec::new(), end: Vec::new(), part: limit, len: 0 }
    }

    /// Returns the number of bytes that were written.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.len = self.len.saturating_add(bytes.len());
        let space = self.part.saturating_sub(self.start.len()).min(bytes.len());
        let (first, rest) = bytes.split_at(space);
        self.start.extend_from_slice(first);
        self.end.extend_from_slice(rest);
        // It is cut seldom, because that moves bytes.
        if self.end.len() > self.part.saturating_mul(2).max(1 << 16) {
            self.end.drain(..self.end.len().saturating_sub(self.part));
        }
    }

    /// Returns the output as text of at most `limit` bytes and a note: all of it, or its first and last half. The second value is
    /// whether something is left out.
    pub(crate) fn text(&self, limit: usize) -> (String, bool) {
        let all: Vec<u8>;
        let (start, end) = if self.start.len() + self.end.len() == self.len {
            all = [self.start.as_slice(), self.end.as_slice()].concat();
            if all.len() <= limit {
                return (String::from_utf8_lossy(&all).into_owned(), false);
            }
            (all.as_slice(), all.as_slice())
        } else {
            (self.start.as_slice(), self.end.as_slice())
        };
        let half = limit / 2;
        let first = start.get(..half.min(start.len())).unwrap_or_default();
        let last = end.get(end.len().saturating_sub(half)..).unwrap_or_default();
        let left_out = self.len.saturating_sub(first.len()).saturating_sub(last.len());
        let text =
            format!("{}\n… {left_out} bytes are left out …\n{}", complete_start(first), complete_end(last));
        (text, true)
    }
}

/// Returns bytes as text, without a character at their end that is not complete.
fn complete_start(bytes: &[u8]) -> String {
    let cut = match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        _ => bytes.len(),
    };
    String::from_utf8_lossy(bytes.get(..cut).unwrap_or_default()).into_owned()
}

/// Returns bytes as text, without the rest of a character at their beginning.
fn complete_end(bytes: &[u8]) -> String {
    let skipped = bytes.iter().take(3).take_while(|byte| **byte & 0b1100_0000 == 0b1000_0000).count();
    String::from_utf8_lossy(bytes.get(skipped..).unwrap_or_default()).into_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_short_output_is_complete() {
        let mut captured = Captured::new(8);
        for part in ["ab", "cdef", "ghij", "klm"] {
            captured.push(part.as_bytes());
        }
        assert_eq!(captured.text(13), ("abcdefghijklm".to_owned(), false));
        assert_eq!(captured.text(6), ("abc\n… 7 bytes are left out …\nklm".to_owned(), true));
    }

    #[test]
    fn characters_are_not_cut() {
        let mut captured = Captured::new(4);
        captured.push("äöüäöü".as_bytes());
        let (text, is_cut) = captured.text(6);
        assert_eq!((text.as_str(), is_cut), ("ä\n… 6 bytes are left out …\nü", true));
    }

    proptest! {
        /// The parts do not depend on how the output was split, and memory is bounded.
        #[test]
        fn both_ends_are_kept(sizes in prop::collection::vec(0_usize..40_000, 0..12), limit in 2_usize..4_000) {
            let mut letters = ('a'..='z').cycle();
            let parts: Vec<String> = sizes.iter().map(|size| letters.by_ref().take(*size).collect()).collect();
            let all = parts.concat();
            let mut captured = Captured::new(limit);
            for part in &parts {
                captured.push(part.as_bytes());
                prop_assert!(captured.start.len() + captured.end.len() <= limit + (2 * limit).max(1 << 16));
            }
            let (text, is_cut) = captured.text(limit);
            prop_assert_eq!(is_cut, all.len() > limit);
            if is_cut {
                let half = limit / 2;
                let (start, end) = (all.get(..half).unwrap(), all.get(all.len() - half..).unwrap());
                prop_assert!(text.starts_with(start) && text.ends_with(end));
            } else {
                prop_assert_eq!(text, all);
            }
        }
    }
}
