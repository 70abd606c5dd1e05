//! Claims of a client, and what it knows of the owner.

use minds_fleet_protocol::limits::{
    HEARTBEAT_INTERVAL, OWNER_LIFETIME, OWNER_RECONNECT_WINDOW, TAKEOVER_GRACE,
};
use minds_fleet_protocol::methods::Owner;
use minds_fleet_protocol::{
    AgentId, Caller, Failure, Now, TakeoverEvent, TakeoverNotice, Timestamp, deny_ownership,
};

use super::super::Core;
use super::super::keys::sha256;
use super::super::link::read_strings;
use super::super::scripts::{Call, OwnerScript};
use super::RedisClient;
use crate::tokens::random;
use crate::{ClaimCall, ClientEvent, OwnerToken};

/// What the client knows of the owner.
#[derive(Default)]
pub(super) struct Ownership {
    /// The token of this client, if it is the owner.
    pub(super) held: Option<OwnerToken>,
    /// The token of a claim that is not decided.
    pub(super) pending: Option<OwnerToken>,
    /// Whether the server may have performed a claim whose reply was lost.
    is_unknown: bool,
}

/// The state of an agent on the server.
struct RemoteState {
    lock: String,
    owner: Option<Owner>,
    connection: String,
    taker: String,
}

impl Ownership {
    /// Notes that the connection to the server was lost, which ends a claim that is not decided.
    pub(super) fn lose(&mut self) {
        self.is_unknown |= self.pending.take().is_some();
    }
}

impl RedisClient {
    fn script(core: &Core, script: OwnerScript, agent: &AgentId) -> Call {
        script.call(&core.keys, agent, core.seconds(OWNER_LIFETIME))
    }

    /// Looks at the server, and refreshes what this client has.
    pub(super) fn read_state(&mut self, now: Now) -> Result<(), Failure> {
        let (agent, connection) = (self.agent.clone(), self.connection.clone());
        let reply = self.with_link(now, |link, core| {
            Self::script(core, OwnerScript::Look, &agent).arg(connection).run(link)
        })?;
        self.next_look = now.clock.saturating_add(HEARTBEAT_INTERVAL);
        let parts = read_strings(&reply);
        let part = |number: usize| parts.get(number).cloned().unwrap_or_default();
        let seen =
            RemoteState { lock: part(0), owner: parse_owner(&part(1)), connection: part(2), taker: part(4) };
        self.note_lock(&seen.lock);
        // Without a lock, the agent may have ended; the notice of that follows.
        if self.has_ended || seen.lock.is_empty() {
            return Ok(());
        }
        if self.ownership.pending.is_some() && seen.taker != self.connection {
            self.decide(&seen);
        } else if self.ownership.held.is_some() && seen.connection != self.connection {
            self.note_loss(&seen, now)?;
        }
        if self.ownership.pending.is_some() {
            self.next_look = self.next_look.min(now.clock.saturating_add(TAKEOVER_GRACE));
        }
        Ok(())
    }

    /// Ends a claim that was waiting.
    fn decide(&mut self, seen: &RemoteState) {
        let Some(token) = self.ownership.pending.take() else { return };
        let result = if seen.connection == self.connection {
            self.ownership.held = Some(token.clone());
            Ok(token)
        } else {
            Err(deny_ownership(seen.owner.as_ref()))
        };
        self.events.extend(self.in_flight.finish_claim(result));
    }

    /// Claims the agent again if the server has lost the owner; otherwise the client is not the owner any more.
    fn note_loss(&mut self, seen: &RemoteState, now: Now) -> Result<(), Failure> {
        let Some(token) = self.ownership.held.clone() else { return Ok(()) };
        let is_own = seen.owner.as_ref().is_some_and(|owner| owner.caller == self.caller);
        if seen.owner.is_none() || is_own {
            let call = ClaimCall { is_takeover: false, resume: Some(token.clone()) };
            // Until the server has decided, the client has what it had.
            let reply = self.claim_on_server(&call, &token, now)?;
            if reply.first().map(String::as_str) == Some("held") {
                return Ok(());
            }
        }
        self.ownership.held = None;
        if let Some(owner) = seen.owner.as_ref().filter(|owner| owner.caller != self.caller) {
            let notice = TakeoverNotice { event: TakeoverEvent::Final, by: owner.caller.clone() };
            self.events.push_back(ClientEvent::Takeover(notice));
        }
        Ok(())
    }

    fn claim_on_server(
        &mut self,
        call: &ClaimCall,
        token: &OwnerToken,
        now: Now,
    ) -> Result<Vec<String>, Failure> {
        let proof = sha256(token.as_str());
        let resumed = call.resume.as_ref().map_or("-".to_owned(), |token| sha256(token.as_str()));
        let (agent, caller, connection) =
            (self.agent.clone(), self.caller.to_string(), self.connection.clone());
        let is_takeover = call.is_takeover;
        let reply = self.with_link(now, |link, core| {
            let wait = if is_takeover { core.seconds(TAKEOVER_GRACE) } else { 0 };
            let call = Self::script(core, OwnerScript::Claim, &agent).arg(caller).arg(time_text(now.time));
            call.arg(connection).arg(proof).arg(resumed).arg(wait.to_string()).run(link)
        })?;
        Ok(read_strings(&reply))
    }

    /// Claims the agent.
    pub(super) fn begin_claim(&mut self, claim: ClaimCall, now: Now) -> Result<(), Failure> {
        self.in_flight.begin_claim(now)?;
        let new = match &self.ownership.held {
            Some(token) => token.clone(),
            None => OwnerToken::new(random()?),
        };
        let reply = match self.claim_on_server(&claim, &new, now) {
            Ok(reply) => reply,
            Err(failure) => {
                self.ownership.is_unknown = true;
                self.in_flight.forget_claim();
                self.events.retain(|event| !matches!(event, ClientEvent::Claim(_)));
                return Err(failure);
            }
        };
        self.ownership.is_unknown = false;
        // What has arrived is about the time before this claim. A lost connection has given the claim its result.
        if self.drain(true, now).is_err() {
            return Ok(());
        }
        let part = |number: usize| reply.get(number).map(String::as_str).unwrap_or_default();
        let result = match part(0) {
            "held" => {
                let tokens = claim.resume.into_iter().chain([new]);
                let token = tokens.into_iter().find(|token| sha256(token.as_str()) == part(2));
                self.ownership.held.clone_from(&token);
                token.ok_or_else(|| deny_ownership(parse_owner(part(1)).as_ref()))
            }
            "pending" => {
                self.ownership.pending = Some(new);
                self.next_look = self.next_look.min(now.clock.saturating_add(TAKEOVER_GRACE));
                return Ok(());
            }
            _ => Err(deny_ownership(parse_owner(part(1)).as_ref())),
        };
        self.events.extend(self.in_flight.finish_claim(result));
        Ok(())
    }

    /// Ends what this client has: it releases the agent, or cancels a takeover.
    pub(super) fn give_up(&mut self, act: &str, now: Now) -> Result<(), Failure> {
        let (agent, connection) = (self.agent.clone(), self.connection.clone());
        self.with_link(now, |link, core| {
            let call = Self::script(core, OwnerScript::GiveUp, &agent).arg(connection);
            call.arg(act).run(link).map(drop)
        })
    }

    /// Lets the server know that the connection of an owner has ended. A connection to the server that was lost is made once
    /// more, because all other clients would wait until the owner expires.
    pub(super) fn leave_owner(&mut self) {
        let Ownership { held, pending, is_unknown } = &self.ownership;
        let is_owner = held.is_some() || pending.is_some() || *is_unknown;
        if !is_owner || self.has_ended {
            return;
        }
        let seconds = self.core.seconds(OWNER_RECONNECT_WINDOW);
        // Without the server, the owner expires.
        let Some(mut link) = self.link.take().or_else(|| self.core.open("minds-client").ok()) else { return };
        let call = Self::script(&self.core, OwnerScript::GiveUp, &self.agent);
        let _ = call.arg(self.connection.as_str()).arg(seconds.to_string()).run(&mut link);
    }
}

/// Reads the value of an owner: `CALLER:TIME`.
pub(in crate::redis) fn parse_owner(value: &str) -> Option<Owner> {
    let (caller, time) = value.rsplit_once(':')?;
    let since = Timestamp::from_seconds(time.parse().ok()?)?;
    Some(Owner { caller: Caller::parse(caller).ok()?, since })
}

/// Returns the time as the value of a key has it.
fn time_text(time: Timestamp) -> String {
    time.as_seconds().to_string()
}
