//! Detection of keys, tokens and passwords in text.
//!
//! A value is a secret by its form, or because its key [names](classify_key) one. [`find_hidden_ranges`] decides for
//! everything that is printed. [`find`] recognizes secrets by the properties that their issuers gave them: a prefix,
//! an alphabet and a length. It examines each byte a bounded number of times. Placeholders in examples and templates
//! are not secrets.
//!
//! ```
//! use minds_text::secrets::{TextKind, find, mask_secrets};
//!
//! let text = concat!("header: Bearer gh", "p_0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R # not ghp_xxxx");
//! let found = find(text, TextKind::Settings);
//! assert_eq!(found.len(), 1);
//! assert_eq!(found[0].kind.name(), "a GitHub token");
//! assert_eq!(mask_secrets(text, TextKind::Settings), format!("header: Bearer ghp_{} # not ghp_xxxx", "*".repeat(36)));
//! ```

mod alphabet;
mod credentials;
mod formats;
mod name_words;
mod named_values;
mod names;
mod pairs;
mod placeholder;
mod private_key;
mod scan;
mod scan_value;
mod structured;
mod value;

use std::borrow::Cow;
use std::ops::Range;

use self::alphabet::Class;
pub use self::formats::Format;
pub use self::named_values::{find_named_values, in_order};
pub use self::names::{KeyClass, classify_key};
pub use self::value::{REDACTED, redact_value};

/// The kind of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    /// Values that are used as they are: any password is a secret, however weak.
    Settings,
    /// Text for readers, where `https://user:password@host` is an example.
    Prose,
    /// A message about settings: values are secrets by their form as in settings, and the word after `token:` as in
    /// prose.
    Message,
}

impl TextKind {
    /// Returns the kind of text in a file, by its name.
    pub fn of(file: &str) -> Self {
        if file.rsplit_once('.').is_some_and(|(_, extension)| extension.eq_ignore_ascii_case("md")) {
            Self::Prose
        } else {
            Self::Settings
        }
    }
}

/// A secret and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// What it is.
    pub kind: SecretKind,
    /// The range of the secret in the text, in bytes.
    pub span: Range<usize>,
    /// The part of the range to hide: all but the common prefix of its kind.
    pub hidden: Range<usize>,
}

/// The kind of a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretKind {
    /// A key or token of a known format.
    Token(&'static Format),
    /// Credentials of an `Authorization` header of this scheme.
    Authorization(&'static str),
    /// The password in front of the host of a URL.
    UrlPassword,
    /// A key in the query of a URL.
    UrlParameter,
    /// A private key in PEM.
    PrivateKey,
}

impl SecretKind {
    /// Returns the name for messages: "a GitHub token".
    pub fn name(self) -> &'static str {
        match self {
            Self::Token(format) => format.name,
            Self::Authorization("Basic") => "a user name and password",
            Self::Authorization(_) => "a bearer token",
            Self::UrlPassword => "a password in a URL",
            Self::UrlParameter => "a key in the query of a URL",
            Self::PrivateKey => "a private key",
        }
    }
}

/// Returns the secrets in a string, in order and without overlaps.
pub fn find(text: &str, reading: TextKind) -> Vec<Secret> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let class = Class::of(byte);
        if class.is_nothing() {
            at += 1;
            continue;
        }
        let rest = bytes.get(at..).unwrap_or_default();
        // Hardly any word begins like a secret.
        if class.is_word() && !may_begin(rest) {
            at += alphabet::word_length(rest);
            continue;
        }
        let secret = match byte {
            b':' => credentials::password(text, at, reading),
            b'?' | b'&' => credentials::parameter(text, at),
            b'-' => private_key::at(text, at),
            _ if class.is_word() => word(text, at, reading),
            _ => None,
        };
        at = match secret {
            Some(secret) => {
                let end = secret.span.end;
                found.push(secret);
                end
            }
            // A key begins at the start of a word.
            None if class.is_word() => at + alphabet::word_length(rest),
            // The letter of an escape such as `\n` is not part of a word.
            None if byte == b'\\' && matches!(bytes.get(at + 1), Some(b'n' | b'r' | b't')) => at + 2,
            None => at + 1,
        };
    }
    found
}

/// Returns whether a word at the start of `text` may be a secret, or introduce one.
fn may_begin(text: &[u8]) -> bool {
    formats::may_begin(text) || structured::may_begin(text) || text.starts_with(b"--")
}

/// Returns the secret at, or introduced by, the word at `at`.
fn word(text: &str, at: usize, reading: TextKind) -> Option<Secret> {
    formats::at(text, at)
        .or_else(|| credentials::authorization(text, at, reading))
        .or_else(|| structured::at(text, at))
}

/// Returns the ranges of a string to hide, in order and without overlaps: secrets by their form, and values of keys
/// that name a secret. This decides for everything that is printed.
pub fn find_hidden_ranges(text: &str, reading: TextKind) -> Vec<Range<usize>> {
    let found = find(text, reading);
    let mut named = find_named_values(text, reading);
    // The prefix of a key of a known format stays, because it identifies the issuer.
    named.retain(|range| {
        found
            .binary_search_by_key(&range.start, |secret| secret.span.start)
            .map_or(true, |at| found.get(at).is_none_or(|secret| secret.span != *range))
    });
    let mut ranges: Vec<Range<usize>> = found.into_iter().map(|secret| secret.hidden).collect();
    ranges.append(&mut named);
    ranges.sort_by_key(|range| range.start);
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// Returns the text with the [ranges to hide](find_hidden_ranges) replaced by `*`, with the same length in bytes and
/// characters and the same lines.
pub fn mask_secrets(text: &str, reading: TextKind) -> Cow<'_, str> {
    mask_ranges(text, &find_hidden_ranges(text, reading))
}

/// Returns the text with these ranges replaced by `*`; they must be in order and not overlap.
pub fn mask_ranges<'t>(text: &'t str, hidden: &[Range<usize>]) -> Cow<'t, str> {
    if hidden.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut end = 0;
    for range in hidden {
        out.push_str(text.get(end..range.start).unwrap_or_default());
        out.extend(text.get(range.clone()).unwrap_or_default().chars().map(mask_char));
        end = range.end;
    }
    out.push_str(text.get(end..).unwrap_or_default());
    Cow::Owned(out)
}

/// Returns a replacement for `c` with the same number of bytes.
pub fn mask_char(c: char) -> char {
    match c.len_utf8() {
        _ if c.is_ascii_whitespace() => c,
        1 => '*',
        2 => '×',
        3 => '•',
        _ => '🞶',
    }
}
