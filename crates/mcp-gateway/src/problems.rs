//! What is wrong with the servers while they run.

use minds_core::mcp::exposure::{FilterList, SkipReason};
use minds_diagnostics::Severity;
use minds_state::problems::{GatewayProblem, problem_id};

use crate::listing::Listing;

/// The most problems about single tools of a gateway; the lists of tools name all of them.
const MAX_TOOL_PROBLEMS: usize = 1_000;

/// What is known about a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerFacts {
    /// The id.
    pub id: String,
    /// Whether the id is the name of a built-in toolset.
    pub collides: bool,
    /// Why its entry cannot be used.
    pub invalid: Option<String>,
    /// Why the last start failed.
    pub error: Option<String>,
    /// Whether it is expected to recover by itself, and its last working tools are listed.
    pub is_transient: bool,
    /// Whether its tools are known, or cannot be known at present.
    pub is_settled: bool,
}

/// Returns the problems: of the file, of each server, and of each tool that is left out.
pub fn find(file_error: Option<&str>, servers: &[ServerFacts], listing: &Listing) -> Vec<GatewayProblem> {
    let mut problems = Vec::new();
    if let Some(error) = file_error {
        problems.push(GatewayProblem {
            id: path(&["workspace_config_error"]),
            code: "mcp/workspace-config-error",
            severity: Severity::Error,
            message: format!("`.minds/mcp.yaml` is not used: {error}; the servers stay as they were"),
            help: Some("run `minds check`, and fix the file".to_owned()),
        });
    }
    for server in servers {
        problems.extend(of_server(server));
    }
    let tools = listing
        .skipped
        .iter()
        .filter_map(|skipped| of_tool(&skipped.server, &skipped.original, &skipped.reason));
    let unmatched = listing.unmatched.iter().filter(|unmatched| unmatched.list == FilterList::Whitelist);
    let unmatched = unmatched.map(|unmatched| GatewayProblem {
        id: path(&["server", &unmatched.server, "unmatched_filter_entry", &unmatched.entry]),
        code: "mcp/unmatched-filter-entry",
        severity: Severity::Info,
        message: format!(
            "the entry `{}` of `whitelist` matches no tool of the server `{}`",
            unmatched.entry, unmatched.server
        ),
        help: Some(format!("list the tools with `minds gateway tools {} --all`", unmatched.server)),
    });
    problems.extend(tools.chain(unmatched).take(MAX_TOOL_PROBLEMS));
    problems
}

fn of_server(server: &ServerFacts) -> Option<GatewayProblem> {
    let id = &server.id;
    if server.collides {
        return Some(GatewayProblem {
            id: path(&["server", id, "toolset_collision"]),
            code: "mcp/toolset-collision",
            severity: Severity::Error,
            message: format!(
                "the server `{id}` has the name of a built-in toolset, so its tools are not registered"
            ),
            help: Some("rename the server in `.minds/mcp.yaml`".to_owned()),
        });
    }
    let (severity, message, help) = match (&server.invalid, &server.error) {
        (Some(invalid), _) => {
            let message = format!("the entry of the server `{id}` cannot be used: {invalid}");
            (
                Severity::Error,
                message,
                "fix the entry in `.minds/mcp.yaml`, or set the variable and start `minds mcp` again",
            )
        }
        (None, Some(error)) if server.is_transient => {
            let message = format!("the server `{id}` is started again: {error}");
            (Severity::Warning, message, "if this stays, look at `minds gateway status`")
        }
        (None, Some(error)) => {
            let message = format!("the server `{id}` does not run: {error}");
            (Severity::Error, message, "look at `minds gateway status`; it is tried again by itself")
        }
        (None, None) => return None,
    };
    let help = Some(help.to_owned());
    Some(GatewayProblem {
        id: path(&["server", id, "server_error"]),
        code: "mcp/server-error",
        severity,
        message,
        help,
    })
}

fn of_tool(server: &str, original: &str, reason: &SkipReason) -> Option<GatewayProblem> {
    let tool = |parts: &[&str]| {
        let mut all = vec!["server", server];
        all.extend(parts);
        path(&all)
    };
    let rename = "rename the tool with `transform`, or exclude it with `blacklist`";
    let (id, code, severity, help) = match reason {
        SkipReason::Blacklisted => {
            (tool(&["tool_blacklisted", original]), "mcp/tool-blacklisted", Severity::Warning, None)
        }
        SkipReason::NotWhitelisted => {
            (tool(&["tool_not_whitelisted", original]), "mcp/tool-not-whitelisted", Severity::Info, None)
        }
        SkipReason::InvalidName { .. } => {
            let help = "exclude the tool with `blacklist`; only the server can rename it";
            (tool(&["tool_invalid_name", original]), "mcp/invalid-tool-name", Severity::Warning, Some(help))
        }
        SkipReason::InvalidFinalName { .. } => {
            let id = tool(&["tool_invalid_name", original, "transformed"]);
            (id, "mcp/invalid-tool-name", Severity::Warning, Some("change `transform`"))
        }
        SkipReason::DuplicateInServer { name } | SkipReason::Collision { name, .. } => {
            (tool(&["tool_collision", name]), "mcp/tool-name-collision", Severity::Warning, Some(rename))
        }
        SkipReason::InvalidSchema { .. } => {
            (tool(&["tool_invalid_schema", original]), "mcp/invalid-tool-schema", Severity::Warning, None)
        }
        _ => return None,
    };
    let message = format!("the tool `{original}` of the server `{server}` is left out: {reason}");
    Some(GatewayProblem { id, code, severity, message, help: help.map(str::to_owned) })
}

/// Returns the beginning of the ids of all problems of a server.
pub fn server_problem_prefix(server: &str) -> String {
    format!("{}/", path(&["server", server]))
}

fn path(parts: &[&str]) -> String {
    let parts: Vec<&str> = std::iter::once("mcp").chain(parts.iter().copied()).collect();
    problem_id(&parts)
}
