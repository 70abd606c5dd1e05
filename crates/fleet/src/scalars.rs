//! Values with a restricted syntax.

use minds_diagnostics::Diagnostic;
use minds_document::json_schema::{self, Keywords as _, Schema, SchemaGenerator};
use minds_document::{Context, Decode as _, Node, Text, Value};

/// Reads a string that is not blank.
pub(crate) fn not_blank(node: Node<'_>, cx: &mut Context) -> Option<Text> {
    let text = Text::decode(node, cx)?;
    if text.trim().is_empty() {
        cx.value_error(node, "a string that is not blank", |found| found);
        return None;
    }
    Some(text)
}

/// Returns the schema of a string that is not blank.
pub(crate) fn not_blank_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema::not_blank()
}

/// Names of ASCII letters, digits and a few other characters, with a maximum length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Identifier {
    /// The other characters.
    pub(crate) punctuation: &'static str,
    /// The maximum number of characters.
    pub(crate) max_length: usize,
    /// What a value must be, in messages.
    pub(crate) expected: &'static str,
}

impl Identifier {
    /// Returns whether a string is such a name.
    pub(crate) fn accepts(self, text: &str) -> bool {
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || self.punctuation.contains(c);
        !text.is_empty() && text.len() <= self.max_length && text.chars().all(is_allowed)
    }

    /// Reads such a name.
    pub(crate) fn decode(self, node: Node<'_>, cx: &mut Context) -> Option<Text> {
        let text = Text::decode(node, cx)?;
        if !self.accepts(&text) {
            cx.value_error(node, self.expected, |found| found);
            return None;
        }
        Some(text)
    }

    /// Returns the schema of such a name.
    pub(crate) fn schema(self) -> Schema {
        // A hyphen at the end of a character class is literal.
        let expression = format!("^[A-Za-z0-9{}]{{1,{}}}$", self.punctuation, self.max_length);
        json_schema::string().pattern(&expression, &format!("must be {}", self.expected))
    }
}

/// Reads a string that is one of `words`; `more` may know better than the nearest word what was meant.
pub(crate) fn one_of<'d>(
    node: Node<'d>,
    words: &[&str],
    cx: &mut Context,
    more: impl FnOnce(Diagnostic, &str) -> Diagnostic,
) -> Option<&'d str> {
    let Value::String(text) = node.value() else {
        cx.type_error(node, "a string");
        return None;
    };
    if words.contains(&text) {
        return Some(text);
    }
    cx.choice_error(node, text, words.iter().copied(), |found| more(found, text));
    None
}
