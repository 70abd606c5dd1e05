//! Conversion of character indices to byte offsets.

/// Translates the parser's character indices to byte offsets of the source.
///
/// Indices arrive almost in order, so the translator continues from its last position: all translations together cost
/// about one pass over the source. For ASCII nothing is counted at all.
pub(super) struct Characters<'t> {
    text: &'t str,
    ascii: bool,
    /// The number of bytes in the file in front of the text.
    base: usize,
    byte: usize,
    character: usize,
}

impl<'t> Characters<'t> {
    pub(super) fn new(text: &'t str, base: usize) -> Self {
        Self { text, ascii: text.is_ascii(), base, byte: 0, character: 0 }
    }

    /// Returns the offset in the file of character `index` of the text; for an index past the end, the offset of the
    /// end.
    pub(super) fn offset(&mut self, index: usize) -> u32 {
        let byte = if self.ascii { index.min(self.text.len()) } else { self.seek(index) };
        u32::try_from(self.base + byte).unwrap_or(u32::MAX)
    }

    fn seek(&mut self, index: usize) -> usize {
        let bytes = self.text.as_bytes();
        let starts_character = |at: usize| bytes.get(at).is_none_or(|byte| byte & 0xc0 != 0x80);
        while self.character < index
            && let Some(first) = bytes.get(self.byte)
        {
            // The first byte of a character determines its length.
            self.byte += match first {
                0..0x80 => 1,
                0x80..0xe0 => 2,
                0xe0..0xf0 => 3,
                0xf0.. => 4,
            };
            self.character += 1;
        }
        while self.character > index && self.byte > 0 {
            self.byte -= 1;
            while !starts_character(self.byte) {
                self.byte -= 1;
            }
            self.character -= 1;
        }
        self.byte
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_can_be_translated_in_any_order() {
        let text = "a: é\n日本: 🧑‍💻 x";
        let expected: Vec<usize> = text.char_indices().map(|(at, _)| at + 3).collect();
        let mut characters = Characters::new(text, 3);
        for step in [1, 3, 7, 5] {
            for index in (0..expected.len()).map(|i| i * step % expected.len()) {
                assert_eq!(characters.offset(index) as usize, expected[index]);
            }
        }
        assert_eq!(characters.offset(1_000) as usize, text.len() + 3);
    }
}
