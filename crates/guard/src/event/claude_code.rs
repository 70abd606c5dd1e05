//! Claude Code: `PreToolUse`.
//!
//! Form: the hooks reference of code.claude.com (August 2026) and events of version 2.1.330. `agent_type` names the subagent,
//! or the agent that a session was started with.

use super::tool::{Foreign, Part, Tool};
use super::{Event, Fields, parse_common};

pub(super) const FOREIGN: Foreign = Foreign { prefixes: &["mcp__"], separator: "__" };

const TOOLS: &[Tool] = &[
    Tool { names: &["Read"], parts: &[Part::read(&["file_path"])] },
    Tool { names: &["Edit", "MultiEdit", "Write"], parts: &[Part::write(&["file_path"])] },
    Tool { names: &["NotebookEdit"], parts: &[Part::write(&["notebook_path"])] },
    Tool { names: &["NotebookRead"], parts: &[Part::read(&["notebook_path"])] },
    Tool { names: &["Grep"], parts: &[Part::search(&["path"])] },
    Tool { names: &["Glob"], parts: &[Part::search(&["path"]), Part::glob(&["pattern"], &["path"])] },
    Tool { names: &["LS"], parts: &[Part::list(&["path"])] },
    Tool { names: &["LSP"], parts: &[Part::read(&["filePath"])] },
    Tool { names: &["Bash", "Monitor"], parts: &[Part::shell(&["command"], &[])] },
    Tool { names: &["PowerShell"], parts: &[Part::other_shell(&["command"])] },
    Tool { names: &["ReadMcpResourceTool"], parts: &[Part::server(&["server"])] },
    Tool {
        // A started agent has events of its own.
        names: &[
            "Agent",
            "AskUserQuestion",
            "BashOutput",
            "EnterPlanMode",
            "ExitPlanMode",
            "KillBash",
            "KillShell",
            "ListMcpResourcesTool",
            "SendMessage",
            "Skill",
            "SlashCommand",
            "Task",
            "TaskCreate",
            "TaskGet",
            "TaskList",
            "TaskOutput",
            "TaskStop",
            "TaskUpdate",
            "TodoWrite",
            "ToolSearch",
            "WebFetch",
            "WebSearch",
        ],
        parts: &[],
    },
];

/// Events about a tool call that can be prevented.
pub(super) const TOOL_EVENTS: &[&str] = &["PreToolUse", "PermissionRequest"];

/// Events that are not about such a call.
pub(super) const OTHER_EVENTS: &[&str] = &[
    "Notification",
    "PostCompact",
    "PostToolUse",
    "PostToolUseFailure",
    "PreCompact",
    "SessionEnd",
    "SessionStart",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "UserPromptSubmit",
];

pub(super) fn parse(fields: Fields<'_>) -> Result<Event, String> {
    parse_common(fields, TOOL_EVENTS, OTHER_EVENTS, TOOLS, FOREIGN)
}
