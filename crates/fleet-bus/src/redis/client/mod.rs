//! The client's side.

mod ownership;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use minds_fleet_protocol::limits::HEARTBEAT_INTERVAL;
use minds_fleet_protocol::{
    AgentId, Caller, ErrorCode, Failure, Now, Request, Response, TakeoverEvent, TakeoverNotice,
};
use minds_fs::{Watched, wait_for};
use redis::{Value, cmd};
use serde::Deserialize;

use super::link::{Batch, Link, Message, text};
use super::reconnect::Reconnect;
use super::routing::{self, Routed};
use super::{Core, lock, not_found};
use crate::in_flight::{InFlight, connection_ended, encode_request};
use crate::state_record::storage;
use crate::{ClaimCall, ClientEvent, ClientPort};
use ownership::Ownership;
pub(super) use ownership::parse_owner;

pub(super) struct RedisClient {
    core: Arc<Core>,
    agent: AgentId,
    caller: Caller,
    /// The name of this connection.
    connection: String,
    /// The process that the client is connected to.
    process: String,
    /// None after the connection to the server was lost.
    link: Option<Link>,
    reconnect: Reconnect,
    in_flight: InFlight,
    events: VecDeque<ClientEvent>,
    /// Channels of requests that have their result.
    finished: Vec<String>,
    wake: Option<u64>,
    ownership: Ownership,
    has_ended: bool,
    /// When to look at the server.
    next_look: Duration,
}

/// What the clients of an agent are notified of.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Notice {
    Wake { offset: u64 },
    End { epoch: u64 },
}

impl RedisClient {
    pub(super) fn connect(
        core: &Arc<Core>,
        agent: &AgentId,
        caller: &Caller,
        now: Now,
    ) -> Result<Self, Failure> {
        let mut client = Self {
            core: Arc::clone(core),
            agent: agent.clone(),
            caller: caller.clone(),
            connection: routing::new_name()?,
            process: String::new(),
            link: None,
            reconnect: Reconnect::default(),
            in_flight: InFlight::default(),
            events: VecDeque::new(),
            finished: Vec::new(),
            wake: None,
            ownership: Ownership::default(),
            has_ended: false,
            next_look: now.clock.saturating_add(HEARTBEAT_INTERVAL),
        };
        let (link, held) = client.open()?;
        let (epoch, process) = lock::split(&held).ok_or_else(|| not_found(agent))?;
        process.clone_into(&mut client.process);
        client.in_flight.note_epoch(epoch);
        client.link = Some(link);
        Ok(client)
    }

    /// Opens a connection to the server with the channels of the client, and reads the lock.
    fn open(&self) -> Result<(Link, String), Failure> {
        let mut link = self.core.open("minds-client")?;
        let mut batch = Batch::default();
        batch.subscribe(&self.core.keys.tail(&self.agent));
        batch.subscribe(&self.core.keys.takeovers(&self.agent, &self.caller));
        batch.add(cmd("GET").arg(self.core.keys.lock(&self.agent)));
        let reply = link.call(&batch)?.pop().unwrap_or_default();
        Ok((link, text(&reply).unwrap_or_default().to_owned()))
    }

    /// Uses the connection to the server, which is made again if it is time to. A failure ends it.
    fn with_link<T>(
        &mut self,
        now: Now,
        act: impl FnOnce(&mut Link, &Core) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.restore(now)?;
        let lost = || Failure::new(ErrorCode::RedisUnavailable, "the connection to Redis is lost");
        let link = self.link.as_mut().ok_or_else(lost)?;
        let result = act(link, &self.core);
        if let Err(failure) = &result
            && failure.code() == Some(ErrorCode::RedisUnavailable)
        {
            self.lose(failure, now);
        }
        result
    }

    /// Ends everything that was under way on the connection to the server.
    fn lose(&mut self, failure: &Failure, now: Now) {
        self.link = None;
        self.finished.clear();
        self.ownership.lose();
        while let Some(event) = self.in_flight.fail(|| failure.clone()) {
            self.events.push_back(event);
        }
        self.reconnect.fail(now);
    }

    fn restore(&mut self, now: Now) -> Result<(), Failure> {
        if self.link.is_some() {
            return Ok(());
        }
        if !self.reconnect.remaining(now).is_zero() {
            return Err(Failure::new(ErrorCode::RedisUnavailable, "the connection to Redis is lost"));
        }
        let opened = self.open();
        let held = opened.as_ref().map(|(_, held)| held.clone()).unwrap_or_default();
        self.link = Some(self.reconnect.note(opened.map(|(link, _)| link), now)?);
        self.note_lock(&held);
        self.next_look = now.clock;
        Ok(())
    }

    /// Notes which process has the lock. A lock that the server has lost comes back with the next heartbeat.
    fn note_lock(&mut self, held: &str) {
        if let Some((epoch, process)) = lock::split(held) {
            self.has_ended |= process != self.process;
            if !self.has_ended {
                self.in_flight.note_epoch(epoch);
            }
        }
    }

    fn expect_connected(&self) -> Result<(), Failure> {
        if self.has_ended { Err(connection_ended()) } else { Ok(()) }
    }

    /// Takes what has arrived, until there is something to return, or completely.
    fn drain(&mut self, is_complete: bool, now: Now) -> Result<(), Failure> {
        let responses = self.core.keys.responses(&self.agent);
        let tail = self.core.keys.tail(&self.agent);
        let mut is_decided = false;
        while (is_complete || self.events.is_empty())
            && let Some(Message { channel, payload }) = self.with_link(now, |link, _| link.take_message())?
        {
            if channel.starts_with(&responses) {
                let Routed { connection, message, .. } = routing::unmark(payload);
                if (connection.is_empty() || connection == self.connection)
                    && let Ok(response) = Response::decode(&message)
                    && let Some(event) = self.in_flight.finish(response)
                {
                    self.finished.push(channel);
                    self.events.push_back(event);
                }
            } else if channel == tail {
                match serde_json::from_slice(&payload) {
                    Ok(Notice::Wake { offset }) => self.wake = Some(offset),
                    Ok(Notice::End { epoch }) => self.has_ended |= epoch >= self.in_flight.epoch(),
                    Err(_) => {}
                }
            } else if let Ok(notice) = serde_json::from_slice::<TakeoverNotice>(&payload) {
                // Another connection with the same name may be meant.
                if self.ownership.held.is_some() {
                    if notice.event == TakeoverEvent::Final {
                        self.ownership.held = None;
                    }
                    self.events.push_back(ClientEvent::Takeover(notice));
                }
            } else {
                is_decided = true;
            }
        }
        if is_decided && !self.has_ended {
            self.read_state(now)?;
        }
        Ok(())
    }

    /// Returns what can be returned without waiting.
    fn next_event(&mut self, now: Now) -> Result<Option<ClientEvent>, Failure> {
        if let Some(event) = self.events.pop_front() {
            return Ok(Some(event));
        }
        if self.has_ended {
            return self.in_flight.disconnect().map(Some).ok_or_else(connection_ended);
        }
        let expired = self.in_flight.expire(now);
        match &expired {
            Some(ClientEvent::Response(response)) => {
                self.finished.push(self.core.keys.response(&self.agent, &response.req_id));
            }
            Some(ClientEvent::Claim(_)) => {
                self.ownership.pending = None;
                // Without a connection to the server, what was claimed expires.
                let _ = self.give_up("cancel", now);
            }
            _ => {}
        }
        Ok(expired)
    }

    /// Does what is due, without waiting. The connection to the server may be lost.
    fn work(&mut self, now: Now, is_complete: bool) -> Result<(), Failure> {
        if is_complete || self.next_look <= now.clock {
            self.read_state(now)?;
        }
        self.drain(is_complete, now)
    }
}

impl ClientPort for RedisClient {
    fn send(&mut self, request: Request, now: Now) -> Result<(), Failure> {
        let message = encode_request(&request, &self.caller)?;
        self.expect_connected()?;
        self.in_flight.begin(&request, now)?;
        let channel = self.core.keys.response(&self.agent, &request.req_id);
        let mut batch = Batch::default();
        for finished in std::mem::take(&mut self.finished) {
            batch.unsubscribe(&finished);
        }
        batch.subscribe(&channel);
        let message = routing::mark(&self.connection, Some(lock::name_of(&self.process)), &message);
        batch.add(cmd("PUBLISH").arg(self.core.keys.requests(&self.agent)).arg(message));
        let sent = self.with_link(now, |link, _| link.call(&batch));
        match sent.map(|mut replies| replies.pop()) {
            Ok(Some(Value::Int(1..))) => Ok(()),
            // The agent is not connected to the server at present, or has ended.
            Ok(_) => {
                self.in_flight.forget(&request.req_id);
                self.finished.push(channel);
                Err(not_found(&self.agent))
            }
            // The end of the connection has given the request its result, which is this one.
            Err(failure) => {
                self.in_flight.forget(&request.req_id);
                self.events.retain(|event| !is_result_of(event, &request));
                Err(failure)
            }
        }
    }

    fn claim(&mut self, claim: ClaimCall, now: Now) -> Result<(), Failure> {
        self.expect_connected()?;
        self.begin_claim(claim, now)
    }

    fn release(&mut self, now: Now) -> Result<(), Failure> {
        self.expect_connected()?;
        self.give_up("release", now)?;
        self.ownership.held = None;
        Ok(())
    }

    fn receive(&mut self, now: Now, wait: Duration) -> Result<Option<ClientEvent>, Failure> {
        if let Some(event) = self.events.pop_front() {
            return Ok(Some(event));
        }
        if !self.has_ended {
            let is_ready = match self.work(now, wait.is_zero()) {
                Err(failure) if failure.code() == Some(ErrorCode::RedisUnavailable) => {
                    let pause =
                        if self.events.is_empty() { self.reconnect.remaining(now) } else { Duration::ZERO };
                    minds_process::pause(pause.min(wait));
                    false
                }
                worked => worked.map(|()| true)?,
            };
            let is_waiting = is_ready && self.events.is_empty() && !self.has_ended && self.wake.is_none();
            let deadlines = self.in_flight.deadline().into_iter().chain([self.next_look]);
            let deadline = deadlines.min().unwrap_or_default().saturating_sub(now.clock);
            let wait = wait.min(deadline);
            if is_waiting && !wait.is_zero() {
                if let Some(link) = &self.link {
                    wait_for(&[Watched::new(link)], wait).map_err(|error| storage(&error))?;
                }
                match self.drain(false, now) {
                    Err(failure) if failure.code() != Some(ErrorCode::RedisUnavailable) => {
                        return Err(failure);
                    }
                    _ => {}
                }
            }
        }
        let event = self.next_event(now)?;
        Ok(event.or_else(|| self.wake.take().map(ClientEvent::Wake)))
    }
}

impl Drop for RedisClient {
    fn drop(&mut self) {
        self.leave_owner();
    }
}

fn is_result_of(event: &ClientEvent, request: &Request) -> bool {
    matches!(event, ClientEvent::Response(response) if response.req_id == request.req_id)
}
