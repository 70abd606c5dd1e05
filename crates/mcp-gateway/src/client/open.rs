//! The handshake: attempts in an order that depends on what is known about the server.

use std::collections::VecDeque;
use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::model::{ErrorData, ProtocolVersion};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, RunningService, serve_client_with_lifecycle,
};
use rmcp::transport::Transport;

use super::error::shorten;
use super::handler::Handler;
use super::http::{HttpClient, explain_transport};
use super::process::Process;
use super::stdio::{Input, Stdio};
use super::wire::{MODERN, Wire, newest_handshake};
use super::{ConnectError, Options, PipeRelay, ServerEvents};
use crate::{HttpServer, StdioServer, Transport as Server};

/// A server after the handshake.
pub(super) struct Opened {
    pub(super) service: RunningService<RoleClient, Handler>,
    pub(super) wire: Arc<Wire>,
    pub(super) process: Option<(Arc<Process>, Input)>,
    /// What the messages pass through.
    pub(super) relay: Option<u64>,
}

/// Why an attempt failed.
struct Failure {
    error: ConnectError,
    /// Whether the server may accept another handshake.
    is_final: bool,
}

/// A handshake of the revision is attempted, or `server/discover` with one on the same connection after it.
fn discovery() -> ClientLifecycleMode {
    ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: Some(newest_handshake()),
    }
}

/// Starts or reaches a server, and makes the handshake.
pub(super) async fn open(
    server: &Server,
    options: &Options,
    events: &Arc<dyn ServerEvents>,
    relay: Option<&dyn PipeRelay>,
) -> Result<Opened, ConnectError> {
    // A session was opened with a handshake.
    let resumed = matches!(server, Server::Http(server) if server.session.is_some()).then(newest_handshake);
    let known = options.revision.as_deref().filter(|revision| *revision != MODERN);
    let mut attempts = match known.and_then(known_revision).or(resumed) {
        Some(revision) => VecDeque::from([Some(revision), None]),
        None => VecDeque::from([None, Some(newest_handshake())]),
    };
    let mut tried = Vec::new();
    let mut last = ConnectError::Invalid;
    while let Some(attempt) = attempts.pop_front() {
        tried.push(attempt.clone().unwrap_or_else(newest_handshake));
        let is_newest = attempt.is_none();
        let opened = match server {
            Server::Stdio(server) => start_program(server, options, events, attempt, relay).await,
            Server::Http(server) => reach(server, options, events, attempt).await,
        };
        match opened {
            Ok(opened) => return Ok(opened),
            Err(failure) if failure.is_final => return Err(failure.error),
            Err(failure) => last = failure.error,
        }
        if let ConnectError::Refused { supported, .. } = &last {
            if is_newest {
                attempts.clear();
            }
            // A server that refuses a revision may say which one it speaks.
            let others = supported.iter().filter_map(|revision| known_revision(revision));
            let others = others.filter(|revision| !tried.contains(revision));
            if let Some(next) = others.max_by(|one, other| one.as_str().cmp(other.as_str())) {
                attempts.push_front(Some(next));
            }
        }
    }
    Err(last)
}

async fn start_program(
    server: &StdioServer,
    options: &Options,
    events: &Arc<dyn ServerEvents>,
    attempt: Option<ProtocolVersion>,
    relay: Option<&dyn PipeRelay>,
) -> Result<Opened, Failure> {
    let wire = Wire::new(Arc::clone(events));
    let (process, pipes) =
        Process::start(server, options, &wire, relay).map_err(|error| Failure { error, is_final: true })?;
    let relay = pipes.relay;
    let guard = KillOnDrop(Some(Arc::clone(&process)));
    let stdio = Stdio::new(&wire, pipes, options.times.discovery);
    let input = stdio.input();
    match handshake(stdio, &wire, attempt).await {
        Ok(service) => {
            guard.disarm();
            Ok(Opened { service, wire, process: Some((process, input)), relay })
        }
        Err(HandshakeError::Ended) => {
            let reason = match wire.failure.get() {
                Some(reason) => Some(reason.clone()),
                None => process.describe_end().await,
            };
            let reason = reason.unwrap_or_else(|| {
                format!("the program `{}` closed its output before the handshake", server.command)
            });
            Err(Failure { error: ConnectError::Unreachable { reason }, is_final: false })
        }
        Err(HandshakeError::Other(error)) => Err(Failure::new(error)),
    }
}

async fn reach(
    server: &HttpServer,
    options: &Options,
    events: &Arc<dyn ServerEvents>,
    attempt: Option<ProtocolVersion>,
) -> Result<Opened, Failure> {
    let wire = Wire::new(Arc::clone(events));
    let client = HttpClient::new(server, options, &wire).map_err(Failure::new)?;
    match handshake(client.transport(), &wire, attempt).await {
        Ok(service) => Ok(Opened { service, wire, process: None, relay: None }),
        Err(HandshakeError::Ended) => {
            let reason = wire.take_trouble();
            Err(Failure::new(
                reason.map_or(ConnectError::Invalid, |reason| ConnectError::Unreachable { reason }),
            ))
        }
        Err(HandshakeError::Other(error)) => Err(Failure::new(error)),
    }
}

impl Failure {
    fn new(error: ConnectError) -> Self {
        let is_final = !matches!(error, ConnectError::Refused { .. });
        Self { error, is_final }
    }
}

/// Kills a program whose handshake is given up.
struct KillOnDrop(Option<Arc<Process>>);

impl KillOnDrop {
    fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for KillOnDrop {
    fn drop(&mut self) {
        if let Some(process) = &self.0 {
            process.kill();
        }
    }
}

/// Why there was no handshake.
pub(super) enum HandshakeError {
    /// The transport ended.
    Ended,
    /// Anything else.
    Other(ConnectError),
}

/// Makes the handshake: of this revision, or without one `server/discover` and the newest one.
pub(super) async fn handshake<T>(
    transport: T,
    wire: &Arc<Wire>,
    revision: Option<ProtocolVersion>,
) -> Result<RunningService<RoleClient, Handler>, HandshakeError>
where
    T: Transport<RoleClient> + 'static,
{
    let mode = match &revision {
        None => discovery(),
        Some(_) => ClientLifecycleMode::Initialize,
    };
    let handler = Handler::new(wire, revision.unwrap_or_else(newest_handshake));
    let service = serve_client_with_lifecycle(handler, transport, mode).await.map_err(translate)?;
    let spoken = service.peer().peer_info().map(|info| info.protocol_version.clone());
    match spoken {
        Some(revision) if ProtocolVersion::KNOWN_VERSIONS.contains(&revision) => Ok(service),
        Some(revision) => {
            Err(HandshakeError::Other(ConnectError::Revision { revision: shorten(revision.as_str()) }))
        }
        None => Err(HandshakeError::Other(ConnectError::Invalid)),
    }
}

fn translate(error: ClientInitializeError) -> HandshakeError {
    match error {
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => translate(*fallback),
        ClientInitializeError::TransportError { error, .. } => match explain_transport(&error) {
            Some(reason) => HandshakeError::Other(ConnectError::Unreachable { reason }),
            None => HandshakeError::Ended,
        },
        ClientInitializeError::ConnectionClosed(_) => HandshakeError::Ended,
        ClientInitializeError::JsonRpcError(error) => HandshakeError::Other(refusal(&error)),
        _ => HandshakeError::Other(ConnectError::Invalid),
    }
}

fn refusal(error: &ErrorData) -> ConnectError {
    let supported = error.data.as_ref().and_then(|data| data.get("supported"));
    let supported = supported.and_then(|list| list.as_array()).map(Vec::as_slice).unwrap_or_default();
    ConnectError::Refused {
        code: error.code.0.into(),
        message: shorten(&error.message),
        supported: supported.iter().filter_map(|one| Some(one.as_str()?.to_owned())).collect(),
    }
}

/// Returns a revision with a handshake.
fn known_revision(revision: &str) -> Option<ProtocolVersion> {
    let known = ProtocolVersion::KNOWN_VERSIONS.iter().filter(|one| one.has_initialize());
    known.into_iter().find(|one| one.as_str() == revision).cloned()
}
