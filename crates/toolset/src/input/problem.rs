//! Problems with the arguments of a call.

use std::fmt;

use serde::de::{Error, Expected, Unexpected};

/// Why arguments cannot be deserialized.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Problem {
    /// What the value must be.
    Value(String),
    /// No argument has the name; these have one.
    UnknownName(&'static [&'static str]),
    /// A required argument is missing.
    Missing,
}

impl Problem {
    fn of_type(expected: &dyn Expected) -> Self {
        let expected = match expected.to_string().as_str() {
            // Models write the value, not the name of its type.
            "a boolean" => "true or false".to_owned(),
            other => other.to_owned(),
        };
        Self::Value(format!("must be {expected}"))
    }
}

impl Error for Problem {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::Value(message.to_string())
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::of_type(expected)
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::of_type(expected)
    }

    fn unknown_variant(_: &str, variants: &'static [&'static str]) -> Self {
        Self::Value(format!("must be one of {}", variants.join(", ")))
    }

    fn unknown_field(_: &str, names: &'static [&'static str]) -> Self {
        Self::UnknownName(names)
    }

    fn missing_field(_: &'static str) -> Self {
        Self::Missing
    }
}

impl std::error::Error for Problem {}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Value(problem) => problem,
            Self::UnknownName(_) => "is not an argument",
            Self::Missing => "is missing",
        })
    }
}
