//! The calls that this process makes itself at one server.

use std::collections::{BTreeMap, BTreeSet};

use minds_state::journal::{AuditedCall, timestamp};
use minds_toolset::ForeignCall;
use tokio::time::Instant;

use crate::client::{CallError, CallLimits};

/// A call that runs.
pub(super) struct DirectCall {
    call: ForeignCall,
    started_at: String,
    argument_bytes: usize,
    start: Instant,
    /// When the server last showed that it works on the call.
    active: Instant,
    /// The ids, as JSON, of the questions that wait for their answers.
    pub(super) questions: BTreeSet<String>,
}

impl DirectCall {
    pub(super) fn new(call: ForeignCall, argument_bytes: usize) -> Self {
        let now = Instant::now();
        let started_at = timestamp();
        Self { call, started_at, argument_bytes, start: now, active: now, questions: BTreeSet::new() }
    }

    pub(super) fn server(&self) -> &str {
        &self.call.tool.server
    }

    pub(super) fn can_elicit(&self) -> bool {
        self.call.can_elicit
    }

    pub(super) fn into_call(self) -> ForeignCall {
        self.call
    }

    /// Records that the server works on the call.
    pub(super) fn touch(&mut self) {
        self.active = Instant::now();
    }

    /// Returns the error if the time of the call is over.
    fn check_time(&self, now: Instant, limits: CallLimits) -> Option<CallError> {
        let (end, idle_end) = (self.start + limits.total, self.active + limits.idle);
        let is_idle = idle_end < end && self.questions.is_empty();
        let time = if is_idle { limits.idle } else { limits.total };
        (now >= if is_idle { idle_end } else { end }).then_some(CallError::TimedOut { time, is_idle })
    }

    /// Returns the record of the call for the audit.
    pub(super) fn into_record(self, outcome: Outcome) -> AuditedCall {
        let duration = self.start.elapsed().as_millis();
        let (ok, code, bytes_out) = match outcome {
            Outcome::Answered { ok, bytes } => (ok, None, bytes),
            Outcome::Other(code) => (false, code.map(Into::into), 0),
        };
        let ForeignCall { conversation, caller, tool, .. } = self.call;
        AuditedCall {
            ts: self.started_at,
            caller,
            conversation,
            server: tool.server,
            tool: tool.name,
            original: tool.original,
            ok,
            code,
            duration_ms: u64::try_from(duration).unwrap_or(u64::MAX),
            bytes_in: self.argument_bytes,
            bytes_out,
        }
    }
}

/// How a call ended.
#[derive(Clone, Copy)]
pub(super) enum Outcome {
    Answered {
        ok: bool,
        bytes: usize,
    },
    /// With a code, or one that is not known yet.
    Other(Option<&'static str>),
}

/// The calls at one server.
#[derive(Default)]
pub(super) struct Calls {
    pub(super) running: BTreeMap<u64, DirectCall>,
    /// The ids of the calls that the process with the servers makes meanwhile.
    pub(super) of_worker: BTreeSet<i64>,
    pub(super) limits: CallLimits,
    /// Whether no further call begins.
    pub(super) is_closed: bool,
    /// Whether the process with the servers waits for the end of the calls.
    pub(super) is_awaited: bool,
    /// Whether a task watches the times of the calls.
    pub(super) is_watched: bool,
}

impl Calls {
    /// Takes the calls whose time is over out.
    pub(super) fn expire(&mut self) -> Vec<(u64, DirectCall, CallError)> {
        let (now, limits) = (Instant::now(), self.limits);
        let is_over = |call: &DirectCall| call.check_time(now, limits);
        let errors: Vec<(u64, CallError)> =
            self.running.iter().filter_map(|(id, call)| Some((*id, is_over(call)?))).collect();
        errors.into_iter().filter_map(|(id, error)| Some((id, self.running.remove(&id)?, error))).collect()
    }

    /// Returns the call that a question belongs to, as a connection of the process with the servers does.
    pub(super) fn find_call_of_question(&self) -> Asker {
        match (self.running.len(), self.of_worker.len()) {
            (0, _) => Asker::Worker,
            (1, 0) => self.running.keys().next().map_or(Asker::Worker, |id| Asker::Call(*id)),
            _ => Asker::Unknown,
        }
    }
}

/// Whose question it is.
pub(super) enum Asker {
    Worker,
    Call(u64),
    /// There are several calls.
    Unknown,
}
