//! The MCP servers of an agent: the one that serves the tools of the team.

use serde::Serialize;

use super::Job;

/// Keys stand in the order of the alphabet, which is that of the fields.
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
    env: Nothing,
}

#[derive(Serialize)]
struct Nothing {}

/// Returns the arguments of the server for an agent, whose id is `id`.
pub(super) fn args<'d>(job: &'d Job<'_>, id: &'d str) -> [&'d str; 8] {
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

pub(super) fn render(job: &Job<'_>) -> String {
    let id = job.id.to_string();
    let args = args(job, &id);
    let team = Server { args, command: job.setting.mcp_command, env: Nothing {} };
    // The document holds only strings, so serialization cannot fail.
    serde_json::to_string_pretty(&Document { servers: Servers { team } }).unwrap_or_default()
}
