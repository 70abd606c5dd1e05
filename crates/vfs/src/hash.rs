//! Hashes of file contents.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

/// The SHA-256 of a file's content, written as `sha256:` and 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash([u8; 32]);

/// The error for a string that is not a [`ContentHash`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a content hash is `sha256:` and 64 lower-case hexadecimal digits")]
pub struct ContentHashError(());

impl ContentHash {
    /// Returns the hash of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut digits = [0; 64];
        for (pair, byte) in digits.as_chunks_mut::<2>().0.iter_mut().zip(self.0) {
            *pair =
                [byte >> 4, byte & 0xf].map(|half| if half < 10 { b'0' + half } else { b'a' + half - 10 });
        }
        f.write_str("sha256:")?;
        f.write_str(str::from_utf8(&digits).unwrap_or_default())
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for ContentHash {
    type Err = ContentHashError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix("sha256:").ok_or(ContentHashError(()))?;
        let value = |byte: u8| match byte {
            b'0'..=b'9' => Ok(byte - b'0'),
            b'a'..=b'f' => Ok(byte - b'a' + 10),
            _ => Err(ContentHashError(())),
        };
        if digits.len() != 64 {
            return Err(ContentHashError(()));
        }
        let mut hash = [0; 32];
        for (byte, pair) in hash.iter_mut().zip(digits.as_bytes().as_chunks::<2>().0) {
            let [high, low] = *pair;
            *byte = value(high)? << 4 | value(low)?;
        }
        Ok(Self(hash))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_form_reads_back() {
        let hash = ContentHash::of(b"");
        let text = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(hash.to_string(), text);
        assert_eq!(text.parse(), Ok(hash));
    }

    #[test]
    fn other_strings_are_rejected() {
        let hash = ContentHash::of(b"x").to_string();
        let digits = hash.strip_prefix("sha256:").unwrap();
        let short = hash.strip_suffix(|_: char| true).unwrap();
        for text in ["", "sha256:", digits, short, &hash.to_uppercase(), &format!("{hash}0")] {
            assert!(text.parse::<ContentHash>().is_err(), "{text:?}");
        }
    }
}
