//! Calls of foreign tools.

use std::io;
use std::sync::Arc;

use minds_state::journal::{AuditedCall, timestamp};
use minds_toolset::{CallClient, Code, ForeignAnswer, ForeignCall, Refusal, TaskRequest, qualify_task};
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::refusal;
use super::server_set::ServerSet;
use super::slot::Slot;
use super::tracked::Tracked;
use crate::client::{CallError, Exchange};

/// Runs a call, and gives its answer to the client. Dropping the future cancels the call at the server.
pub(super) async fn run(server_set: Arc<ServerSet>, call: ForeignCall, client: Arc<dyn CallClient>) {
    let mut record = Record::new(&server_set, &call);
    let exchange = Arc::new(Client { client: Arc::clone(&client), features: Features::of(&call) });
    let answer = perform(&server_set, call, exchange).await;
    record.end(&answer);
    client.answer(answer);
    // The record is written by another thread, for which the answer does not wait.
    drop(record);
}

async fn perform(server_set: &Arc<ServerSet>, call: ForeignCall, exchange: Arc<Client>) -> ForeignAnswer {
    let server = &call.tool.server;
    let slot = server_set
        .find(server)
        .ok_or_else(|| refusal::unavailable(server, "it was removed from `.minds/mcp.yaml`"))?;
    let in_flight = slot.acquire(&call.conversation).await?;
    let limits = slot.call_limits(server_set.settings().call);
    let tracked = in_flight.connection();
    if let Some(relays) = server_set.relays() {
        // The next calls are made without this process.
        let conversation = (!slot.is_shared()).then_some(call.conversation.as_str());
        relays.open(&slot, tracked, conversation, limits);
    }
    let result = tracked.connection.call(&call.tool.original, call.arguments, exchange, limits).await;
    answer_of(&slot, tracked, result)
}

/// Returns the answer to a call. A server that seems to have failed is started again.
pub(super) fn answer_of(
    slot: &Arc<Slot>,
    tracked: &Arc<Tracked>,
    result: Result<Map<String, Value>, CallError>,
) -> ForeignAnswer {
    match &result {
        Ok(_) | Err(CallError::Refused { .. } | CallError::TooLarge { .. }) => {}
        // A request over HTTP can fail while the session goes on.
        Err(error) if matches!(error, CallError::TimedOut { .. }) || tracked.connection.pid().is_none() => {
            slot.check_alive(tracked, error.to_string());
        }
        Err(error) => slot.lost(tracked, &error.to_string()),
    }
    match result {
        Ok(result) => Ok(qualify_task(result, &slot.id)),
        Err(error) => refusal::of_call(&slot.id, &error, &|text| slot.redact(text)),
    }
}

/// Makes a request about a task that a call has returned.
pub(super) async fn ask_about_task(
    server_set: Arc<ServerSet>,
    request: TaskRequest,
    client: Arc<dyn CallClient>,
) {
    client.answer(perform_task_request(&server_set, request).await);
}

async fn perform_task_request(server_set: &Arc<ServerSet>, request: TaskRequest) -> ForeignAnswer {
    let TaskRequest { conversation, server, action, params } = request;
    let slot = server_set.require(&server)?;
    let in_flight = slot.acquire(&conversation).await?;
    let limits = server_set.settings().call;
    let result = in_flight.connection().connection.ask_about_task(action.method(), params, limits).await;
    match result {
        Ok(result) => Ok(qualify_task(result, &server)),
        Err(error) => Err(refusal::of_task(&server, &error, &|text| slot.redact(text))),
    }
}

/// The client of a call, as the connection to the server sees it.
struct Client {
    client: Arc<dyn CallClient>,
    features: Features,
}

/// What the client of a call can do.
#[derive(Clone, Copy)]
struct Features {
    elicitation: bool,
    tasks: bool,
}

impl Features {
    fn of(call: &ForeignCall) -> Self {
        Self { elicitation: call.can_elicit, tasks: call.accepts_tasks }
    }
}

impl Exchange for Client {
    fn accepts_tasks(&self) -> bool {
        self.features.tasks
    }

    fn progress(&self, progress: Map<String, Value>) {
        self.client.progress(progress);
    }

    fn elicit(&self, question: Map<String, Value>, reply: Box<dyn FnOnce(Map<String, Value>) + Send>) {
        // A reply that is dropped declines the question.
        if self.features.elicitation {
            self.client.elicit(question, reply);
        }
    }
}

/// The record of a call for the audit. A call that is dropped before its end was cancelled.
struct Record<'m> {
    server_set: &'m ServerSet,
    call: Option<AuditedCall>,
    start: Instant,
}

impl<'m> Record<'m> {
    fn new(server_set: &'m ServerSet, call: &ForeignCall) -> Self {
        let record = AuditedCall {
            ts: timestamp(),
            caller: call.caller.clone(),
            conversation: call.conversation.clone(),
            server: call.tool.server.clone(),
            tool: call.tool.name.clone(),
            original: call.tool.original.clone(),
            ok: false,
            code: Some(Code::Cancelled.as_str().into()),
            duration_ms: 0,
            bytes_in: json_length(&call.arguments),
            bytes_out: 0,
        };
        Self { server_set, call: Some(record), start: Instant::now() }
    }

    fn end(&mut self, answer: &ForeignAnswer) {
        if let Some(call) = &mut self.call {
            set_outcome(call, answer);
        }
    }
}

/// Records the answer to a call.
pub(super) fn set_outcome(call: &mut AuditedCall, answer: &ForeignAnswer) {
    match answer {
        Ok(result) => {
            call.ok = result.get("isError") != Some(&Value::Bool(true));
            call.code = None;
            call.bytes_out = json_length(result);
        }
        Err(Refusal { code, .. }) => call.code = Some(code.as_str().into()),
    }
}

impl Drop for Record<'_> {
    fn drop(&mut self) {
        if let Some(mut call) = self.call.take() {
            call.duration_ms = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX);
            self.server_set.journal.audit(call);
        }
    }
}

/// Returns the length of a value as JSON, in bytes.
fn json_length(value: &Map<String, Value>) -> usize {
    struct Counter(usize);

    impl io::Write for Counter {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    let mut counter = Counter(0);
    // Neither a value nor the counter fails.
    let _ = serde_json::to_writer(&mut counter, value);
    counter.0
}
