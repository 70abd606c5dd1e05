//! How a client claims an agent whose owner is a value in a store with compare-and-set.

use std::time::Duration;

use crate::admission::deny_ownership;
use crate::limits::TAKEOVER_GRACE;
use crate::methods::Owner;
use crate::{Caller, Failure};

/// A claim of one client, step by step.
///
/// The value is only replaced if it is still the observed one, so that of concurrent claims exactly one succeeds. It
/// is never deleted first.
#[derive(Clone, Debug, PartialEq)]
pub struct ClaimSteps {
    caller: Caller,
    is_takeover: bool,
    observed: Option<Owner>,
    asked_until: Option<Duration>,
}

/// What the client does next.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub enum ClaimStep {
    /// Replace the value if it is still this one, and continue with [`ClaimSteps::replace`].
    Replace {
        /// The expected owner; `None` for no value.
        observed: Option<Owner>,
    },
    /// Ask the owner to release the agent. Read the value again when it does, or at the given time, and continue with
    /// [`ClaimSteps::observe`].
    Ask {
        /// The owner.
        owner: Caller,
        /// When the takeover is final.
        until: Duration,
    },
    /// Continue to wait until the given time.
    Wait {
        /// When the takeover is final.
        until: Duration,
    },
    /// The client is the owner already.
    Owned(Owner),
    /// `ownership.denied`, with the owner as detail.
    Denied(Failure),
}

impl ClaimSteps {
    /// Begins a claim. Read the value, and continue with [`ClaimSteps::observe`].
    pub fn new(caller: Caller, is_takeover: bool) -> Self {
        Self { caller, is_takeover, observed: None, asked_until: None }
    }

    /// Continues with the value that was read.
    pub fn observe(&mut self, owner: Option<Owner>, now: Duration) -> ClaimStep {
        let previous = std::mem::replace(&mut self.observed, owner.clone());
        let Some(owner) = owner else { return ClaimStep::Replace { observed: None } };
        if owner.caller == self.caller {
            return ClaimStep::Owned(owner);
        }
        match self.asked_until {
            _ if !self.is_takeover => ClaimStep::Denied(deny_ownership(Some(&owner))),
            None => {
                let until = now.saturating_add(TAKEOVER_GRACE);
                self.asked_until = Some(until);
                ClaimStep::Ask { owner: owner.caller, until }
            }
            // The agent has another owner than the one that was asked: that claim was earlier.
            Some(_) if previous.as_ref() != Some(&owner) => ClaimStep::Denied(deny_ownership(Some(&owner))),
            Some(until) if now < until => ClaimStep::Wait { until },
            Some(_) => ClaimStep::Replace { observed: Some(owner) },
        }
    }

    /// Ends the claim with the result of the replacement: the owner after it.
    pub fn replace(&self, owner: Owner) -> ClaimStep {
        if owner.caller == self.caller {
            ClaimStep::Owned(owner)
        } else {
            ClaimStep::Denied(deny_ownership(Some(&owner)))
        }
    }
}
