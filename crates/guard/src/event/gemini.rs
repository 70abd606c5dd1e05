//! Gemini CLI: `BeforeTool`.
//!
//! Form: `docs/hooks/reference.md` of google-gemini/gemini-cli (2026) and the parameters of its tools in version 0.61.
//! The events do not name the agent.

use super::tool::{Foreign, Part, Tool};
use super::{Event, Fields, parse_common};

/// Both separators are in use; a name with two underscores also contains one.
const FOREIGN: Foreign = Foreign { prefixes: &["mcp__", "mcp_"], separator: "_" };

const DIRECTORY: &[&str] = &["dir_path", "path"];

const TOOLS: &[Tool] = &[
    Tool { names: &["read_file"], parts: &[Part::read(&["file_path", "absolute_path", "path"])] },
    Tool { names: &["read_many_files"], parts: &[Part::glob(&["include", "paths"], &[])] },
    Tool { names: &["write_file", "replace"], parts: &[Part::write(&["file_path"])] },
    Tool { names: &["list_directory"], parts: &[Part::list(DIRECTORY)] },
    Tool { names: &["glob"], parts: &[Part::search(DIRECTORY), Part::glob(&["pattern"], DIRECTORY)] },
    Tool { names: &["grep_search", "search_file_content"], parts: &[Part::search(DIRECTORY)] },
    Tool { names: &["run_shell_command"], parts: &[Part::shell(&["command"], &["dir_path", "directory"])] },
    Tool {
        names: &[
            "activate_skill",
            "ask_user",
            "complete_task",
            "enter_plan_mode",
            "exit_plan_mode",
            "google_web_search",
            "invoke_agent",
            "update_topic",
            "web_fetch",
            "write_todos",
        ],
        parts: &[],
    },
];

const OTHER_EVENTS: &[&str] = &[
    "AfterAgent",
    "AfterModel",
    "AfterTool",
    "BeforeAgent",
    "BeforeModel",
    "BeforeToolSelection",
    "Notification",
    "PreCompress",
    "SessionEnd",
    "SessionStart",
];

pub(super) fn parse(fields: Fields<'_>) -> Result<Event, String> {
    parse_common(fields, &["BeforeTool"], OTHER_EVENTS, TOOLS, FOREIGN)
}
