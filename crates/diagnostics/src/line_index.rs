//! Conversion of byte offsets to lines and columns.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A position as people count: line and column start at 1.
///
/// The column counts Unicode scalar values; a tab counts as one, and a byte order mark at the start of the file as
/// none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in Unicode scalar values.
    pub column: u32,
}

/// Both ends of a span; the end is the position after the last character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct PositionRange {
    /// Where the span starts.
    pub start: Position,
    /// Where the span ends.
    pub end: Position,
}

/// The number of bytes between two cached character counts. A position costs at most two scans of this length,
/// however long its line is.
const STRIDE: usize = 1024;

/// The byte offset of a byte order mark's end.
const BOM: &[u8] = b"\xef\xbb\xbf";

/// The starts of the lines of a file.
///
/// Lines end with `\n`, `\r\n` or `\r`, as in YAML 1.2 and in the Language Server Protocol.
#[derive(Clone, Debug)]
pub struct LineIndex {
    starts: Vec<u32>,
    /// The number of characters in front of each multiple of [`STRIDE`]; empty if every byte is a character.
    characters: Vec<u32>,
}

impl LineIndex {
    /// Finds the lines of a string of at most 4 GiB.
    pub fn new(bytes: &[u8]) -> Self {
        let mut starts = vec![0];
        for (at, byte) in bytes.iter().enumerate() {
            let ends_line = match byte {
                b'\n' => true,
                b'\r' => bytes.get(at + 1) != Some(&b'\n'),
                _ => false,
            };
            if ends_line {
                starts.push(offset(at + 1));
            }
        }
        let mut characters = Vec::new();
        if !bytes.is_ascii() {
            let mut total = 0;
            for chunk in bytes.chunks(STRIDE) {
                characters.push(total);
                total += count(chunk);
            }
        }
        Self { starts, characters }
    }

    /// Returns the number of lines; a file that ends with a line break has an empty last line.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Returns whether there is no line, which never happens.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Returns the offset at which `line` (from 1) starts; for a line after the last one, that of the last one.
    pub fn start_of(&self, line: u32) -> u32 {
        let index = (line.max(1) as usize - 1).min(self.starts.len().saturating_sub(1));
        self.starts.get(index).copied().unwrap_or_default()
    }

    /// Returns the line, from 1, that contains `offset`.
    pub fn line_of(&self, offset: u32) -> u32 {
        u32::try_from(self.starts.partition_point(|start| *start <= offset)).unwrap_or(u32::MAX)
    }

    /// Returns the line and column of `offset` in `bytes`, the file that the index was made from.
    ///
    /// An offset after the end is treated as the end.
    pub fn position(&self, bytes: &[u8], offset: u32) -> Position {
        let offset = offset.min(self::offset(bytes.len()));
        let line = self.line_of(offset);
        let mut start = self.start_of(line);
        if start == 0 && bytes.starts_with(BOM) {
            start = self::offset(BOM.len());
        }
        let column = if offset <= start {
            0
        } else if self.characters.is_empty() {
            offset - start
        } else {
            self.characters_before(bytes, offset) - self.characters_before(bytes, start)
        };
        Position { line, column: column + 1 }
    }

    fn characters_before(&self, bytes: &[u8], offset: u32) -> u32 {
        let offset = offset as usize;
        let block = (offset / STRIDE).min(self.characters.len().saturating_sub(1));
        let rest = bytes.get(block * STRIDE..offset).unwrap_or_default();
        self.characters.get(block).copied().unwrap_or_default() + count(rest)
    }
}

/// Returns how many characters start in `bytes`; continuation bytes are skipped.
fn count(bytes: &[u8]) -> u32 {
    offset(bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count())
}

fn offset(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, offset: u32, line: u32, column: u32) {
        let index = LineIndex::new(text.as_bytes());
        let expected = Position { line, column };
        assert_eq!(index.position(text.as_bytes(), offset), expected, "{offset} in {text:?}");
    }

    #[test]
    fn lines_and_columns_start_at_one() {
        check("", 0, 1, 1);
        check("ab\ncd", 0, 1, 1);
        check("ab\ncd", 2, 1, 3);
        check("ab\ncd", 3, 2, 1);
        check("ab\ncd", 99, 2, 3);
    }

    #[test]
    fn every_line_break_of_yaml_ends_a_line_once() {
        check("a\r\nb", 3, 2, 1);
        check("a\rb", 2, 2, 1);
        check("a\n\nb", 3, 3, 1);
    }

    #[test]
    fn columns_count_characters_and_a_tab_is_one() {
        check("é\tx", 3, 1, 3);
        check("日本: x", 8, 1, 5);
        check("🧑‍💻!", 11, 1, 4);
    }

    #[test]
    fn a_byte_order_mark_has_no_column() {
        check("\u{feff}a", 3, 1, 1);
        check("\u{feff}a", 0, 1, 1);
        check("\u{feff}ab\nc", 4, 1, 2);
        check("\u{feff}ab\nc", 6, 2, 1);
    }

    #[test]
    fn positions_in_long_lines_agree_with_a_plain_count() {
        let text = "é".repeat(2_000) + "\n" + &"日x".repeat(900);
        let index = LineIndex::new(text.as_bytes());
        for (at, _) in text.char_indices().step_by(7) {
            let before = text.get(..at).unwrap();
            let line = before.matches('\n').count() + 1;
            let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
            let position = index.position(text.as_bytes(), u32::try_from(at).unwrap());
            assert_eq!((position.line as usize, position.column as usize), (line, column), "at {at}");
        }
    }
}
