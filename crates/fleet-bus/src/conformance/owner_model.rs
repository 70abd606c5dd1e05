//! The owner as a few lines compute it, to compare a transport with.

use std::time::Duration;

use minds_fleet_protocol::limits::{OWNER_RECONNECT_WINDOW, TAKEOVER_GRACE};

/// The expected owner of one agent. Clients are numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct OwnerModel {
    owner: Option<usize>,
    /// When the owner expires, after its connection ended.
    expires: Option<Duration>,
    /// The client that takes over, and when.
    takeover: Option<(usize, Duration)>,
}

/// The expected result of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    Granted,
    Denied,
    Pending,
}

impl OwnerModel {
    /// Performs what is due, and returns the client whose pending claim succeeded.
    pub(super) fn settle(&mut self, clock: Duration) -> Option<usize> {
        let is_final = self.takeover.is_some_and(|(_, at)| at <= clock);
        let has_expired = self.expires.is_some_and(|at| at <= clock);
        if is_final || has_expired { self.end() } else { None }
    }

    /// Returns the owner, if it is connected.
    pub(super) fn writer(&self) -> Option<usize> {
        self.owner.filter(|_| self.expires.is_none())
    }

    /// Claims after [`OwnerModel::settle`].
    pub(super) fn claim(
        &mut self,
        client: usize,
        is_takeover: bool,
        resumes: bool,
        clock: Duration,
    ) -> Expected {
        if self.owner.is_none() {
            self.owner = Some(client);
            return Expected::Granted;
        }
        if self.owner == Some(client) && (self.expires.is_none() || resumes) {
            self.expires = None;
            return Expected::Granted;
        }
        if !is_takeover || self.owner == Some(client) || self.takeover.is_some() {
            return Expected::Denied;
        }
        self.takeover = Some((client, clock + TAKEOVER_GRACE));
        Expected::Pending
    }

    /// Releases after [`OwnerModel::settle`], and returns the client whose pending claim succeeded.
    pub(super) fn release(&mut self, client: usize) -> Option<usize> {
        if self.writer() == Some(client) { self.end() } else { None }
    }

    /// Ends a connection after [`OwnerModel::settle`].
    pub(super) fn disconnect(&mut self, client: usize, clock: Duration) {
        if self.writer() == Some(client) {
            self.expires = Some(clock + OWNER_RECONNECT_WINDOW);
        }
        self.takeover.take_if(|(by, _)| *by == client);
    }

    fn end(&mut self) -> Option<usize> {
        let next = self.takeover.take().map(|(by, _)| by);
        (self.owner, self.expires) = (next, None);
        next
    }
}
