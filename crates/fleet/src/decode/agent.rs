//! `agent.yaml`

use minds_document::{Context, Decode, List, Node, Text, decode_list};

use super::project::name;
use super::tool_lists::find_misplaced;
use crate::model::{Agent, Exec, PromptFiles, PromptPath, Sandbox, Scratchpad, Telemetry};
use crate::rules::invalid_prompt_path;
use crate::scalars::{integer, not_blank, number};

const HIGHEST_PORT: i64 = 65_535;

impl Decode for Agent {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let mut agent = Self {
            name: fields.read_with("name", |node, cx| name(node, "an agent", cx)),
            model: fields.read_with("model", not_blank),
            prompt: fields.read("prompt"),
            scratchpad: fields.read("scratchpad"),
            tools: fields.read("tools"),
            fs: fields.read("fs"),
            telemetry: fields.read("telemetry"),
            exec: fields.read("exec"),
        };
        let meant = fields.finish_with(|entry| match entry.key {
            "base" | "overlay" => Some(format!("indent `{}` below `prompt`", entry.key)),
            "allow" | "deny" | "unsafe" => Some(format!("indent `{}` below `tools`", entry.key)),
            _ => None,
        });
        meant.mark_unreadable("name", &mut agent.name);
        meant.mark_unreadable("model", &mut agent.model);
        meant.mark_unreadable("prompt", &mut agent.prompt);
        meant.mark_unreadable("scratchpad", &mut agent.scratchpad);
        meant.mark_unreadable("tools", &mut agent.tools);
        meant.mark_unreadable("fs", &mut agent.fs);
        meant.mark_unreadable("telemetry", &mut agent.telemetry);
        meant.mark_unreadable("exec", &mut agent.exec);
        if agent.tools.is_absent() {
            agent.tools = find_misplaced(node);
        }
        let missing = [
            ("name", agent.name.is_absent()),
            ("model", agent.model.is_absent()),
            ("prompt", agent.prompt.is_absent()),
        ];
        let missing: Vec<&str> = missing.iter().filter(|(_, lacks)| *lacks).map(|(key, _)| *key).collect();
        cx.missing_keys(node, &missing, None);
        Some(agent)
    }
}

impl Decode for PromptFiles {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let mut files = Self { base: fields.read("base"), overlay: fields.read("overlay") };
        let meant = fields.finish();
        meant.mark_unreadable("base", &mut files.base);
        meant.mark_unreadable("overlay", &mut files.overlay);
        if files.base.is_absent() {
            cx.missing_keys(node, &["base"], None);
        }
        Some(files)
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

impl Decode for Scratchpad {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let mut scratchpad = Self {
            max_iterations: fields.read_with("max_iterations", |node, cx| integer(node, cx, 1, i64::MAX)),
            score_lower_bound: fields.read_with("score_lower_bound", |node, cx| number(node, cx, 0.0, 1.0)),
        };
        let meant = fields.finish();
        meant.mark_unreadable("max_iterations", &mut scratchpad.max_iterations);
        meant.mark_unreadable("score_lower_bound", &mut scratchpad.score_lower_bound);
        Some(scratchpad)
    }
}

impl Decode for Sandbox {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let mut sandbox = Self { whitelist: fields.read_with("whitelist", absolute_paths) };
        fields.finish().mark_unreadable("whitelist", &mut sandbox.whitelist);
        Some(sandbox)
    }
}

/// Reads a list of absolute paths, of whichever system.
fn absolute_paths(node: Node<'_>, cx: &mut Context) -> Option<List<Text>> {
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

impl Decode for Telemetry {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let mut telemetry = Self {
            prometheus_port: fields
                .read_with("prometheus_port", |node, cx| integer(node, cx, 0, HIGHEST_PORT)),
        };
        fields.finish().mark_unreadable("prometheus_port", &mut telemetry.prometheus_port);
        Some(telemetry)
    }
}

impl Decode for Exec {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let mut exec = Self { inherit_env: fields.read("inherit_env") };
        fields.finish().mark_unreadable("inherit_env", &mut exec.inherit_env);
        Some(exec)
    }
}
