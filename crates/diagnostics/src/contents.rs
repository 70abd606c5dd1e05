//! What a file holds.

use std::ops::Deref;
use std::str::Utf8Error;
use std::sync::Arc;

/// The bytes of a file, of which is known whether they are a text.
///
/// Cloning is cheap, and so is making them of a [`String`] or [`Vec`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents(Arc<Kind>);

#[derive(Debug, PartialEq, Eq)]
enum Kind {
    Text(String),
    Other(Vec<u8>, Utf8Error),
}

impl Contents {
    /// Returns the contents as text.
    ///
    /// # Errors
    ///
    /// Returns where the contents stop being UTF-8.
    pub fn text(&self) -> Result<&str, Utf8Error> {
        match &*self.0 {
            Kind::Text(text) => Ok(text),
            Kind::Other(_, error) => Err(*error),
        }
    }
}

impl Deref for Contents {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &*self.0 {
            Kind::Text(text) => text.as_bytes(),
            Kind::Other(bytes, _) => bytes,
        }
    }
}

impl From<Vec<u8>> for Contents {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Arc::new(String::from_utf8(bytes).map_or_else(
            |error| {
                let reason = error.utf8_error();
                Kind::Other(error.into_bytes(), reason)
            },
            Kind::Text,
        )))
    }
}

impl From<&[u8]> for Contents {
    fn from(bytes: &[u8]) -> Self {
        Self::from(bytes.to_vec())
    }
}

impl From<String> for Contents {
    fn from(text: String) -> Self {
        Self(Arc::new(Kind::Text(text)))
    }
}

impl From<&str> for Contents {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_stay_whether_they_are_a_text_or_not() {
        for (bytes, is_text) in
            [(&b""[..], true), ("é".as_bytes(), true), (b"a\xff", false), (b"\xc3", false)]
        {
            let contents = Contents::from(bytes);
            assert_eq!((&*contents, contents.text().is_ok()), (bytes, is_text));
        }
        assert_eq!(Contents::from(&b"a\xff"[..]).text().unwrap_err().valid_up_to(), 1);
    }

    #[test]
    fn a_text_is_the_same_as_its_bytes() {
        assert_eq!(Contents::from("é"), Contents::from("é".as_bytes()));
        assert_eq!(Contents::from(String::from("é")), Contents::from(vec![0xc3, 0xa9]));
    }
}
