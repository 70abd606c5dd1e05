//! Models that are asked over HTTP. Only this module knows the libraries for HTTP and TLS, and only it is asynchronous.
//!
//! One thread does the work, while it waits for the next event of an answer: nothing runs in the background.

mod answer;
mod connector;
mod engine;
mod failure;
mod url;

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue, USER_AGENT};
use hyper::{Method, Request};

use self::answer::HttpAnswer;
use self::connector::Connector;
use self::engine::{Engine, lock};
use self::url::BaseUrl;
use crate::{Answer, Model, ModelError, ModelErrorKind, ModelRequest, Protocol};

/// The maximum times that requests take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// Until there is a connection, with TLS.
    pub connect: Duration,
    /// From then until the first byte of the answer.
    pub first_byte: Duration,
    /// Between two parts of the answer.
    pub between_events: Duration,
}

impl Default for Times {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_byte: Duration::from_mins(2),
            between_events: Duration::from_mins(1),
        }
    }
}

/// The key of an API. Its debug output does not contain it.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// Wraps a key.
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into())
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("****")
    }
}

/// Where models are asked.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// The name of the provider, for messages.
    pub provider: String,
    /// The protocol.
    pub protocol: Protocol,
    /// The beginning of the URL, to which the path of the protocol is added.
    pub base_url: String,
    /// The key; none if the provider needs none.
    pub key: Option<Key>,
    /// The times that requests take at most.
    pub times: Times,
}

/// A model of a provider that is asked over HTTP.
///
/// Connections stay open between requests, but for one answer at a time. Redirects are not followed, because the key would be
/// sent to another address, and variables for proxies are not used.
pub struct HttpModel {
    endpoint: Arc<Endpoint>,
    url: BaseUrl,
    connector: Connector,
    idle: Arc<Mutex<Option<Engine>>>,
}

impl HttpModel {
    /// Creates a model.
    ///
    /// # Errors
    ///
    /// Fails with [`ModelErrorKind::Unavailable`] if the URL is not valid or contains a user or a password, if the key would be
    /// sent to another network without encryption, if it cannot be in a header, or if the system has no certificates.
    pub fn new(endpoint: Endpoint) -> Result<Self, ModelError> {
        let unavailable = |reason| ModelError::new(&endpoint.provider, ModelErrorKind::Unavailable(reason));
        let url = BaseUrl::parse(&endpoint.base_url, endpoint.key.is_some()).map_err(unavailable)?;
        let connector = Connector::new(url.is_plain(), endpoint.times.connect).map_err(unavailable)?;
        let model = Self { endpoint: Arc::new(endpoint), url, connector, idle: Arc::default() };
        model.key_header()?;
        Ok(model)
    }

    fn key_header(&self) -> Result<Option<(HeaderName, HeaderValue)>, ModelError> {
        let Some(Key(key)) = &self.endpoint.key else { return Ok(None) };
        let (name, value) = self.endpoint.protocol.key_header(key);
        let Ok(mut value) = HeaderValue::from_str(&value) else {
            let reason = "the key contains characters that cannot be sent, for example a line break";
            return Err(self.error(ModelErrorKind::Unavailable(reason.to_owned())));
        };
        value.set_sensitive(true);
        Ok(Some((HeaderName::from_static(name), value)))
    }

    fn error(&self, kind: ModelErrorKind) -> ModelError {
        ModelError {
            endpoint: Some(self.url.host().to_owned()),
            ..ModelError::new(&self.endpoint.provider, kind)
        }
    }

    fn request(&self, request: &ModelRequest) -> Result<Request<engine::Body>, ModelError> {
        let protocol = self.endpoint.protocol;
        let path = protocol.path(self.url.path(), request);
        let unavailable = |reason: &str| self.error(ModelErrorKind::Unavailable(reason.to_owned()));
        let uri =
            self.url.join(&path).ok_or_else(|| unavailable("the name of the model cannot be in a URL"))?;
        let body = serde_json::to_vec(&protocol.encode(request))
            .map_err(|_| unavailable("the request is not JSON"))?;
        let mut built = Request::new(engine::Body::from(body));
        *built.method_mut() = Method::POST;
        *built.uri_mut() = uri;
        let headers = built.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream, application/json"));
        headers.insert(USER_AGENT, HeaderValue::from_static(concat!("minds/", env!("CARGO_PKG_VERSION"))));
        for (name, value) in protocol.headers() {
            headers.insert(*name, HeaderValue::from_static(value));
        }
        headers.extend(self.key_header()?);
        Ok(built)
    }
}

impl Model for HttpModel {
    fn begin(&mut self, request: &ModelRequest) -> Result<Box<dyn Answer>, ModelError> {
        let sent = self.request(request)?;
        let engine = match lock(&self.idle).take() {
            Some(engine) => engine,
            None => Engine::new(self.connector.clone()).map_err(|_| {
                self.error(ModelErrorKind::Unreachable("the system permits no further connection"))
            })?,
        };
        let host = self.url.host().to_owned();
        let answer =
            HttpAnswer::new(engine, sent, request.clone(), &self.endpoint, host, Arc::clone(&self.idle));
        Ok(Box::new(answer))
    }
}
