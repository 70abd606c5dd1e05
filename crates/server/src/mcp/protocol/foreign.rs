//! Calls of tools of servers, which do not occupy a thread while they run.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use minds_toolset::{
    Code, ForeignAnswer, ForeignCall, Refusal, TaskRequest, ToolSource, take_server_of_task,
};
use rmcp::RoleServer;
use rmcp::model::{
    CancelledNotificationParam, CustomRequest, ElicitationCapability, ErrorData, ProgressNotificationParam,
    ProgressToken, ProtocolVersion, RequestId, ServerRequest,
};
use rmcp::service::{Peer, PeerRequestOptions, RequestContext};
use serde::Serialize;
use serde_json::{Map, Value};

use super::call_client::{Channels, Client, Event, Question, action};
use super::foreign_result;
use super::hub::Hub;
use super::redirect::{DirectCall, DirectTaskRequest};

/// Who calls.
pub(super) struct Caller {
    pub(super) conversation: String,
    /// Whether the client answers questions.
    pub(super) can_elicit: bool,
    /// Whether the client accepts a task instead of a result.
    pub(super) accepts_tasks: bool,
}

/// A call that the caller may make.
pub(super) struct Authorized<'h> {
    pub(super) source: &'h dyn ToolSource,
    pub(super) call: ForeignCall,
}

/// A running call.
pub(super) struct Running {
    tool: String,
    channels: Channels,
}

/// Checks that the caller may make a call now, or refuses it.
///
/// # Errors
///
/// Returns the message for an unknown tool.
pub(super) fn authorize(
    hub: &Hub,
    call: DirectCall,
    caller: Caller,
) -> Result<Result<Authorized<'_>, Refusal>, String> {
    let unknown = || hub.server.refuse_unknown(&call.name);
    let source = hub.server.source().ok_or_else(unknown)?;
    let authorized = hub.server.authorize_foreign(&call.name).or_else(|| {
        // A client may know the tool from an earlier session, and call it before its server has listed it.
        source.wait_for_tools();
        hub.server.authorize_foreign(&call.name)
    });
    let tool = match authorized.ok_or_else(unknown)? {
        Ok(tool) => tool,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let Caller { conversation, can_elicit, accepts_tasks } = caller;
    let caller = hub.server.caller.label();
    let arguments = call.arguments;
    let call = ForeignCall { conversation, caller, tool, arguments, can_elicit, accepts_tasks };
    Ok(Ok(Authorized { source: source.as_ref(), call }))
}

/// Starts a call that the caller may make, or refuses it.
///
/// # Errors
///
/// Returns the message for an unknown tool.
pub(super) fn start(hub: &Hub, call: DirectCall, caller: Caller) -> Result<Result<Running, Refusal>, String> {
    let authorized = authorize(hub, call, caller)?;
    Ok(authorized.map(|Authorized { source, call }| Running::start(source, call)))
}

/// Starts a request about a task of a server.
///
/// # Errors
///
/// Returns the message for a task that does not exist, or that the caller may not ask about.
pub(super) fn start_task_request(
    hub: &Hub,
    request: DirectTaskRequest,
    conversation: String,
) -> Result<Running, String> {
    let DirectTaskRequest { action, mut params } = request;
    let unknown = || "there is no such task".to_owned();
    let (server, source) = take_server_of_task(&mut params).zip(hub.server.source()).ok_or_else(unknown)?;
    hub.server.authorize_server(&server).map_err(|refusal| refusal.message)?;
    let (client, channels) = Client::new(None);
    let running = Running::new(action.method(), channels);
    let request = TaskRequest { conversation, server, action, params };
    running.channels.guard.slot().record(source.task(request, Arc::new(client)));
    Ok(running)
}

impl Running {
    /// Returns a call that is about to start.
    pub(super) fn new(tool: &str, channels: Channels) -> Self {
        Self { tool: tool.to_owned(), channels }
    }

    /// Starts a call.
    pub(super) fn start(source: &dyn ToolSource, call: ForeignCall) -> Self {
        let (client, channels) = Client::new(None);
        let running = Self::new(&call.tool.name, channels);
        running.channels.guard.slot().record(source.call(call, Arc::new(client)));
        running
    }

    /// Records that the call has ended, so that it is not cancelled.
    pub(super) fn end(&self) {
        self.channels.guard.end();
    }

    /// Waits for the answer to a request about a task.
    pub(super) async fn finish_task_request(
        mut self,
        context: &RequestContext<RoleServer>,
    ) -> Result<Map<String, Value>, ErrorData> {
        let answer = tokio::select! {
            biased;
            () = context.ct.cancelled() => None,
            answer = &mut self.channels.answer => Some(answer),
        };
        let answer = answer.ok_or_else(|| ErrorData::internal_error("the request was cancelled", None))?;
        self.end();
        let answer = answer.unwrap_or_else(|_| Err(no_answer_refusal()));
        answer.map_err(|refusal| ErrorData::internal_error(refusal.message, None))
    }

    /// Returns the name of the tool.
    pub(super) fn tool(&self) -> &str {
        &self.tool
    }

    /// Waits for the result of the call, or for a question to a client that is answered in another call. The call is cancelled
    /// if the client cancels the request.
    pub(super) async fn finish(
        mut self,
        hub: &Hub,
        context: &RequestContext<RoleServer>,
    ) -> Result<Map<String, Value>, ErrorData> {
        let asked = Asked::default();
        let ended = tokio::select! {
            biased;
            () = context.ct.cancelled() => None,
            ended = self.next(context, &asked) => Some(ended),
        };
        let open = asked.lock().unwrap_or_else(PoisonError::into_inner).take();
        if open.is_some() {
            // The question is withdrawn, because nothing waits for its answer any longer.
            let reason = Some("the call has ended".to_owned());
            let withdrawn = CancelledNotificationParam::new(open, reason);
            let _ = context.peer.notify_cancelled(withdrawn).await;
        }
        match ended {
            // There is no answer to a cancelled request, so the library does not send this.
            None => Err(ErrorData::internal_error("the request was cancelled", None)),
            Some(Next::Answer(answer)) => {
                self.end();
                Ok(answer.unwrap_or_else(|refusal| foreign_result::refusal(self.tool, refusal)))
            }
            Some(Next::Question(question)) => {
                let suspended = hub.suspended.suspend(self, question);
                suspended.map_err(|_| ErrorData::internal_error("the system has no random bytes", None))
            }
        }
    }

    /// Passes on what happens in the call, until it ends or has a question for a client that cannot be asked meanwhile.
    /// `asked` contains the id of the open question.
    async fn next(&mut self, context: &RequestContext<RoleServer>, asked: &Asked) -> Next {
        let token = context.meta.get_progress_token();
        let capability = capability(context);
        let mut waiting: VecDeque<Question> = VecDeque::new();
        let mut open: Option<Asking> = None;
        loop {
            if open.is_none()
                && let Some(question) = waiting.pop_front()
            {
                open = Some(Box::pin(ask(context.peer.clone(), question, Arc::clone(asked))));
            }
            tokio::select! {
                biased;
                Some(event) = self.channels.events.recv() => match event {
                    Event::Progress(progress) => {
                        let param = token.clone().and_then(|token| progress_of(token, &progress));
                        if let Some(param) = param {
                            let _ = context.peer.notify_progress(param).await;
                        }
                    }
                    Event::Question(question) => {
                        let can_answer = capability.as_ref().is_some_and(|known| accepts(known, &question));
                        if !can_answer {
                            (question.reply)(action("decline"));
                        } else if is_newer(context) {
                            return Next::Question(question);
                        } else {
                            waiting.push_back(question);
                        }
                    }
                },
                () = wait(&mut open) => open = None,
                answer = &mut self.channels.answer => {
                    return Next::Answer(answer.unwrap_or_else(|_| Err(no_answer_refusal())));
                }
            }
        }
    }
}

/// What ends the wait for a call.
enum Next {
    Answer(ForeignAnswer),
    Question(Question),
}

type Asking = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The id of the question that is open.
type Asked = Arc<Mutex<Option<RequestId>>>;

/// Waits for the open question; forever without one.
async fn wait(open: &mut Option<Asking>) {
    match open {
        Some(open) => open.await,
        None => std::future::pending().await,
    }
}

/// Asks the client a question. `asked` contains its id while it is open.
async fn ask(peer: Peer<RoleServer>, question: Question, asked: Asked) {
    let set = |id| *asked.lock().unwrap_or_else(PoisonError::into_inner) = id;
    let request = CustomRequest::new("elicitation/create", Some(Value::Object(question.params)));
    let request = ServerRequest::CustomRequest(request);
    let answer = match peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await {
        Ok(handle) => {
            set(Some(handle.id.clone()));
            handle.await_response().await.ok()
        }
        Err(_) => None,
    };
    set(None);
    // Without an answer the user has not decided.
    (question.reply)(answer.as_ref().and_then(to_object).unwrap_or_else(|| action("cancel")));
}

/// Returns what the client declared about questions; `None` if it cannot be asked.
pub(super) fn capability(context: &RequestContext<RoleServer>) -> Option<ElicitationCapability> {
    context.client_capabilities()?.elicitation
}

/// Returns whether the client accepts questions of this kind: in a form, unless it only declares URLs, or at a URL.
fn accepts(capability: &ElicitationCapability, question: &Question) -> bool {
    match question.params.get("mode").and_then(Value::as_str) {
        None | Some("form") => capability.form.is_some() || capability.url.is_none(),
        Some("url") => capability.url.is_some(),
        Some(_) => false,
    }
}

/// Returns whether the client accepts a task instead of a result.
pub(super) fn accepts_tasks(context: &RequestContext<RoleServer>) -> bool {
    is_newer(context) && context.client_capabilities().is_some_and(|known| known.supports_tasks())
}

/// Returns whether the client uses the revision in which servers cannot send requests.
pub(super) fn is_newer(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

fn progress_of(token: ProgressToken, progress: &Map<String, Value>) -> Option<ProgressNotificationParam> {
    let number = |name: &str| progress.get(name).and_then(Value::as_f64);
    let mut param = ProgressNotificationParam::new(token, number("progress")?);
    param.total = number("total");
    param.message = progress.get("message").and_then(Value::as_str).map(ToOwned::to_owned);
    Some(param)
}

pub(super) fn to_object(value: &impl Serialize) -> Option<Map<String, Value>> {
    match serde_json::to_value(value) {
        Ok(Value::Object(object)) => Some(object),
        _ => None,
    }
}

/// Returns the refusal of a call that ended without an answer.
fn no_answer_refusal() -> Refusal {
    Refusal::new(Code::ServerUnavailable, "the gateway ended before the server answered").next("try again")
}
