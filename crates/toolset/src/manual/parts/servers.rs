//! Administration of running MCP servers.

use super::Context;
use crate::tools;

/// The tool that restarts a server.
const RESTART: &str = "mcp_restart";

/// Describes how a server is restarted.
pub(super) fn administration(context: &Context<'_>) -> String {
    describe(context, tools::ALL.iter().any(|tool| tool.name == RESTART))
}

fn describe(context: &Context<'_>, has_restart: bool) -> String {
    let text = if has_restart {
        context.pick(
            "`mcp_restart({\"serverId\": \"browser\"})`, in the toolset `mcp_admin`, restarts a server; \
             `mcp_release({\"serverId\": \"browser\"})` only releases the connection of its conversation.",
            "工具集 `mcp_admin` 里的 `mcp_restart({\"serverId\": \"browser\"})` 重新启动一个服务器；\
             `mcp_release({\"serverId\": \"browser\"})` 只放弃本对话的连接。",
        )
    } else {
        context.pick(
            "No tool here restarts a server: ask a person to restart the runtime. Only a runtime with the toolset `mcp_admin` \
             has `mcp_restart`, and `mcp_release` to release the connection of one conversation.",
            "这里没有重新启动服务器的工具：请让人重启运行时。只有带工具集 `mcp_admin` 的运行时才提供 `mcp_restart`，以及只放弃一个\
             对话的连接的 `mcp_release`。",
        )
    };
    format!("{text}\n")
}

#[cfg(test)]
mod tests {
    use minds_core::TeamFamily;
    use minds_vfs::Snapshot;

    use super::*;
    use crate::manual::{Language, topics};

    #[test]
    fn only_existing_tools_are_described() {
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
