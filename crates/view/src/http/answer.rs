//! What is answered to a request.

use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt as _, Limited};
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue, LOCATION};
use hyper::{Method, Request, StatusCode};
use minds_diagnostics::emit::JSON_VERSION;
use minds_serve::{Reply, Visit, reply};
use minds_taskdoc::package::MAX_SECTION_BYTES;
use minds_taskdoc::{Section, TaskCode};
use serde::Serialize;
use serde_json::json;
use tokio::sync::Semaphore;

use super::door::{Admission, Door, seal};
use super::events;
use super::news::News;
use crate::assets::Asset;
use crate::change::{Outcome, Wish};
use crate::view::View;

/// How many bytes a change has at most: those of a section, each as `\u0000`, and a frame.
const MAX_BODY: u64 = 6 * MAX_SECTION_BYTES + 4 * 1024;
/// How long a change may take to arrive.
const PATIENCE: Duration = Duration::from_secs(30);
/// How many changes arrive at once; others wait.
const BODIES_AT_ONCE: usize = 2;
/// How many pages are told of news at once.
const PAGES: usize = 32;

/// What all requests share.
#[derive(Debug)]
pub(super) struct House {
    door: Door,
    news: Arc<News>,
    bodies: Semaphore,
    pages: Arc<Semaphore>,
}

/// A request that is not answered as it was meant.
struct Refusal {
    status: StatusCode,
    code: &'static str,
    message: String,
    allow: Option<&'static str>,
}

impl Refusal {
    fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), allow: None }
    }

    fn method(allow: &'static str) -> Self {
        let message = format!("only {allow} is answered here");
        let refusal = Self::new(StatusCode::METHOD_NOT_ALLOWED, "METHOD_NOT_ALLOWED", message);
        Self { allow: Some(allow), ..refusal }
    }

    fn into_reply(self) -> Reply {
        let document =
            json!({"version": JSON_VERSION, "status": "error", "code": self.code, "message": self.message});
        let mut reply = document_reply(self.status, &document);
        if let Some(allow) = self.allow {
            reply.headers_mut().insert(ALLOW, HeaderValue::from_static(allow));
        }
        reply
    }
}

impl House {
    pub(super) fn new(door: Door, news: Arc<News>) -> Self {
        Self { door, news, bodies: Semaphore::new(BODIES_AT_ONCE), pages: Arc::new(Semaphore::new(PAGES)) }
    }

    pub(super) async fn answer(&self, request: Request<Incoming>, visit: &Visit) -> Reply {
        let path = match self.door.admit(&request) {
            Ok(Admission::Inside(path)) => Ok(path.to_owned()),
            Ok(Admission::Redirect) => {
                visit.trust();
                return seal(see_other(&self.door.home()));
            }
            Err(refused) => Err(refused),
        };
        let answered = match path {
            Ok(path) => {
                visit.trust();
                self.inside(&path, request).await
            }
            Err(refused) => Err(Refusal::new(StatusCode::FORBIDDEN, "FORBIDDEN", refused.message())),
        };
        seal(answered.unwrap_or_else(Refusal::into_reply))
    }

    async fn inside(&self, path: &str, request: Request<Incoming>) -> Result<Reply, Refusal> {
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
            _ => Err(Refusal::new(StatusCode::NOT_FOUND, "NOT_FOUND", "there is nothing here")),
        }
    }

    async fn package(&self) -> Result<Reply, Refusal> {
        // A large package takes a while to write down, so that too is done on another thread.
        let told = self.news.with(|view| view.document().map(|document| bytes(&document))).await;
        match told.ok_or_else(died)? {
            Ok(body) => Ok(json_reply(StatusCode::OK, body)),
            Err(error) => Ok(document_reply(status(error.code), &Outcome::refused(&error, None))),
        }
    }

    fn events(&self) -> Result<Reply, Refusal> {
        let place = Arc::clone(&self.pages).try_acquire_owned().map_err(|_| {
            Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "TOO_MANY", "too many pages are open")
        })?;
        Ok(events::stream(Arc::clone(&self.news), place))
    }

    async fn change(&self, section: &str, request: Request<Incoming>) -> Result<Reply, Refusal> {
        let invalid = |message: String| Refusal::new(StatusCode::BAD_REQUEST, "INVALID_REQUEST", message);
        // Forms of pages from elsewhere cannot send this type without asking first.
        let media_type = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let media_type = media_type.and_then(|value| value.split(';').next()).map(str::trim);
        if !media_type.is_some_and(|value| value.eq_ignore_ascii_case("application/json")) {
            let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
            return Err(Refusal::new(status, "INVALID_REQUEST", "a change is `application/json`"));
        }
        // Written here as it is shown, and in no other way.
        let section = match Section::parse_qualified(section) {
            Ok(parsed) if parsed.to_string() == section => parsed,
            Ok(parsed) => return Err(invalid(format!("this section is `{parsed}`"))),
            Err(error) => return Ok(document_reply(status(error.code), &Outcome::refused(&error, None))),
        };
        let body = self.body(request.into_body()).await?;
        let outcome = self.news.with(move |view: &View| {
            let wish = Wish::read(&body)?;
            let outcome = view.change(&section, wish);
            Ok(json_reply(outcome.refusal().map_or(StatusCode::OK, status), bytes(&outcome)))
        });
        let reply = outcome.await.ok_or_else(died)?.map_err(invalid)?;
        // Other pages need not wait for the next look.
        self.news.look().await;
        Ok(reply)
    }

    async fn body(&self, body: Incoming) -> Result<Bytes, Refusal> {
        let too_large = || {
            let message = format!("a section has at most {MAX_SECTION_BYTES} bytes");
            Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, TaskCode::TooLarge.as_str(), message)
        };
        // What says so itself is not waited for.
        if body.size_hint().lower() > MAX_BODY {
            return Err(too_large());
        }
        let late =
            || Refusal::new(StatusCode::REQUEST_TIMEOUT, "TIMEOUT", "the change took too long to arrive");
        let arrive = async {
            let _place = self.bodies.acquire().await;
            Limited::new(body, usize::try_from(MAX_BODY).unwrap_or(usize::MAX)).collect().await
        };
        match tokio::time::timeout(PATIENCE, arrive).await {
            Err(_) => Err(late()),
            Ok(Ok(body)) => Ok(body.to_bytes()),
            Ok(Err(_)) => Err(too_large()),
        }
    }
}

/// Returns what HTTP calls a reason of a package.
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

fn died() -> Refusal {
    Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, TaskCode::Failed.as_str(), "the answer was lost")
}

fn bytes(document: &impl Serialize) -> Vec<u8> {
    // The documents hold only strings, numbers and lists of them, so serialization cannot fail.
    serde_json::to_vec(document).unwrap_or_default()
}

fn document_reply(status: StatusCode, document: &impl Serialize) -> Reply {
    json_reply(status, bytes(document))
}

fn json_reply(status: StatusCode, body: Vec<u8>) -> Reply {
    typed(reply(status, body), "application/json")
}

/// Returns a reply that leads to another path of this server.
fn see_other(path: &str) -> Reply {
    let mut reply = reply(StatusCode::SEE_OTHER, "");
    // The path is made of ASCII letters, digits and slashes.
    if let Ok(path) = HeaderValue::from_str(path) {
        reply.headers_mut().insert(LOCATION, path);
    }
    reply
}

fn text_reply(asset: Asset) -> Reply {
    typed(reply(StatusCode::OK, asset.text), asset.media_type)
}

fn typed(mut reply: Reply, media_type: &'static str) -> Reply {
    reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    reply
}
