//! Who may change an agent.

use std::time::Duration;

use crate::admission::deny_ownership;
use crate::limits::{OWNER_LIFETIME, OWNER_RECONNECT_WINDOW, TAKEOVER_GRACE};
use crate::methods::Owner;
use crate::{Caller, Failure, Now};

/// The owner of an agent, as the agent (local bus) or the value of a key (Redis) knows it.
///
/// ```text
/// none ─claim─► owned ─release, expiry─► none
///               owned ─takeover─► asked ─release, or 2 s─► owned by the other one
/// ```
///
/// At every time at most one client is the owner.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ownership {
    owner: Option<Held>,
    takeover: Option<Takeover>,
}

#[derive(Clone, Debug, PartialEq)]
struct Held {
    owner: Owner,
    expires: Option<Duration>,
}

#[derive(Clone, Debug, PartialEq)]
struct Takeover {
    by: Caller,
    from: Caller,
    at: Duration,
}

/// The result of a claim.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub enum Claim {
    /// The client is the owner.
    Granted(Owner),
    /// The owner is asked to release the agent; the claim is decided when it does, or after [`TAKEOVER_GRACE`].
    Pending {
        /// The client to ask.
        owner: Caller,
        /// When the takeover is final, on the clock of [`Now`].
        at: Duration,
    },
    /// `ownership.denied`, with the owner as detail.
    Denied(Failure),
}

/// A change of the owner, to report as an event and to the client that lost the agent.
#[derive(Clone, Debug, PartialEq)]
pub enum OwnershipChange {
    /// The agent has no owner.
    Released {
        /// The previous owner.
        from: Caller,
    },
    /// The owner was replaced.
    Takeover {
        /// The previous owner.
        from: Caller,
        /// The owner.
        owner: Owner,
    },
}

impl Ownership {
    /// Returns the owner.
    pub fn owner(&self, now: Now) -> Option<&Owner> {
        let held = self.owner.as_ref()?;
        held.expires.is_none_or(|expires| now.clock < expires).then_some(&held.owner)
    }

    /// Claims the agent. The owner itself and a client of an agent without an owner succeed.
    ///
    /// With `is_takeover`, the owner of another claim is asked to release it. A second takeover while one is pending
    /// is denied.
    pub fn claim(&mut self, caller: &Caller, is_takeover: bool, now: Now) -> Claim {
        let Some(owner) = self.owner(now) else { return Claim::Granted(self.hold(caller, now)) };
        if owner.caller == *caller {
            let owner = owner.clone();
            self.refresh(caller, None);
            return Claim::Granted(owner);
        }
        let is_taken = self.takeover.as_ref().is_some_and(|takeover| takeover.by != *caller);
        if !is_takeover || is_taken {
            return Claim::Denied(deny_ownership(Some(owner)));
        }
        let from = owner.caller.clone();
        let at = match &self.takeover {
            Some(takeover) => takeover.at,
            None => now.clock.saturating_add(TAKEOVER_GRACE),
        };
        self.takeover = Some(Takeover { by: caller.clone(), from: from.clone(), at });
        Claim::Pending { owner: from, at }
    }

    /// Releases the agent. A client that is not the owner changes nothing.
    pub fn release(&mut self, caller: &Caller, now: Now) -> Option<OwnershipChange> {
        if self.owner(now)?.caller != *caller {
            return None;
        }
        Some(self.end(caller.clone(), now))
    }

    /// Sets when the owner expires without a further call: `None` while its connection exists.
    ///
    /// Returns whether the client is still the owner.
    pub fn refresh(&mut self, caller: &Caller, expires: Option<Duration>) -> bool {
        match &mut self.owner {
            Some(held) if held.owner.caller == *caller => {
                held.expires = expires;
                true
            }
            _ => false,
        }
    }

    /// Notes a refresh by an owner on Redis, which expires after [`OWNER_LIFETIME`].
    pub fn refresh_on_redis(&mut self, caller: &Caller, now: Now) -> bool {
        let is_owner = self.owner(now).is_some_and(|owner| owner.caller == *caller);
        is_owner && self.refresh(caller, Some(now.clock.saturating_add(OWNER_LIFETIME)))
    }

    /// Notes that the connection of a client ended. An owner has [`OWNER_RECONNECT_WINDOW`] to return.
    ///
    /// A pending takeover of this client ends.
    pub fn disconnect(&mut self, caller: &Caller, now: Now) {
        self.refresh(caller, Some(now.clock.saturating_add(OWNER_RECONNECT_WINDOW)));
        self.takeover.take_if(|takeover| takeover.by == *caller);
    }

    /// Performs what has become due: a final takeover, or an expiry.
    pub fn poll(&mut self, now: Now) -> Option<OwnershipChange> {
        let held = self.owner.as_ref()?;
        let has_expired = held.expires.is_some_and(|expires| expires <= now.clock);
        let is_final = self.takeover.as_ref().is_some_and(|takeover| takeover.at <= now.clock);
        let from = held.owner.caller.clone();
        (has_expired || is_final).then(|| self.end(from, now))
    }

    /// Returns when to call [`Ownership::poll`], on the clock of [`Now`].
    pub fn deadline(&self) -> Option<Duration> {
        let expires = self.owner.as_ref().and_then(|held| held.expires);
        let takeover = self.takeover.as_ref().map(|takeover| takeover.at);
        expires.into_iter().chain(takeover).min()
    }

    /// Ends the ownership; the client of a pending takeover is the next owner.
    fn end(&mut self, from: Caller, now: Now) -> OwnershipChange {
        self.owner = None;
        match self.takeover.take().filter(|takeover| takeover.from == from) {
            Some(takeover) => OwnershipChange::Takeover { from, owner: self.hold(&takeover.by, now) },
            None => OwnershipChange::Released { from },
        }
    }

    fn hold(&mut self, caller: &Caller, now: Now) -> Owner {
        let owner = Owner { caller: caller.clone(), since: now.time };
        self.owner = Some(Held { owner: owner.clone(), expires: None });
        self.takeover = None;
        owner
    }
}
