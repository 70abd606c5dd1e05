//! The word by which those who may talk to a server are known.

use std::fmt;

use sha2::{Digest as _, Sha256};

use crate::ServeError;

/// A word that every request must bring.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// Returns a new one that nobody can guess: 32 random bytes.
    ///
    /// # Errors
    ///
    /// Fails if the system gives no random bytes.
    pub fn random() -> Result<Self, ServeError> {
        let half = || minds_system::random().map(u128::from_be_bytes);
        let halves = half().and_then(|one| Ok((one, half()?)));
        let (one, other) = halves.map_err(ServeError::system("get random bytes"))?;
        Ok(Self(format!("{one:032x}{other:032x}")))
    }

    /// Returns one that was agreed on; none if no header could hold it, or if it is short enough to be guessed.
    pub fn agreed(word: &str) -> Option<Self> {
        let is_sendable = word.bytes().all(|byte| byte.is_ascii_graphic());
        (is_sendable && word.len() >= 16).then(|| Self(word.to_owned()))
    }

    /// Returns the word.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether a text is the word. How long that takes says nothing about how much of it is right.
    pub fn is(&self, given: &[u8]) -> bool {
        let (expected, given) = (Sha256::digest(self.0.as_bytes()), Sha256::digest(given));
        expected.iter().zip(given.iter()).fold(0, |all, (one, other)| all | (one ^ other)) == 0
    }

    /// Returns whether a header `Authorization` brings the word.
    pub fn is_bearer(&self, header: Option<&[u8]>) -> bool {
        let parts = header.and_then(|header| header.split_at_checked("Bearer ".len()));
        parts.is_some_and(|(scheme, word)| scheme.eq_ignore_ascii_case(b"Bearer ") && self.is(word))
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(*)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(header: &str, expected: bool) {
        let token = Token::agreed("0123456789abcdef").unwrap();
        assert_eq!(token.is_bearer(Some(header.as_bytes())), expected, "{header:?}");
    }

    #[test]
    fn only_the_whole_word_is_let_in() {
        check("Bearer 0123456789abcdef", true);
        check("bearer 0123456789abcdef", true);
        check("Bearer 0123456789abcde", false);
        check("Bearer 0123456789abcdeg", false);
        check("Bearer 0123456789abcdef ", false);
        check("Bearer  0123456789abcdef", false);
        check("Bearer ", false);
        check("Basic 0123456789abcdef", false);
        check("Digest 0123456789abcdef", false);
        check("0123456789abcdef", false);
        check("", false);
        assert!(!Token::agreed("0123456789abcdef").unwrap().is_bearer(None));
    }

    #[test]
    fn random_ones_differ_and_are_not_shown() {
        let (one, other) = (Token::random().unwrap(), Token::random().unwrap());
        assert_ne!(one, other);
        assert_eq!(one.as_str().len(), 64);
        assert!(!format!("{one:?}").contains(one.as_str()));
    }

    #[test]
    fn a_word_that_can_be_guessed_or_not_be_sent_is_none() {
        assert_eq!(Token::agreed("short"), None);
        assert_eq!(Token::agreed(""), None);
        assert_eq!(Token::agreed("0123456789 abcdef"), None);
        assert_eq!(Token::agreed("0123456789\nabcdef"), None);
    }
}
