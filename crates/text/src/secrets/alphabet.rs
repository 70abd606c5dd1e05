//! Character classes.

/// A set of ASCII characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alphabet {
    /// `0`–`9`, `a`–`f` in either case.
    Hex,
    /// Uppercase letters and digits.
    Capitals,
    /// Letters and digits.
    Letters,
    /// Letters, digits and `_`.
    Name,
    /// Letters, digits, `_` and `-`: the base64 alphabet for URLs.
    Url,
}

impl Alphabet {
    pub(super) fn has(self, byte: u8) -> bool {
        match self {
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Capitals => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Letters => byte.is_ascii_alphanumeric(),
            Self::Name => byte.is_ascii_alphanumeric() || byte == b'_',
            Self::Url => is_word(byte),
        }
    }

    /// Returns the longest prefix of `text` with characters of this set only.
    pub(super) fn run(self, text: &str) -> &str {
        run(text, |byte| self.has(byte))
    }
}

/// Returns the longest prefix of `text` for whose bytes `is_kind` holds; it must be false for bytes outside of ASCII.
pub(super) fn run(text: &str, is_kind: impl Fn(u8) -> bool) -> &str {
    let length = text.bytes().take_while(|byte| byte.is_ascii() && is_kind(*byte)).count();
    text.get(..length).unwrap_or_default()
}

/// Returns whether a byte in front of a key makes it the end of a longer word.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// Returns the length in bytes of the word at the start of a string.
pub(super) fn word_length(text: &[u8]) -> usize {
    text.iter().take_while(|byte| Class::of(**byte).is_word()).count()
}

/// The classes of a byte, from a lookup table.
#[derive(Clone, Copy)]
pub(super) struct Class(u8);

impl Class {
    const WORD: u8 = 1;
    /// The start of something that is searched for, or a `\`, which is not part of a word.
    const OTHER: u8 = 2;

    pub(super) fn of(byte: u8) -> Self {
        Self(CLASSES.get(usize::from(byte)).copied().unwrap_or_default())
    }

    /// Returns whether the byte in front of a key makes it the end of a longer word.
    pub(super) fn is_word(self) -> bool {
        self.0 & Self::WORD != 0
    }

    /// Returns whether the byte is in no class, as most bytes of most files.
    pub(super) fn is_nothing(self) -> bool {
        self.0 == 0
    }
}

static CLASSES: [u8; 256] = classes();

#[expect(clippy::indexing_slicing, reason = "the compiler evaluates this, and finds a wrong index")]
const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        let is_letter = byte.is_ascii_alphanumeric();
        if is_letter || matches!(byte, b'_' | b'-') {
            table[byte as usize] |= Class::WORD;
        }
        if matches!(byte, b':' | b'?' | b'&' | b'\\') {
            table[byte as usize] = Class::OTHER;
        }
        byte += 1;
    }
    table
}
