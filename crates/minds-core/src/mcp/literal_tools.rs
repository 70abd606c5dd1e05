//! The tools that the file lists by name.

use minds_document::{Field, Spanned};

use super::model::{Mcp, Server, ServerFields, Transform};
use super::transform::apply;

/// The maximum length of the name of a tool or toolset in bytes.
pub(crate) const MAX_NAME_BYTES: usize = 64;

/// A tool that a whitelist lists without `*`: it is offered if the server has it.
pub(crate) struct LiteralTool<'m> {
    /// The server.
    pub(crate) server: &'m Server,
    /// The original name on the server.
    pub(crate) original: &'m Spanned<String>,
    /// The name that members see, if known.
    pub(crate) name: Option<String>,
}

impl Mcp {
    /// Returns the tools that whitelists list by name.
    pub(crate) fn literal_tools(&self) -> Vec<LiteralTool<'_>> {
        let mut tools = Vec::new();
        for server in &self.servers {
            let Some(fields) = server.fields.as_given().map(|fields| &fields.value) else { continue };
            let steps = fields.steps();
            let lists = fields.tools.as_given().and_then(|filter| filter.value.whitelist.as_given());
            for original in lists.into_iter().flat_map(|list| &list.value.items) {
                if original.value.contains('*') {
                    continue;
                }
                let name =
                    steps.and_then(|steps| apply(&original.value, steps.iter().map(|step| &step.value)));
                tools.push(LiteralTool { server, original, name });
            }
        }
        tools
    }
}

impl ServerFields {
    /// Returns the renaming steps with their places; `None` if not all of them are known.
    ///
    /// Runtimes differ in how they combine the steps of `tools` with those of the server, so the result is `None` if the
    /// former are given.
    pub(crate) fn steps(&self) -> Option<&[Spanned<Transform>]> {
        match &self.tools {
            Field::Given(filter) if filter.value.transform.is_absent() => {}
            Field::Absent => {}
            Field::Given(_) | Field::Unreadable(_) => return None,
        }
        match &self.transform {
            Field::Absent => Some(&[]),
            Field::Given(list) if list.value.is_complete => Some(&list.value.items),
            Field::Given(_) | Field::Unreadable(_) => None,
        }
    }
}

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
            other if other.is_whitespace() || other.is_control() => {
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
        check("a.b", Some("it contains `.`"));
        check("seite_öffnen", Some("it contains `ö`"));
    }
}
