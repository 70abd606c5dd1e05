//! The core schema of YAML 1.2: which plain scalars are not strings (specification, section 10.3.2).

/// The type of a plain scalar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Scalar {
    Null,
    Bool(bool),
    Integer(i64),
    Float(f64),
    String,
}

/// Resolves a plain scalar; `yes`, `on` and similar words are strings.
pub(crate) fn resolve_plain(text: &str) -> Scalar {
    match text.as_bytes() {
        [] => Scalar::Null,
        [b'0'..=b'9' | b'+' | b'-' | b'.', ..] => number(text),
        [b'~' | b'n' | b'N' | b't' | b'T' | b'f' | b'F', ..] => match text {
            "~" | "null" | "Null" | "NULL" => Scalar::Null,
            "true" | "True" | "TRUE" => Scalar::Bool(true),
            "false" | "False" | "FALSE" => Scalar::Bool(false),
            _ => Scalar::String,
        },
        _ => Scalar::String,
    }
}

fn number(text: &str) -> Scalar {
    let radix = |digits: &str, radix| {
        // The standard parser would accept a sign here, which the schema does not.
        let valid = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
        valid
            .then(|| i64::from_str_radix(digits, radix).map_or(Scalar::Float(f64::INFINITY), Scalar::Integer))
    };
    if let Some(digits) = text.strip_prefix("0x") {
        return radix(digits, 16).unwrap_or(Scalar::String);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return radix(digits, 8).unwrap_or(Scalar::String);
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    match unsigned {
        ".inf" | ".Inf" | ".INF" => {
            return Scalar::Float(if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY });
        }
        ".nan" | ".NaN" | ".NAN" if unsigned.len() == text.len() => return Scalar::Float(f64::NAN),
        _ => {}
    }
    if !unsigned.is_empty() && unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
        return match text.parse() {
            Ok(value) => Scalar::Integer(value),
            Err(_) => text.parse().map_or(Scalar::String, Scalar::Float),
        };
    }
    if is_float(unsigned) { text.parse().map_or(Scalar::String, Scalar::Float) } else { Scalar::String }
}

/// Returns whether `text` consists of digits with at most one point and one exponent, and at least one digit in front
/// of the exponent.
fn is_float(text: &str) -> bool {
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (text.get(..at).unwrap_or_default(), text.get(at + 1..)),
        None => (text, None),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent_fits = exponent.is_none_or(|exponent| {
        let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !unsigned.is_empty() && digits(unsigned)
    });
    digits(whole) && digits(fraction) && !(whole.is_empty() && fraction.is_empty()) && exponent_fits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Scalar) {
        assert_eq!(resolve_plain(text), expected, "{text:?}");
    }

    #[test]
    fn the_core_schema() {
        for text in ["", "~", "null", "Null", "NULL"] {
            check(text, Scalar::Null);
        }
        for (text, value) in [("true", true), ("True", true), ("FALSE", false)] {
            check(text, Scalar::Bool(value));
        }
        for (text, value) in [("0", 0), ("-12", -12), ("+7", 7), ("0x1F", 31), ("0o17", 15), ("017", 17)] {
            check(text, Scalar::Integer(value));
        }
        for (text, value) in
            [("1.5", 1.5), (".5", 0.5), ("1.", 1.0), ("-1e3", -1000.0), ("99999999999999999999", 1e20)]
        {
            check(text, Scalar::Float(value));
        }
        check(".inf", Scalar::Float(f64::INFINITY));
        check("-.Inf", Scalar::Float(f64::NEG_INFINITY));
        assert!(matches!(resolve_plain(".nan"), Scalar::Float(value) if value.is_nan()));
    }

    #[test]
    fn special_values_of_other_yaml_versions_are_strings() {
        for text in [
            "yes",
            "no",
            "on",
            "off",
            "y",
            "Yes",
            "tRUE",
            "nULL",
            "nil",
            "0b1",
            "1_000",
            "1:30",
            "0x",
            "0xg",
            "+0x1",
            ".",
            "..",
            "-",
            "+",
            "e1",
            "1e",
            "1e+",
            "1.2.3",
            "infinity",
            "nan",
            "inf",
            "-.nan",
            "2026-11-20",
        ] {
            check(text, Scalar::String);
        }
    }
}
