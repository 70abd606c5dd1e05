//! Calls that wait for the answer to a question, for clients of the revision in which servers cannot send requests.
//!
//! The result of the call is the question, with a state that the client sends back in another call with the answer.

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::sync::{Mutex, PoisonError};

use serde_json::{Map, Value, json};

use super::call_client::Question;
use super::foreign::Running;
use crate::mcp::hex::hex;

/// The maximum number of suspended calls. Beyond it, the oldest one is cancelled: its client does not answer.
const MAX_SUSPENDED: usize = 64;
/// The key of the question in a result, and of its answer.
const QUESTION: &str = "question";

/// The suspended calls, the oldest first.
#[derive(Default)]
pub(super) struct SuspendedCalls(Mutex<VecDeque<SuspendedCall>>);

struct SuspendedCall {
    state: String,
    reply: Box<dyn FnOnce(Map<String, Value>) + Send>,
    running: Running,
}

impl SuspendedCalls {
    /// Suspends a call, and returns the result with its question.
    pub(super) fn suspend(&self, running: Running, question: Question) -> io::Result<Map<String, Value>> {
        let state = hex(&minds_process::random::<16>()?);
        let request = json!({"method": "elicitation/create", "params": question.params});
        let result = Map::from_iter([
            ("resultType".to_owned(), "input_required".into()),
            ("inputRequests".to_owned(), json!({QUESTION: request})),
            ("requestState".to_owned(), state.as_str().into()),
        ]);
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if calls.len() >= MAX_SUSPENDED {
            calls.pop_front();
        }
        calls.push_back(SuspendedCall { state, reply: question.reply, running });
        Ok(result)
    }

    /// Answers the question of a suspended call, and returns the call; `None` without such a call of this tool.
    pub(super) fn resume(&self, state: &str, tool: &str, answers: &Map<String, Value>) -> Option<Running> {
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = calls.iter().position(|call| call.state == state && call.running.tool() == tool)?;
        let SuspendedCall { reply, running, .. } = calls.remove(at)?;
        drop(calls);
        let answer = answers.get(QUESTION).and_then(Value::as_object);
        reply(answer.cloned().unwrap_or_else(|| Map::from_iter([("action".to_owned(), "cancel".into())])));
        Some(running)
    }
}

impl fmt::Debug for SuspendedCalls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Suspended").finish_non_exhaustive()
    }
}
