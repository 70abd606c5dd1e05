//! Scalars without quotes: booleans, numbers, dates.

use toml_datetime::Datetime;
use toml_parser::Raw;
use toml_parser::decoder::ScalarKind;

use crate::Value;

/// The type of a scalar without quotes, determined by its first characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Literal {
    Boolean,
    Integer,
    Float,
    Date,
}

impl Literal {
    /// Returns the type for a kind of the library; none for a string.
    pub(super) fn of(kind: ScalarKind) -> Option<Self> {
        match kind {
            ScalarKind::String => None,
            ScalarKind::Boolean(_) => Some(Self::Boolean),
            ScalarKind::Integer(_) => Some(Self::Integer),
            ScalarKind::Float => Some(Self::Float),
            ScalarKind::DateTime => Some(Self::Date),
        }
    }

    /// Returns the value of a string of this type; unknown if the type cannot represent it.
    pub(crate) fn value(self, text: &str) -> Value<'_> {
        match self {
            Self::Boolean => Value::Bool(text == "true"),
            Self::Integer => integer(text).map_or(Value::Unknown, Value::Integer),
            Self::Float => float(text).map_or(Value::Unknown, Value::Float),
            Self::Date if text.parse::<Datetime>().is_ok() => Value::Date(text),
            Self::Date => Value::Unknown,
        }
    }
}

fn integer(text: &str) -> Option<i64> {
    let digits = text.replace('_', "");
    let prefixes = [("0x", 16), ("0o", 8), ("0b", 2)];
    let radix = prefixes.into_iter().find_map(|(prefix, radix)| Some((digits.strip_prefix(prefix)?, radix)));
    let (digits, radix) = radix.unwrap_or((&digits, 10));
    i64::from_str_radix(digits, radix).ok()
}

/// Returns the number; none if it overflows to infinity.
fn float(text: &str) -> Option<f64> {
    let number: f64 = text.replace('_', "").parse().ok()?;
    (!number.is_infinite() || text.ends_with("inf")).then_some(number)
}

/// Returns whether a string without quotes is a finite number.
pub(crate) fn is_number(text: &str) -> bool {
    let raw = Raw::new_unchecked(text, None, toml_parser::Span::new_unchecked(0, text.len()));
    let (mut decoded, mut faultless) = (String::new(), true);
    let kind = raw.decode_scalar(&mut decoded, &mut |_| faultless = false);
    match Literal::of(kind).filter(|_| faultless).map(|literal| literal.value(text)) {
        Some(Value::Integer(_)) => true,
        Some(Value::Float(number)) => number.is_finite(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_strings_that_look_like_numbers() {
        for text in ["0", "-1", "+7", "1_000", "0xff", "0b1", "1.5", "-0.0", "5e3", "6.02_2e+23"] {
            assert!(is_number(text), "{text}");
        }
        for text in
            ["", "007", "1.", ".5", "1__0", "0xg", "inf", "nan", "9223372036854775808", "1e400", "true"]
        {
            assert!(!is_number(text), "{text}");
        }
    }

    #[test]
    fn values() {
        assert_eq!(Literal::Integer.value("0xdead_BEEF"), Value::Integer(0xdead_beef));
        assert_eq!(Literal::Integer.value("-9_223_372_036_854_775_808"), Value::Integer(i64::MIN));
        assert_eq!(Literal::Integer.value("9223372036854775808"), Value::Unknown);
        assert_eq!(Literal::Float.value("-inf"), Value::Float(f64::NEG_INFINITY));
        assert!(matches!(Literal::Float.value("+nan"), Value::Float(number) if number.is_nan()));
        assert_eq!(Literal::Float.value("1e400"), Value::Unknown);
        assert_eq!(Literal::Date.value("2026-11-20 10:30:00Z"), Value::Date("2026-11-20 10:30:00Z"));
        assert_eq!(Literal::Date.value("2026-02-30"), Value::Unknown);
    }
}
