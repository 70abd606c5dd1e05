//! Calls of tools of servers that begin before the library has read the request.
//!
//! The thread that reads requests can begin such a call, so that the server works while the request is given to the thread of
//! the session. Everything else, such as the cancellation of the call, is done there, as for a call that begins later.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use minds_toolset::Refusal;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, Extensions};
use serde_json::{Map, Value};

use super::direct_reply::DirectReply;
use super::foreign::{self, Running};
use super::hub::Hub;
use super::output::Lines;
use super::redirect::DirectCall;
use crate::mcp::conversation::Conversation;

/// The beginning of the names that change the meaning of a request.
const PROTOCOL_META: &str = "io.modelcontextprotocol/";

type Result = std::result::Result<std::result::Result<Running, Refusal>, String>;

/// A call that has begun, until the session takes it.
#[derive(Clone)]
pub(super) struct Started {
    call: Arc<Mutex<Option<Result>>>,
    reply: Arc<DirectReply>,
}

impl Started {
    /// Begins the call of a redirected message, from which the arguments are taken. None if the session has to read the message
    /// first.
    pub(super) fn begin(
        message: &mut Value,
        hub: &Hub,
        conversation: &OnceLock<Conversation>,
        can_elicit: bool,
        lines: &Lines,
    ) -> Option<Self> {
        let id = message.get("id")?.clone();
        let conversation = conversation.get()?.id().to_owned();
        let params = message.get_mut("params")?.as_object_mut()?;
        if !is_plain(params) {
            return None;
        }
        let call = DirectCall::take(params)?;
        // Only newer clients, which have no handshake, accept tasks.
        // Such clients have plain results.
        let reply = Arc::new(DirectReply::new(lines.clone(), id));
        let result = foreign::start(hub, call, conversation, can_elicit, false, Some(Arc::clone(&reply)));
        Some(Self { call: Arc::new(Mutex::new(Some(result))), reply })
    }

    /// Adds the call to the decoded message. A message that cannot carry it cancels it.
    pub(super) fn attach(self, message: &mut ClientJsonRpcMessage) {
        if let ClientJsonRpcMessage::Request(request) = message
            && let ClientRequest::CustomRequest(request) = &mut request.request
        {
            self.reply.accept();
            request.extensions.insert(self);
        }
    }

    /// Takes the call of a request.
    pub(super) fn take(extensions: &Extensions) -> Option<Result> {
        let started = extensions.get::<Self>()?;
        started.call.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Returns whether a call follows no question, and says nothing about the protocol.
fn is_plain(params: &Map<String, Value>) -> bool {
    let says_nothing = |meta: &Value| {
        meta.as_object().is_some_and(|meta| !meta.keys().any(|key| key.starts_with(PROTOCOL_META)))
    };
    !params.contains_key("inputResponses") && params.get("_meta").is_none_or(says_nothing)
}
