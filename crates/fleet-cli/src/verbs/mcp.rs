//! `mcp`: the toolset `fleet` as an MCP server.

use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use minds_fleet_bus::{Follower, Start, read_page};
use minds_fleet_mcp::{Answer, FleetAccess, MAX_ANSWER_BYTES, ReadCall, SendCall, Sent, Watch};
use minds_fleet_protocol::methods::{Cancel, Input, InputMeta, TailValue};
use minds_fleet_protocol::{
    AgentId, AgentInfo, Caller, ErrorCode, EventKind, Failure, Frame, ItemId, Json, TaskEnd,
};
use minds_process::monotonic;

use super::ps::displayed_state;
use crate::agent_name::AgentName;
use crate::args::{McpArgs, Options};
use crate::client::Client;
use crate::clock::new_caller;
use crate::command_error::CommandError;
use crate::frame_text::is_answer;
use crate::session::Session;

/// The kind of client, and where the inputs come from.
const CLIENT: &str = "mcp";
/// How long to wait for frames before the client and the connection are checked.
const TICK: Duration = Duration::from_millis(200);

pub(super) fn run(options: &Options, args: &McpArgs) -> Result<ExitCode, CommandError> {
    let source = args.name.as_ref().map_or_else(|| CLIENT.to_owned(), |name| format!("{CLIENT}:{name}"));
    let caller = new_caller(CLIENT)?;
    let fleet = OpenFleet { options: options.clone(), caller, source, acting: Mutex::new(()) };
    minds_fleet_mcp::serve(Arc::new(fleet)).map_err(|error| CommandError::System(error.to_string()))?;
    Ok(ExitCode::SUCCESS)
}

/// The fleet of the options. Each call reads its files again.
struct OpenFleet {
    options: Options,
    caller: Caller,
    source: String,
    /// Held while this client owns an agent: two connections of one client are not the same owner.
    acting: Mutex<()>,
}

impl FleetAccess for OpenFleet {
    fn list(&self) -> Result<Vec<AgentInfo>, Failure> {
        self.with(|session| {
            let listed = session.list()?.into_iter();
            let displayed = listed.filter_map(|mut listed| {
                listed.info.state = displayed_state(listed.info.state, listed.presence, false)?;
                Some(listed.info)
            });
            Ok(displayed.collect())
        })
    }

    fn send(&self, call: &SendCall, watch: &dyn Watch) -> Result<Sent, Failure> {
        self.with(|session| {
            let agent = parse_agent(session, &call.agent)?;
            // Frames after this position belong to the input or to what the agent did before.
            let follower = if call.wait { Some(session.follow(&agent, Start::End)?) } else { None };
            let mut client = session.connect(&agent)?;
            let meta = InputMeta { source: self.source.clone(), trace_id: None };
            let input = Input { text: call.text.clone(), meta };
            // The agent has no owner while it works, so that a person can attach to it and answer its confirmations.
            let qid = self.own(session, &mut client, |client| Ok(client.call(&input)?.qid))?;
            watch.report(&format!("queued {qid}"));
            let Some(follower) = follower else { return Ok(Sent { qid, answer: None }) };
            let deadline = monotonic().saturating_add(Duration::from_secs_f64(call.timeout_seconds));
            let answer = wait(&mut client, follower, &qid, deadline, watch)?;
            Ok(Sent { qid, answer: Some(answer) })
        })
    }

    fn read(&self, call: &ReadCall) -> Result<TailValue, Failure> {
        self.with(|session| {
            let agent = parse_agent(session, &call.agent)?;
            let mut follower = session.follow(&agent, Start::Offset(call.from_offset.unwrap_or(0)))?;
            Ok(read_page(follower.as_mut(), call.from_offset, call.limit)?)
        })
    }

    fn cancel(&self, agent: &str) -> Result<Option<ItemId>, Failure> {
        self.with(|session| {
            let agent = parse_agent(session, agent)?;
            let mut client = session.connect(&agent)?;
            let call = Cancel { hard: false };
            self.own(session, &mut client, |client| Ok(client.call(&call)?.qid))
        })
    }
}

impl OpenFleet {
    fn with<T>(&self, action: impl FnOnce(&Session<'_>) -> Result<T, CommandError>) -> Result<T, Failure> {
        let session = Session::open_for(&self.options, self.caller.clone());
        session.and_then(|session| action(&session)).map_err(CommandError::into_failure)
    }

    /// Acts as the owner of an agent.
    fn own<T>(
        &self,
        session: &Session<'_>,
        client: &mut Client,
        action: impl FnOnce(&mut Client) -> Result<T, CommandError>,
    ) -> Result<T, CommandError> {
        let _acting = self.acting.lock().unwrap_or_else(PoisonError::into_inner);
        session.claim(client, false)?;
        let done = action(client);
        // The ownership also ends with the connection, only later.
        let _ = client.release();
        done
    }
}

fn parse_agent(session: &Session<'_>, name: &str) -> Result<AgentId, CommandError> {
    let parsed: Result<AgentName, _> = name.parse();
    let invalid = |reason: &str| {
        let name: String = name.chars().take(80).collect();
        let message = format!("invalid agent `{}`: {reason}", name.escape_debug());
        CommandError::fleet(ErrorCode::ArgsInvalid, message)
    };
    session.id(&parsed.map_err(invalid)?)
}

/// Waits for the end of the work on an item.
fn wait(
    client: &mut Client,
    mut follower: Box<dyn Follower>,
    qid: &ItemId,
    deadline: Duration,
    watch: &dyn Watch,
) -> Result<Answer, CommandError> {
    let mut answer = Answer::default();
    loop {
        let frames = follower.read(TICK)?;
        for frame in &frames {
            if let Some(TaskEnd { ok, reason, .. }) = note(frame, qid, &mut answer, watch) {
                return Ok(Answer { ok, reason, ..answer });
            }
        }
        if watch.is_cancelled() || monotonic() >= deadline {
            let message = format!("the work on `{qid}` has not ended in time, and goes on");
            let detail = serde_json::json!({ "id": client.agent(), "qid": qid });
            let detail = Json::from_value(&detail).ok();
            return Err(Failure { detail, ..Failure::new(ErrorCode::Timeout, message) }.into());
        }
        if frames.is_empty() {
            // Fails if the agent has ended.
            client.poll()?;
        }
    }
}

/// Notes a frame, and returns the end of the work on the item.
fn note(frame: &Frame, qid: &ItemId, answer: &mut Answer, watch: &dyn Watch) -> Option<TaskEnd> {
    let is_about = frame.event.qid.as_ref() == Some(qid);
    match &frame.event.kind {
        EventKind::TaskEnd(end) if end.id == *qid => return Some(end.clone()),
        EventKind::TaskStart(start) if start.id == *qid => watch.report(&format!("works on {qid}")),
        EventKind::Token(token) if is_about && is_answer(token) => append(answer, &token.text),
        EventKind::ToolCall(call) if is_about => watch.report(&format!("calls {}", call.name)),
        EventKind::ConfirmRequest(request) if is_about || frame.event.qid.is_none() => {
            watch.report(&format!("waits until a person confirms: {}", request.title));
        }
        _ => {}
    }
    None
}

/// Appends to the text of an answer, up to its limit.
fn append(answer: &mut Answer, text: &str) {
    let free = MAX_ANSWER_BYTES.saturating_sub(answer.text.len());
    let part = text.get(..text.floor_char_boundary(free)).unwrap_or(text);
    answer.text.push_str(part);
    answer.is_truncated |= part.len() < text.len();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_a_limit() {
        let mut answer = Answer::default();
        append(&mut answer, &"x".repeat(MAX_ANSWER_BYTES - 1));
        append(&mut answer, "é");
        assert_eq!((answer.text.len(), answer.is_truncated), (MAX_ANSWER_BYTES - 1, true));
        append(&mut answer, "y");
        assert_eq!(answer.text.len(), MAX_ANSWER_BYTES);
        append(&mut answer, "");
        append(&mut answer, "z");
        assert_eq!(answer.text.len(), MAX_ANSWER_BYTES);
    }
}
