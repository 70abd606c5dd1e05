//! Which connection is the owner of an agent.

use minds_fleet_protocol::methods::Owner;
use minds_fleet_protocol::{
    Caller, Claim, Failure, Now, OwnerChange, OwnerEvent, Ownership, OwnershipChange, TakeoverEvent,
    TakeoverNotice, deny_ownership,
};

use crate::{ClaimCall, OwnerToken};

/// The number of a connection, unique in the life of an agent.
pub(crate) type Connection = u64;

/// The owner of an agent that knows the connections of its clients.
#[derive(Debug, Default)]
pub(crate) struct Owners {
    ownership: Ownership,
    holder: Option<Holder>,
    /// The claim that waits for the end of a takeover.
    waiting: Option<Holder>,
}

#[derive(Debug)]
struct Holder {
    caller: Caller,
    /// None while the client may connect again.
    connection: Option<Connection>,
    token: OwnerToken,
}

/// What has to be done after a change.
#[derive(Debug)]
pub(crate) enum OwnerEffect {
    /// Answer the claim of a connection.
    Answer(Connection, Result<OwnerToken, Failure>),
    /// Notify the owner of a takeover.
    Notify(Connection, TakeoverNotice),
    /// Report the change.
    Report(OwnerChange),
}

impl Owners {
    /// Claims the agent. `token` becomes the token of the client if it becomes the owner.
    pub(crate) fn claim(
        &mut self,
        (connection, caller): (Connection, &Caller),
        call: &ClaimCall,
        token: OwnerToken,
        now: Now,
    ) -> Vec<OwnerEffect> {
        let mut effects = self.poll(now);
        let new = Holder { caller: caller.clone(), connection: Some(connection), token };
        if let Some(holder) = &mut self.holder {
            let is_same = holder.connection == Some(connection);
            let resumes = holder.caller == *caller && call.resume.as_ref() == Some(&holder.token);
            if is_same || resumes {
                holder.connection = Some(connection);
                self.ownership.refresh(caller, None);
                effects.push(OwnerEffect::Answer(connection, Ok(holder.token.clone())));
                return effects;
            }
            // Another connection with the same name is not the owner.
            let is_waiting = self.waiting.is_some() || holder.caller == *caller;
            if is_waiting {
                effects.push(OwnerEffect::Answer(connection, Err(self.deny(now))));
                return effects;
            }
        }
        match self.ownership.claim(caller, call.is_takeover, now) {
            Claim::Granted(owner) => effects.extend(self.hold(new, OwnerEvent::Claimed, owner.caller)),
            Claim::Pending { .. } => {
                let notice = TakeoverNotice { event: TakeoverEvent::Request, by: caller.clone() };
                effects.extend(self.notify_holder(notice));
                self.waiting = Some(new);
            }
            Claim::Denied(failure) => effects.push(OwnerEffect::Answer(connection, Err(failure))),
        }
        effects
    }

    /// Releases the agent, if the connection is its owner.
    pub(crate) fn release(&mut self, connection: Connection, now: Now) -> Vec<OwnerEffect> {
        let mut effects = self.poll(now);
        if let Some(holder) = self.holder.as_ref().filter(|holder| holder.connection == Some(connection)) {
            let caller = holder.caller.clone();
            if let Some(change) = self.ownership.release(&caller, now) {
                effects.extend(self.apply(change));
            }
        }
        effects
    }

    /// Notes the end of a connection.
    pub(crate) fn disconnect(&mut self, connection: Connection, now: Now) -> Vec<OwnerEffect> {
        let effects = self.poll(now);
        if let Some(holder) = self.holder.as_mut().filter(|holder| holder.connection == Some(connection)) {
            holder.connection = None;
            self.ownership.disconnect(&holder.caller, now);
        }
        if let Some(waiting) = self.waiting.take_if(|waiting| waiting.connection == Some(connection)) {
            self.ownership.disconnect(&waiting.caller, now);
        }
        effects
    }

    /// Performs what has become due.
    pub(crate) fn poll(&mut self, now: Now) -> Vec<OwnerEffect> {
        let mut effects = Vec::new();
        while let Some(change) = self.ownership.poll(now) {
            effects.extend(self.apply(change));
        }
        effects
    }

    /// Returns when to call [`Owners::poll`].
    pub(crate) fn deadline(&self) -> Option<std::time::Duration> {
        self.ownership.deadline()
    }

    /// Returns the owner, as it decides about a request of a connection.
    pub(crate) fn owner_for(
        &self,
        connection: Connection,
        caller: Option<&Caller>,
        now: Now,
    ) -> Option<Owner> {
        let owner = self.ownership.owner(now)?;
        let is_holder = self.holder.as_ref().is_some_and(|holder| holder.connection == Some(connection));
        (is_holder || caller != Some(&owner.caller)).then(|| owner.clone())
    }

    fn apply(&mut self, change: OwnershipChange) -> Vec<OwnerEffect> {
        match change {
            OwnershipChange::Released { .. } => {
                self.holder = None;
                self.waiting = None;
                vec![OwnerEffect::Report(OwnerChange { event: OwnerEvent::Released, owner: None })]
            }
            OwnershipChange::Takeover { owner, .. } => {
                let notice = TakeoverNotice { event: TakeoverEvent::Final, by: owner.caller.clone() };
                let mut effects = self.notify_holder(notice);
                if let Some(waiting) = self.waiting.take() {
                    effects.extend(self.hold(waiting, OwnerEvent::Takeover, owner.caller));
                }
                effects
            }
        }
    }

    fn hold(&mut self, holder: Holder, event: OwnerEvent, owner: Caller) -> Vec<OwnerEffect> {
        let mut effects = vec![OwnerEffect::Report(OwnerChange { event, owner: Some(owner) })];
        if let Some(connection) = holder.connection {
            effects.push(OwnerEffect::Answer(connection, Ok(holder.token.clone())));
        }
        self.holder = Some(holder);
        effects
    }

    fn notify_holder(&self, notice: TakeoverNotice) -> Vec<OwnerEffect> {
        let connection = self.holder.as_ref().and_then(|holder| holder.connection);
        connection.map(|connection| OwnerEffect::Notify(connection, notice)).into_iter().collect()
    }

    fn deny(&self, now: Now) -> Failure {
        deny_ownership(self.ownership.owner(now))
    }
}
