//! JSON that is passed on as it is.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// A JSON value on one line.
///
/// Members keep their order and numbers their digits; whitespace between them is removed, so that a value never
/// contains a newline and is always one line of a stream.
#[derive(Clone, Debug, JsonSchema)]
pub struct Json(#[schemars(with = "serde_json::Value")] Box<RawValue>);

/// Is `null`.
impl Default for Json {
    fn default() -> Self {
        Self(RawValue::NULL.to_owned())
    }
}

impl Json {
    /// Parses a value, with surrounding whitespace only.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not one JSON value.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Converts a value to JSON.
    ///
    /// # Errors
    ///
    /// Returns an error if the value has no JSON form, for example a map whose keys are not strings.
    pub fn from_value(value: &impl Serialize) -> Result<Self, serde_json::Error> {
        serde_json::value::to_raw_value(value).map(Self)
    }

    /// Decodes the value into a type.
    ///
    /// # Errors
    ///
    /// Returns an error if a member is missing, duplicate, or of another type.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.0.get())
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        self.0.get()
    }

    /// Returns whether the value is an object.
    pub fn is_object(&self) -> bool {
        self.as_str().starts_with('{')
    }

    /// Returns whether the value is `null`.
    pub fn is_null(&self) -> bool {
        self.as_str() == "null"
    }

    /// Takes a value that a parser has checked.
    pub(crate) fn from_raw(raw: &RawValue) -> Self {
        match compact(raw.get()) {
            Cow::Borrowed(_) => Self(raw.to_owned()),
            // Removing whitespace between tokens keeps a value valid.
            Cow::Owned(text) => Self(RawValue::from_string(text).unwrap_or_else(|_| raw.to_owned())),
        }
    }
}

impl PartialEq for Json {
    /// Compares the text: two values with other digits or another order of members are different.
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Json {}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(|raw| Self::from_raw(&raw))
    }
}

/// Removes whitespace between tokens from a valid JSON text.
fn compact(text: &str) -> Cow<'_, str> {
    let is_space = |byte: u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
    let Some(first) = (Outside { text: text.as_bytes(), at: 0 }).find(|at| is_space(byte_at(text, *at)))
    else {
        return Cow::Borrowed(text);
    };
    let mut result = String::with_capacity(text.len());
    let mut start = 0;
    for at in (Outside { text: text.as_bytes(), at: first }).filter(|at| is_space(byte_at(text, *at))) {
        result.push_str(text.get(start..at).unwrap_or_default());
        start = at + 1;
    }
    result.push_str(text.get(start..).unwrap_or_default());
    Cow::Owned(result)
}

fn byte_at(text: &str, at: usize) -> u8 {
    text.as_bytes().get(at).copied().unwrap_or_default()
}

/// The positions of the bytes of a valid JSON text that are not in strings.
struct Outside<'t> {
    text: &'t [u8],
    at: usize,
}

impl Iterator for Outside<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        while self.text.get(self.at)? == &b'"' {
            self.at += 1;
            // The end of the string: a quote without a backslash in front that belongs to it.
            loop {
                let found = memchr::memchr2(b'"', b'\\', self.text.get(self.at..)?)?;
                let is_end = self.text.get(self.at + found)? == &b'"';
                self.at += found + if is_end { 1 } else { 2 };
                if is_end {
                    break;
                }
            }
        }
        let at = self.at;
        self.at += 1;
        Some(at)
    }
}
