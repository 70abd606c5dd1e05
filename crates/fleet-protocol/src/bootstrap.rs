//! The states of a bootstrap token.

use std::time::Duration;

use minds_fleet::ErrorCode;

use crate::limits::{BOOTSTRAP_LIFETIME, MAX_BOOTSTRAP_SECONDS};
use crate::{AgentId, Failure, Timestamp};

/// A token with which an agent starts for the first time. The token itself is not a part of the value.
///
/// ```text
/// issued ─► redeemed | expired | revoked      all final
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Bootstrap {
    agent: AgentId,
    expires_at: Timestamp,
    state: BootstrapState,
}

/// The state of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BootstrapState {
    /// The token can be redeemed.
    Issued,
    /// An agent has used it.
    Redeemed,
    /// It was not used in time.
    Expired,
    /// A user withdrew it.
    Revoked,
}

/// How long a token can be redeemed: whole seconds from 1 to [`MAX_BOOTSTRAP_SECONDS`]; [`BOOTSTRAP_LIFETIME`] by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BootstrapLifetime(Duration);

impl BootstrapLifetime {
    /// Returns a lifetime in seconds; `None` outside of the limits.
    pub fn from_seconds(seconds: u32) -> Option<Self> {
        let is_valid = (1..=MAX_BOOTSTRAP_SECONDS).contains(&seconds);
        is_valid.then(|| Self(Duration::from_secs(seconds.into())))
    }

    /// Returns the lifetime as a duration.
    pub fn duration(self) -> Duration {
        self.0
    }
}

impl Default for BootstrapLifetime {
    fn default() -> Self {
        Self(BOOTSTRAP_LIFETIME)
    }
}

impl Bootstrap {
    /// Issues a token for one agent. It expires after `lifetime`; `None` if that is not a valid time.
    pub fn issue(agent: AgentId, lifetime: BootstrapLifetime, now: Timestamp) -> Option<Self> {
        let expires_at = Timestamp::from_seconds(now.as_seconds() + lifetime.duration().as_secs_f64())?;
        Some(Self { agent, expires_at, state: BootstrapState::Issued })
    }

    /// Returns the state at a time.
    pub fn state(&self, now: Timestamp) -> BootstrapState {
        match self.state {
            BootstrapState::Issued if now >= self.expires_at => BootstrapState::Expired,
            state => state,
        }
    }

    /// Returns the agent that can redeem the token.
    pub fn agent(&self) -> &AgentId {
        &self.agent
    }

    /// Returns when the token expires.
    pub fn expires_at(&self) -> Timestamp {
        self.expires_at
    }

    /// Redeems the token.
    ///
    /// # Errors
    ///
    /// Returns `bootstrap.invalid` if the token is of another agent, used, expired or revoked. The message does not
    /// distinguish them, so that it does not help to guess. The token of another agent stays valid for that one.
    pub fn redeem(&mut self, agent: &AgentId, now: Timestamp) -> Result<(), Failure> {
        let is_valid = self.agent == *agent && self.state(now) == BootstrapState::Issued;
        if !is_valid {
            let message = "the bootstrap token is used, expired, revoked, or of another agent";
            return Err(Failure::new(ErrorCode::BootstrapInvalid, message));
        }
        self.state = BootstrapState::Redeemed;
        Ok(())
    }

    /// Withdraws the token, and returns whether it could still have been used.
    pub fn revoke(&mut self, now: Timestamp) -> bool {
        self.state = match self.state(now) {
            BootstrapState::Issued => BootstrapState::Revoked,
            state => {
                self.state = state;
                return false;
            }
        };
        true
    }
}

/// Decides whether an agent may start.
///
/// `redeemed` is the result for the given token, and `None` without one. An agent that redeemed a token once is
/// enrolled and needs no other.
///
/// # Errors
///
/// Returns `bootstrap.invalid`: for a token that is not valid, always; without a token, if one is required and the
/// agent is not enrolled.
pub fn check_start(
    is_required: bool,
    is_enrolled: bool,
    redeemed: Option<Result<(), Failure>>,
) -> Result<(), Failure> {
    match redeemed {
        // A restarted agent passes the token of its first start again.
        Some(Err(_)) if is_enrolled => Ok(()),
        Some(result) => result,
        None if is_required && !is_enrolled => {
            let message = "the fleet requires a bootstrap token for the first start of an agent";
            Err(Failure::new(ErrorCode::BootstrapInvalid, message))
        }
        None => Ok(()),
    }
}
