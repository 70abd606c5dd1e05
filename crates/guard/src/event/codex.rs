//! Codex CLI: `PreToolUse`.
//!
//! Form: the generated schemas of `codex-hooks` and learn.chatgpt.com/docs/hooks (September 2026). Commands have the name
//! `Bash` and patches the name `apply_patch`, with the command line or the patch in `command`; the names of the model's own
//! tools are accepted too.

use super::claude_code::{FOREIGN, OTHER_EVENTS, TOOL_EVENTS};
use super::tool::{Part, Tool};
use super::{Event, Fields, parse_common};

const TOOLS: &[Tool] = &[
    Tool {
        names: &["Bash", "exec", "exec_command", "local_shell", "shell", "shell_command"],
        parts: &[Part::shell(&["command", "cmd"], &["workdir"])],
    },
    Tool { names: &["apply_patch", "Edit", "Write"], parts: &[Part::patch(&["command", "input", "patch"])] },
    Tool { names: &["view_image"], parts: &[Part::read(&["path"])] },
    Tool { names: &["read_file"], parts: &[Part::read(&["file_path", "path"])] },
    Tool { names: &["list_dir"], parts: &[Part::list(&["dir_path", "path"])] },
    Tool { names: &["grep_files"], parts: &[Part::search(&["path"])] },
    Tool {
        // `write_stdin` is not listed: it passes input to a program that runs, which cannot be judged.
        names: &[
            "close_agent",
            "request_user_input",
            "resume_agent",
            "send_input",
            "spawn_agent",
            "update_plan",
            "wait_agent",
            "web_search",
        ],
        parts: &[],
    },
];

pub(super) fn parse(fields: Fields<'_>) -> Result<Event, String> {
    parse_common(fields, TOOL_EVENTS, OTHER_EVENTS, TOOLS, FOREIGN)
}
