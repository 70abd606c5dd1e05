//! A request of this side that waits for its answer.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use rmcp::model::{RequestMetaObject, TASKS_EXTENSION_ID};
use rmcp::service::PeerRequestOptions;
use serde_json::{Map, Value};
use tokio::sync::Notify;

use super::flag::Flag;
use super::handler::client_capabilities;
use super::wire::lock;
use super::{CallError, Exchange};

/// A request that waits for its answer.
pub(super) struct Request {
    /// The client of a call; none if the request is not a call.
    exchange: Option<Arc<dyn Exchange>>,
    /// The most bytes of the result.
    limit: usize,
    /// Whether the result may be a task.
    accepts_tasks: bool,
    token: OnceLock<i64>,
    answer: Mutex<Option<Answer>>,
    /// The bytes of the result.
    size: AtomicUsize,
    questions: AtomicUsize,
    /// Is notified of progress, and when a question was asked or answered.
    pub(super) activity: Notify,
    /// Whether no task waits for the answer anymore.
    pub(super) over: Flag,
}

/// What the server answered.
pub(super) type Answer = Result<Map<String, Value>, CallError>;

impl Request {
    pub(super) fn new(exchange: Option<Arc<dyn Exchange>>, limit: usize) -> Self {
        Self {
            exchange,
            limit,
            accepts_tasks: false,
            token: OnceLock::new(),
            answer: Mutex::new(None),
            size: AtomicUsize::new(0),
            questions: AtomicUsize::new(0),
            activity: Notify::new(),
            over: Flag::new(),
        }
    }

    /// Returns the request with or without the declaration that its result may be a task.
    pub(super) fn with_tasks(self, accepts_tasks: bool) -> Self {
        Self { accepts_tasks, ..self }
    }

    /// Returns how it is sent: with the capabilities of the client of the call.
    pub(super) fn options(&self) -> PeerRequestOptions {
        let mut options = PeerRequestOptions::no_options();
        if self.accepts_tasks {
            let mut meta = RequestMetaObject::new();
            let mut capabilities = client_capabilities();
            capabilities.extensions.get_or_insert_default().insert(TASKS_EXTENSION_ID.to_owned(), Map::new());
            meta.set_client_capabilities(capabilities);
            options.meta = Some(meta);
        }
        options
    }

    pub(super) fn is_call(&self) -> bool {
        self.exchange.is_some()
    }

    /// Records the progress token under which the request was sent.
    pub(super) fn sent(&self, token: Option<i64>) {
        if let Some(token) = token {
            // A request that is sent again keeps its token.
            let _ = self.token.set(token);
        }
    }

    pub(super) fn has_token(&self, token: i64) -> bool {
        self.token.get() == Some(&token)
    }

    /// Keeps the result of the server, a JSON text.
    pub(super) fn keep_result(&self, result: &str) {
        self.size.store(result.len(), Ordering::SeqCst);
        let answer = if result.len() > self.limit {
            Err(CallError::TooLarge { limit: self.limit })
        } else {
            serde_json::from_str(result).map_err(|_| CallError::Invalid)
        };
        *lock(&self.answer) = Some(answer);
    }

    /// Returns the bytes of the result as JSON.
    pub(super) fn size(&self) -> usize {
        self.size.load(Ordering::SeqCst)
    }

    pub(super) fn keep_error(&self, error: CallError) {
        *lock(&self.answer) = Some(Err(error));
    }

    pub(super) fn take_answer(&self) -> Option<Answer> {
        lock(&self.answer).take()
    }

    pub(super) fn report_progress(&self, mut progress: Map<String, Value>) {
        progress.retain(|key, _| matches!(key.as_str(), "progress" | "total" | "message"));
        if let Some(exchange) = self.exchange.as_ref().filter(|_| !self.over.is_raised()) {
            exchange.progress(progress);
        }
        self.activity.notify_one();
    }

    /// Returns whether a question waits for its answer.
    pub(super) fn is_asking(&self) -> bool {
        self.questions.load(Ordering::SeqCst) > 0
    }

    /// Asks the user of a call, and waits for the answer. The future can be dropped.
    pub(super) async fn ask(&self, question: Map<String, Value>) -> Map<String, Value> {
        let Some(exchange) = &self.exchange else { return answer_with("decline") };
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let asking = Asking::new(self);
        exchange.elicit(
            question,
            Box::new(move |reply| {
                // The question may have been withdrawn.
                let _ = sender.send(reply);
            }),
        );
        let reply = tokio::select! {
            reply = receiver => reply.unwrap_or_else(|_| answer_with("decline")),
            () = self.over.wait() => answer_with("cancel"),
        };
        drop(asking);
        reply
    }
}

/// Returns an answer to a question without content.
pub(super) fn answer_with(action: &str) -> Map<String, Value> {
    Map::from_iter([("action".to_owned(), Value::from(action))])
}

/// A question that waits for its answer.
struct Asking<'r>(&'r Request);

impl<'r> Asking<'r> {
    fn new(request: &'r Request) -> Self {
        request.questions.fetch_add(1, Ordering::SeqCst);
        request.activity.notify_one();
        Self(request)
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.0.questions.fetch_sub(1, Ordering::SeqCst);
        self.0.activity.notify_one();
    }
}
