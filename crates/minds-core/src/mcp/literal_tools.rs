//! The tools whose names stand in the file.

use minds_document::{Field, Spanned};

use super::model::{Mcp, Server, ServerFields, Transform};
use super::transform::apply;

/// The most bytes that the name of a tool or toolset has.
pub(crate) const MAX_NAME_BYTES: usize = 64;

/// A tool that a whitelist names without `*`: if the server has it, it is offered.
pub(crate) struct LiteralTool<'m> {
    /// The server.
    pub(crate) server: &'m Server,
    /// The name that the server gives it.
    pub(crate) original: &'m Spanned<String>,
    /// The name that members see, if it is known.
    pub(crate) name: Option<String>,
}

impl Mcp {
    /// Returns the tools that whitelists name.
    pub(crate) fn literal_tools(&self) -> Vec<LiteralTool<'_>> {
        let mut tools = Vec::new();
        for server in &self.servers {
            let Some(fields) = server.fields.given().map(|fields| &fields.value) else { continue };
            let steps = fields.steps();
            let lists = fields.tools.given().and_then(|filter| filter.value.whitelist.given());
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
    /// Returns the steps by which tools are renamed, with their places; none if they are not all known.
    ///
    /// How those of `tools` and those of the server are combined differs between runtimes, so nothing is known if the
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

/// Returns whether names of tools and toolsets have a character.
pub(crate) fn is_name_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// Returns why a text cannot be the name of a tool or toolset: 1 to 64 ASCII letters, digits, `_` and `-`.
pub(crate) fn why_no_name(text: &str) -> Option<String> {
    if text.is_empty() {
        return Some("it is empty".to_owned());
    }
    if let Some(other) = text.chars().find(|c| !is_name_character(*c)) {
        return Some(match other {
            ' ' => "it has a space".to_owned(),
            other if other.is_whitespace() || other.is_control() => {
                "it has a character that is not seen".to_owned()
            }
            other => format!("it has `{other}`"),
        });
    }
    (text.len() > MAX_NAME_BYTES).then(|| format!("it has {} characters", text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(why_no_name(text).as_deref(), expected, "{text:?}");
    }

    #[test]
    fn names_are_short_and_plain() {
        check("open_page-2", None);
        check(&"x".repeat(64), None);
        check(&"x".repeat(65), Some("it has 65 characters"));
        check("", Some("it is empty"));
        check("a b", Some("it has a space"));
        check("a\tb", Some("it has a character that is not seen"));
        check("a.b", Some("it has `.`"));
        check("seite_öffnen", Some("it has `ö`"));
    }
}
