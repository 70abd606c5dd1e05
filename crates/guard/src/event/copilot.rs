//! GitHub Copilot CLI: `preToolUse`, in both of its forms.
//!
//! Form: the hooks reference in github/docs (2026) and events of version 1.0.102, which have `agentType`. In the form with
//! names such as `toolName` the arguments can be JSON text, and events do not contain their own name.

use serde_json::{Map, Value};

use super::claude_code::OTHER_EVENTS;
use super::tool::{Foreign, Part, Tool, actions};
use super::{Event, Fields};

const FOREIGN: Foreign = Foreign { prefixes: &[""], separator: "-" };

const TOOLS: &[Tool] = &[
    Tool { names: &["view"], parts: &[Part::tree(&["path"])] },
    Tool { names: &["create", "edit", "str_replace_editor"], parts: &[Part::write(&["path"])] },
    Tool { names: &["apply_patch"], parts: &[Part::patch(&["input", "patch"])] },
    Tool { names: &["bash"], parts: &[Part::shell(&["command"], &[])] },
    Tool { names: &["powershell"], parts: &[Part::other_shell(&["command"])] },
    Tool { names: &["grep", "rg"], parts: &[Part::search(&["path", "paths"])] },
    Tool { names: &["glob"], parts: &[Part::search(&["path"]), Part::glob(&["pattern"], &["path"])] },
    Tool {
        // `write_bash` is not listed: it passes input to a program that runs, which cannot be judged.
        names: &[
            "ask_user",
            "exit_plan_mode",
            "list_bash",
            "read_agent",
            "read_bash",
            "report_intent",
            "skill",
            "stop_bash",
            "task",
            "update_todo",
            "web_fetch",
            "web_search",
        ],
        parts: &[],
    },
];

/// Keys of events that are not about a tool call.
const OTHER_KEYS: &[&str] = &[
    "agentName",
    "error",
    "notification_type",
    "prompt",
    "reason",
    "source",
    "stopReason",
    "transcriptPath",
];

pub(super) fn parse(fields: Fields<'_>) -> Result<Event, String> {
    if let Some(name) = fields.text("hook_event_name")? {
        if OTHER_EVENTS.contains(&name) || name == "ErrorOccurred" {
            return Ok(Event::without_tool(name));
        }
        if !["PreToolUse", "PermissionRequest", "preToolUse", "permissionRequest"].contains(&name) {
            return Err(format!("unknown event `{}`", name.escape_debug()));
        }
    }
    let tool = match (fields.text("toolName")?, fields.text("tool_name")?) {
        (Some(tool), None) | (None, Some(tool)) => tool,
        (None, None) if OTHER_KEYS.iter().any(|key| fields.get(key).is_some()) => {
            return Ok(Event::without_tool("other"));
        }
        (None, None) => return Err("`toolName` is missing".to_owned()),
        (Some(_), Some(_)) => return Err("the event names the tool twice".to_owned()),
    };
    // The result of a call that was already made.
    if ["toolResult", "tool_result", "error"].iter().any(|key| fields.get(key).is_some()) {
        return Ok(Event::without_tool("postToolUse"));
    }
    let arguments = arguments(fields.get("toolArgs").or_else(|| fields.get("tool_input")))?;
    let agent = match fields.text("agentType")? {
        Some(agent) => Some(agent),
        None => fields.text("agent_type")?,
    };
    Ok(Event {
        name: "preToolUse".to_owned(),
        agent: agent.map(str::to_owned),
        directory: fields.text("cwd")?.map(str::to_owned),
        tool: Some(tool.to_owned()),
        actions: actions(TOOLS, FOREIGN, tool, Fields(&arguments))?,
    })
}

/// Returns the arguments. A string that is not an object is the only argument of a tool with free text, such as a patch.
fn arguments(value: Option<&Value>) -> Result<Map<String, Value>, String> {
    match value {
        Some(Value::Object(arguments)) => Ok(arguments.clone()),
        Some(Value::String(text)) => match serde_json::from_str(text) {
            Ok(Value::Object(arguments)) => Ok(arguments),
            Ok(Value::String(text)) => Ok(Map::from_iter([("input".to_owned(), Value::String(text))])),
            _ => Ok(Map::from_iter([("input".to_owned(), Value::String(text.clone()))])),
        },
        Some(_) => Err("`toolArgs` is not an object or JSON text".to_owned()),
        None => Err("`toolArgs` is missing".to_owned()),
    }
}
