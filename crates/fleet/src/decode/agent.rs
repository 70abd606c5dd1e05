//! `agent.yaml`

use minds_document::json_schema::{Keywords as _, Schema, SchemaGenerator, list, string};
use minds_document::yaml::KeyOrder;
use minds_document::{Context, Decode, EnvVar, Keys as _, List, Node, Text, decode_list};

use super::tool_lists::{find_misplaced, help_with_tools};
use crate::model::{Agent, PromptFiles, PromptPath};
use crate::rules::invalid_prompt_path;

impl Decode for Agent {
    const ORDER: KeyOrder = KeyOrder::of::<Self>();

    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut agent = Self::from_fields(cx.fields(node)?, |entry| {
            if PromptFiles::is_key(entry.key) {
                return Some(format!("indent `{}` below `prompt`", entry.key));
            }
            help_with_tools(entry)
        });
        let mut missing = agent.missing_keys();
        if agent.is_acp() == Some(false) {
            let needed = [("model", agent.model.is_absent()), ("prompt", agent.prompt.is_absent())];
            missing.extend(needed.iter().filter(|(_, lacks)| *lacks).map(|(key, _)| *key));
        }
        cx.missing_keys(node, &missing, None);
        if agent.tools.is_absent() {
            agent.tools = find_misplaced(node);
        }
        Some(agent)
    }
}

impl Decode for PromptPath {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let text = Text::decode(node, cx)?;
        match Self::parse(&text) {
            Ok(path) => Some(path),
            Err(error) => {
                invalid_prompt_path::report(node, &text, &error, cx);
                None
            }
        }
    }
}

/// Reads a list of absolute paths, of whichever system.
pub(crate) fn absolute_paths(node: Node<'_>, cx: &mut Context) -> Option<List<Text>> {
    paths(node, cx, "a list of absolute paths", "an absolute path", is_absolute)
}

pub(crate) fn absolute_paths_schema(_: &mut SchemaGenerator) -> Schema {
    list(string().pattern("^(/|\\\\\\\\|[A-Za-z]:[/\\\\])", "must be an absolute path"))
}

/// Reads a list of paths that are absolute or below the home directory.
pub(crate) fn sandbox_paths(node: Node<'_>, cx: &mut Context) -> Option<List<Text>> {
    let is_path = |text: &str| is_absolute(text) || text.starts_with("~/");
    paths(
        node,
        cx,
        "a list of absolute paths and paths below `~/`",
        "an absolute path or a path below `~/`",
        is_path,
    )
}

pub(crate) fn sandbox_paths_schema(_: &mut SchemaGenerator) -> Schema {
    list(
        string()
            .pattern("^(/|~/|\\\\\\\\|[A-Za-z]:[/\\\\])", "must be an absolute path or a path below `~/`"),
    )
}

/// Reads a list of names of environment variables.
pub(crate) fn variable_names(node: Node<'_>, cx: &mut Context) -> Option<List<EnvVar>> {
    decode_list(node, cx, "a list of names of environment variables", EnvVar::decode)
}

pub(crate) fn variable_names_schema(generator: &mut SchemaGenerator) -> Schema {
    list(generator.subschema_for::<EnvVar>())
}

fn is_absolute(text: &str) -> bool {
    let drive = text.as_bytes();
    let is_drive = matches!(drive, [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic());
    text.starts_with('/') || text.starts_with("\\\\") || is_drive
}

fn paths(
    node: Node<'_>,
    cx: &mut Context,
    expected: &'static str,
    item_expected: &str,
    is_path: impl Fn(&str) -> bool,
) -> Option<List<Text>> {
    decode_list(node, cx, expected, |item, cx| {
        let text = Text::decode(item, cx)?;
        if !is_path(&text) || text.contains(char::is_control) {
            cx.value_error(item, item_expected, |found| found);
            return None;
        }
        Some(text)
    })
}
