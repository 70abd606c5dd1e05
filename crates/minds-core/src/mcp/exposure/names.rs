//! Valid names of tools and toolsets.

use minds_text::{is_control, is_ignorable};

/// The maximum length of the name of a tool or toolset in bytes.
pub(crate) const MAX_NAME_BYTES: usize = 64;

/// Returns whether a character is valid in the names of tools and toolsets.
pub(crate) fn is_name_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// Returns why a string is not a valid name of a tool or toolset: these have 1 to 64 ASCII letters, digits, `_` and `-`.
pub(crate) fn invalid_name_reason(text: &str) -> Option<String> {
    if text.is_empty() {
        return Some("it is empty".to_owned());
    }
    if let Some(other) = text.chars().find(|c| !is_name_character(*c)) {
        return Some(match other {
            ' ' => "it contains a space".to_owned(),
            other if other.is_whitespace() || is_control(other) || is_ignorable(other) => {
                "it contains an invisible character".to_owned()
            }
            other => format!("it contains `{other}`"),
        });
    }
    (text.len() > MAX_NAME_BYTES).then(|| format!("it has {} characters", text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(invalid_name_reason(text).as_deref(), expected, "{text:?}");
    }

    #[test]
    fn names_are_short_and_ascii() {
        check("open_page-2", None);
        check(&"x".repeat(64), None);
        check(&"x".repeat(65), Some("it has 65 characters"));
        check("", Some("it is empty"));
        check("a b", Some("it contains a space"));
        check("a\tb", Some("it contains an invisible character"));
        check("a\u{202e}b", Some("it contains an invisible character"));
        check("a\u{200d}b", Some("it contains an invisible character"));
        check("a.b", Some("it contains `.`"));
        check("seite_öffnen", Some("it contains `ö`"));
    }
}
