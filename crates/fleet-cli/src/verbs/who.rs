//! `who`

use std::process::ExitCode;

use minds_diagnostics::JsonDocument;
use minds_fleet_protocol::ErrorCode;
use minds_fleet_protocol::methods::{Owner, Status};
use minds_output::Output;
use schemars::JsonSchema;
use serde::Serialize;

use crate::args::WhoArgs;
use crate::command_error::CommandError;
use crate::session::Session;
use crate::{document, table};

/// The owners of agents.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Owners {
    agents: Vec<Owned>,
}

impl JsonDocument for Owners {
    const NAME: &'static str = "fleet-who";
}

#[derive(Serialize, JsonSchema)]
struct Owned {
    id: String,
    owner: Option<Owner>,
}

pub(super) fn run(session: &Session<'_>, args: &WhoArgs, out: &mut Output) -> Result<ExitCode, CommandError> {
    let ids = match &args.agent {
        Some(agent) => vec![session.id(agent)?],
        None => session.running()?.into_iter().map(|listed| listed.info.id).collect(),
    };
    let mut agents = Vec::new();
    for id in ids {
        let called = session.connect(&id).and_then(|mut client| Ok(client.call(&Status {})?));
        match called {
            Ok(status) => agents.push(Owned { id: id.to_string(), owner: status.owner }),
            // It has ended since it was listed.
            Err(CommandError::Fleet(failure))
                if args.agent.is_none() && failure.code() == Some(ErrorCode::AgentNotFound) => {}
            Err(error) => return Err(error),
        }
    }
    if agents.is_empty() && !out.is_json() {
        Output::remark("no agent of the fleet runs");
    }
    if out.is_json() {
        document::write(out, &Owners { agents });
    } else if !agents.is_empty() {
        let text = table::render(
            &["AGENT", "OWNER", "SINCE"],
            &agents.iter().map(row).collect::<Vec<_>>(),
            out.is_colored(),
        );
        out.push_styled(&text);
    }
    Ok(ExitCode::SUCCESS)
}

fn row(agent: &Owned) -> Vec<String> {
    let since = agent.owner.as_ref().and_then(|owner| owner.since.to_rfc3339());
    let owner = agent.owner.as_ref().map_or_else(|| "none".to_owned(), |owner| owner.caller.to_string());
    vec![agent.id.clone(), owner, since.unwrap_or_default()]
}
