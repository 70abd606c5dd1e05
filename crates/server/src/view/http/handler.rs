//! Handling of requests.

use std::sync::Arc;
use std::time::Duration;

use crate::transport::{Connection, Reply, reply};
use http_body_util::{BodyExt as _, Limited};
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue, LOCATION};
use hyper::{Method, Request, StatusCode};
use minds_diagnostics::JSON_VERSION;
use minds_taskdoc::package::MAX_SECTION_BYTES;
use minds_taskdoc::{Section, TaskCode};
use serde::Serialize;
use tokio::sync::Semaphore;

use super::events;
use super::guard::{Admission, RequestGuard, add_security_headers};
use super::watcher::PackageWatcher;
use crate::view::View;
use crate::view::assets::Asset;
use crate::view::document::Status;
use crate::view::section_change::{Outcome, SectionChange};

/// The maximum size of the body of a change in bytes: a section with each byte escaped as `\u0000`, and the other fields.
const MAX_BODY: u64 = 6 * MAX_SECTION_BYTES + 4 * 1024;
/// The maximum time in which the body of a change must arrive.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);
/// The maximum number of bodies that are received concurrently; further requests wait.
const MAX_CONCURRENT_BODIES: usize = 2;
/// The maximum number of open pages.
const MAX_PAGES: usize = 32;

/// Handles all requests of a server.
#[derive(Debug)]
pub(super) struct RequestHandler {
    guard: RequestGuard,
    watcher: Arc<PackageWatcher>,
    bodies: Semaphore,
    pages: Arc<Semaphore>,
}

/// An error reply.
struct Refusal {
    status: StatusCode,
    code: Code,
    message: String,
    allow: Option<&'static str>,
}

/// Why a request was refused.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Code {
    Forbidden,
    InvalidRequest,
    MethodNotAllowed,
    NotFound,
    Timeout,
    TooMany,
    #[serde(untagged)]
    Task(TaskCode),
}

/// The body of an error reply.
#[derive(Serialize)]
struct RefusalDocument<'a> {
    version: u32,
    status: Status,
    code: Code,
    message: &'a str,
}

impl Refusal {
    fn new(status: StatusCode, code: Code, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), allow: None }
    }

    fn method(allow: &'static str) -> Self {
        let message = format!("only {allow} is allowed");
        let refusal = Self::new(StatusCode::METHOD_NOT_ALLOWED, Code::MethodNotAllowed, message);
        Self { allow: Some(allow), ..refusal }
    }

    fn into_reply(self) -> Reply {
        let document = RefusalDocument {
            version: JSON_VERSION,
            status: Status::Error,
            code: self.code,
            message: &self.message,
        };
        let mut reply = document_reply(self.status, &document);
        if let Some(allow) = self.allow {
            reply.headers_mut().insert(ALLOW, HeaderValue::from_static(allow));
        }
        reply
    }
}

impl RequestHandler {
    pub(super) fn new(guard: RequestGuard, watcher: Arc<PackageWatcher>) -> Self {
        Self {
            guard,
            watcher,
            bodies: Semaphore::new(MAX_CONCURRENT_BODIES),
            pages: Arc::new(Semaphore::new(MAX_PAGES)),
        }
    }

    pub(super) async fn answer(&self, request: Request<Incoming>, connection: &Connection) -> Reply {
        let path = match self.guard.admit(&request) {
            Ok(Admission::Resource(path)) => Ok(path.to_owned()),
            Ok(Admission::Redirect) => {
                connection.trust();
                return add_security_headers(see_other(&self.guard.page_path()));
            }
            Err(rejection) => Err(rejection),
        };
        let result = match path {
            Ok(path) => {
                connection.trust();
                self.answer_resource(&path, request).await
            }
            Err(rejection) => Err(Refusal::new(StatusCode::FORBIDDEN, Code::Forbidden, rejection.message())),
        };
        add_security_headers(result.unwrap_or_else(Refusal::into_reply))
    }

    async fn answer_resource(&self, path: &str, request: Request<Incoming>) -> Result<Reply, Refusal> {
        let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
        if let Some(asset) = Asset::find(path) {
            return if is_read { Ok(text_reply(asset)) } else { Err(Refusal::method("GET, HEAD")) };
        }
        match (path, path.strip_prefix("api/sections/")) {
            ("api/package", _) if is_read => self.package().await,
            ("api/events", _) if request.method() == Method::GET => self.events(),
            ("api/package", _) => Err(Refusal::method("GET, HEAD")),
            ("api/events", _) => Err(Refusal::method("GET")),
            (_, Some(section)) if request.method() == Method::PUT => self.change(section, request).await,
            (_, Some(_)) => Err(Refusal::method("PUT")),
            _ => Err(Refusal::new(StatusCode::NOT_FOUND, Code::NotFound, "not found")),
        }
    }

    async fn package(&self) -> Result<Reply, Refusal> {
        // Serializing a large package takes time, so that is done on the blocking thread as well.
        let result = self.watcher.run_blocking(|view| view.document().map(|document| bytes(&document))).await;
        match result.ok_or_else(lost_answer)? {
            Ok(body) => Ok(json_reply(StatusCode::OK, body)),
            Err(error) => Ok(document_reply(status(error.code), &Outcome::from_error(&error, None))),
        }
    }

    fn events(&self) -> Result<Reply, Refusal> {
        let permit = Arc::clone(&self.pages).try_acquire_owned().map_err(|_| {
            Refusal::new(StatusCode::SERVICE_UNAVAILABLE, Code::TooMany, "too many pages are open")
        })?;
        Ok(events::stream(Arc::clone(&self.watcher), permit))
    }

    async fn change(&self, section: &str, request: Request<Incoming>) -> Result<Reply, Refusal> {
        let invalid = |message: String| Refusal::new(StatusCode::BAD_REQUEST, Code::InvalidRequest, message);
        // Forms of other origins cannot send this type without a preflight request.
        let media_type = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let media_type = media_type.and_then(|value| value.split(';').next()).map(str::trim);
        if !media_type.is_some_and(|value| value.eq_ignore_ascii_case("application/json")) {
            let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
            return Err(Refusal::new(status, Code::InvalidRequest, "a change must be `application/json`"));
        }
        // Only the canonical spelling is accepted.
        let section = match Section::parse_qualified(section) {
            Ok(parsed) if parsed.to_string() == section => parsed,
            Ok(parsed) => return Err(invalid(format!("the name of this section is `{parsed}`"))),
            Err(error) => return Ok(document_reply(status(error.code), &Outcome::from_error(&error, None))),
        };
        let body = self.body(request.into_body()).await?;
        let outcome = self.watcher.run_blocking(move |view: &View| {
            let change = SectionChange::parse(&body)?;
            let outcome = view.change(&section, change);
            Ok(json_reply(outcome.refusal().map_or(StatusCode::OK, status), bytes(&outcome)))
        });
        let reply = outcome.await.ok_or_else(lost_answer)?.map_err(invalid)?;
        // Other pages are notified at once.
        self.watcher.check().await;
        Ok(reply)
    }

    async fn body(&self, body: Incoming) -> Result<Bytes, Refusal> {
        let too_large = || {
            let message = format!("a section has at most {MAX_SECTION_BYTES} bytes");
            Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, Code::Task(TaskCode::TooLarge), message)
        };
        // A body that declares such a size is not received at all.
        if body.size_hint().lower() > MAX_BODY {
            return Err(too_large());
        }
        let timeout =
            || Refusal::new(StatusCode::REQUEST_TIMEOUT, Code::Timeout, "the change took too long to arrive");
        let receive = async {
            let _permit = self.bodies.acquire().await;
            Limited::new(body, usize::try_from(MAX_BODY).unwrap_or(usize::MAX)).collect().await
        };
        match tokio::time::timeout(BODY_TIMEOUT, receive).await {
            Err(_) => Err(timeout()),
            Ok(Ok(body)) => Ok(body.to_bytes()),
            Ok(Err(_)) => Err(too_large()),
        }
    }
}

/// Returns the HTTP status for an error of a package.
fn status(code: TaskCode) -> StatusCode {
    match code {
        TaskCode::HashMismatch | TaskCode::SectionExists | TaskCode::NameCollision => StatusCode::CONFLICT,
        TaskCode::TaskdocNotFound | TaskCode::SectionNotFound => StatusCode::NOT_FOUND,
        TaskCode::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        TaskCode::Locked => StatusCode::LOCKED,
        TaskCode::NotMaintainer => StatusCode::FORBIDDEN,
        TaskCode::Failed | TaskCode::NotAFile | TaskCode::InvalidJournal | TaskCode::InvalidUtf8 => {
            StatusCode::INTERNAL_SERVER_ERROR
        }
        _ => StatusCode::BAD_REQUEST,
    }
}

fn lost_answer() -> Refusal {
    let message = "the request could not be completed";
    Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, Code::Task(TaskCode::Failed), message)
}

fn bytes(document: &impl Serialize) -> Vec<u8> {
    // The documents consist of strings, numbers and lists, so serialization cannot fail.
    serde_json::to_vec(document).unwrap_or_default()
}

fn document_reply(status: StatusCode, document: &impl Serialize) -> Reply {
    json_reply(status, bytes(document))
}

fn json_reply(status: StatusCode, body: Vec<u8>) -> Reply {
    with_media_type(reply(status, body), "application/json")
}

/// Returns a redirect to another path of this server.
fn see_other(path: &str) -> Reply {
    let mut reply = reply(StatusCode::SEE_OTHER, "");
    // The path is made of ASCII letters, digits and slashes.
    if let Ok(path) = HeaderValue::from_str(path) {
        reply.headers_mut().insert(LOCATION, path);
    }
    reply
}

fn text_reply(asset: Asset) -> Reply {
    with_media_type(reply(StatusCode::OK, asset.text), asset.media_type)
}

fn with_media_type(mut reply: Reply, media_type: &'static str) -> Reply {
    reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    reply
}
