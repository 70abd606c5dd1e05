//! A connection to a server.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{ClientRequest, CustomRequest, ServerResult, Tool};
use rmcp::service::{Peer, RunningServiceCancellationToken, ServiceError};
use serde_json::{Map, Value};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};

use super::deadline::Deadline;
use super::flag::Flag;
use super::http::explain_transport;
use super::open::{Opened, open};
use super::process::Process;
use super::request::{Request, answer_with};
use super::running::{Running, follow};
use super::stdio::Input;
use super::wire::{MODERN, Wire, lock};
use super::{
    CallError, CallLimits, ConnectError, Exchange, ListedTool, MAX_MESSAGE_BYTES, MAX_RESULT_BYTES,
    MAX_TOOLS, Options, PipeRelay, ServerEvents,
};
use crate::Transport;

/// The type of a result that is a task.
const TASK: &str = "task";
/// The most times that a call is continued with answers of the user.
const MAX_ROUNDS: usize = 10;
/// The most bytes of a list of tools in all.
const MAX_LIST_BYTES: usize = 2 * MAX_MESSAGE_BYTES;
/// The time for the end of an HTTP session.
const SESSION_END: Duration = Duration::from_secs(1);

/// A connection to a server. Dropping it ends everything that belongs to it.
pub struct Connection {
    pub(super) peer: Peer<RoleClient>,
    pub(super) wire: Arc<Wire>,
    pub(super) runtime: Handle,
    revision: String,
    is_modern: bool,
    has_tools: bool,
    has_tasks: bool,
    process: Option<(Arc<Process>, Input)>,
    relay: Option<u64>,
    ended: Flag,
    stop: Mutex<Option<RunningServiceCancellationToken>>,
    /// The task that follows changes of the tools.
    subscription: Option<JoinHandle<()>>,
}

impl Connection {
    /// Opens a connection: starts the program or reaches the URL, and makes the handshake.
    ///
    /// # Errors
    ///
    /// Fails if the server cannot be started or reached, or does not speak a known revision of the protocol in time.
    pub async fn open(
        transport: &Transport,
        options: &Options,
        events: Arc<dyn ServerEvents>,
    ) -> Result<Self, ConnectError> {
        Self::open_through(transport, options, events, None).await
    }

    /// Opens a connection as [`Connection::open`] does. Messages of a program pass through the relay.
    pub(crate) async fn open_through(
        transport: &Transport,
        options: &Options,
        events: Arc<dyn ServerEvents>,
        relay: Option<&dyn PipeRelay>,
    ) -> Result<Self, ConnectError> {
        let time = options.times.start;
        let opened = open(transport, options, &events, relay);
        let opened = timeout(time, opened).await.map_err(|_| ConnectError::TimedOut { time })??;
        Ok(Self::new(opened))
    }

    fn new(opened: Opened) -> Self {
        let Opened { service, wire, process, relay } = opened;
        let peer = service.peer().clone();
        let info = peer.peer_info();
        let revision = info.as_ref().map_or(String::new(), |info| info.protocol_version.as_str().to_owned());
        let tools = info.as_ref().and_then(|info| info.capabilities.tools.clone());
        let has_tasks = info.as_ref().is_some_and(|info| info.capabilities.supports_tasks());
        let is_modern = revision == MODERN;
        let follows = is_modern && tools.as_ref().is_some_and(|tools| tools.list_changed == Some(true));
        let (ended, stop) = (Flag::new(), service.cancellation_token());
        let flag = ended.clone();
        tokio::spawn(async move {
            // However the service ended, the connection did.
            let _ = service.waiting().await;
            flag.raise();
        });
        Self {
            subscription: follows.then(|| tokio::spawn(follow(peer.clone()))),
            peer,
            wire,
            runtime: Handle::current(),
            revision,
            is_modern,
            has_tools: tools.is_some(),
            has_tasks: is_modern && has_tasks,
            process,
            relay: relay.filter(|_| !is_modern),
            ended,
            stop: Mutex::new(Some(stop)),
        }
    }

    /// Returns the revision of the protocol that the server speaks.
    pub fn protocol(&self) -> &str {
        &self.revision
    }

    /// Returns whether several conversations can use the connection, because the server has no state for it.
    pub fn is_shareable(&self) -> bool {
        self.is_modern && self.process.is_none()
    }

    /// Returns the process id of the program; none if the server is reached over HTTP.
    pub fn pid(&self) -> Option<u32> {
        self.process.as_ref().map(|(process, _)| process.id())
    }

    /// Returns the relay of the messages if calls can be made there: the connection began with a handshake.
    pub(crate) fn relay(&self) -> Option<u64> {
        self.relay
    }

    /// Waits until the server ended or closed the connection.
    pub async fn wait_for_end(&self) {
        self.ended.wait().await;
    }

    /// Closes the connection. A program is given time to end, unless it is to end now; then everything in its group is killed.
    pub async fn close(&self, now: bool) {
        self.begin_close();
        match &self.process {
            Some((process, input)) => {
                *input.lock().await = None;
                process.stop(now).await;
            }
            None if now => {}
            // The server need not answer.
            None => {
                let _ = timeout(SESSION_END, self.ended.wait()).await;
            }
        }
        self.ended.raise();
    }

    fn begin_close(&self) {
        self.wire.closing.raise();
        if let Some(stop) = lock(&self.stop).take() {
            stop.cancel();
        }
        if let Some(subscription) = &self.subscription {
            subscription.abort();
        }
    }

    /// Returns the tools of the server, at most [`MAX_TOOLS`].
    ///
    /// # Errors
    ///
    /// Fails like a [`call`](Self::call).
    pub async fn list_tools(&self, limits: CallLimits) -> Result<Vec<ListedTool>, CallError> {
        let deadline = Deadline::new(limits);
        let (mut tools, mut bytes, mut cursor) = (Vec::new(), 0, None::<String>);
        // Each page has a tool, or the server never ends.
        for _ in 0..=MAX_TOOLS {
            let params = cursor
                .take()
                .map_or(Map::new(), |cursor| Map::from_iter([("cursor".to_owned(), cursor.into())]));
            let request = Arc::new(Request::new(None, MAX_LIST_BYTES - bytes));
            let mut page = match self.request("tools/list", params, &request, &deadline).await {
                // The method need not exist.
                Err(CallError::Refused { code: -32601, .. }) if !self.has_tools => return Ok(tools),
                page => page?,
            };
            bytes += request.size();
            let Some(Value::Array(entries)) = page.remove("tools") else { return Err(CallError::Invalid) };
            let count = entries.len();
            let named = entries.into_iter().filter_map(ListedTool::read);
            let before = tools.len();
            tools.extend(named);
            if tools.len() - before < count {
                self.wire.log("minds: a listed tool without a name is left out");
            }
            if tools.len() > MAX_TOOLS {
                self.wire.log(&format!("minds: only the first {MAX_TOOLS} tools are used"));
                tools.truncate(MAX_TOOLS);
                break;
            }
            match page.remove("nextCursor") {
                Some(Value::String(next)) => cursor = Some(next),
                _ => break,
            }
        }
        Ok(tools)
    }

    /// Calls a tool by its name at the server. The result is that of the server, unchanged. Dropping the future cancels the
    /// call at the server.
    ///
    /// If the client accepts tasks, the server may return one instead, which its `resultType` tells.
    ///
    /// # Errors
    ///
    /// Fails if the connection ends, the time is over, the result is too large or is none, and if the server refuses the call.
    pub async fn call(
        &self,
        original: &str,
        arguments: Map<String, Value>,
        exchange: Arc<dyn Exchange>,
        limits: CallLimits,
    ) -> Result<Map<String, Value>, CallError> {
        let deadline = Deadline::new(limits);
        let accepts_tasks = self.has_tasks && exchange.accepts_tasks();
        let mut params = Map::new();
        params.insert("name".to_owned(), original.into());
        params.insert("arguments".to_owned(), Value::Object(arguments));
        for _ in 0..MAX_ROUNDS {
            let request = Request::new(Some(Arc::clone(&exchange)), MAX_RESULT_BYTES);
            let request = Arc::new(request.with_tasks(accepts_tasks));
            let again = self.is_modern.then(|| params.clone());
            let mut result = self.request("tools/call", params, &request, &deadline).await?;
            if accepts_tasks && result.get("resultType").is_some_and(|kind| kind == TASK) {
                return Ok(result);
            }
            let kind = result.remove("resultType");
            match (kind.as_ref().map(|kind| kind.as_str().unwrap_or_default()), again) {
                (None | Some("complete"), _) => return Ok(result),
                (Some("input_required"), Some(again)) => params = again,
                _ => return Err(CallError::Invalid),
            }
            let answers = self.ask_all(result.remove("inputRequests"), &exchange, &deadline).await?;
            params.insert("inputResponses".to_owned(), Value::Object(answers));
            match result.remove("requestState") {
                Some(state) => params.insert("requestState".to_owned(), state),
                None => params.remove("requestState"),
            };
        }
        Err(CallError::Invalid)
    }

    /// Makes a request about a task that a call has returned. The result is that of the server, unchanged.
    ///
    /// # Errors
    ///
    /// Fails like a [`call`](Self::call).
    pub async fn ask_about_task(
        &self,
        method: &str,
        params: Map<String, Value>,
        limits: CallLimits,
    ) -> Result<Map<String, Value>, CallError> {
        let request = Arc::new(Request::new(None, MAX_RESULT_BYTES).with_tasks(self.has_tasks));
        self.request(method, params, &request, &Deadline::new(limits)).await
    }

    /// Asks the user all questions of a result.
    async fn ask_all(
        &self,
        questions: Option<Value>,
        exchange: &Arc<dyn Exchange>,
        deadline: &Deadline,
    ) -> Result<Map<String, Value>, CallError> {
        let mut answers = Map::new();
        let Some(Value::Object(questions)) = questions else { return Ok(answers) };
        for (key, question) in questions {
            let method = question.get("method").and_then(Value::as_str);
            if method != Some("elicitation/create") {
                // Nothing else was offered to the server.
                return Err(CallError::Invalid);
            }
            let question = question.get("params").and_then(Value::as_object).cloned().unwrap_or_default();
            let request = Arc::new(Request::new(Some(Arc::clone(exchange)), 0));
            let answer = tokio::select! {
                answer = request.ask(question) => answer,
                () = self.wire.closing.wait() => answer_with("cancel"),
                () = sleep_until(deadline.end) => return Err(deadline.error(false)),
            };
            answers.insert(key, Value::Object(answer));
        }
        Ok(answers)
    }

    /// Sends a request, and waits for its result.
    async fn request(
        &self,
        method: &str,
        params: Map<String, Value>,
        request: &Arc<Request>,
        deadline: &Deadline,
    ) -> Result<Map<String, Value>, CallError> {
        let mut running = Running { connection: self, request: Arc::clone(request), id: None };
        let mut message = CustomRequest::new(method, Some(Value::Object(params)));
        message.extensions.insert(Arc::clone(request));
        let message = ClientRequest::CustomRequest(message);
        let sent = self.peer.send_request_with_option(message, request.options()).await;
        let Ok(mut handle) = sent else { return Err(self.explain_end().await) };
        running.id = Some(handle.id.clone());
        let mut active = Instant::now();
        let response = loop {
            let idle_end = active + deadline.limits.idle;
            let is_idle = idle_end < deadline.end && !request.is_asking();
            tokio::select! {
                biased;
                response = &mut handle.rx => break response,
                () = request.activity.notified() => active = Instant::now(),
                () = sleep_until(if is_idle { idle_end } else { deadline.end }) => return Err(deadline.error(is_idle)),
            }
        };
        running.id = None;
        match (request.take_answer(), response) {
            (Some(Ok(mut result)), Ok(Ok(ServerResult::ListToolsResult(read)))) => {
                self.leave_out(&mut result, &read.tools);
                Ok(result)
            }
            (Some(answer), _) => answer,
            (None, Ok(Ok(_))) => Err(CallError::Invalid),
            (None, Ok(Err(error))) => Err(self.explain(error).await),
            (None, Err(_)) => Err(self.explain_end().await),
        }
    }

    /// Leaves out the listed tools that the library did not keep: over HTTP, those whose headers of calls are not valid.
    fn leave_out(&self, result: &mut Map<String, Value>, kept: &[Tool]) {
        let Some(tools) = result.get_mut("tools").and_then(Value::as_array_mut) else { return };
        let kept: BTreeSet<&str> = kept.iter().map(|tool| tool.name.as_ref()).collect();
        tools.retain(|tool| {
            let name = tool.get("name").and_then(Value::as_str).unwrap_or_default();
            let is_kept = kept.contains(name);
            if !is_kept {
                self.wire.log(&format!("minds: the tool `{name}` is left out: its headers are not valid"));
            }
            is_kept
        });
    }

    async fn explain(&self, error: ServiceError) -> CallError {
        match error {
            ServiceError::McpError(error) => CallError::unavailable(super::error::shorten(&error.message)),
            ServiceError::TransportSend(error) => match explain_transport(&error) {
                Some(reason) => CallError::Unavailable { reason },
                None => self.explain_end().await,
            },
            _ => self.explain_end().await,
        }
    }

    /// Says why the connection ended.
    pub(crate) async fn explain_end(&self) -> CallError {
        if let Some(reason) = self.wire.failure.get() {
            return CallError::unavailable(reason);
        }
        let end = match &self.process {
            Some((process, _)) => process.describe_end().await,
            None => self.wire.take_trouble(),
        };
        CallError::unavailable(end.unwrap_or_else(|| "the server closed the connection".to_owned()))
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.begin_close();
        if let Some((process, _)) = &self.process {
            process.kill();
        }
    }
}
