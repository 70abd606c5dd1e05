//! A server on loopback, whose answers a test decides.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use http_body_util::BodyExt as _;
use hyper::body::{Body, Bytes, Frame, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use minds_mcp_gateway::HttpServer;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

/// A request that arrived.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: Value,
}

impl Seen {
    /// The method of the protocol, or of HTTP if there is no message.
    pub(super) fn name(&self) -> &str {
        let is_reply = self.body.get("result").or(self.body.get("error")).is_some();
        let name = self.body["method"].as_str().unwrap_or(&self.method);
        if is_reply { "reply" } else { name }
    }

    pub(super) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    pub(super) fn tool(&self) -> &str {
        self.body["params"]["name"].as_str().unwrap_or_default()
    }
}

/// A response. Its body stays open as long as a sender exists.
pub(super) struct Reply {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: mpsc::UnboundedReceiver<String>,
}

impl Reply {
    pub(super) fn new(status: u16, kind: &str, text: &str) -> Self {
        let (sender, body) = mpsc::unbounded_channel();
        sender.send(text.to_owned()).unwrap();
        Self { status, headers: vec![("content-type", kind.to_owned())], body }
    }

    pub(super) fn status(status: u16) -> Self {
        Self::new(status, "text/plain", "an explanation")
    }

    pub(super) fn json(message: &Value) -> Self {
        Self::new(200, "application/json; charset=utf-8", &message.to_string())
    }

    /// A result of a request.
    pub(super) fn result(seen: &Seen, result: &Value) -> Self {
        Self::json(&json!({"jsonrpc": "2.0", "id": seen.body["id"], "result": result}))
    }

    /// A refusal of a request.
    pub(super) fn refusal(seen: &Seen, code: i64) -> Self {
        Self::json(
            &json!({"jsonrpc": "2.0", "id": seen.body["id"], "error": {"code": code, "message": "no"}}),
        )
    }

    /// A stream of events that stays open as long as the sender.
    pub(super) fn events() -> (mpsc::UnboundedSender<String>, Self) {
        let (sender, body) = mpsc::unbounded_channel();
        let headers = vec![("content-type", "text/event-stream".to_owned())];
        (sender, Self { status: 200, headers, body })
    }

    pub(super) fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }
}

pub(super) fn event(message: &Value) -> String {
    format!("data: {message}\n\n")
}

impl Body for Reply {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.body.poll_recv(context).map(|text| text.map(|text| Ok(Frame::data(text.into()))))
    }
}

/// A running server. It ends with this value.
pub(super) struct Web {
    pub(super) port: u16,
    requests: watch::Sender<Vec<Seen>>,
    accepting: JoinHandle<()>,
}

type Decide = Arc<dyn Fn(&Seen) -> Reply + Send + Sync>;

impl Web {
    pub(super) async fn start(decide: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        Self::start_with(decide, async |stream| Some(stream)).await
    }

    /// Starts a server over connections that are made by `wrap`.
    pub(super) async fn start_with<S, F>(
        decide: impl Fn(&Seen) -> Reply + Send + Sync + 'static,
        wrap: impl Fn(tokio::net::TcpStream) -> F + Send + 'static,
    ) -> Self
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
        F: Future<Output = Option<S>> + Send,
    {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = watch::Sender::new(Vec::new());
        let (decide, seen) = (Arc::new(decide) as Decide, requests.clone());
        let accepting = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let Some(stream) = wrap(stream).await else { continue };
                let (decide, seen) = (Arc::clone(&decide), seen.clone());
                let service = service_fn(move |request| answer(request, Arc::clone(&decide), seen.clone()));
                let connection = hyper::server::conn::http1::Builder::new();
                tokio::spawn(connection.serve_connection(TokioIo::new(stream), service));
            }
        });
        Self { port, requests, accepting }
    }

    pub(super) fn server(&self) -> HttpServer {
        HttpServer {
            url: format!("http://127.0.0.1:{}/mcp?key=s3cr3t-url", self.port),
            headers: vec![("Authorization".to_owned(), "Bearer s3cr3t-header".to_owned())],
            session: None,
        }
    }

    /// Waits for a request by its name, and returns all of this name.
    pub(super) async fn wait_for(&self, name: &str) -> Vec<Seen> {
        let mut requests = self.requests.subscribe();
        requests.wait_for(|all| all.iter().any(|seen| seen.name() == name)).await.unwrap();
        self.all(name)
    }

    pub(super) fn all(&self, name: &str) -> Vec<Seen> {
        self.requests.borrow().iter().filter(|seen| seen.name() == name).cloned().collect()
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.requests.borrow().iter().map(|seen| seen.name().to_owned()).collect()
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn answer(
    request: Request<Incoming>,
    decide: Decide,
    seen: watch::Sender<Vec<Seen>>,
) -> Result<Response<Reply>, Infallible> {
    let (parts, body) = request.into_parts();
    let bytes = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let text = |value: &hyper::header::HeaderValue| value.to_str().unwrap().to_owned();
    let request = Seen {
        method: parts.method.to_string(),
        path: parts.uri.path().to_owned(),
        headers: parts.headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect(),
        body: serde_json::from_slice(&bytes).unwrap_or_default(),
    };
    seen.send_modify(|all| all.push(request.clone()));
    let reply = decide(&request);
    let mut response = Response::builder().status(reply.status);
    for (name, value) in &reply.headers {
        response = response.header(*name, value);
    }
    Ok(response.body(reply).unwrap())
}

/// A server without handshake; `call` answers calls.
pub(super) fn modern(seen: &Seen, call: impl Fn(&Seen) -> Reply) -> Reply {
    match seen.name() {
        "server/discover" => Reply::result(
            seen,
            &json!({
                "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
                "serverInfo": {"name": "web", "version": "1"}, "ttlMs": 0, "cacheScope": "private",
            }),
        ),
        "tools/list" => Reply::result(seen, &tools()),
        "tools/call" => call(seen),
        _ => Reply::status(400),
    }
}

fn tools() -> Value {
    let schema =
        json!({"type": "object", "properties": {"where": {"type": "string", "x-mcp-header": "Region"}}});
    json!({
        "tools": [{"name": "t", "inputSchema": schema}], "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
    })
}

/// A server with a handshake and sessions. Sessions are numbered.
#[derive(Default)]
pub(super) struct Sessions {
    opened: Mutex<usize>,
    /// The requests that are answered before the session expires.
    pub(super) expired: Mutex<bool>,
}

impl Sessions {
    pub(super) fn decide(&self, seen: &Seen, call: impl Fn(&Seen) -> Reply) -> Reply {
        let id = || format!("session-{}", self.opened.lock().unwrap());
        let is_expired = *self.expired.lock().unwrap() || seen.header("mcp-session-id") != id();
        match seen.name() {
            "server/discover" => Reply::status(404),
            "initialize" => {
                *self.opened.lock().unwrap() += 1;
                *self.expired.lock().unwrap() = false;
                let revision = &seen.body["params"]["protocolVersion"];
                let server = json!({"name": "web", "version": "1"});
                let result =
                    json!({"protocolVersion": revision, "capabilities": {"tools": {}}, "serverInfo": server});
                Reply::result(seen, &result).with("mcp-session-id", &id())
            }
            _ if is_expired => Reply::status(404),
            "GET" => Reply::status(405),
            "DELETE" => Reply::status(204),
            "tools/list" => Reply::result(seen, &tools()),
            "tools/call" => call(seen),
            _ => Reply::status(202),
        }
    }
}
