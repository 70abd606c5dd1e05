//! Finds text that is not displayed, or that is displayed in another order than it has.

use std::iter::Peekable;
use std::str::CharIndices;

use crate::character::{
    is_control, is_direction_control, is_direction_mark, is_ignorable, is_variation_selector,
};
use crate::script;

/// Adjacent characters of one kind that are not displayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HiddenText {
    /// Why the characters are not displayed.
    pub kind: HiddenKind,
    /// The offset of the first byte.
    pub start: usize,
    /// The offset after the last byte.
    pub end: usize,
    /// The first character.
    pub first: char,
    /// The number of characters.
    pub count: usize,
}

/// Why characters are not displayed as what they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HiddenKind {
    /// Control characters, except tabs, line breaks and form feeds.
    Control,
    /// They change the order in which text is displayed.
    Direction,
    /// They can carry a string that only programs read: tag characters, and variation selectors that vary nothing.
    Tag,
    /// They are displayed as nothing.
    Invisible,
}

/// Returns the hidden text of a string, in order. Takes linear time; text in ASCII is scanned once, byte by byte.
///
/// Not reported is what writing systems and emoji need: joiners in emoji and beside letters that join, variation selectors
/// after what has variants, direction marks in lines with a script from right to left, break opportunities in scripts
/// without spaces, tags of flags, and a byte order mark at the start.
pub fn hidden_text(text: &str) -> impl Iterator<Item = HiddenText> + '_ {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r' | b'\x0c');
    let first = text.bytes().position(|byte| !is_plain(byte));
    // Everything before the first other byte is plain, and what is next to it is at most one character away.
    let characters = first.map_or("", |_| text).char_indices().peekable();
    Scanner { text, characters, previous: None, line: Line { start: 0, end: 0, is_right_to_left: false } }
}

/// Returns the hidden text of bytes, as [`hidden_text`] does; bytes that are not UTF-8 hide nothing and end nothing.
pub fn hidden_text_of_bytes(bytes: &[u8]) -> impl Iterator<Item = HiddenText> + '_ {
    // Nearly every file is UTF-8, and validating it at once is faster than by chunks.
    let text = std::str::from_utf8(bytes).ok();
    let chunks = if text.is_some() { &[] } else { bytes }.utf8_chunks();
    let mut offset = 0;
    let hidden_in_chunks = chunks.flat_map(move |chunk| {
        let start = offset;
        offset += chunk.valid().len() + chunk.invalid().len();
        hidden_text(chunk.valid()).map(move |found| HiddenText {
            start: start + found.start,
            end: start + found.end,
            ..found
        })
    });
    text.into_iter().flat_map(hidden_text).chain(hidden_in_chunks)
}

/// The maximum number of letters in the tag of a flag (Unicode Technical Standard 51).
const MAX_FLAG_LETTERS: usize = 6;
/// WAVING BLACK FLAG, the base of flags of parts of countries.
const BLACK_FLAG: char = '\u{1f3f4}';
/// CANCEL TAG, the end of such a flag.
const CANCEL_TAG: char = '\u{e007f}';

struct Scanner<'t> {
    text: &'t str,
    characters: Peekable<CharIndices<'t>>,
    previous: Option<char>,
    line: Line,
}

/// The line that was last examined because of a direction mark.
struct Line {
    start: usize,
    end: usize,
    is_right_to_left: bool,
}

impl Iterator for Scanner<'_> {
    type Item = HiddenText;

    fn next(&mut self) -> Option<HiddenText> {
        while let Some((start, first)) = self.characters.next() {
            let kind = match first {
                ' '..='~' => None,
                BLACK_FLAG if self.skip_flag() => {
                    self.previous = Some(CANCEL_TAG);
                    continue;
                }
                _ => {
                    let next = self.characters.peek().map(|(_, next)| *next);
                    self.kind(start, first, next)
                }
            };
            self.previous = Some(first);
            let Some(kind) = kind else { continue };
            let mut found = HiddenText { kind, start, end: start + first.len_utf8(), first, count: 1 };
            while let Some((at, c)) = self.characters.peek().copied() {
                let mut ahead = self.characters.clone();
                ahead.next();
                if self.kind(at, c, ahead.peek().map(|(_, next)| *next)) != Some(kind) {
                    break;
                }
                self.characters.next();
                self.previous = Some(c);
                found.end = at + c.len_utf8();
                found.count += 1;
            }
            return Some(found);
        }
        None
    }
}

impl Scanner<'_> {
    /// Skips the tag characters after a black flag, where they are those of a flag; returns whether they are.
    fn skip_flag(&mut self) -> bool {
        let mut ahead = self.characters.clone();
        for _ in 0..=MAX_FLAG_LETTERS {
            match ahead.next() {
                Some((_, '\u{e0030}'..='\u{e0039}' | '\u{e0061}'..='\u{e007a}')) => {}
                Some((_, CANCEL_TAG)) => {
                    self.characters = ahead;
                    return true;
                }
                _ => return false,
            }
        }
        false
    }

    /// Returns why the character at an offset is hidden, if it is.
    fn kind(&mut self, at: usize, c: char, next: Option<char>) -> Option<HiddenKind> {
        if is_control(c) {
            return (!matches!(c, '\t' | '\n' | '\r' | '\u{c}')).then_some(HiddenKind::Control);
        }
        if !is_ignorable(c) {
            return None;
        }
        if is_direction_control(c) {
            return Some(HiddenKind::Direction);
        }
        let previous = self.previous.unwrap_or('\n');
        if is_variation_selector(c) {
            return kind_of_selector(c, previous, next);
        }
        let is_beside = |is_one: fn(char) -> bool| is_one(previous) || next.is_some_and(is_one);
        let is_used = match c {
            '\u{e0000}'..='\u{e0fff}' => return Some(HiddenKind::Tag),
            // A byte order mark.
            '\u{feff}' => at == 0,
            _ if is_direction_mark(c) => !is_ignorable(previous) && self.is_right_to_left(at),
            '\u{200c}' => is_beside(script::is_joining),
            '\u{200d}' => {
                is_beside(script::is_joining)
                    || (is_emoji(previous) && next.is_some_and(script::is_pictograph))
            }
            '\u{200b}' => is_beside(script::is_without_spaces),
            '\u{034f}' => is_beside(script::is_joining) || is_beside(script::is_right_to_left),
            '\u{180e}' => script::is_mongolian(previous),
            '\u{115f}' | '\u{1160}' => is_beside(script::is_jamo),
            '\u{13430}'..='\u{1343f}' => is_beside(script::is_hieroglyph),
            _ => false,
        };
        (!is_used).then_some(HiddenKind::Invisible)
    }

    /// Returns whether the line around an offset has a character of a script from right to left. Examines a line once.
    fn is_right_to_left(&mut self, at: usize) -> bool {
        if at >= self.line.end {
            let (before, after) = self.text.split_at_checked(at).unwrap_or(("", self.text));
            let start = before.rfind('\n').map_or(0, |end| end + 1);
            let end = after.find('\n').map_or(self.text.len(), |length| at + length + 1);
            let line = self.text.get(start..end).unwrap_or_default();
            self.line = Line { start, end, is_right_to_left: line.contains(script::is_right_to_left) };
        }
        at >= self.line.start && self.line.is_right_to_left
    }
}

/// Returns why a variation selector is hidden, if it varies nothing. One that asks for an emoji, and is alone, is often left
/// over when text is edited; any other can be a byte of a message.
fn kind_of_selector(c: char, previous: char, next: Option<char>) -> Option<HiddenKind> {
    let is_emoji_selector = matches!(c, '\u{fe0e}' | '\u{fe0f}');
    let is_used = match c {
        '\u{180b}'..='\u{180f}' => script::is_mongolian(previous),
        '\u{e0100}'..='\u{e01ef}' => script::is_ideograph(previous),
        _ if is_emoji_selector => script::is_emoji_base(previous),
        _ => script::has_variants(previous),
    };
    let is_alone = !is_ignorable(previous) && !next.is_some_and(is_variation_selector);
    match (is_used, is_emoji_selector && is_alone) {
        (true, _) => None,
        (false, true) => Some(HiddenKind::Invisible),
        (false, false) => Some(HiddenKind::Tag),
    }
}

/// Returns whether `c` can end the part of an emoji sequence before a joiner.
fn is_emoji(c: char) -> bool {
    script::is_pictograph(c) || c == '\u{fe0f}'
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn find_hidden(text: &str) -> Vec<(HiddenKind, usize, usize)> {
        hidden_text(text).map(|found| (found.kind, found.start, found.count)).collect()
    }

    #[test]
    fn hidden_characters_are_found() {
        use HiddenKind::{Control, Direction, Invisible, Tag};
        for (text, expected) in [
            ("a\u{202e}b", vec![(Direction, 1, 1)]),
            ("\u{2066}\u{2067}x\u{2069}", vec![(Direction, 0, 2), (Direction, 7, 1)]),
            ("x\u{e0061}\u{e0062}", vec![(Tag, 1, 2)]),
            ("x\u{e0001}", vec![(Tag, 1, 1)]),
            // A flag has few letters, and ends.
            ("🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}\u{e0061}", vec![(Tag, 28, 1)]),
            ("🏴\u{e0067}\u{e0062}", vec![(Tag, 4, 2)]),
            ("🏴\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e007f}", vec![(Tag, 4, 8)]),
            // A second selector varies nothing: bytes are hidden after an emoji in this way.
            ("😀\u{fe0f}\u{fe01}\u{e0100}", vec![(Tag, 7, 2)]),
            ("😀\u{fe01}\u{e0100}", vec![(Tag, 4, 2)]),
            ("x\u{fe0f} é\u{fe01}", vec![(Invisible, 1, 1), (Tag, 7, 1)]),
            ("x\u{fe0f}\u{fe0e}", vec![(Tag, 1, 2)]),
            ("x\u{e0100}", vec![(Tag, 1, 1)]),
            ("a\u{200b}b", vec![(Invisible, 1, 1)]),
            ("a\u{200d}b", vec![(Invisible, 1, 1)]),
            ("a\u{200c}b", vec![(Invisible, 1, 1)]),
            // Bits between two letters of a script that joins.
            ("م\u{200c}\u{200d}\u{200c}خ", vec![(Invisible, 5, 1)]),
            ("a\u{200e}b", vec![(Invisible, 1, 1)]),
            ("א\u{200f}\u{200e}", vec![(Invisible, 5, 1)]),
            ("a\u{feff}b", vec![(Invisible, 1, 1)]),
            ("a\u{ad}b\u{3164}\u{2060}", vec![(Invisible, 1, 1), (Invisible, 4, 2)]),
            ("a\u{2028}b", vec![(Invisible, 1, 1)]),
            ("👩\u{200d}x", vec![(Invisible, 4, 1)]),
            ("\u{1b}[2J\u{7f}\u{85}", vec![(Control, 0, 1), (Control, 4, 2)]),
            ("\0", vec![(Control, 0, 1)]),
            // One line with such a script does not excuse another one.
            ("אב\u{200f}\nab\u{200f}", vec![(Invisible, 10, 1)]),
        ] {
            let expected: Vec<_> = expected;
            assert_eq!(find_hidden(text), expected, "{text:?}");
        }
    }

    #[test]
    fn characters_that_writing_systems_and_emoji_need_are_not_reported() {
        for text in [
            "",
            "plain\ttext\r\nand a page\u{c}",
            "\u{feff}é 日本 ä",
            "👩\u{200d}💻 👩🏽\u{200d}🚀 🏳\u{fe0f}\u{200d}🌈 ❤\u{fe0f}\u{200d}🔥 🧑\u{200d}⚕\u{fe0f} 👨\u{200d}👩\u{200d}👧",
            "🏴\u{200d}☠\u{fe0f} ⛓\u{fe0f}\u{200d}💥 👁\u{fe0f}\u{200d}🗨\u{fe0f} ™\u{fe0f} ©\u{fe0f} ‼\u{fe0f} ㊗\u{fe0f}",
            "1\u{fe0f}\u{20e3} ✈\u{fe0e} ➡\u{fe0f} ⚠\u{fe0f} ✔\u{fe0f} ℹ\u{fe0f}",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
            "می\u{200c}خواهم کتاب\u{200c}ها",
            "क\u{94d}\u{200d}ष ශ\u{dca}\u{200d}රී ক\u{9cd}\u{200c}ষ",
            "שלום\u{200f}! abc\u{200e}",
            "مرحبا بالعالم، נקודה",
            "ภาษา\u{200b}ไทย",
            "葛\u{e0100} 。\u{fe00} ∩\u{fe00}",
            "ᠮᠣᠩ\u{180b} ᠠ\u{180e}",
            "\u{1100}\u{1160}",
        ] {
            assert_eq!(find_hidden(text), [], "{text:?}");
        }
    }

    #[test]
    fn hidden_text_is_found_next_to_invalid_utf8() {
        let found: Vec<_> = hidden_text_of_bytes(b"\xffa\xe2\x80\xaeb\xe2\x80\xaf\x1b").collect();
        let found: Vec<_> = found.iter().map(|found| (found.kind, found.start, found.end)).collect();
        assert_eq!(found, [(HiddenKind::Direction, 2, 5), (HiddenKind::Control, 9, 10)]);
    }

    /// Each character between two Latin letters: none that is not displayed passes.
    #[test]
    fn no_ignorable_character_passes_between_plain_letters() {
        for c in char::MIN..=char::MAX {
            let is_layout = matches!(c, '\t' | '\n' | '\r' | '\u{c}');
            let is_reported = find_hidden(&format!("a{c}b")).len() == 1;
            assert_eq!(is_reported, is_ignorable(c) || (is_control(c) && !is_layout), "{c:?}");
        }
    }

    /// Judges every character from the whole text, without any state.
    fn oracle(text: &str) -> Vec<(HiddenKind, char)> {
        let all: Vec<char> = text.chars().collect();
        let mut hidden = Vec::new();
        for (at, &c) in all.iter().enumerate() {
            let before = at.checked_sub(1).map(|at| all[at]);
            let after = all.get(at + 1).copied();
            let any =
                |set: &str| before.is_some_and(|c| set.contains(c)) || after.is_some_and(|c| set.contains(c));
            let line: String = {
                let start = all[..at].iter().rposition(|c| *c == '\n').map_or(0, |at| at + 1);
                all[start..].iter().take_while(|c| **c != '\n').collect()
            };
            let in_flag = (0..=at).any(|start| {
                let rest = &all[start..];
                let letters =
                    rest.iter().skip(1).take_while(|c| matches!(c, '\u{e0067}' | '\u{e0062}')).count();
                let is_flag =
                    rest[0] == BLACK_FLAG && letters <= 6 && rest.get(1 + letters) == Some(&CANCEL_TAG);
                is_flag && at <= start + 1 + letters
            });
            let kind = match c {
                '\u{1b}' => Some(HiddenKind::Control),
                '\u{202e}' => Some(HiddenKind::Direction),
                '\u{e0067}' | '\u{e0062}' | '\u{e007f}' => (!in_flag).then_some(HiddenKind::Tag),
                '\u{fe0f}' if before.is_some_and(|c| "👩🏴1".contains(c)) => None,
                '\u{fe0f}' => {
                    let is_part =
                        before.is_some_and(|c| HIDDEN_CHARACTERS.contains(&c)) || after == Some('\u{fe0f}');
                    Some(if is_part { HiddenKind::Tag } else { HiddenKind::Invisible })
                }
                '\u{200c}' => (!any("مक")).then_some(HiddenKind::Invisible),
                '\u{200d}' => {
                    let is_emoji = before.is_some_and(|c| "👩🏴\u{fe0f}".contains(c))
                        && after.is_some_and(|c| "👩🏴".contains(c));
                    (!any("مक") && !is_emoji).then_some(HiddenKind::Invisible)
                }
                '\u{200f}' => {
                    let is_second = before.is_some_and(|c| HIDDEN_CHARACTERS.contains(&c));
                    (is_second || !line.contains('م')).then_some(HiddenKind::Invisible)
                }
                '\u{feff}' => (at > 0).then_some(HiddenKind::Invisible),
                '\u{200b}' => Some(HiddenKind::Invisible),
                _ => None,
            };
            hidden.extend(kind.map(|kind| (kind, c)));
        }
        hidden
    }

    /// The characters of the alphabet that are ignorable.
    const HIDDEN_CHARACTERS: [char; 10] = [
        '\u{202e}',
        '\u{e0067}',
        '\u{e0062}',
        '\u{e007f}',
        '\u{fe0f}',
        '\u{200c}',
        '\u{200d}',
        '\u{200f}',
        '\u{feff}',
        '\u{200b}',
    ];

    fn any_text() -> impl Strategy<Value = String> {
        const VISIBLE_CHARACTERS: [char; 10] =
            ['a', '1', ' ', '\n', 'م', 'क', '👩', BLACK_FLAG, '\u{1b}', '\r'];
        let c = prop_oneof![
            prop::sample::select(&VISIBLE_CHARACTERS[..]),
            prop::sample::select(&HIDDEN_CHARACTERS[..])
        ];
        prop::collection::vec(c, 0..14).prop_map(|all| all.into_iter().collect())
    }

    proptest! {
        /// The scanner agrees with the oracle on every string over a small alphabet, and its runs are adjacent characters.
        #[test]
        fn the_scanner_agrees_with_the_oracle(text in any_text()) {
            let mut hidden = Vec::new();
            let mut end = 0;
            for run in hidden_text(&text) {
                prop_assert!(run.start >= end);
                end = run.end;
                let characters: Vec<char> = text.get(run.start..run.end).into_iter().flat_map(str::chars).collect();
                prop_assert_eq!((characters.len(), characters[0]), (run.count, run.first));
                hidden.extend(characters.into_iter().map(|c| (run.kind, c)));
            }
            prop_assert_eq!(hidden, oracle(&text), "{:?}", text);
        }
    }
}
