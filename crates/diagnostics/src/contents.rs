//! The contents of a file.

use std::ops::Deref;
use std::str::Utf8Error;
use std::sync::Arc;

/// The bytes of a file, with the information whether they are valid UTF-8.
///
/// Cloning is cheap, and so is the conversion from a [`String`] or [`Vec`].
///
/// Two contents are equal if their bytes are equal; who may see them is a property of the file that is copied with
/// them.
#[derive(Clone, Debug)]
pub struct Contents {
    kind: Arc<Kind>,
    is_withheld: bool,
    is_restricted: bool,
}

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
        match &*self.kind {
            Kind::Text(text) => Ok(text),
            Kind::Other(_, error) => Err(*error),
        }
    }

    /// Marks the contents as not to be quoted in any finding, because the file is outside of the workspace.
    #[must_use]
    pub fn into_withheld(self) -> Self {
        Self { is_withheld: true, ..self }
    }

    /// Returns whether no finding may quote the contents.
    pub fn is_withheld(&self) -> bool {
        self.is_withheld
    }

    /// Marks the contents as those of a file that some users may not read: no copy of them may be readable by all
    /// users.
    #[must_use]
    pub fn into_restricted(self) -> Self {
        Self { is_restricted: true, ..self }
    }

    /// Returns whether some users may not read the file.
    pub fn is_restricted(&self) -> bool {
        self.is_restricted
    }

    fn of(kind: Kind) -> Self {
        Self { kind: Arc::new(kind), is_withheld: false, is_restricted: false }
    }
}

impl PartialEq for Contents {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

impl Eq for Contents {}

impl Deref for Contents {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &*self.kind {
            Kind::Text(text) => text.as_bytes(),
            Kind::Other(bytes, _) => bytes,
        }
    }
}

impl From<Vec<u8>> for Contents {
    fn from(bytes: Vec<u8>) -> Self {
        Self::of(String::from_utf8(bytes).map_or_else(
            |error| {
                let reason = error.utf8_error();
                Kind::Other(error.into_bytes(), reason)
            },
            Kind::Text,
        ))
    }
}

impl From<&[u8]> for Contents {
    fn from(bytes: &[u8]) -> Self {
        Self::from(bytes.to_vec())
    }
}

impl From<String> for Contents {
    fn from(text: String) -> Self {
        Self::of(Kind::Text(text))
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
    fn bytes_are_preserved_with_and_without_valid_utf8() {
        for (bytes, is_text) in
            [(&b""[..], true), ("é".as_bytes(), true), (b"a\xff", false), (b"\xc3", false)]
        {
            let contents = Contents::from(bytes);
            assert_eq!((&*contents, contents.text().is_ok()), (bytes, is_text));
        }
        assert_eq!(Contents::from(&b"a\xff"[..]).text().unwrap_err().valid_up_to(), 1);
    }

    #[test]
    fn contents_of_a_string_equal_those_of_its_bytes() {
        assert_eq!(Contents::from("é"), Contents::from("é".as_bytes()));
        assert_eq!(Contents::from(String::from("é")), Contents::from(vec![0xc3, 0xa9]));
    }
}
