//! What can be done to running MCP servers.

use super::Context;
use crate::tools;

/// The tool that starts a server again.
const RESTART: &str = "mcp_restart";

/// Returns how a server is started again: by the tool for it, where that exists.
pub(super) fn administration(context: &Context<'_>) -> String {
    describe(context, tools::ALL.iter().any(|tool| tool.name == RESTART))
}

fn describe(context: &Context<'_>, has_restart: bool) -> String {
    let text = if has_restart {
        context.pick(
            "`mcp_restart({\"serverId\": \"browser\"})`, in the toolset `mcp_admin`, starts a server again; \
             `mcp_release({\"serverId\": \"browser\"})` gives up only the connection of its conversation.",
            "工具集 `mcp_admin` 里的 `mcp_restart({\"serverId\": \"browser\"})` 重新启动一个服务器；\
             `mcp_release({\"serverId\": \"browser\"})` 只放弃本对话的连接。",
        )
    } else {
        context.pick(
            "No tool here starts a server again: ask a person to restart the runtime. Only a runtime that has the toolset \
             `mcp_admin` offers `mcp_restart` for that, and `mcp_release` to give up the connection of one conversation.",
            "这里没有重新启动服务器的工具：请让人重启运行时。只有带工具集 `mcp_admin` 的运行时才提供 `mcp_restart`，以及只放弃一个\
             对话的连接的 `mcp_release`。",
        )
    };
    format!("{text}\n")
}

#[cfg(test)]
mod tests {
    use minds_core::TeamFamily;
    use minds_document::Snapshot;

    use super::*;
    use crate::manual::{Language, topics};

    #[test]
    fn only_a_tool_that_exists_is_promised() {
        let family = TeamFamily::load(&Snapshot::new()).value;
        for language in [Language::English, Language::Chinese] {
            let context = Context { family: &family, topic: &topics()[0], language };
            let (with, without) = (describe(&context, true), describe(&context, false));
            assert!(with.contains("`mcp_restart({") && !without.contains("mcp_restart({"), "{with}{without}");
            let has_restart = tools::ALL.iter().any(|tool| tool.name == RESTART);
            assert_eq!(administration(&context), describe(&context, has_restart));
        }
    }
}
