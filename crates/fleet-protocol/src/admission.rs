//! The checks of a request at an agent, in their order.

use minds_fleet::ErrorCode;

use crate::context_budget::{ContextBudget, ContextPressure};
use crate::limits::MAX_PENDING_ITEMS;
use crate::methods::{Access, Duplicates, Method, Owner};
use crate::{
    AgentId, AgentState, Caller, ContentHash, Failure, Json, Now, Outcome, Recorded, Request, RequestKey,
    RequestRecords, Response,
};

/// What an agent knows when a request arrives, apart from the records and the owner.
#[derive(Clone, Copy, Debug)]
pub struct AgentStatus<'a> {
    /// The id of the agent.
    pub id: &'a AgentId,
    /// The epoch of the process.
    pub epoch: u64,
    /// The state.
    pub state: AgentState,
    /// The number of pending items.
    pub pending: usize,
    /// The use of the context.
    pub context: ContextBudget,
}

/// What an agent does with a message.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub enum Admission {
    /// Nothing: the id of the request cannot be read, so an answer would not arrive.
    Ignore,
    /// Answer it with this.
    Answer(Response),
    /// Answer it together with the running request of the same key.
    Join(RequestKey),
    /// Perform it.
    Perform {
        /// The request.
        request: Request,
        /// Its method. The parameters are valid.
        method: Method,
        /// The key and the content to note with the answer; `None` if the method changes nothing.
        record: Option<(RequestKey, ContentHash)>,
    },
}

/// Checks a message: size, syntax, deadline, duplicate, method, ownership, arguments, load.
///
/// The first check that fails decides. A duplicate gets its answer even if the caller is no longer the owner, and a
/// request whose deadline has passed is never performed. `find_owner` reads the owner, and is called only if
/// the answer depends on it. A request to perform that changes something is noted in `records` as running; the caller
/// notes its answer there.
pub fn admit(
    message: &[u8],
    agent: AgentStatus<'_>,
    records: &mut RequestRecords,
    now: Now,
    find_owner: impl FnOnce() -> Result<Option<Owner>, Failure>,
) -> Admission {
    let request = match Request::decode(message) {
        Ok(request) => request,
        Err(error) => {
            return error.to_response(Some(agent.epoch)).map_or(Admission::Ignore, Admission::Answer);
        }
    };
    let key = RequestKey::of(&request);
    let hash = ContentHash::of(&request);
    let answer = |outcome| {
        let req_id = key.req_id.clone();
        Admission::Answer(Response { req_id, outcome, epoch: Some(agent.epoch) })
    };
    let refuse = |failure| answer(Outcome::Failure(failure));
    if request.has_expired(now.time) {
        return refuse(Failure::new(ErrorCode::Timeout, "the deadline of the request has passed"));
    }
    match records.find(&key, &hash, now.clock) {
        Recorded::New => {}
        Recorded::Running => return Admission::Join(key),
        Recorded::Answered(outcome) => return answer(outcome),
        Recorded::Conflict(failure) => return refuse(failure),
    }
    let method = match Method::parse(&request.method) {
        Ok(method) => method,
        Err(failure) => return refuse(failure),
    };
    let checks = check_access(method, &request.caller, agent.id, find_owner)
        .and_then(|()| method.check(&request.params))
        .and_then(|()| check_load(method, agent));
    if let Err(failure) = checks {
        return refuse(failure);
    }
    let record = (method.duplicates() != Duplicates::Repeat).then(|| (key.clone(), hash));
    if let Some((key, hash)) = record.clone()
        && let Err(failure) = records.begin(key, hash, now.clock)
    {
        return refuse(failure);
    }
    Admission::Perform { request, method, record }
}

/// Checks whether a caller may use a method.
fn check_access(
    method: Method,
    caller: &Caller,
    agent: &AgentId,
    find_owner: impl FnOnce() -> Result<Option<Owner>, Failure>,
) -> Result<(), Failure> {
    match method.access() {
        Access::Observer => Ok(()),
        Access::Project if caller.agent().is_some_and(|other| other.project() == agent.project()) => Ok(()),
        Access::Project | Access::Owner => match find_owner()? {
            Some(owner) if owner.caller == *caller => Ok(()),
            owner => Err(deny_ownership(owner.as_ref())),
        },
    }
}

/// Returns `ownership.denied`, with the owner as its detail.
pub fn deny_ownership(owner: Option<&Owner>) -> Failure {
    #[derive(serde::Serialize)]
    struct Detail<'a> {
        owner: &'a Caller,
        since: crate::Timestamp,
    }
    let message = match owner {
        Some(_) => "another client is the owner",
        None => "the agent has no owner: attach it first",
    };
    let detail = owner.map(|Owner { caller, since }| Detail { owner: caller, since: *since });
    let detail = detail.and_then(|detail| Json::from_value(&detail).ok());
    Failure { detail, ..Failure::new(ErrorCode::OwnershipDenied, message) }
}

/// Checks whether the agent accepts more work.
///
/// # Errors
///
/// Returns `busy` if it is shutting down; for an input also if its queue or its context is full.
pub fn check_load(method: Method, agent: AgentStatus<'_>) -> Result<(), Failure> {
    let busy = |message: String| Err(Failure::new(ErrorCode::Busy, message));
    if agent.state == AgentState::Shutdown {
        return busy("the agent is shutting down".to_owned());
    }
    if method != Method::Input {
        return Ok(());
    }
    if agent.pending >= MAX_PENDING_ITEMS {
        return busy(format!("the queue has {MAX_PENDING_ITEMS} pending items"));
    }
    if agent.context.pressure() == ContextPressure::RefuseInput {
        return busy("the context is full until turns are summarized".to_owned());
    }
    Ok(())
}
