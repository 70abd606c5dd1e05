//! The client's side of a connection.

use std::time::Duration;

use minds_fleet_protocol::{AgentId, Caller, ErrorCode, Failure, Now, Request, Response};
use minds_fs::wait_for;

use super::connection::Connection;
use super::wire::{
    AgentLine, ClaimLine, ClientHello, ClientLine, PROTOCOL, ReleaseLine, encode, is_about_connection,
};
use crate::in_flight::{InFlight, connection_ended, encode_request};
use crate::state_record::storage;
use crate::{ClaimCall, ClientEvent, ClientPort};

/// A client.
#[derive(Debug)]
pub(super) struct LocalClient {
    agent: AgentId,
    caller: Caller,
    connection: Connection,
    in_flight: InFlight,
    /// Why the connection cannot be used, if the agent speaks another protocol.
    refused: Option<Failure>,
}

impl LocalClient {
    /// Introduces the client. Without a key it can only observe.
    pub(super) fn new(
        agent: AgentId,
        caller: Caller,
        mut connection: Connection,
        key: Option<String>,
    ) -> Self {
        let hello = ClientLine::Hello(ClientHello { protocol: PROTOCOL, caller: caller.clone(), key });
        connection.send(&encode(&hello));
        Self { agent, caller, connection, in_flight: InFlight::default(), refused: None }
    }

    fn expect_connected(&self) -> Result<(), Failure> {
        match &self.refused {
            Some(failure) => Err(failure.clone()),
            None if self.connection.has_ended() => Err(connection_ended()),
            None => Ok(()),
        }
    }

    /// Returns the event of a line; none for a line that is not expected.
    fn read_line(&mut self, line: &[u8]) -> Option<ClientEvent> {
        if !is_about_connection(line) {
            return self.in_flight.finish(Response::decode(line).ok()?);
        }
        match serde_json::from_slice(line).ok()? {
            AgentLine::Hello(hello) => {
                if hello.protocol != PROTOCOL || hello.id != self.agent {
                    let message = format!(
                        "`{}` answers as `{}` with the protocol {}, expected {PROTOCOL}",
                        self.agent, hello.id, hello.protocol
                    );
                    self.refused = Some(Failure::new(ErrorCode::HandlerError, message));
                }
                self.in_flight.note_epoch(hello.epoch);
                None
            }
            AgentLine::Claim(result) => self.in_flight.finish_claim(result.into_result()?),
            AgentLine::Wake { offset } => Some(ClientEvent::Wake(offset)),
            AgentLine::Owner(line) => Some(ClientEvent::Takeover(line.into())),
        }
    }
}

impl ClientPort for LocalClient {
    fn send(&mut self, request: Request, now: Now) -> Result<(), Failure> {
        let mut line = encode_request(&request, &self.caller)?;
        self.expect_connected()?;
        self.in_flight.begin(&request, now)?;
        line.push('\n');
        self.connection.send(line.as_bytes());
        Ok(())
    }

    fn claim(&mut self, claim: ClaimCall, now: Now) -> Result<(), Failure> {
        self.expect_connected()?;
        self.in_flight.begin_claim(now)?;
        let line = ClaimLine { takeover: claim.is_takeover, resume: claim.resume };
        self.connection.send(&encode(&ClientLine::Claim(line)));
        Ok(())
    }

    fn release(&mut self, _: Now) -> Result<(), Failure> {
        self.expect_connected()?;
        self.connection.send(&encode(&ClientLine::Release(ReleaseLine {})));
        Ok(())
    }

    fn receive(&mut self, now: Now, wait: Duration) -> Result<Option<ClientEvent>, Failure> {
        let mut wait = wait;
        loop {
            while let Some(line) = self.connection.take_line() {
                if let Some(event) = self.read_line(&line) {
                    return Ok(Some(event));
                }
            }
            if let Err(failure) = self.expect_connected() {
                return self.in_flight.disconnect().map(Some).ok_or(failure);
            }
            if let Some(event) = self.in_flight.expire(now) {
                return Ok(Some(event));
            }
            let deadline = self.in_flight.deadline().map(|deadline| deadline.saturating_sub(now.clock));
            let timeout = deadline.map_or(wait, |deadline| wait.min(deadline));
            let is_ready = wait_for(&[self.connection.watch()], timeout).map_err(|error| storage(&error))?;
            if !is_ready.contains(&true) {
                return Ok(None);
            }
            self.connection.flush();
            self.connection.fill();
            // How long the call has waited is not known.
            wait = Duration::ZERO;
        }
    }
}
