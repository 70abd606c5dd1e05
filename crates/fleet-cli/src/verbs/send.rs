//! `send`

use std::process::ExitCode;
use std::time::Duration;

use minds_diagnostics::JsonDocument;
use minds_diagnostics::emit::visible;
use minds_fleet_bus::{Follower, Start};
use minds_fleet_protocol::methods::{ConfirmAnswer, HistoryRead, Input, InputMeta};
use minds_fleet_protocol::{
    AgentId, ConfirmRequest, EndReason, ErrorCode, EventKind, Failure, Frame, ItemId, Json, TaskEnd,
    Timestamp, TraceId,
};
use minds_output::Output;
use minds_process::{monotonic, standard_input};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::FAILED;
use super::tail::output_error;
use crate::args::SendArgs;
use crate::client::Client;
use crate::clock::random;
use crate::command_error::CommandError;
use crate::frame_text::{FrameText, is_answer};
use crate::session::Session;
use crate::starter::{Started, start};
use crate::{document, questions};

/// Where the inputs of this program come from.
const SOURCE: &str = "cli";
/// How long to wait for frames before the connection is checked.
const TICK: Duration = Duration::from_millis(200);
/// The number of records of the history that are searched for the used tokens.
const MAX_RECORDS: u32 = 200;

/// An input that the agent has kept.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SentInput<'a> {
    id: &'a str,
    queued: bool,
    qid: &'a ItemId,
    #[serde(flatten)]
    answer: Option<Answer>,
}

impl JsonDocument for SentInput<'_> {
    const NAME: &'static str = "fleet-send";
}

/// What the agent answered.
#[derive(Default, Serialize, JsonSchema)]
struct Answer {
    ok: bool,
    reason: Option<EndReason>,
    text: String,
    tools: Vec<ToolUse>,
    usage: Usage,
    duration_ms: u64,
}

#[derive(Serialize, JsonSchema)]
struct ToolUse {
    name: String,
    ok: bool,
}

#[derive(Clone, Copy, Default, Serialize, JsonSchema)]
struct Usage {
    tokens_in: u64,
    tokens_out: u64,
}

/// The part of a history record that says how many tokens were used.
#[derive(Deserialize)]
struct UsedTokens {
    #[serde(default)]
    qid: Option<ItemId>,
    #[serde(default)]
    tokens_in: u64,
    #[serde(default)]
    tokens_out: u64,
}

pub(super) fn run(
    session: &Session<'_>,
    args: &SendArgs,
    out: &mut Output,
) -> Result<ExitCode, CommandError> {
    let agent = session.id(&args.agent)?;
    let text = read_text(&args.text)?;
    if args.start {
        session.expect_valid()?;
        if !session.is_running(&agent)? && !session.is_configured(&agent) {
            return Err(session.not_found(&agent));
        }
        if let Started::New(pid) = start(session, &agent, false)? {
            Output::remark(&format!("started `{agent}`, process {pid}"));
        }
    }
    let mut client = session.connect(&agent)?;
    // Frames after this position belong to the input or to what the agent did before.
    let follower = if args.wait { Some(session.bus.follow(&agent, Start::End)?) } else { None };
    session.claim(&mut client, args.owner.takeover)?;
    let done = send(&mut client, text, args, follower, out);
    // The ownership also ends with the connection, only later.
    let _ = client.release();
    let (qid, answer) = done?;
    let is_ok = answer.as_ref().is_none_or(|answer| answer.ok);
    if out.is_json() {
        document::write(out, &SentInput { id: agent.as_str(), queued: true, qid: &qid, answer });
    } else {
        report(&agent, &qid, answer.as_ref(), out);
    }
    Ok(if is_ok { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

/// Returns the text of the input.
fn read_text(given: &str) -> Result<String, CommandError> {
    let text = if given == "-" {
        let invalid = |_| CommandError::Usage("stdin is not valid UTF-8".to_owned());
        String::from_utf8(standard_input()?).map_err(invalid)?
    } else {
        given.to_owned()
    };
    if text.trim().is_empty() {
        return Err(CommandError::Usage("the text is empty".to_owned()));
    }
    Ok(text)
}

/// Sends the input, and waits for the end of its work if there is a follower.
fn send(
    client: &mut Client,
    text: String,
    args: &SendArgs,
    follower: Option<Box<dyn Follower>>,
    out: &mut Output,
) -> Result<(ItemId, Option<Answer>), CommandError> {
    let bytes = random()?.to_be_bytes();
    let trace_id = TraceId::new(u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
    let meta = InputMeta { source: SOURCE.to_owned(), trace_id: Some(trace_id) };
    let qid = client.call(&Input { text, meta })?.qid;
    let Some(follower) = follower else { return Ok((qid, None)) };
    let deadline = args.timeout.map(|seconds| monotonic().saturating_add(Duration::from_secs_f64(seconds)));
    let mut answer = Wait { client, qid: &qid, out, is_open: false, start: None }.run(follower, deadline)?;
    answer.usage = usage(client, &qid);
    Ok((qid, Some(answer)))
}

/// The work on one input, as the frames report it.
struct Wait<'w> {
    client: &'w mut Client,
    qid: &'w ItemId,
    out: &'w mut Output,
    /// Whether the last printed line is not complete.
    is_open: bool,
    /// When the work began.
    start: Option<Timestamp>,
}

impl Wait<'_> {
    /// Returns the answer at the end of the work.
    fn run(
        mut self,
        mut follower: Box<dyn Follower>,
        deadline: Option<Duration>,
    ) -> Result<Answer, CommandError> {
        let mut answer = Answer::default();
        loop {
            let frames = follower.read(TICK)?;
            for frame in &frames {
                let Some(end) = self.read(frame, &mut answer)? else { continue };
                answer.ok = end.ok;
                answer.reason = end.reason;
                answer.duration_ms = self.duration(frame.ts);
                self.close();
                return Ok(answer);
            }
            if !self.out.is_json() && !self.out.flush_if_needed(true).map_err(output_error)? {
                return Err(CommandError::System("nothing reads the output any more".to_owned()));
            }
            if frames.is_empty() {
                // Fails if the agent has ended.
                self.client.poll()?;
            }
            if deadline.is_some_and(|deadline| monotonic() >= deadline) {
                self.close();
                let message = format!("the work on `{}` has not ended in time, and goes on", self.qid);
                return Err(
                    Failure { detail: self.detail(), ..Failure::new(ErrorCode::Timeout, message) }.into()
                );
            }
        }
    }

    /// Reads a frame, and returns the end of the work.
    fn read(&mut self, frame: &Frame, answer: &mut Answer) -> Result<Option<TaskEnd>, CommandError> {
        let is_about = frame.event.qid.as_ref() == Some(self.qid);
        match &frame.event.kind {
            EventKind::TaskEnd(end) if end.id == *self.qid => return Ok(Some(end.clone())),
            EventKind::TaskStart(start) if start.id == *self.qid => self.start = Some(frame.ts),
            EventKind::Token(token) if is_about && is_answer(token) => {
                answer.text.push_str(&token.text);
                self.print(&token.text);
            }
            EventKind::ToolResult(result) if is_about => {
                answer.tools.push(ToolUse { name: result.name.clone(), ok: result.ok });
            }
            EventKind::ConfirmRequest(request) if is_about || frame.event.qid.is_none() => {
                self.answer_confirmation(request)?;
            }
            EventKind::Warning(_) | EventKind::Error(_) if is_about && !self.out.is_json() => {
                self.close();
                let line = FrameText::default().render(frame);
                Output::warning(line.trim_end().get(9..).unwrap_or_default());
            }
            _ => {}
        }
        Ok(None)
    }

    /// Asks the person at the terminal; without one it is refused.
    fn answer_confirmation(&mut self, request: &ConfirmRequest) -> Result<(), CommandError> {
        self.close();
        if !self.out.is_json() {
            // If nothing reads the output, the question is asked all the same.
            let _ = self.out.flush_if_needed(true);
        }
        if questions::can_ask() {
            questions::show(&format!("{}\n", request.body.trim_end()));
        }
        let answer = questions::is_confirmed(&format!("{}?", request.title));
        if !answer && !questions::can_ask() {
            Output::remark(&format!("answered no, without a terminal: {}", request.title));
        }
        match self.client.call(&ConfirmAnswer { id: request.id.clone(), answer }) {
            Ok(_) => Ok(()),
            // It has expired, or was answered elsewhere.
            Err(failure) if failure.code() == Some(ErrorCode::ArgsInvalid) => Ok(()),
            Err(failure) => Err(failure.into()),
        }
    }

    fn print(&mut self, text: &str) {
        if !self.out.is_json() && !text.is_empty() {
            self.out.push_styled(&visible(text));
            self.is_open = !text.ends_with('\n');
        }
    }

    fn close(&mut self) {
        if std::mem::take(&mut self.is_open) {
            self.out.push_styled("\n");
        }
    }

    fn duration(&self, end: Timestamp) -> u64 {
        let seconds = self.start.map_or(0.0, |start| end.as_seconds() - start.as_seconds());
        u64::try_from(Duration::from_secs_f64(seconds.clamp(0.0, 1e9)).as_millis()).unwrap_or(u64::MAX)
    }

    fn detail(&self) -> Option<Json> {
        Json::from_value(&serde_json::json!({ "id": self.client.agent(), "qid": self.qid })).ok()
    }
}

/// Returns the tokens that the work used, as far as the history has them.
fn usage(client: &mut Client, qid: &ItemId) -> Usage {
    let read = client.call(&HistoryRead { n: MAX_RECORDS, before: None });
    let turns = read.map(|history| history.turns).unwrap_or_default();
    let used = turns.iter().filter_map(|turn| turn.decode::<UsedTokens>().ok());
    used.filter(|used| used.qid.as_ref() == Some(qid)).fold(Usage::default(), |sum, used| Usage {
        tokens_in: sum.tokens_in.saturating_add(used.tokens_in),
        tokens_out: sum.tokens_out.saturating_add(used.tokens_out),
    })
}

/// Prints what happened to the input.
fn report(agent: &AgentId, qid: &ItemId, answer: Option<&Answer>, out: &mut Output) {
    match answer {
        None => out.data(&format!("{agent}: queued {qid}\n")),
        Some(answer) if !answer.ok => {
            let reason = answer.reason.map_or_else(|| "failed".to_owned(), crate::frame_text::reason);
            out.trailing_warning(&format!("the work on `{qid}` did not succeed: {reason}"));
        }
        Some(_) => {}
    }
}
