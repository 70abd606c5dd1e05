//! The thread that answers clients.

mod context;
mod control;
pub(crate) mod items;

use std::collections::BTreeMap;
use std::time::Duration;

use minds_fleet_bus::{AgentPort, Bus, Served, Ticket};
use minds_fleet_protocol::methods::{
    AgentStop, Call, Cancel, ConfirmAnswer, Done, HistoryClear, HistoryRead, Input, Interrupt, MemoryStats,
    Method, PromptAppend, PromptGet, PromptReload, PromptSet, QueueClear, QueueDrop, QueueList, QueueRetry,
    Status, Tail, ToolsList,
};
use minds_fleet_protocol::{
    Admission, AgentInfo, AgentState, AgentStatus, CallRecord, ContentHash, ErrorCode, Event, Failure,
    ItemId, Json, Outcome, Request, RequestId, RequestKey, RequestRecords, Response, Timestamp, admit,
};

use crate::clock::now;
use crate::config::Configuration;
use crate::running::{Command, Shared};

/// The longest time without a look at what has changed.
const WAIT: Duration = Duration::from_mins(1);
/// The time after a failure of the transport before it is used again.
const PAUSE: Duration = Duration::from_millis(200);
/// The number of messages that share one write to the disk.
const MAX_BATCH: usize = 256;

/// Answers the clients of an agent.
pub(crate) struct Requests<'a> {
    shared: &'a Shared,
    bus: &'a dyn Bus,
    configuration: &'a dyn Configuration,
    port: Box<dyn AgentPort>,
    info: AgentInfo,
    records: RequestRecords,
    /// Answers that are given when the queue is on the disk.
    unsynced: Vec<Unsynced>,
    /// Duplicates of requests that have no answer yet.
    joined: BTreeMap<RequestKey, Vec<(Ticket, RequestId)>>,
}

struct Unsynced {
    ticket: Ticket,
    req_id: RequestId,
    record: Option<(RequestKey, ContentHash)>,
    value: Json,
    item: ItemId,
    /// When the item was added, which a later duplicate is answered with too.
    ts: Timestamp,
}

/// How a request is answered.
enum Answer {
    Now(Json),
    /// When the queue is on the disk.
    Item(Json, ItemId, Timestamp),
}

impl<'a> Requests<'a> {
    pub(crate) fn new(
        shared: &'a Shared,
        bus: &'a dyn Bus,
        configuration: &'a dyn Configuration,
        port: Box<dyn AgentPort>,
        info: AgentInfo,
        records: RequestRecords,
    ) -> Self {
        let (unsynced, joined) = (Vec::new(), BTreeMap::new());
        Self { shared, bus, configuration, port, info, records, unsynced, joined }
    }

    /// Answers clients until `has_ended`, and then leaves the registry.
    ///
    /// # Errors
    ///
    /// Returns `duplicate.instance` if another process has taken the place of the agent, and other failures of the transport.
    pub(crate) fn serve(mut self, has_ended: impl Fn() -> bool) -> Result<(), Failure> {
        self.shared.set_state(AgentState::Idle);
        self.shared.command(Command::Look);
        while !has_ended() {
            let published = self.publish_info();
            self.note_unless_ended(published)?;
            let mut next = self.serve_next(WAIT)?;
            let mut count = 0;
            while let Some(served) = next {
                self.take(served)?;
                count += 1;
                if count >= MAX_BATCH {
                    break;
                }
                next = self.serve_next(Duration::ZERO)?;
            }
            self.settle()?;
        }
        self.info.state = AgentState::Shutdown;
        let Self { port, shared, .. } = self;
        if let Err(failure) = port.leave(now()) {
            // The agent has ended all the same, and its entry expires.
            shared.note_error(&failure);
        }
        Ok(())
    }

    /// Returns what arrives next. If that fails, the agent waits for a short time, because it may succeed later.
    fn serve_next(&mut self, wait: Duration) -> Result<Option<Served>, Failure> {
        let served = self.port.serve(now(), wait);
        self.shared.note_place(self.port.has_place(now()));
        match served {
            Ok(served) => Ok(served),
            Err(failure) => {
                self.note_unless_ended(Err(failure))?;
                minds_process::pause(PAUSE);
                Ok(None)
            }
        }
    }

    /// Keeps a failure of the transport for the status, and continues. Only the end of the agent ends it: what cannot be sent
    /// or stored at present may be possible later, and the items of the queue need no client.
    fn note_unless_ended(&self, result: Result<(), Failure>) -> Result<(), Failure> {
        let Err(failure) = result else { return Ok(()) };
        if matches!(failure.code(), Some(ErrorCode::DuplicateInstance | ErrorCode::AgentNotFound)) {
            return Err(failure);
        }
        self.shared.note_error(&failure);
        Ok(())
    }

    /// Publishes the registry entry if it has changed.
    fn publish_info(&mut self) -> Result<(), Failure> {
        let mut info = self.info.clone();
        {
            let mut status = self.shared.status();
            info.state = status.state;
            info.model.clone_from(&status.model);
            info.ctx_pct = (status.context.part() * 1000.0).round() / 1000.0;
            for item in status.done.drain(..) {
                self.records.finish_item(&item);
            }
        }
        info.queue = self.shared.store().queue().counts();
        if info != self.info {
            self.port.update(info.clone(), now())?;
            self.info = info;
        }
        Ok(())
    }

    fn take(&mut self, served: Served) -> Result<(), Failure> {
        match served {
            Served::Owner(change) => {
                self.shared.report(Event::new(change));
                Ok(())
            }
            Served::Message { ticket, message } => self.take_message(ticket, &message),
        }
    }

    fn take_message(&mut self, ticket: Ticket, message: &[u8]) -> Result<(), Failure> {
        let now = now();
        let (state, context) = {
            let status = self.shared.status();
            (status.state, status.context)
        };
        let pending = self.shared.store().queue().counts().pending;
        let status = AgentStatus {
            id: &self.shared.id,
            epoch: self.port.epoch(),
            state,
            pending: usize::try_from(pending).unwrap_or(usize::MAX),
            context,
        };
        let (port, records) = (&mut self.port, &mut self.records);
        match admit(message, status, records, now, || port.owner(&ticket, now)) {
            Admission::Ignore => Ok(()),
            Admission::Answer(response) => {
                let answered = self.port.answer(ticket, response, now);
                self.note_unless_ended(answered)
            }
            Admission::Join(key) => {
                let req_id = key.req_id.clone();
                self.joined.entry(key).or_default().push((ticket, req_id));
                Ok(())
            }
            Admission::Perform { request, method, record } => {
                let req_id = request.req_id.clone();
                match self.perform(method, &request, &ticket) {
                    Ok(Answer::Item(value, item, ts)) => {
                        self.unsynced.push(Unsynced { ticket, req_id, record, value, item, ts });
                        Ok(())
                    }
                    Ok(Answer::Now(value)) => {
                        let outcome = Outcome::Success { value, ts: crate::clock::timestamp() };
                        self.answer(ticket, &req_id, record, outcome)
                    }
                    Err(failure) => self.answer(ticket, &req_id, record, Outcome::Failure(failure)),
                }
            }
        }
    }

    /// Answers a request that is not an input, after its answer is on the disk if it has to be remembered.
    fn answer(
        &mut self,
        ticket: Ticket,
        req_id: &RequestId,
        record: Option<(RequestKey, ContentHash)>,
        mut outcome: Outcome,
    ) -> Result<(), Failure> {
        let now = now();
        if let Some((key, hash)) = record {
            let kept = CallRecord::new(key.clone(), hash, &outcome, now.time)
                .map_or(Ok(()), |call| self.shared.store().record_call(call));
            if let Err(failure) = kept {
                self.shared.note_error(&failure);
                outcome = Outcome::Failure(failure);
            }
            self.records.finish(&key, outcome.clone(), None, now.clock);
            self.answer_joined(&key, &outcome)?;
        }
        self.respond(ticket, req_id, outcome)
    }

    /// Makes the queue durable, and answers what waits for that.
    fn settle(&mut self) -> Result<(), Failure> {
        if self.unsynced.is_empty() {
            return Ok(());
        }
        let synced = self.shared.store().sync_queue();
        if let Err(failure) = &synced {
            self.shared.note_error(failure);
        }
        for Unsynced { ticket, req_id, record, value, item, ts } in std::mem::take(&mut self.unsynced) {
            let now = now();
            let outcome = match &synced {
                Ok(()) => Outcome::Success { value, ts },
                Err(failure) => Outcome::Failure(failure.clone()),
            };
            if let Some((key, _)) = record {
                self.records.finish(&key, outcome.clone(), Some(item), now.clock);
                self.answer_joined(&key, &outcome)?;
            }
            self.respond(ticket, &req_id, outcome)?;
        }
        self.shared.command(Command::Look);
        Ok(())
    }

    fn answer_joined(&mut self, key: &RequestKey, outcome: &Outcome) -> Result<(), Failure> {
        for (ticket, req_id) in self.joined.remove(key).unwrap_or_default() {
            self.respond(ticket, &req_id, outcome.clone())?;
        }
        Ok(())
    }

    fn respond(&mut self, ticket: Ticket, req_id: &RequestId, outcome: Outcome) -> Result<(), Failure> {
        let response = Response { req_id: req_id.clone(), outcome, epoch: Some(self.port.epoch()) };
        let answered = self.port.answer(ticket, response, now());
        self.note_unless_ended(answered)
    }

    fn perform(&mut self, method: Method, request: &Request, ticket: &Ticket) -> Result<Answer, Failure> {
        let params = &request.params;
        let done = match method {
            Method::Input => return self.input(request, &Input::decode(params)?),
            Method::QueueRetry => return self.retry(request, QueueRetry::decode(params)?.qid),
            Method::QueueDrop => return self.drop_item(request, QueueDrop::decode(params)?.qid),
            Method::QueueClear => return value::<QueueClear>(&self.clear_queue(request)?),
            Method::QueueList => return value::<QueueList>(&self.list_queue()),
            Method::Status => return value::<Status>(&self.status(ticket)?),
            Method::Tail => return value::<Tail>(&self.tail(&Tail::decode(params)?)?),
            Method::Interrupt => return value::<Interrupt>(&self.stop_work(false, request)),
            Method::Cancel => return value::<Cancel>(&self.stop_work(Cancel::decode(params)?.hard, request)),
            Method::ConfirmAnswer => self.answer_confirmation(&ConfirmAnswer::decode(params)?, request)?,
            Method::AgentStop => self.stop_agent(&AgentStop::decode(params)?),
            Method::MemoryStats => return value::<MemoryStats>(&self.memory_stats()),
            Method::HistoryRead => {
                return value::<HistoryRead>(&self.history(&HistoryRead::decode(params)?)?);
            }
            Method::HistoryClear => self.clear_history(&HistoryClear::decode(params)?)?,
            Method::PromptGet => return value::<PromptGet>(&self.prompt()?),
            Method::PromptReload => self.reload_prompt()?,
            Method::PromptAppend => self.append_to_prompt(&PromptAppend::decode(params)?)?,
            Method::PromptSet => return value::<PromptSet>(&self.set_prompt(&PromptSet::decode(params)?)?),
            Method::ToolsList => return value::<ToolsList>(&self.tools()?),
            _ => return Err(not_offered(method)),
        };
        value::<PromptReload>(&done)
    }
}

/// Returns the value of a method as JSON.
fn value<C: Call>(value: &C::Value) -> Result<Answer, Failure> {
    let json = Json::from_value(value);
    json.map(Answer::Now).map_err(|error| Failure::new(ErrorCode::HandlerError, error.to_string()))
}

fn not_offered(method: Method) -> Failure {
    let message = format!("this version of the agent does not offer `{}`", method.name());
    Failure::new(ErrorCode::NoSuchMethod, message)
}

/// The value of a method that only succeeds.
const DONE: fn() -> Done = Done::default;
