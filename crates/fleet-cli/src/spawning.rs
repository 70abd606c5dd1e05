//! Agents that other agents start.

use minds_fleet_agent::{SpawnRequest, SpawnedAgent, check_model};
use minds_fleet_protocol::{AgentId, ErrorCode};
use minds_operations::{NewAgent, create_agent};

use crate::acceptance::review;
use crate::args::Options;
use crate::command_error::CommandError;
use crate::session::Session;
use crate::starter::start_or_end;

/// Creates and starts an agent for another one. If it fails, nothing of it is left.
pub(crate) fn spawn(options: &Options, request: &SpawnRequest) -> Result<SpawnedAgent, CommandError> {
    // The files may have changed since the agent was started.
    let session = Session::open(options)?;
    session.expect_valid()?;
    let place = &session.place;
    let invalid = |message: String| CommandError::fleet(ErrorCode::ArgsInvalid, message);
    if request.project != place.project {
        return Err(invalid(format!("`project` must be that of the workspace, `{}`", place.project)));
    }
    let id = AgentId::parse(&format!("{}/{}", request.project, request.name))
        .map_err(|error| invalid(error.to_string()))?;
    if place.agent(&request.name).is_some() || session.is_configured(&id) || session.is_running(&id)? {
        return Err(invalid(format!("the agent `{id}` exists already; choose another name")));
    }
    let Some(model) = place.model(&request.model) else {
        let known: Vec<String> = place.models.iter().map(|model| format!("`{}`", model.id)).collect();
        let message = "`model_id` is not in `models.yaml`, which has";
        return Err(invalid(format!("{message} {}", known.join(", "))));
    };
    check_model(model)?;
    let created = create_agent(
        &place.workspace,
        &NewAgent {
            name: &request.name,
            model: &request.model,
            cwd: &request.policy.cwd,
            system_prompt: &request.system_prompt,
            tools: &request.policy.tools,
            denied: &request.policy.denied,
            confirm: &request.policy.confirm,
            member: request.policy.members.first().map(String::as_str),
            require_sandbox: request.policy.exec.require_sandbox,
        },
    )?;
    match start(options, request, &id) {
        Ok(pid) => Ok(SpawnedAgent { id: id.to_string(), pid }),
        Err(error) => {
            created.remove()?;
            Err(error)
        }
    }
}

/// Accepts the rights of a new agent, which are within those of the other one, and starts it.
fn start(options: &Options, request: &SpawnRequest, id: &AgentId) -> Result<u32, CommandError> {
    let session = Session::open(options)?;
    session.expect_valid()?;
    let review = review(&session, id)?;
    review.accept_within(&request.policy)?;
    start_or_end(&session, id).inspect_err(|_| {
        // The reason of the start is the one to report.
        let _ = review.forget();
    })
}
