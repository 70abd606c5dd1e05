//! Calls of tools of servers that begin before the library has read the request.
//!
//! The thread that reads requests can begin such a call, so that the server works meanwhile. Everything but a short answer,
//! such as the cancellation of the call, is done by the session, as for a call that begins later.

use std::sync::{Arc, Mutex, PoisonError};

use minds_toolset::Refusal;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, Extensions};
use serde_json::{Map, Value};
use tokio::sync::mpsc::Sender;

use super::foreign::{self, Authorized, Caller, Running};
use super::held_calls::{HeldCalls, Request};
use super::hub::Hub;
use super::redirect::DirectCall;
use super::stdio::Incoming;

/// The beginning of the names that change the meaning of a request.
const PROTOCOL_META: &str = "io.modelcontextprotocol/";

type Result = std::result::Result<std::result::Result<Running, Refusal>, String>;

/// A call that has begun, until the session takes it.
#[derive(Clone)]
pub(super) struct Started(Arc<Mutex<Option<Result>>>);

/// What became of a message.
pub(super) enum Disposition {
    /// The session has to read it first.
    Nothing(Value),
    /// It is a call that has begun, which the session need not see yet.
    Held,
    /// It is a call that has begun or was refused, and the session has to have the message.
    Started(Value, Started),
}

/// Begins the call of a redirected message. It is kept in `held` if possible.
pub(super) fn begin(
    mut message: Value,
    hub: &Hub,
    caller: Caller,
    held: Option<(&HeldCalls, &Sender<Incoming>)>,
) -> Disposition {
    let Some((id, call, wants_progress)) = take_call(&mut message) else {
        return Disposition::Nothing(message);
    };
    let Authorized { source, call } = match foreign::authorize(hub, call, caller) {
        Ok(Ok(authorized)) => authorized,
        Ok(Err(refusal)) => return Disposition::Started(message, Started::new(Ok(Err(refusal)))),
        Err(text) => return Disposition::Started(message, Started::new(Err(text))),
    };
    let request = Request { id, message, wants_progress };
    let (request, call) = match held {
        Some((calls, session)) => match calls.start(source, call, request, session) {
            Ok(()) => return Disposition::Held,
            Err(rest) => *rest,
        },
        None => (request, call),
    };
    Disposition::Started(request.message, Started::new(Ok(Ok(Running::start(source, call)))))
}

/// Returns the id of a message and its call, whose arguments are taken out, and whether the client asked for progress. None if
/// the call follows a question, or says something about the protocol.
fn take_call(message: &mut Value) -> Option<(Value, DirectCall, bool)> {
    let id = message.get("id")?.clone();
    let params = message.get_mut("params")?.as_object_mut()?;
    if !is_plain(params) {
        return None;
    }
    let wants_progress = params.get("_meta").is_some_and(|meta| meta.get("progressToken").is_some());
    Some((id, DirectCall::take(params)?, wants_progress))
}

impl Started {
    pub(super) fn new(result: Result) -> Self {
        Self(Arc::new(Mutex::new(Some(result))))
    }

    /// Adds the call to the decoded message. A message that cannot carry it cancels it.
    pub(super) fn attach(self, message: &mut ClientJsonRpcMessage) {
        if let ClientJsonRpcMessage::Request(request) = message
            && let ClientRequest::CustomRequest(request) = &mut request.request
        {
            request.extensions.insert(self);
        }
    }

    /// Takes the call of a request.
    pub(super) fn take(extensions: &Extensions) -> Option<Result> {
        let started = extensions.get::<Self>()?;
        started.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Returns whether a call follows no question, and says nothing about the protocol.
fn is_plain(params: &Map<String, Value>) -> bool {
    let says_nothing = |meta: &Value| {
        meta.as_object().is_some_and(|meta| !meta.keys().any(|key| key.starts_with(PROTOCOL_META)))
    };
    !params.contains_key("inputResponses") && params.get("_meta").is_none_or(says_nothing)
}
