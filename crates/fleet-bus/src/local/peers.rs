//! The clients of an agent, and what their lines mean.

use std::collections::{BTreeMap, VecDeque};
use std::os::unix::net::UnixListener;
use std::time::Duration;

use minds_fleet_protocol::methods::{Method, Owner};
use minds_fleet_protocol::{
    AgentId, Caller, ErrorCode, Failure, Now, Outcome, Request, Response, deny_ownership,
};
use minds_fs::{Watched, peer_user, wait_for};

use super::connection::Connection;
use super::wire::{
    AgentHello, AgentLine, ClaimResult, ClientHello, ClientLine, PROTOCOL, encode, is_about_connection,
};
use crate::in_flight::encode_response;
use crate::owners::{OwnerEffect, Owners};
use crate::serve_waker::WakeReceiver;
use crate::state_record::storage;
use crate::tokens::random;
use crate::{ClaimCall, OwnerToken, Served, Ticket};

/// The most connections at the same time; further ones end at once.
const MAX_PEERS: usize = 1_024;
/// The methods of clients that do not know the key.
const OBSERVER_METHODS: [Method; 2] = [Method::Status, Method::Tail];

/// The connections of an agent.
#[derive(Debug)]
pub(super) struct Peers {
    id: AgentId,
    epoch: u64,
    /// The user of this process.
    user: u32,
    key: String,
    listener: UnixListener,
    wake: WakeReceiver,
    clients: BTreeMap<u64, Peer>,
    count: u64,
    owners: Owners,
    served: VecDeque<Served>,
}

#[derive(Debug)]
struct Peer {
    connection: Connection,
    /// None until its first line.
    caller: Option<Caller>,
    has_key: bool,
    is_refused: bool,
}

impl Peers {
    pub(super) fn new(
        id: AgentId,
        epoch: u64,
        key: String,
        listener: UnixListener,
        wake: WakeReceiver,
    ) -> Self {
        let user = minds_fs::Caller::current().user;
        let (clients, owners, served) = (BTreeMap::new(), Owners::default(), VecDeque::new());
        Self { id, epoch, user, key, listener, wake, clients, count: 0, owners, served }
    }

    /// Returns what arrives next.
    pub(super) fn serve(&mut self, now: Now, wait: Duration) -> Result<Option<Served>, Failure> {
        let effects = self.owners.poll(now);
        self.apply(effects);
        let deadline = self.owners.deadline().map(|deadline| deadline.saturating_sub(now.clock));
        let mut wait = deadline.map_or(wait, |deadline| wait.min(deadline));
        while self.served.is_empty() && self.work(now, wait)? {
            wait = Duration::ZERO;
        }
        Ok(self.served.pop_front())
    }

    /// Waits once, and handles what is ready; returns whether anything was.
    fn work(&mut self, now: Now, wait: Duration) -> Result<bool, Failure> {
        let sockets = [Watched::new(&self.listener), self.wake.watch()];
        let connections = self.clients.values().map(|peer| peer.connection.watch());
        let watched: Vec<Watched<'_>> = sockets.into_iter().chain(connections).collect();
        let is_ready = wait_for(&watched, wait).map_err(|error| storage(&error))?;
        let [can_accept, is_awake, peers @ ..] = is_ready.as_slice() else { return Ok(false) };
        let ready: Vec<u64> = self
            .clients
            .keys()
            .zip(peers)
            .filter(|(_, is_ready)| **is_ready)
            .map(|(number, _)| *number)
            .collect();
        if *is_awake {
            self.wake_peers();
        }
        for number in &ready {
            self.handle(*number, now);
        }
        if *can_accept {
            self.accept();
        }
        Ok(*can_accept || *is_awake || !ready.is_empty())
    }

    fn accept(&mut self) {
        while let Ok((socket, _)) = self.listener.accept() {
            let is_own = peer_user(&socket).is_ok_and(|user| user == self.user);
            if !is_own || self.clients.len() >= MAX_PEERS || socket.set_nonblocking(true).is_err() {
                continue;
            }
            self.count += 1;
            let connection = Connection::new(socket);
            let peer = Peer { connection, caller: None, has_key: false, is_refused: false };
            self.clients.insert(self.count, peer);
        }
    }

    /// Reports frames to every client that has read what was sent before.
    fn wake_peers(&mut self) {
        let line = encode(&AgentLine::Wake { offset: self.wake.take() });
        let peers = self.clients.values_mut().filter(|peer| peer.caller.is_some());
        for peer in peers.filter(|peer| peer.connection.is_flushed()) {
            peer.connection.send(&line);
        }
    }

    /// Reads from one client.
    fn handle(&mut self, number: u64, now: Now) {
        if let Some(peer) = self.clients.get_mut(&number) {
            peer.connection.flush();
            peer.connection.fill();
        }
        while let Some(line) = self.clients.get_mut(&number).and_then(|peer| peer.connection.take_line()) {
            self.read_line(number, line, now);
        }
        let ended = |peer: &Peer| peer.is_refused || peer.connection.has_ended();
        if self.clients.get(&number).is_some_and(ended) {
            self.clients.remove(&number);
            let effects = self.owners.disconnect(number, now);
            self.apply(effects);
        }
    }

    fn read_line(&mut self, number: u64, line: Vec<u8>, now: Now) {
        let Some(peer) = self.clients.get_mut(&number).filter(|peer| !peer.is_refused) else { return };
        if line.is_empty() {
            return;
        }
        let Some(caller) = peer.caller.clone() else {
            return self.welcome(number, &line);
        };
        let has_key = peer.has_key;
        if !is_about_connection(&line) {
            match check(&line, &caller, has_key) {
                Ok(()) => {
                    let ticket = Ticket { connection: number, number: 0 };
                    self.served.push_back(Served::Message { ticket, message: line });
                }
                Err((req_id, failure)) => {
                    let outcome = Outcome::Failure(failure);
                    self.respond(number, &Response { req_id, outcome, epoch: Some(self.epoch) });
                }
            }
            return;
        }
        match serde_json::from_slice(&line) {
            Ok(ClientLine::Claim(claim)) => {
                let token = if has_key { random().map(OwnerToken::new) } else { Err(without_key()) };
                let effects = match token {
                    Ok(token) => {
                        let call = ClaimCall { is_takeover: claim.takeover, resume: claim.resume };
                        self.owners.claim((number, &caller), &call, token, now)
                    }
                    Err(failure) => vec![OwnerEffect::Answer(number, Err(failure))],
                };
                self.apply(effects);
            }
            Ok(ClientLine::Release(_)) => {
                let effects = self.owners.release(number, now);
                self.apply(effects);
            }
            Ok(ClientLine::Hello(_)) | Err(_) => peer.is_refused = true,
        }
    }

    /// Reads the first line of a client.
    fn welcome(&mut self, number: u64, line: &[u8]) {
        let Some(peer) = self.clients.get_mut(&number) else { return };
        let Ok(ClientLine::Hello(ClientHello { protocol, caller, key })) = serde_json::from_slice(line)
        else {
            peer.is_refused = true;
            return;
        };
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let hello = AgentHello { protocol: PROTOCOL, id: self.id.clone(), epoch: self.epoch, version };
        peer.connection.send(&encode(&AgentLine::Hello(hello)));
        peer.is_refused = protocol != PROTOCOL;
        peer.has_key = key.is_some_and(|key| is_equal(key.as_bytes(), self.key.as_bytes()));
        peer.caller = Some(caller);
    }

    /// Sends a response. A client that has ended gets none.
    pub(super) fn answer(&mut self, ticket: &Ticket, response: &Response) {
        self.respond(ticket.connection, response);
    }

    fn respond(&mut self, number: u64, response: &Response) {
        let Some(peer) = self.clients.get_mut(&number) else { return };
        if let Ok((_, mut line)) = encode_response(response) {
            line.push('\n');
            peer.connection.send(line.as_bytes());
        }
    }

    /// Returns the owner, as it decides about a message.
    pub(super) fn owner(&mut self, ticket: &Ticket, now: Now) -> Option<Owner> {
        let effects = self.owners.poll(now);
        self.apply(effects);
        let caller = self.clients.get(&ticket.connection).and_then(|peer| peer.caller.as_ref());
        self.owners.owner_for(ticket.connection, caller, now)
    }

    fn apply(&mut self, effects: Vec<OwnerEffect>) {
        for effect in effects {
            let (number, line) = match effect {
                OwnerEffect::Report(change) => {
                    self.served.push_back(Served::Owner(change));
                    continue;
                }
                OwnerEffect::Answer(number, result) => (number, AgentLine::Claim(ClaimResult::from(result))),
                OwnerEffect::Notify(number, notice) => (number, AgentLine::Owner(notice.into())),
            };
            if let Some(peer) = self.clients.get_mut(&number) {
                peer.connection.send(&encode(&line));
            }
        }
    }
}

/// Checks that a request comes from its caller, and that a client without the key only observes. A message that cannot be
/// read is checked by the agent.
fn check(
    message: &[u8],
    caller: &Caller,
    has_key: bool,
) -> Result<(), (minds_fleet_protocol::RequestId, Failure)> {
    let Ok(request) = Request::decode(message) else { return Ok(()) };
    if request.caller != *caller {
        let message = format!("the caller of the connection is `{caller}`");
        return Err((request.req_id, Failure::new(ErrorCode::ArgsInvalid, message)));
    }
    let is_observed = Method::parse(&request.method).is_ok_and(|method| OBSERVER_METHODS.contains(&method));
    if has_key || is_observed { Ok(()) } else { Err((request.req_id, without_key())) }
}

fn without_key() -> Failure {
    let message = "the connection did not pass the key of the agent: it may call `status` and `tail` only";
    Failure { message: message.to_owned(), ..deny_ownership(None) }
}

/// Compares in a time that depends on the lengths only.
fn is_equal(one: &[u8], other: &[u8]) -> bool {
    let difference = one.iter().zip(other).fold(0, |difference, (one, other)| difference | (one ^ other));
    one.len() == other.len() && difference == 0
}
