//! Names of environment variables.

use minds_text::secrets::{self, TextKind};

use crate::inline_schema;
use crate::json_schema::{Keywords as _, string};
use crate::{Context, Decode, Node, Value};

/// The name of an environment variable that is portable: ASCII letters, digits and `_`, not beginning with a digit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EnvVar(String);

impl EnvVar {
    /// Parses the name; none if it is not valid.
    pub fn parse(text: &str) -> Option<Self> {
        let is_name = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        is_name.then(|| Self(text.to_owned()))
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Decode for EnvVar {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let Value::String(text) = node.value() else {
            // Quotes would not make a number a name, so they are not offered.
            cx.type_error(node, "a string");
            return None;
        };
        let name = Self::parse(text);
        // A secret in the place of a name is a finding of its own at the same place.
        let source = node.document().source();
        let is_secret = || !secrets::find(source.slice(node.span()), TextKind::Settings).is_empty();
        if name.is_none() && !is_secret() {
            // The string is not repeated: it may be the secret itself.
            cx.value_error(node, "the name of an environment variable", |found| {
                let bare = text.trim().trim_start_matches('$').trim_start_matches('{').trim_end_matches('}');
                if text.trim().starts_with('$') && Self::parse(bare).is_some() {
                    return found.help(format!("write the name alone: `{bare}`"));
                }
                found
                    .note("names have ASCII letters, digits and `_`, and do not begin with a digit")
                    .help("name the variable that holds the value; the value itself does not belong here")
            });
        }
        name
    }
}

inline_schema!(EnvVar, |_| {
    string()
        .pattern("^[A-Za-z_][A-Za-z0-9_]*$", "must be the name of an environment variable")
        .examples(["MY_API_KEY"])
});

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: bool) {
        assert_eq!(EnvVar::parse(text).is_some(), expected, "{text:?}");
    }

    #[test]
    fn names_are_portable() {
        check("API_KEY", true);
        check("_k1", true);
        check("lower", true);
        check("", false);
        check("1KEY", false);
        check("API-KEY", false);
        check("API KEY", false);
        check("$API_KEY", false);
        check("SCHLÜSSEL", false);
    }
}
