//! An answer that arrives over HTTP.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http_body_util::BodyExt as _;
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_ENCODING, CONTENT_TYPE};
use hyper::{HeaderMap, Request, Response};
use tokio::task::yield_now;
use tokio::time::{Instant, timeout_at};

use super::engine::{Body, Engine, lock};
use super::failure::{classify, retry_after};
use super::{Endpoint, Times};
use crate::calls::invalid;
use crate::error_code::ProviderError;
use crate::{Answer, AnswerReader, ModelError, ModelErrorKind, ModelEvent, ModelRequest, Protocol};

/// The maximum size of the body of a refusal that is read, in bytes.
const MAX_REFUSAL_BYTES: usize = 64 << 10;
/// The maximum time for the body of a refusal.
const REFUSAL_TIME: Duration = Duration::from_secs(2);

/// The maximum time between the end marker of an answer and the end of the response.
const END_TIME: Duration = Duration::from_millis(10);

/// An answer that arrives over HTTP.
pub(super) struct HttpAnswer {
    stage: Stage,
    /// None after the end.
    engine: Option<Engine>,
    idle: Arc<Mutex<Option<Engine>>>,
    request: ModelRequest,
    endpoint: Arc<Endpoint>,
    host: String,
    events: VecDeque<ModelEvent>,
    /// The failure after the events.
    failure: Option<ModelErrorKind>,
    /// When the provider has to have written more, and the time that it had.
    deadline: (Instant, Duration),
}

type Sending = Pin<Box<dyn Future<Output = Result<Response<Incoming>, ModelErrorKind>> + Send>>;

enum Stage {
    /// The request is sent, and the response has not begun.
    Sending(Sending),
    /// The response is a success.
    Reading { body: Incoming, reader: AnswerReader },
    /// The response is a refusal, whose body may have a code.
    Refused { status: u16, retry_after: Option<Duration>, body: Incoming, text: Vec<u8> },
    /// Nothing follows.
    Ended,
}

/// What happened next.
enum Progress {
    Response(Response<Incoming>),
    Part(Bytes),
    End,
    Failed(ModelErrorKind),
}

impl HttpAnswer {
    pub(super) fn new(
        engine: Engine,
        sent: Request<Body>,
        request: ModelRequest,
        endpoint: &Arc<Endpoint>,
        host: String,
        idle: Arc<Mutex<Option<Engine>>>,
    ) -> Self {
        let sending = engine.client.request(sent);
        let sending = async { sending.await.map_err(|error| classify(&error, error.is_connect())) };
        let Times { connect, first_byte, .. } = endpoint.times;
        Self {
            stage: Stage::Sending(Box::pin(sending)),
            engine: Some(engine),
            idle,
            request,
            endpoint: Arc::clone(endpoint),
            host,
            events: VecDeque::new(),
            failure: None,
            deadline: (Instant::now() + connect + first_byte, first_byte),
        }
    }

    fn apply(&mut self, progress: Progress) {
        match (progress, &mut self.stage) {
            (Progress::Response(response), _) => self.take_response(response),
            // The status is known, and the code is not.
            (Progress::Failed(_) | Progress::End, Stage::Refused { .. }) => self.refuse(),
            (Progress::Failed(kind), _) => self.fail(kind),
            (Progress::Part(bytes), Stage::Reading { reader, .. }) => {
                let time = self.endpoint.times.between_events;
                self.deadline = (Instant::now() + time, time);
                let read = reader.push(&bytes, &mut self.events);
                let is_ended = reader.is_ended();
                match read {
                    Err(kind) => self.fail(kind),
                    Ok(()) if is_ended => self.complete(),
                    Ok(()) => {}
                }
            }
            (Progress::Part(bytes), Stage::Refused { text, .. }) => {
                text.extend_from_slice(&bytes);
                if text.len() > MAX_REFUSAL_BYTES {
                    self.refuse();
                }
            }
            (Progress::End, Stage::Reading { .. }) => {
                if let Stage::Reading { reader, .. } = std::mem::replace(&mut self.stage, Stage::Ended) {
                    match reader.finish(&mut self.events) {
                        Ok(()) => self.complete(),
                        Err(kind) => self.fail(kind),
                    }
                }
            }
            (Progress::Part(_) | Progress::End, Stage::Sending(_) | Stage::Ended) => {}
        }
    }

    fn take_response(&mut self, response: Response<Incoming>) {
        let (parts, body) = response.into_parts();
        let status = parts.status.as_u16();
        if !parts.status.is_success() {
            let end = self.deadline.0.min(Instant::now() + REFUSAL_TIME);
            self.deadline = (end, REFUSAL_TIME);
            let retry_after = retry_after(&parts.headers);
            self.stage = Stage::Refused { status, retry_after, body, text: Vec::new() };
            return;
        }
        match is_stream(&parts.headers, Protocol::is_streamed(&self.request)) {
            Ok(is_stream) => {
                let reader = AnswerReader::new(self.endpoint.protocol, &self.request, is_stream);
                self.stage = Stage::Reading { body, reader };
            }
            Err(kind) => self.fail(kind),
        }
    }

    /// Fails with the status of a refusal.
    fn refuse(&mut self) {
        if let Stage::Refused { status, retry_after, text, .. } =
            std::mem::replace(&mut self.stage, Stage::Ended)
        {
            let code = std::str::from_utf8(&text).ok().and_then(|text| ProviderError::read(text).code);
            self.fail(ModelErrorKind::Status { status, retry_after, code });
        }
    }

    /// Ends the answer, and its connection at once.
    fn fail(&mut self, kind: ModelErrorKind) {
        self.stage = Stage::Ended;
        self.engine = None;
        self.failure = Some(kind);
    }

    /// Ends the answer. Its connection serves the next one if the response ends too.
    fn complete(&mut self) {
        let stage = std::mem::replace(&mut self.stage, Stage::Ended);
        let Some(engine) = self.engine.take() else { return };
        let is_idle = engine.run(async {
            let has_ended = match stage {
                Stage::Reading { mut body, .. } => {
                    timeout_at(Instant::now() + END_TIME, skip(&mut body)).await
                }
                _ => Ok(true),
            };
            // The connection notices the end of the response.
            yield_now().await;
            has_ended
        });
        if let Some(Ok(true)) = is_idle {
            *lock(&self.idle) = Some(engine);
        }
    }
}

impl Answer for HttpAnswer {
    fn next(&mut self, wait: Duration) -> Result<Option<ModelEvent>, ModelError> {
        let end = Instant::now() + wait;
        loop {
            if let Some(event) = self.events.pop_front() {
                return Ok(Some(event));
            }
            if let Some(kind) = self.failure.take() {
                let error = ModelError::new(&self.endpoint.provider, kind);
                return Err(ModelError { endpoint: Some(self.host.clone()), ..error });
            }
            let Some(engine) = &self.engine else { return Ok(None) };
            let (deadline, time) = self.deadline;
            let stage = &mut self.stage;
            match engine.run(async { timeout_at(end.min(deadline), stage.next()).await }) {
                Some(Ok(progress)) => self.apply(progress),
                Some(Err(_)) if deadline <= Instant::now() => {
                    self.apply(Progress::Failed(ModelErrorKind::Timeout(time)));
                }
                Some(Err(_)) | None => return Ok(None),
            }
        }
    }
}

impl Stage {
    /// Waits for what happens next. To drop the future loses nothing.
    async fn next(&mut self) -> Progress {
        let body = match self {
            Self::Sending(sending) => {
                return sending.await.map_or_else(Progress::Failed, Progress::Response);
            }
            Self::Reading { body, .. } | Self::Refused { body, .. } => body,
            Self::Ended => return Progress::End,
        };
        match body.frame().await {
            None => Progress::End,
            Some(Ok(frame)) => Progress::Part(frame.into_data().unwrap_or_default()),
            Some(Err(_)) => Progress::Failed(ModelErrorKind::Connection),
        }
    }
}

/// Reads the rest of a body, which is small; returns whether it ends.
async fn skip(body: &mut Incoming) -> bool {
    let mut bytes = 0;
    loop {
        match body.frame().await {
            None => return true,
            Some(Ok(frame)) => bytes += frame.data_ref().map_or(0, Bytes::len),
            Some(Err(_)) => return false,
        }
        if bytes > MAX_REFUSAL_BYTES {
            return false;
        }
    }
}

/// Returns whether a response is a stream of events; otherwise it is one JSON document.
fn is_stream(headers: &HeaderMap, is_expected: bool) -> Result<bool, ModelErrorKind> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !matches!(text(CONTENT_ENCODING).trim(), "" | "identity") {
        return Err(invalid("the response is compressed, which was not asked for"));
    }
    let kind = text(CONTENT_TYPE).split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match kind.as_str() {
        "text/event-stream" => Ok(true),
        "application/json" => Ok(false),
        "" | "text/plain" | "application/octet-stream" => Ok(is_expected),
        _ => Err(invalid("the response is neither a stream of events nor JSON: check the base URL")),
    }
}
