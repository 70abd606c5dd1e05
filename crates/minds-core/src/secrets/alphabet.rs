//! Classes of bytes.

use super::formats;

/// A set of ASCII characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alphabet {
    /// `0`–`9`, `a`–`f` in either case.
    Hex,
    /// Capital letters and digits.
    Capitals,
    /// Letters and digits.
    Letters,
    /// Letters, digits and `_`.
    Name,
    /// Letters, digits, `_` and `-`: base64 as URLs have it.
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

    /// Returns the characters of this set with which `text` begins.
    pub(super) fn run(self, text: &str) -> &str {
        run(text, |byte| self.has(byte))
    }
}

/// Returns the bytes with which `text` begins that are all of a kind; `is_kind` must hold for ASCII only.
pub(super) fn run(text: &str, is_kind: impl Fn(u8) -> bool) -> &str {
    let length = text.bytes().take_while(|byte| byte.is_ascii() && is_kind(*byte)).count();
    text.get(..length).unwrap_or_default()
}

/// Returns whether a byte before a key would make it the end of a longer word.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// Returns whether a byte can begin anything that is looked for; most of a text cannot.
pub(super) fn may_begin(byte: u8) -> bool {
    BEGINNINGS.get(usize::from(byte)).copied().unwrap_or_default()
}

static BEGINNINGS: [bool; 256] = beginnings();

#[expect(clippy::indexing_slicing, reason = "the compiler evaluates this, and finds a wrong index")]
const fn beginnings() -> [bool; 256] {
    // Of URLs and PEM blocks; of words that name a scheme; of tokens whose beginning is no prefix.
    let others = b":?&-BbS0123456789abcdef";
    let mut table = [false; 256];
    let mut at = 0;
    while at < others.len() {
        table[others[at] as usize] = true;
        at += 1;
    }
    at = 0;
    while at < formats::FORMATS.len() {
        table[formats::FORMATS[at].prefix.as_bytes()[0] as usize] = true;
        at += 1;
    }
    table
}
