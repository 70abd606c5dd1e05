//! What is wrong with the servers while they run.

use minds_core::mcp::exposure::SkipReason;
use minds_core::rules::run_time::{
    SERVER_ERROR, TOOLSET_COLLISION, UNMATCHED_FILTER_ENTRY, WORKSPACE_CONFIG_ERROR,
};
use minds_diagnostics::{Rule, Severity};
use minds_state::problems::{GatewayProblem, problem_id};

use crate::listing::{Listing, UnmatchedEntry};

/// The most problems about single tools of a gateway; the lists of tools name all of them.
const MAX_TOOL_PROBLEMS: usize = 1_000;

/// What is known about a server.
#[expect(clippy::struct_excessive_bools, reason = "they are independent facts")]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerFacts {
    /// The id.
    pub id: String,
    /// Whether the id is the name of a built-in toolset.
    pub collides: bool,
    /// Whether it provides a built-in toolset, and no file declares it.
    pub is_built_in: bool,
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
        let message = format!("`.minds/mcp.yaml` is not used: {error}; the servers stay as they were");
        let id = path(&["workspace_config_error"]);
        problems.push(problem(
            &WORKSPACE_CONFIG_ERROR,
            id,
            message,
            Some("run `minds check`, and fix the file"),
        ));
    }
    problems.extend(servers.iter().filter_map(of_server));
    let tools =
        listing.skipped.iter().map(|skipped| of_tool(&skipped.server, &skipped.original, &skipped.reason));
    let unmatched = listing.unmatched.iter().map(|unmatched| {
        let UnmatchedEntry { server, list, entry } = unmatched;
        let list = list.as_str();
        let id = path(&["server", server, "unmatched_filter_entry", list, entry]);
        let message = format!("the entry `{entry}` of `{list}` matches no tool of the server `{server}`");
        let help = format!("list the tools with `minds gateway tools {server} --all`");
        problem(&UNMATCHED_FILTER_ENTRY, id, message, Some(&help))
    });
    problems.extend(tools.chain(unmatched).take(MAX_TOOL_PROBLEMS));
    problems
}

fn of_server(server: &ServerFacts) -> Option<GatewayProblem> {
    let id = &server.id;
    if server.collides {
        let message =
            format!("the server `{id}` has the name of a built-in toolset, so its tools are not registered");
        let help = Some("rename the server in `.minds/mcp.yaml`");
        return Some(problem(&TOOLSET_COLLISION, path(&["server", id, "toolset_collision"]), message, help));
    }
    let (severity, message, help) = match (&server.invalid, &server.error) {
        (Some(invalid), _) if server.is_built_in => {
            let message = format!("the toolset `{id}` has no tools: {invalid}");
            let help = "run `cargo install --path crates/fleet-cli`, and then `minds gateway restart fleet`";
            (Severity::Warning, message, help)
        }
        (Some(invalid), _) => {
            let message = format!("the entry of the server `{id}` cannot be used: {invalid}");
            let help = "fix the entry in `.minds/mcp.yaml`, or set the variable and start `minds mcp` again";
            (Severity::Error, message, help)
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
    let found = problem(&SERVER_ERROR, path(&["server", id, "server_error"]), message, Some(help));
    Some(GatewayProblem { severity, ..found })
}

fn of_tool(server: &str, original: &str, reason: &SkipReason) -> GatewayProblem {
    let rename = "rename the tool with `transform`, or exclude it with `blacklist`";
    let (parts, help): (&[&str], _) = match reason {
        SkipReason::Blacklisted => (&["tool_blacklisted", original], None),
        SkipReason::NotWhitelisted => (&["tool_not_whitelisted", original], None),
        SkipReason::InvalidName { .. } => {
            let help = "exclude the tool with `blacklist`; only the server can rename it";
            (&["tool_invalid_name", original], Some(help))
        }
        SkipReason::InvalidFinalName { .. } => {
            (&["tool_invalid_name", original, "transformed"], Some("change `transform`"))
        }
        SkipReason::DuplicateInServer { name } | SkipReason::Collision { name, .. } => {
            (&["tool_collision", name], Some(rename))
        }
        _ => (&["tool_invalid_schema", original], None),
    };
    let mut all = vec!["server", server];
    all.extend(parts);
    let message = format!("the tool `{original}` of the server `{server}` is left out: {reason}");
    problem(reason.rule(), path(&all), message, help)
}

fn problem(rule: &Rule, id: String, message: String, help: Option<&str>) -> GatewayProblem {
    let (code, severity) = (rule.code, rule.default_severity);
    GatewayProblem { id, code, severity, message, help: help.map(str::to_owned) }
}

/// Returns the beginning of the ids of all problems of a server.
pub fn server_problem_prefix(server: &str) -> String {
    format!("{}/", path(&["server", server]))
}

fn path(parts: &[&str]) -> String {
    let parts: Vec<&str> = std::iter::once("mcp").chain(parts.iter().copied()).collect();
    problem_id(&parts)
}
