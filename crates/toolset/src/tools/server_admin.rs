//! Managing the MCP servers of the workspace.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MCP_ADMIN;
use crate::answer::Refusal;
use crate::call::Call;
use crate::file_refusal::quote;
use crate::tool::{Annotations, Body, Function, Outcome, Tool};
use crate::{ActionOutcome, Area, Code, ServerAction, ServerState};

pub(super) static MCP_RESTART: Tool = Tool {
    name: "mcp_restart",
    toolsets: MCP_ADMIN,
    area: Area::Workspace,
    description: "Start an MCP server again with its current entry in `.minds/mcp.yaml`, also after \
         `mcp_disable`. Its connections end once their calls are answered, so what the server keeps in memory \
         is lost. If it cannot start, its last working tools stay listed.",
    annotations: Annotations::CHANGES,
    body: Body::of::<Restart>(),
};

pub(super) static MCP_RELEASE: Tool = Tool {
    name: "mcp_release",
    toolsets: MCP_ADMIN,
    area: Area::Workspace,
    description: "End the connection of this conversation to an MCP server, and what the server keeps for it. \
         The next call of a tool of the server opens a new one. `released` is false if there was none.",
    annotations: Annotations::REMOVES,
    body: Body::of::<Release>(),
};

pub(super) static MCP_DISABLE: Tool = Tool {
    name: "mcp_disable",
    toolsets: MCP_ADMIN,
    area: Area::Workspace,
    description: "Stop an MCP server and remove its tools for this session, until `mcp_restart` or a change of \
         its entry in `.minds/mcp.yaml`. To disable it permanently, set `enabled: false` there.",
    annotations: Annotations::REMOVES,
    body: Body::of::<Disable>(),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Arguments {
    /// the id of the server in `.minds/mcp.yaml`
    server_id: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Output {
    server_id: String,
    /// The state of the server afterwards.
    state: ServerState,
    /// Whether there was a connection of this conversation; only of `mcp_release`.
    released: Option<bool>,
}

/// Acts on the server in the argument.
fn act(call: &Call<'_>, server: &str, action: ServerAction) -> Result<ActionOutcome, Refusal> {
    let Some(source) = call.source else {
        let message = format!("no gateway runs here, so the server {} cannot be managed", quote(server));
        return Err(Refusal::new(Code::ServerUnavailable, message)
            .next("ask the user to start `minds mcp` without `--no-gateway`"));
    };
    source.act(call.conversation, server, action)
}

struct Restart;

impl Function for Restart {
    type Arguments = Arguments;
    type Output = Output;

    fn run(call: &Call<'_>, arguments: Arguments) -> Result<Outcome<Output>, Refusal> {
        let server_id = arguments.server_id;
        let state = act(call, &server_id, ServerAction::Restart)?.state;
        let summary = format!("ok: the server {} was started again", quote(&server_id));
        Ok(Outcome::new(summary, Output { server_id, state, released: None }))
    }
}

struct Release;

impl Function for Release {
    type Arguments = Arguments;
    type Output = Output;

    fn run(call: &Call<'_>, arguments: Arguments) -> Result<Outcome<Output>, Refusal> {
        let server_id = arguments.server_id;
        let ActionOutcome { state, released } = act(call, &server_id, ServerAction::Release)?;
        let server = quote(&server_id);
        let summary = if released {
            format!("ok: the connection of this conversation to the server {server} was released")
        } else {
            format!("ok: this conversation has no connection to the server {server}")
        };
        Ok(Outcome::new(summary, Output { server_id, state, released: Some(released) }))
    }
}

struct Disable;

impl Function for Disable {
    type Arguments = Arguments;
    type Output = Output;

    fn run(call: &Call<'_>, arguments: Arguments) -> Result<Outcome<Output>, Refusal> {
        let server_id = arguments.server_id;
        let state = act(call, &server_id, ServerAction::Disable)?.state;
        let summary = format!("ok: the server {} is disabled until `mcp_restart`", quote(&server_id));
        Ok(Outcome::new(summary, Output { server_id, state, released: None }))
    }
}
