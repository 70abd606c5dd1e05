//! Administration of running MCP servers.

use super::Context;

/// Describes the tools for running servers.
pub(super) fn administration(context: &Context<'_>) -> String {
    context
        .pick(
            "These tools are in the toolset `mcp_admin`:\n\n\
             - `mcp_restart({\"serverId\": \"browser\"})` reads the file again and starts the server, also after it was \
             disabled.\n\
             - `mcp_release({\"serverId\": \"browser\"})` only ends the connection of its conversation; the next call opens \
             a new one.\n\
             - `mcp_disable({\"serverId\": \"browser\"})` stops the server until it is restarted or its entry changes.\n\n\
             No tool here shows or sets variables of the environment: `env_get`, `env_set` and `env_unset` exist only in \
             other runtimes.\n",
            "这些工具在工具集 `mcp_admin` 里：\n\n\
             - `mcp_restart({\"serverId\": \"browser\"})` 重新读取文件并启动服务器，停用之后也可以。\n\
             - `mcp_release({\"serverId\": \"browser\"})` 只结束本对话的连接；下一次调用会打开新的连接。\n\
             - `mcp_disable({\"serverId\": \"browser\"})` 停止服务器，直到重新启动它或它的条目改变。\n\n\
             这里没有查看或设置环境变量的工具：`env_get`、`env_set` 和 `env_unset` 只在其他运行时里有。\n",
        )
        .to_owned()
}

#[cfg(test)]
mod tests {
    use minds_core::TeamFamily;
    use minds_vfs::Snapshot;

    use super::*;
    use crate::{Language, Pages};

    #[test]
    fn every_tool_for_servers_is_described() {
        let family = TeamFamily::load(&Snapshot::new()).value;
        let pages = Pages::default();
        for language in [Language::English, Language::Chinese] {
            let context = Context { pages: &pages, family: &family, topic: &pages.topics()[0], language };
            let text = administration(&context);
            for tool in ["mcp_restart", "mcp_release", "mcp_disable"] {
                assert!(text.contains(&format!("`{tool}({{")), "{tool}: {text}");
            }
        }
    }
}
