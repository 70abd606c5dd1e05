//! opencode: the event of the plugin in `docs/hooks.md`, which passes what `tool.execute.before` receives.
//!
//! Form: the plugin interface of anomalyco/opencode (2026) and the parameters of its tools in version 1.18. The plugin adds
//! the name of the agent, which it knows from `chat.params`.

use super::tool::{Foreign, Part, Tool, actions};
use super::{Event, Fields};

const FOREIGN: Foreign = Foreign { prefixes: &[""], separator: "_" };

const TOOLS: &[Tool] = &[
    Tool { names: &["read", "lsp"], parts: &[Part::read(&["filePath"])] },
    Tool { names: &["edit", "multiedit", "write"], parts: &[Part::write(&["filePath"])] },
    Tool { names: &["apply_patch", "patch"], parts: &[Part::patch(&["patchText"])] },
    Tool { names: &["bash"], parts: &[Part::shell(&["command"], &["workdir"])] },
    Tool { names: &["glob"], parts: &[Part::search(&["path"]), Part::glob(&["pattern"], &["path"])] },
    Tool { names: &["grep"], parts: &[Part::search(&["path"])] },
    // It lists the whole tree.
    Tool { names: &["list"], parts: &[Part::search(&["path"])] },
    Tool {
        names: &["codesearch", "question", "skill", "task", "todoread", "todowrite", "webfetch", "websearch"],
        parts: &[],
    },
];

const EVENT: &str = "tool.execute.before";

pub(super) fn parse(fields: Fields<'_>) -> Result<Event, String> {
    let name = fields.required_text("hook_event_name")?;
    if name != EVENT {
        return Err(format!("unknown event `{}`", name.escape_debug()));
    }
    let tool = fields.required_text("tool")?;
    Ok(Event {
        name: name.to_owned(),
        agent: fields.text("agent")?.map(str::to_owned),
        directory: fields.text("directory")?.map(str::to_owned),
        tool: Some(tool.to_owned()),
        actions: actions(TOOLS, FOREIGN, tool, fields.object("args")?)?,
    })
}
