//! The contract between agents and clients, which every transport keeps.
//!
//! No call needs a runtime or a second thread. The time is an argument; a call that waits has its longest waiting time as
//! another one, and returns earlier when something happens.

use std::time::Duration;

use minds_fleet_protocol::methods::Owner;
use minds_fleet_protocol::{
    AgentId, AgentInfo, BootstrapLifetime, Caller, Event, Failure, Frame, Now, OwnerChange, Presence,
    Request, Response, TakeoverNotice, Timestamp,
};

use crate::{BootstrapToken, OwnerToken, Ticket};

/// A transport between the clients and the agents of one fleet.
///
/// Every call of a transport over a server returns `redis.unavailable` too, if the server cannot be reached or refuses a
/// command. A later call connects again: ports and followers stay usable.
pub trait Bus: Send + Sync {
    /// Returns the name of the transport, as `kind` in `tools.yaml` has it.
    fn kind(&self) -> &'static str;

    /// Starts an agent: at most one process has an id at a time. The epoch of the agent is higher than all earlier ones.
    ///
    /// The transport sets [`AgentInfo::epoch`]. The local transport needs [`AgentInfo::state_dir`].
    ///
    /// # Errors
    ///
    /// Returns `duplicate.instance` if the agent runs already, `config.invalid` if its folders cannot be used, and
    /// `handler.error` if its files cannot be written.
    fn announce(&self, info: AgentInfo, now: Now) -> Result<Announced, Failure>;

    /// Returns the agents that run, and those whose end is still of interest, ordered by id.
    ///
    /// # Errors
    ///
    /// Fails if the registry cannot be read.
    fn list(&self, now: Now) -> Result<Vec<Listed>, Failure>;

    /// Connects a client to an agent. It does not wait for the agent.
    ///
    /// # Errors
    ///
    /// Returns `agent.not_found` if the agent does not run.
    fn connect(&self, agent: &AgentId, caller: &Caller, now: Now) -> Result<Box<dyn ClientPort>, Failure>;

    /// Follows the frames of an agent, which need not run.
    ///
    /// # Errors
    ///
    /// Returns `agent.not_found` if no frames of the agent are known to exist.
    fn follow(&self, agent: &AgentId, start: Start) -> Result<Box<dyn Follower>, Failure>;

    /// Issues a token with which an agent starts for the first time within `lifetime`; none if the transport needs no tokens,
    /// because it connects the processes of one user.
    ///
    /// # Errors
    ///
    /// Fails if the token cannot be stored.
    fn issue(
        &self,
        agent: &AgentId,
        lifetime: BootstrapLifetime,
        now: Now,
    ) -> Result<Option<BootstrapToken>, Failure>;

    /// Revokes all tokens of an agent that could still be redeemed, and returns their number; none if the transport needs no
    /// tokens. A token that is issued meanwhile may stay valid.
    ///
    /// # Errors
    ///
    /// Fails if the tokens cannot be removed. Some of them may have been revoked; another call revokes the rest.
    fn revoke(&self, agent: &AgentId, now: Now) -> Result<Option<usize>, Failure>;

    /// Redeems a token. It succeeds once for each token, and always on a transport that needs no tokens.
    ///
    /// # Errors
    ///
    /// Returns `bootstrap.invalid` if the token is used, expired, revoked, or of another agent.
    fn redeem(&self, agent: &AgentId, token: &BootstrapToken, now: Now) -> Result<(), Failure>;
}

/// The two sides of a started agent. They may be on different threads.
pub struct Announced {
    /// Receives requests.
    pub agent: Box<dyn AgentPort>,
    /// Publishes frames.
    pub publisher: Box<dyn Publisher>,
}

/// An entry of the registry, as one reader sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// What the agent published last.
    pub info: AgentInfo,
    /// Whether it runs.
    pub presence: Presence,
}

/// The agent's side of its connections. To drop it and its publisher ends the agent as a crash does; [`AgentPort::leave`] ends
/// it in order. Its id is free when both are dropped.
pub trait AgentPort: Send {
    /// Returns the epoch of this process.
    fn epoch(&self) -> u64;

    /// Publishes another registry entry. Its id and epoch do not change.
    ///
    /// # Errors
    ///
    /// Fails if the entry cannot be stored.
    fn update(&mut self, info: AgentInfo, now: Now) -> Result<(), Failure>;

    /// Returns what arrives next; none after `wait`, after [`Publisher::wake`], at the next deadline of the owner or
    /// heartbeat, and if a connection has changed.
    ///
    /// Over a server, this call is the heartbeat of the agent, and has to be repeated. While the server cannot be reached,
    /// nothing arrives.
    ///
    /// # Errors
    ///
    /// Returns `duplicate.instance` if the agent lost its place to another process, and `agent.not_found` if it was ended.
    fn serve(&mut self, now: Now, wait: Duration) -> Result<Option<Served>, Failure>;

    /// Returns whether no other process can have taken the place of this one since its last heartbeat. Without its place, an
    /// agent begins no further step.
    fn has_place(&self, now: Now) -> bool;

    /// Answers a message, with one response. A client that has ended gets none. A response above the limit is replaced by
    /// `payload.too_large`.
    ///
    /// # Errors
    ///
    /// Fails if the transport cannot be used.
    fn answer(&mut self, ticket: Ticket, response: Response, now: Now) -> Result<(), Failure>;

    /// Returns the owner, as it decides about one message: none if the message comes from another connection than the
    /// owner's, in the owner's name.
    ///
    /// # Errors
    ///
    /// Fails if the owner cannot be read.
    fn owner(&mut self, ticket: &Ticket, now: Now) -> Result<Option<Owner>, Failure>;

    /// Ends the agent: it is not listed as running any more, and its connections end.
    ///
    /// # Errors
    ///
    /// Fails if the entry cannot be stored. The agent has ended also then.
    fn leave(self: Box<Self>, now: Now) -> Result<(), Failure>;
}

/// What an agent receives.
#[derive(Debug)]
pub enum Served {
    /// A message of a client, which [`minds_fleet_protocol::admit`] checks.
    Message {
        /// Identifies the message for its answer.
        ticket: Ticket,
        /// The bytes. Of a message above the limit, at least one byte more than the limit.
        message: Vec<u8>,
    },
    /// The owner has changed. The agent publishes this as an event.
    Owner(OwnerChange),
}

/// Publishes the frames of an agent.
pub trait Publisher: Send {
    /// Publishes events in their order, and returns the offset of the first one. Offsets grow by 1 and never restart.
    ///
    /// Followers never slow it down.
    ///
    /// # Errors
    ///
    /// Returns `handler.error` if the frames cannot be stored; then none of them is. After `redis.unavailable`, the server may
    /// have stored the first ones.
    fn publish(&mut self, events: Vec<Event>, now: Now) -> Result<u64, Failure>;

    /// Ends the waiting of [`AgentPort::serve`].
    fn wake(&self);
}

/// A client's connection to an agent.
///
/// Every request gets exactly one result, in any order: the response of the agent, `timeout`, or `agent.not_found` at the
/// end of the connection. Over a server, it can also be `redis.unavailable`; the same request may be sent again once.
pub trait ClientPort: Send {
    /// Sends a request, and does not wait for the response.
    ///
    /// # Errors
    ///
    /// Returns `payload.too_large` above the limit; `args.invalid` if the caller is not that of the connection or the id is
    /// that of a request in flight; `busy` if [`crate::MAX_IN_FLIGHT`] requests are in flight; and `agent.not_found` after
    /// the end of the connection. The request has no result then.
    fn send(&mut self, request: Request, now: Now) -> Result<(), Failure>;

    /// Claims the agent. The result is a [`ClientEvent::Claim`].
    ///
    /// # Errors
    ///
    /// Returns `busy` while another claim has no result, and `agent.not_found` after the end of the connection.
    fn claim(&mut self, claim: ClaimCall, now: Now) -> Result<(), Failure>;

    /// Releases the agent. A client that is not the owner changes nothing.
    ///
    /// # Errors
    ///
    /// Returns `agent.not_found` after the end of the connection.
    fn release(&mut self, now: Now) -> Result<(), Failure>;

    /// Returns what arrives next; none after `wait`, and at the next timeout of a request. Over a server, this call keeps the
    /// owner from expiring, and has to be repeated.
    ///
    /// # Errors
    ///
    /// Returns `agent.not_found` after the end of the connection, when every request has its result.
    fn receive(&mut self, now: Now, wait: Duration) -> Result<Option<ClientEvent>, Failure>;
}

/// A claim of a client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimCall {
    /// Whether to replace another owner, which is asked to release the agent first.
    pub is_takeover: bool,
    /// The token of an earlier connection that was the owner.
    pub resume: Option<OwnerToken>,
}

/// What a client receives.
#[derive(Clone, Debug, PartialEq)]
pub enum ClientEvent {
    /// The result of a request.
    Response(Response),
    /// The result of a claim.
    Claim(Result<OwnerToken, Failure>),
    /// Another client takes over, or has taken over.
    Takeover(TakeoverNotice),
    /// Frames below this offset exist.
    Wake(u64),
}

/// Where a follower starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Start {
    /// The first frame to return. If it is not kept any more, a `gap` comes first.
    Offset(u64),
    /// The first frame of this time or later.
    Since(Timestamp),
    /// After the last frame that exists.
    End,
}

/// Reads the frames of an agent: every frame once, in the order of offsets.
///
/// A frame that is not kept any more is a part of one `gap`, whose frame has the last missing offset as its own.
pub trait Follower: Send {
    /// Returns the next frames, at most [`minds_fleet_protocol::limits::MAX_TAIL_FRAMES`]; none if there is none after
    /// `wait`.
    ///
    /// # Errors
    ///
    /// Fails if frames cannot be read.
    fn read(&mut self, wait: Duration) -> Result<Vec<Frame>, Failure>;

    /// Returns the offset of the next frame, from which another follower continues.
    fn position(&self) -> u64;
}

/// Sends a request and waits for its result. Everything else that arrives is passed to `other`.
///
/// # Errors
///
/// Returns the errors of [`ClientPort::send`]; a failed request is a response.
pub fn request(
    client: &mut dyn ClientPort,
    request: Request,
    clock: &mut dyn FnMut() -> Now,
    other: &mut dyn FnMut(ClientEvent),
) -> Result<Response, Failure> {
    let req_id = request.req_id.clone();
    let wait = Duration::from_secs_f64(request.timeout().as_seconds());
    client.send(request, clock())?;
    loop {
        match client.receive(clock(), wait)? {
            Some(ClientEvent::Response(response)) if response.req_id == req_id => return Ok(response),
            Some(event) => other(event),
            None => {}
        }
    }
}
