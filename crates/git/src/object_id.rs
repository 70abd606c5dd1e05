//! Object ids.

use std::fmt;

/// The full id of a commit or another object: 40 or 64 lowercase hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(String);

/// A string that is not a valid [`ObjectId`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid commit id: expected 40 or 64 lowercase hexadecimal digits")]
pub struct ObjectIdError(());

impl ObjectId {
    /// Parses an id.
    ///
    /// # Errors
    ///
    /// Fails if the id is abbreviated or not valid.
    pub fn parse(text: &str) -> Result<Self, ObjectIdError> {
        let is_id = matches!(text.len(), 40 | 64)
            && text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'));
        if is_id { Ok(Self(text.to_owned())) } else { Err(ObjectIdError(())) }
    }

    /// Returns the id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_full_ids_are_ids() {
        let id = "0123456789abcdef0123456789abcdef01234567";
        assert_eq!(ObjectId::parse(id).unwrap().to_string(), id);
        assert!(ObjectId::parse(&"a".repeat(64)).is_ok());
        for text in ["", "0123456", &id.to_uppercase(), &"g".repeat(40), &"a".repeat(41), "HEAD"] {
            assert!(ObjectId::parse(text).is_err(), "{text}");
        }
    }
}
