//! Cursor: `preToolUse`, `beforeShellExecution`, `beforeReadFile`, `beforeTabFileRead` and `beforeMCPExecution`.
//!
//! Form: cursor.com/docs/hooks.md (2026). The names of the arguments of its tools are not documented, so all known spellings
//! are accepted. The events do not name the agent.

use serde_json::Value;

use super::tool::{Foreign, Part, Tool, actions};
use super::{Event, Fields};
use crate::Action;

const FOREIGN: Foreign = Foreign { prefixes: &["MCP:"], separator: ":" };

const FILE: &[&str] = &["file_path", "filePath", "path", "target_file", "target_notebook"];
const DIRECTORY: &[&str] = &["path", "directory", "target_directory", "relative_workspace_path"];

const TOOLS: &[Tool] = &[
    Tool { names: &["Read"], parts: &[Part::read(FILE)] },
    Tool {
        names: &["Edit", "EditNotebook", "MultiEdit", "StrReplace", "TabWrite", "Write"],
        parts: &[Part::write(FILE)],
    },
    Tool { names: &["Delete"], parts: &[Part::delete(FILE)] },
    Tool { names: &["Grep"], parts: &[Part::search(DIRECTORY)] },
    Tool {
        names: &["Glob"],
        parts: &[Part::search(DIRECTORY), Part::glob(&["pattern", "glob_pattern"], DIRECTORY)],
    },
    // It lists the whole tree.
    Tool { names: &["LS", "List"], parts: &[Part::search(DIRECTORY)] },
    Tool { names: &["Shell"], parts: &[Part::shell(&["command"], &["cwd", "working_directory"])] },
    Tool {
        names: &[
            "AskQuestion",
            "CreatePlan",
            "SemanticSearch",
            "SwitchMode",
            "Task",
            "TodoWrite",
            "WebFetch",
            "WebSearch",
        ],
        parts: &[],
    },
];

const OTHER_EVENTS: &[&str] = &[
    "afterAgentResponse",
    "afterAgentThought",
    "afterFileEdit",
    "afterMCPExecution",
    "afterShellExecution",
    "afterTabFileEdit",
    "beforeSubmitPrompt",
    "postToolUse",
    "postToolUseFailure",
    "preCompact",
    "sessionEnd",
    "sessionStart",
    "stop",
    "subagentStart",
    "subagentStop",
];

pub(super) fn parse(fields: Fields<'_>) -> Result<Event, String> {
    let name = fields.required_text("hook_event_name")?;
    if OTHER_EVENTS.contains(&name) {
        return Ok(Event::without_tool(name));
    }
    let (tool, actions) = match name {
        "preToolUse" => {
            let tool = fields.required_text("tool_name")?;
            (tool, actions(TOOLS, FOREIGN, tool, fields.object("tool_input")?)?)
        }
        "beforeShellExecution" => {
            let command = fields.required_text("command")?.to_owned();
            ("Shell", vec![Action::Shell { command, directory: None }])
        }
        "beforeReadFile" | "beforeTabFileRead" => ("Read", read_files(fields)?),
        "beforeMCPExecution" => {
            let tool = fields.required_text("tool_name")?;
            (tool, actions(&[], FOREIGN, tool, fields)?)
        }
        _ => return Err(format!("unknown event `{}`", name.escape_debug())),
    };
    let directory = match fields.text("cwd")? {
        Some(directory) if !directory.is_empty() => Some(directory),
        _ => only_root(fields),
    };
    Ok(Event {
        name: name.to_owned(),
        agent: None,
        directory: directory.map(str::to_owned),
        tool: Some(tool.to_owned()),
        actions,
    })
}

/// Returns the files of an event about reading: the file itself, and those that are attached to it.
fn read_files(fields: Fields<'_>) -> Result<Vec<Action>, String> {
    let read = |path: &str| Action::Read { path: path.to_owned() };
    let mut actions = vec![read(fields.required_text("file_path")?)];
    match fields.get("attachments") {
        None => {}
        Some(Value::Array(attachments)) => {
            for attachment in attachments {
                let Value::Object(attachment) = attachment else {
                    return Err("an attachment is not an object".to_owned());
                };
                let attachment = Fields(attachment);
                for key in ["file_path", "filePath"] {
                    actions.extend(attachment.text(key)?.map(read));
                }
            }
        }
        Some(_) => return Err("`attachments` is not a list".to_owned()),
    }
    Ok(actions)
}

/// Returns the root of the workspace of the client, if it has only one.
fn only_root(fields: Fields<'_>) -> Option<&str> {
    match fields.get("workspace_roots")?.as_array()?.as_slice() {
        [root] => root.as_str(),
        _ => None,
    }
}
