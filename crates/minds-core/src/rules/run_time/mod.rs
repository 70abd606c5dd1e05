//! The rules about servers of `mcp.yaml` that the gateway reports while they run.
//!
//! Some of them are found in files too, if a whitelist lists the tool or the id is enough.

use minds_diagnostics::rule;

pub use super::invalid_tool_name::RULE as INVALID_TOOL_NAME;
pub use super::tool_name_collision::RULE as TOOL_NAME_COLLISION;
pub use super::toolset_collision::RULE as TOOLSET_COLLISION;

rule! {
    /// The file cannot be used as a whole.
    pub static WORKSPACE_CONFIG_ERROR {
        code: "mcp/workspace-config-error",
        summary: "a change of `mcp.yaml` is not applied, because the file cannot be read",
        severity: Error,
        origin: RunTime,
        suppressible: false,
        since: "0.1.0",
        page: "workspace_config_error.md",
    }

    /// A server cannot be used, because of its entry or of what it does.
    pub static SERVER_ERROR {
        code: "mcp/server-error",
        summary: "a server does not start, has ended, or has an entry that cannot be used",
        severity: Error,
        origin: RunTime,
        suppressible: false,
        since: "0.1.0",
        page: "server_error.md",
    }

    /// A blacklist excludes a tool.
    pub static TOOL_BLACKLISTED {
        code: "mcp/tool-blacklisted",
        summary: "a tool is not offered, because `blacklist` excludes it",
        severity: Warning,
        origin: RunTime,
        suppressible: false,
        since: "0.1.0",
        page: "tool_blacklisted.md",
    }

    /// There is only a whitelist, which does not include a tool.
    pub static TOOL_NOT_WHITELISTED {
        code: "mcp/tool-not-whitelisted",
        summary: "a tool is not offered, because `whitelist` does not include it",
        severity: Info,
        origin: RunTime,
        suppressible: false,
        since: "0.1.0",
        page: "tool_not_whitelisted.md",
    }

    /// The schema of the arguments of a tool cannot be used.
    pub static INVALID_TOOL_SCHEMA {
        code: "mcp/invalid-tool-schema",
        summary: "a tool is not offered, because the schema of its arguments cannot be used",
        severity: Warning,
        origin: RunTime,
        suppressible: false,
        since: "0.1.0",
        page: "invalid_tool_schema.md",
    }

    /// An entry of a whitelist or blacklist matches no tool of a server.
    pub static UNMATCHED_FILTER_ENTRY {
        code: "mcp/unmatched-filter-entry",
        summary: "an entry of a whitelist or blacklist matches no tool of its server",
        severity: Info,
        origin: RunTime,
        suppressible: false,
        since: "0.1.0",
        page: "unmatched_filter_entry.md",
    }
}
