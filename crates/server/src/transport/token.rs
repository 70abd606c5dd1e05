//! The secret that authenticates requests to a server.

use std::fmt;

use sha2::{Digest as _, Sha256};

use crate::transport::ServeError;

/// A secret that every request must contain.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// Generates a token of 32 random bytes.
    ///
    /// # Errors
    ///
    /// Fails if the system does not provide random bytes.
    pub fn random() -> Result<Self, ServeError> {
        let half = || minds_process::random().map(u128::from_be_bytes);
        let halves = half().and_then(|one| Ok((one, half()?)));
        let (one, other) = halves.map_err(ServeError::system("get random bytes"))?;
        Ok(Self(format!("{one:032x}{other:032x}")))
    }

    /// Parses a token that was agreed upon. Returns `None` if it has less than 16 characters, or characters that are not
    /// printable ASCII.
    pub fn parse(text: &str) -> Option<Self> {
        let is_sendable = text.bytes().all(|byte| byte.is_ascii_graphic());
        (is_sendable && text.len() >= 16).then(|| Self(text.to_owned()))
    }

    /// Returns the token as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether `secret` is equal to the token. The time of the comparison does not depend on the position of a
    /// difference.
    pub fn matches(&self, secret: &[u8]) -> bool {
        let (expected, actual) = (Sha256::digest(self.0.as_bytes()), Sha256::digest(secret));
        expected.iter().zip(actual.iter()).fold(0, |all, (one, other)| all | (one ^ other)) == 0
    }

    /// Returns whether the value of a header `Authorization` contains the token.
    pub fn is_bearer(&self, header: Option<&[u8]>) -> bool {
        let parts = header.and_then(|header| header.split_at_checked("Bearer ".len()));
        parts.is_some_and(|(scheme, secret)| scheme.eq_ignore_ascii_case(b"Bearer ") && self.matches(secret))
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
        let token = Token::parse("0123456789abcdef").unwrap();
        assert_eq!(token.is_bearer(Some(header.as_bytes())), expected, "{header:?}");
    }

    #[test]
    fn only_the_complete_token_is_accepted() {
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
        assert!(!Token::parse("0123456789abcdef").unwrap().is_bearer(None));
    }

    #[test]
    fn random_tokens_differ_and_are_not_in_debug_output() {
        let (one, other) = (Token::random().unwrap(), Token::random().unwrap());
        assert_ne!(one, other);
        assert_eq!(one.as_str().len(), 64);
        assert!(!format!("{one:?}").contains(one.as_str()));
    }

    #[test]
    fn short_and_unprintable_tokens_are_rejected() {
        assert_eq!(Token::parse("short"), None);
        assert_eq!(Token::parse(""), None);
        assert_eq!(Token::parse("0123456789 abcdef"), None);
        assert_eq!(Token::parse("0123456789\nabcdef"), None);
    }
}
