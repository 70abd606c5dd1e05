//! Calls of one server without the process with the servers.

use std::sync::{Arc, Mutex};

use minds_state::journal::AuditedCall;
use minds_toolset::{Code, ForeignCall, qualify_task};
use serde_json::{Map, Value};
use tokio::sync::Notify;

use super::calls::{Asker, Calls, DirectCall, Outcome};
use super::input::ProgramInput;
use super::message::{self, Answer, FromServer, FromWorker, Request};
use crate::client::wire::lock;
use crate::client::{CallError, CallLimits};
use crate::link::connection::Shared;

/// The pipes of a program, whose messages this process passes on, and the calls that it makes itself.
pub(in crate::link) struct Relay {
    number: u64,
    pub(super) input: ProgramInput,
    calls: Mutex<Calls>,
    /// Is notified when a call begins that no task watches.
    pub(super) watch: Notify,
}

impl Relay {
    pub(super) fn new(number: u64, input: ProgramInput) -> Arc<Self> {
        Arc::new(Self { number, input, calls: Mutex::default(), watch: Notify::new() })
    }

    pub(in crate::link) fn number(&self) -> u64 {
        self.number
    }

    /// Sets the limits of calls, which begin to be allowed.
    pub(in crate::link) fn open(&self, limits: CallLimits) {
        lock(&self.calls).limits = limits;
    }

    /// Allows no further call. The process with the servers waits for the end of those that run.
    pub(in crate::link) fn close(&self) {
        let mut calls = lock(&self.calls);
        calls.is_closed = true;
        calls.is_awaited = true;
    }

    /// Returns whether the process with the servers waits for the end of the calls, and none runs.
    pub(in crate::link) fn take_end(&self) -> bool {
        let mut calls = lock(&self.calls);
        calls.running.is_empty() && std::mem::take(&mut calls.is_awaited)
    }

    /// Returns the number of calls that run.
    pub(in crate::link) fn count(&self) -> usize {
        lock(&self.calls).running.len()
    }

    /// Starts a call by its number.
    ///
    /// # Errors
    ///
    /// Returns the call if it cannot be made here: it is long, the server does not read, or its connection is being closed.
    pub(in crate::link) fn begin(&self, id: u64, call: ForeignCall) -> Result<(), Box<ForeignCall>> {
        let Some(request) = Request::new(id, &call.tool.original, &call.arguments) else {
            return Err(Box::new(call));
        };
        {
            let mut calls = lock(&self.calls);
            if calls.is_closed {
                return Err(Box::new(call));
            }
            // The answer can arrive before the line is recorded as written.
            calls.running.insert(id, DirectCall::new(call, request.argument_bytes));
            if !std::mem::replace(&mut calls.is_watched, true) {
                self.watch.notify_one();
            }
        }
        if self.input.try_write(&request.line) {
            return Ok(());
        }
        match lock(&self.calls).running.remove(&id) {
            Some(call) => Err(Box::new(call.into_call())),
            // It has been refused with all other calls.
            None => Ok(()),
        }
    }

    /// Cancels a call at the server, and returns its record; none if it does not run.
    pub(in crate::link) fn cancel(&self, id: u64) -> Option<AuditedCall> {
        let call = self.remove(id)?;
        self.input.write_soon(message::cancellation(id));
        Some(call.into_record(Outcome::Other(Some(Code::Cancelled.as_str()))))
    }

    /// Takes a call out. Its questions are not waited for any longer.
    fn remove(&self, id: u64) -> Option<DirectCall> {
        let call = lock(&self.calls).running.remove(&id)?;
        self.withdraw_questions(&call);
        Some(call)
    }

    fn withdraw_questions(&self, call: &DirectCall) {
        for question in &call.questions {
            self.input.write_soon(message::reply(question, &action("cancel")));
        }
    }

    /// Reports the calls whose time is over, and returns whether any runs.
    pub(super) fn expire(&self, link: &Shared) -> bool {
        let (expired, is_watched) = {
            let mut calls = lock(&self.calls);
            let expired = calls.expire();
            calls.is_watched = !calls.running.is_empty();
            (expired, calls.is_watched)
        };
        for (id, call, error) in expired {
            self.withdraw_questions(&call);
            self.input.write_soon(message::cancellation(id));
            link.report_failure(self, id, Some(error), call.into_record(Outcome::Other(None)));
        }
        is_watched
    }

    /// Ends all calls, because the connection has ended, and reports that none runs any longer.
    pub(super) fn end(&self, link: &Shared) {
        let running = {
            let mut calls = lock(&self.calls);
            calls.is_closed = true;
            calls.is_awaited = true;
            std::mem::take(&mut calls.running)
        };
        self.input.close();
        for (id, call) in running {
            link.report_failure(self, id, None, call.into_record(Outcome::Other(None)));
        }
        link.settle(self);
    }

    /// Notes what the process with the servers begins or gives up.
    pub(super) fn note(&self, message: &[u8]) {
        match FromWorker::read(message) {
            FromWorker::Call { id } => {
                lock(&self.calls).of_worker.insert(id);
            }
            FromWorker::Cancelled { id } => {
                lock(&self.calls).of_worker.remove(&id);
            }
            FromWorker::Other => {}
        }
    }

    /// Acts on a message of the server.
    pub(super) fn accept(self: &Arc<Self>, message: &[u8], link: &Arc<Shared>) -> Accepted {
        match FromServer::read(message) {
            FromServer::AnswerToWorker { id } => {
                lock(&self.calls).of_worker.remove(&id);
                Accepted::ForWorker
            }
            FromServer::Withdrawn { id } if self.forget_question(&id) => Accepted::Done,
            FromServer::Withdrawn { .. } | FromServer::Other => Accepted::ForWorker,
            FromServer::Question { id, params } => self.ask(id, params, link),
            FromServer::Progress { call, progress } => {
                self.report_progress(call, progress, link);
                Accepted::Done
            }
            FromServer::Answer { call, answer } => {
                self.finish(call, answer, link);
                Accepted::Done
            }
        }
    }

    fn finish(&self, id: u64, answer: Result<Answer, CallError>, link: &Shared) {
        // No task waits for the answer to a call that was cancelled.
        let Some(call) = self.remove(id) else { return };
        match answer {
            Ok(Answer { result, bytes }) => {
                let ok = result.get("isError") != Some(&Value::Bool(true));
                link.answer(id, Ok(qualify_task(result, call.server())));
                link.records.add(call.into_record(Outcome::Answered { ok, bytes }));
                link.settle(self);
            }
            Err(error) => {
                link.report_failure(self, id, Some(error), call.into_record(Outcome::Other(None)));
            }
        }
    }

    fn report_progress(&self, id: u64, mut progress: Map<String, Value>, link: &Shared) {
        {
            let mut calls = lock(&self.calls);
            let Some(call) = calls.running.get_mut(&id) else { return };
            call.touch();
        }
        progress.retain(|key, _| matches!(key.as_str(), "progress" | "total" | "message"));
        if let Some(client) = link.client(id) {
            client.progress(progress);
        }
    }

    /// Passes a question on to the client of its call.
    fn ask(self: &Arc<Self>, question: &str, params: Option<Map<String, Value>>, link: &Shared) -> Accepted {
        let id = {
            let mut calls = lock(&self.calls);
            let asker = calls.find_call_of_question();
            let call = match asker {
                Asker::Worker => return Accepted::ForWorker,
                Asker::Call(id) => calls.running.get_mut(&id).map(|call| (id, call)),
                Asker::Unknown => None,
            };
            call.filter(|(_, call)| call.can_elicit() && params.is_some()).map(|(id, call)| {
                call.touch();
                call.questions.insert(question.to_owned());
                id
            })
        };
        match (id.and_then(|id| Some((id, link.client(id)?))), params) {
            (Some((id, client)), Some(params)) => {
                let (relay, question) = (Arc::downgrade(self), question.to_owned());
                let reply = move |answer| {
                    if let Some(relay) = relay.upgrade() {
                        relay.answer_question(id, &question, &answer);
                    }
                };
                // A question that is forgotten is withdrawn with its call.
                client.elicit(params, Box::new(reply));
            }
            _ => self.input.write_soon(message::reply(question, &action("decline"))),
        }
        Accepted::Asked
    }

    /// Forgets a question that the server has withdrawn; returns whether a call of this side had it.
    fn forget_question(&self, question: &str) -> bool {
        lock(&self.calls).running.values_mut().any(|call| call.questions.remove(question))
    }

    fn answer_question(&self, id: u64, question: &str, answer: &Map<String, Value>) {
        {
            let mut calls = lock(&self.calls);
            let Some(call) = calls.running.get_mut(&id) else { return };
            if !call.questions.remove(question) {
                return;
            }
            call.touch();
        }
        self.input.write_soon(message::reply(question, answer));
    }
}

/// What became of a message.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Accepted {
    /// It belongs to a call of this side.
    Done,
    /// It is a question, whose answer is written to the server.
    Asked,
    /// It is passed on to the process with the servers.
    ForWorker,
}

fn action(action: &str) -> Map<String, Value> {
    Map::from_iter([("action".to_owned(), action.into())])
}
