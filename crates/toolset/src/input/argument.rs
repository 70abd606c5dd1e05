//! A deserializer over JSON whose errors are messages for models.

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::Value;

use super::problem::Problem;

/// A value of an argument, or all arguments.
#[derive(Clone, Copy)]
pub(super) struct Argument<'de>(pub(super) &'de Value);

impl<'de> Deserializer<'de> for Argument<'de> {
    type Error = Problem;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(flag) => visitor.visit_bool(*flag),
            Value::Number(number) => match number.as_u64() {
                Some(number) => visitor.visit_u64(number),
                None => visitor.visit_f64(number.as_f64().unwrap_or(f64::NAN)),
            },
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(items) => visitor.visit_seq(SeqDeserializer::new(items.iter().map(Argument))),
            Value::Object(fields) => {
                let fields = fields.iter().map(|(name, value)| (name.as_str(), Argument(value)));
                visitor.visit_map(MapDeserializer::new(fields))
            }
        }
    }

    /// An argument that is given has a value, so `null` is a value of the wrong type.
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Problem> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de> IntoDeserializer<'de, Problem> for Argument<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}
