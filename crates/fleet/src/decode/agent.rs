//! `agent.yaml`

use minds_document::json_schema::{Keywords as _, Schema, SchemaGenerator, list, string};
use minds_document::yaml::KeyOrder;
use minds_document::{Context, Decode, Keys as _, List, Node, Text, decode_keys, decode_list};

use super::tool_lists::{find_misplaced, help_with_tools};
use crate::model::{Agent, PromptFiles, PromptPath};
use crate::rules::invalid_prompt_path;

impl Decode for Agent {
    const ORDER: KeyOrder = KeyOrder::of::<Self>();

    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut agent: Self = decode_keys(node, cx, |entry| {
            if PromptFiles::is_key(entry.key) {
                return Some(format!("indent `{}` below `prompt`", entry.key));
            }
            help_with_tools(entry)
        })?;
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
    decode_list(node, cx, "a list of absolute paths", |item, cx| {
        let text = Text::decode(item, cx)?;
        let drive = text.as_bytes();
        let is_drive = matches!(drive, [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic());
        let is_absolute = text.starts_with('/') || text.starts_with("\\\\") || is_drive;
        if !is_absolute || text.contains(char::is_control) {
            cx.value_error(item, "an absolute path", |found| found);
            return None;
        }
        Some(text)
    })
}

pub(crate) fn absolute_paths_schema(_: &mut SchemaGenerator) -> Schema {
    list(string().pattern("^(/|\\\\\\\\|[A-Za-z]:[/\\\\])", "must be an absolute path"))
}
