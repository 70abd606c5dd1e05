//! Numbers within limits.

use std::fmt::Display;
use std::ops::{RangeFrom, RangeInclusive};

use schemars::{Schema, json_schema};
use serde_json::json;

use super::{Context, Decode, FiniteNumber};
use crate::json_schema::{Keywords as _, integer};
use crate::{Node, Value};

/// The limits of a number, both included.
#[derive(Clone, Copy, Debug)]
pub struct Limits<T> {
    min: T,
    max: Option<T>,
}

/// A number that is decoded within limits: the value of a key with the attribute `range`.
pub trait LimitedNumber: Sized {
    /// The type of a limit.
    type Limit;

    /// Decodes a number and reports one outside of the limits.
    fn decode_within(limits: Limits<Self::Limit>, node: Node<'_>, cx: &mut Context) -> Option<Self>;

    /// Returns the schema of a number within limits.
    fn schema_within(limits: Limits<Self::Limit>) -> Schema;
}

impl<T> From<RangeFrom<T>> for Limits<T> {
    fn from(range: RangeFrom<T>) -> Self {
        Self { min: range.start, max: None }
    }
}

impl<T> From<RangeInclusive<T>> for Limits<T> {
    fn from(range: RangeInclusive<T>) -> Self {
        let (min, max) = range.into_inner();
        Self { min, max: Some(max) }
    }
}

impl<T: PartialOrd + Display> Limits<T> {
    fn contain(&self, number: &T) -> bool {
        *number >= self.min && self.max.as_ref().is_none_or(|max| number <= max)
    }

    /// Returns the expectation for a message: "an integer from 1 to 9".
    fn describe(&self, number: &str) -> String {
        let Self { min, max } = self;
        match max {
            None => format!("{number} from {min}"),
            Some(max) => format!("{number} from {min} to {max}"),
        }
    }
}

impl LimitedNumber for i64 {
    type Limit = Self;

    fn decode_within(limits: Limits<Self>, node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let is_any = limits.min == Self::MIN && limits.max.is_none();
        let expected = if is_any { "an integer".to_owned() } else { limits.describe("an integer") };
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a number out of the bounds of the type becomes one of them, which is out of smaller limits too"
        )]
        let number = match node.value() {
            Value::Integer(number) => number,
            // To a schema a number without a fraction is an integer, too.
            Value::Float(number) if number.fract() == 0.0 => number as Self,
            _ => {
                cx.type_error(node, &expected);
                return None;
            }
        };
        if !limits.contain(&number) {
            cx.value_error(node, &expected, |found| found);
            return None;
        }
        Some(number)
    }

    fn schema_within(limits: Limits<Self>) -> Schema {
        integer(limits.min, limits.max)
    }
}

impl LimitedNumber for FiniteNumber {
    type Limit = f64;

    fn decode_within(limits: Limits<f64>, node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let number = Self::decode(node, cx)?;
        if !limits.contain(&number.0) {
            cx.value_error(node, &limits.describe("a number"), |found| found);
            return None;
        }
        Some(number)
    }

    fn schema_within(limits: Limits<f64>) -> Schema {
        let schema = json_schema!({ "type": "number", "minimum": limits.min });
        match limits.max {
            Some(max) => schema.with("maximum", json!(max)),
            None => schema,
        }
    }
}
