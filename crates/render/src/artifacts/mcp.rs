//! The MCP configuration of an agent, with the server for the team tools.

use serde::Serialize;

use super::AgentJob;

/// The fields are in alphabetical order, because the keys must be.
#[derive(Serialize)]
struct Document<'d> {
    #[serde(rename = "mcpServers")]
    servers: Servers<'d>,
}

#[derive(Serialize)]
struct Servers<'d> {
    team: Server<'d>,
}

#[derive(Serialize)]
struct Server<'d> {
    args: [&'d str; 8],
    command: &'d str,
    env: EmptyObject,
}

#[derive(Serialize)]
struct EmptyObject {}

/// Returns the arguments of the server for the agent with the id `id`.
pub(super) fn args<'d>(job: &'d AgentJob<'_>, id: &'d str) -> [&'d str; 8] {
    [
        "--agent-id",
        id,
        "--mailbox",
        &job.mailbox,
        "--tmux-prefix",
        job.compose.tmux_prefix(),
        "--compose-root",
        job.setting.root,
    ]
}

pub(super) fn render(job: &AgentJob<'_>) -> String {
    let id = job.id.to_string();
    let args = args(job, &id);
    let team = Server { args, command: job.setting.mcp_command, env: EmptyObject {} };
    // The document holds only strings, so serialization cannot fail.
    serde_json::to_string_pretty(&Document { servers: Servers { team } }).unwrap_or_default()
}
