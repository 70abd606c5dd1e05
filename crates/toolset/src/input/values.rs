//! Types of arguments that take what models pass when they fill in every argument.

use std::borrow::Cow;
use std::fmt;

use minds_edit::Occurrence;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, IntoDeserializer, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// An integer, 0 or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Count(pub(crate) u64);

/// A list of strings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TextList(pub(crate) Vec<String>);

/// One of the words of an enumeration; an empty string means that it is not set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Choice<T>(pub(crate) Option<T>);

/// Which of several matches: a number from 1, also as a string, or `last`; 0 and an empty string mean that it is not set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MatchNumber(pub(crate) Option<Occurrence>);

impl<T> Default for Choice<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl Count {
    /// Returns the number, or `None` for 0.
    pub(crate) fn positive(self) -> Option<usize> {
        (self.0 > 0).then(|| usize::try_from(self.0).unwrap_or(usize::MAX))
    }
}

/// Visits an integer, 0 or more. JSON does not distinguish numbers, so `1.0` is an integer.
struct CountVisitor;

impl Visitor<'_> for CountVisitor {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an integer, 0 or more")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<u64, E> {
        Ok(number)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<u64, E> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is whole and in range"
        )]
        if number.fract() == 0.0 && (0.0..=9e15).contains(&number) {
            Ok(number as u64)
        } else {
            Err(E::invalid_value(Unexpected::Float(number), &self))
        }
    }
}

/// Visits the number or the word of a match.
struct WhichVisitor;

impl Visitor<'_> for WhichVisitor {
    type Value = Option<Occurrence>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number from 1, or `last`")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
        Ok((number > 0).then_some(Occurrence::Number(number)))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Self::Value, E> {
        match CountVisitor.visit_f64::<E>(number) {
            Ok(number) => self.visit_u64(number),
            Err(_) => Err(E::invalid_value(Unexpected::Float(number), &self)),
        }
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        let is_number = text.len() <= 9 && text.bytes().all(|byte| byte.is_ascii_digit());
        match text {
            "" => Ok(None),
            "last" => Ok(Some(Occurrence::Last)),
            _ => match text.parse().ok().filter(|_| is_number) {
                Some(number) => self.visit_u64(number),
                None => Err(E::invalid_value(Unexpected::Str(text), &self)),
            },
        }
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_u64(CountVisitor).map(Self)
    }
}

impl<'de> Deserialize<'de> for MatchNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WhichVisitor).map(Self)
    }
}

impl<'de> Deserialize<'de> for TextList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The problem is one of the whole list, with any items.
        Vec::deserialize(deserializer).map(Self).map_err(|_| D::Error::custom("must be a list of strings"))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Choice<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = match Value::deserialize(deserializer)? {
            Value::String(word) if word.is_empty() => return Ok(Self(None)),
            Value::String(word) => word,
            // No word is empty, so the error lists the words.
            _ => String::new(),
        };
        T::deserialize(word.into_deserializer()).map(|choice| Self(Some(choice)))
    }
}

impl JsonSchema for Count {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Count".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "integer", "minimum": 0})
    }
}

impl JsonSchema for TextList {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "TextList".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<String>::json_schema(generator)
    }
}

impl JsonSchema for MatchNumber {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Which".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": ["integer", "string"], "minimum": 0, "pattern": "^([0-9]{1,9}|last)?$"})
    }
}

impl<T: JsonSchema> JsonSchema for Choice<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Choice_of_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let choice = T::json_schema(generator);
        let listed = |keyword: &str| choice.get(keyword).and_then(Value::as_array).into_iter().flatten();
        // Words with comments are listed one by one.
        let words = listed("enum").chain(listed("oneOf").filter_map(|word| word.get("const")));
        let words: Vec<Value> = words.cloned().chain(["".into()]).collect();
        json_schema!({"enum": words})
    }
}
