//! One server: what the file wants of it, what works, and its connections.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::Duration;

use minds_core::catalog;
use minds_text::secrets::{TextKind, mask_secrets};
use minds_toolset::ServerState;
use tokio::sync::watch;
use tokio::task::AbortHandle;

use super::lease::Lease;
use super::server_set::ServerSet;
use super::tracked::Tracked;
use crate::backoff::Backoff;
use crate::client::wire::lock;
use crate::client::{CallLimits, ListedTool, ServerEvents};
use crate::plan::{Actual, Goal};
use crate::problems::ServerFacts;
use crate::{Fingerprint, InvalidServer, Server, ServerEntry};

/// The maximum number of lines of the log that are kept for the status.
const MAX_LOG_LINES: usize = 20;
/// The limit of a call of a built-in server, which is longer than any call takes: the server ends its calls.
const BUILT_IN_TOTAL: Duration = Duration::from_hours(25);

/// A server of `mcp.yaml`.
pub(super) struct Slot {
    pub(super) id: String,
    pub(super) server_set: Weak<ServerSet>,
    state: Mutex<State>,
    log: Mutex<VecDeque<String>>,
    /// Counts the attempts to start that have ended.
    pub(super) outcomes: watch::Sender<u64>,
}

/// A configuration of a server that worked.
#[derive(Clone)]
pub(super) struct Good {
    pub(super) server: Arc<Server>,
    pub(super) fingerprint: Fingerprint,
    pub(super) tools: Arc<[ListedTool]>,
    /// The revision of the protocol that it speaks.
    pub(super) protocol: String,
    /// Whether it was not tried yet by this process.
    pub(super) is_from_memory: bool,
    /// Whether all conversations share one connection.
    pub(super) is_shared: bool,
}

/// A start of a server, which is repeated until it works.
pub(super) struct Starting {
    pub(super) server: Arc<Server>,
    pub(super) fingerprint: Fingerprint,
    /// Tells starts apart, so that the result of one that was given up is not used.
    pub(super) number: u64,
    /// Whether it connects, and does not wait for its next attempt.
    pub(super) is_connecting: bool,
    pub(super) task: AbortHandle,
}

#[derive(Default)]
pub(super) struct State {
    /// The entry of the file.
    pub(super) entry: Option<ServerEntry>,
    /// Why the entry of the file cannot be used.
    pub(super) invalid: Option<InvalidServer>,
    /// The entry at the time at which the server was disabled by a tool.
    pub(super) disabled: Option<ServerEntry>,
    /// Whether the file disables it.
    pub(super) is_disabled_by_file: bool,
    /// Whether the id is the name of a built-in toolset.
    pub(super) collides: bool,
    pub(super) good: Option<Good>,
    pub(super) starting: Option<Starting>,
    pub(super) starts: u64,
    /// The number of successful starts after the first one.
    pub(super) restarts: u64,
    pub(super) backoff: Backoff,
    pub(super) last_error: Option<String>,
    /// When the state last changed, in milliseconds since 1970.
    pub(super) since: u64,
    /// The connection that listed the tools, until a conversation uses it.
    pub(super) spare: Option<Arc<Tracked>>,
    /// The connections of conversations.
    pub(super) leases: BTreeMap<String, Lease>,
    /// The number of connections that end.
    pub(super) draining: usize,
}

impl Slot {
    pub(super) fn new(id: &str, server_set: &Arc<ServerSet>) -> Arc<Self> {
        Arc::new(Self {
            id: id.to_owned(),
            server_set: Arc::downgrade(server_set),
            state: Mutex::default(),
            log: Mutex::default(),
            outcomes: watch::Sender::new(0),
        })
    }

    /// Locks the state, never while something is awaited.
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Returns what the server is doing, for the plan.
    pub(super) fn actual(&self) -> Actual {
        let state = self.state();
        Actual {
            // A configuration that is only remembered has to be started.
            good: state.good.as_ref().filter(|good| !good.is_from_memory).map(|good| good.fingerprint),
            starting: state.starting.as_ref().map(|starting| starting.fingerprint),
        }
    }

    /// Returns what an entry of the file wants of the server, and records it.
    pub(super) fn set_entry(&self, entry: &ServerEntry) -> Goal {
        let mut state = self.state();
        state.collides = catalog::is_toolset_name(&entry.id) && !entry.is_built_in;
        if state.disabled.as_ref().is_some_and(|disabled| disabled != entry) {
            state.disabled = None;
        }
        state.invalid = entry.server.as_ref().err().cloned();
        state.entry = Some(entry.clone());
        state.is_disabled_by_file = entry.server.as_ref().is_ok_and(|server| !server.is_enabled);
        match &entry.server {
            _ if state.collides || state.disabled.is_some() || state.is_disabled_by_file => Goal::Stopped,
            Ok(server) => Goal::Running(server.fingerprint()),
            Err(_) => Goal::Unchanged,
        }
    }

    /// Uses the filters of an entry that is otherwise the same.
    pub(super) fn update(&self, server: &Server) {
        let mut state = self.state();
        let fingerprint = server.fingerprint();
        let replace = |known: &mut Arc<Server>| {
            if **known != *server {
                *known = Arc::new(server.clone());
            }
        };
        if let Some(good) = state.good.as_mut().filter(|good| good.fingerprint == fingerprint) {
            replace(&mut good.server);
        }
        if let Some(starting) = state.starting.as_mut().filter(|starting| starting.fingerprint == fingerprint)
        {
            replace(&mut starting.server);
        }
    }

    /// Returns whether the server provides a built-in toolset, and no file declares it.
    pub(super) fn is_built_in(&self) -> bool {
        self.state().is_built_in()
    }

    /// Returns the limits of a call. Calls of a built-in server have limits of their own, and report progress until then.
    pub(super) fn call_limits(&self, limits: CallLimits) -> CallLimits {
        if self.is_built_in() { CallLimits { total: BUILT_IN_TOTAL, ..limits } } else { limits }
    }

    /// Returns what is known about the server, for problems.
    pub(super) fn facts(&self) -> ServerFacts {
        let state = self.state();
        let is_stopped = state.is_disabled_by_file || state.disabled.is_some() || state.collides;
        let is_waiting = state.starting.as_ref().is_some_and(|starting| !starting.is_connecting);
        ServerFacts {
            id: self.id.clone(),
            collides: state.collides,
            is_built_in: state.is_built_in(),
            invalid: state.invalid.as_ref().map(ToString::to_string),
            error: state.last_error.clone(),
            is_transient: state.good.is_some() && !state.backoff.is_persistent(),
            is_settled: is_stopped || state.good.is_some() || state.starting.is_none() || is_waiting,
        }
    }

    /// Checks a server that did not answer a call, and starts it again if it answers nothing else either.
    pub(super) fn check_alive(self: &Arc<Self>, tracked: &Arc<Tracked>, reason: String) {
        let Some(server_set) = self.server_set.upgrade() else { return };
        let (slot, tracked, limits) = (Arc::clone(self), Arc::clone(tracked), server_set.settings().check);
        server_set.runtime.spawn(async move {
            if tracked.connection.list_tools(limits).await.is_err() {
                slot.lost(&tracked, &reason);
            }
        });
    }

    /// Takes all connections out for the end of the gateway.
    pub(super) fn take_all(&self) -> Vec<Arc<Tracked>> {
        let mut state = self.state();
        state.good = None;
        if let Some(starting) = state.starting.take() {
            starting.task.abort();
        }
        state.take_connections()
    }

    /// Gives a start up, and keeps what works.
    pub(super) fn abandon(&self) {
        let starting = self.state().starting.take();
        if let Some(starting) = starting {
            starting.task.abort();
        }
        {
            let mut state = self.state();
            state.backoff.reset();
            state.last_error = None;
        }
        self.report_outcome();
    }

    /// Ends everything, and forgets what worked.
    pub(super) fn stop(self: &Arc<Self>) {
        let (starting, connections) = {
            let mut state = self.state();
            state.good = None;
            state.last_error = None;
            state.backoff.reset();
            (state.starting.take(), state.take_connections())
        };
        if let Some(starting) = starting {
            starting.task.abort();
        }
        self.report_outcome();
        self.drain_all(connections);
    }

    /// Closes connections after their calls, without waiting for them.
    pub(super) fn drain_all(self: &Arc<Self>, connections: Vec<Arc<Tracked>>) {
        for connection in connections {
            self.drain(connection);
        }
    }

    /// Closes a connection after its calls, without waiting for it.
    pub(super) fn drain(self: &Arc<Self>, connection: Arc<Tracked>) {
        let Some(server_set) = self.server_set.upgrade() else { return };
        if let Some(relays) = server_set.relays() {
            relays.close(&connection);
        }
        self.state().draining += 1;
        let slot = Arc::clone(self);
        let runtime = server_set.runtime.clone();
        runtime.spawn(async move {
            connection.drain(server_set.settings().stop).await;
            slot.state().draining -= 1;
            server_set.publish_soon();
        });
    }

    /// Removes a connection that has ended; returns whether it was in use.
    pub(super) fn forget(&self, ended: &Arc<Tracked>) -> bool {
        let mut state = self.state();
        let is_spare = state.spare.as_ref().is_some_and(|spare| Arc::ptr_eq(spare, ended));
        if is_spare {
            state.spare = None;
        }
        let before = state.leases.len();
        state.leases.retain(|_, lease| !lease.is_of(ended));
        is_spare || state.leases.len() < before
    }

    /// Watches a connection: its end, and changes of its tools.
    pub(super) fn watch(self: &Arc<Self>, tracked: &Arc<Tracked>) {
        let Some(server_set) = self.server_set.upgrade() else { return };
        let (slot, tracked) = (Arc::downgrade(self), Arc::downgrade(tracked));
        server_set.runtime.spawn(async move {
            let Some(connection) = tracked.upgrade() else { return };
            connection.connection.wait_for_end().await;
            if let Some(slot) = slot.upgrade() {
                slot.lost(&connection, "the server ended");
            }
        });
    }

    /// Is called when a connection ended by itself, or failed: the server is started again.
    pub(super) fn lost(self: &Arc<Self>, tracked: &Arc<Tracked>, reason: &str) {
        if !self.forget(tracked) {
            return;
        }
        let reason = &self.redact(reason);
        let Some(server_set) = self.server_set.upgrade() else { return };
        let connection = Arc::clone(tracked);
        server_set.runtime.spawn(async move { connection.connection.close(true).await });
        self.restart_after(reason);
        server_set.publish_soon();
    }

    /// Returns the last lines of the log.
    pub(super) fn log_lines(&self) -> Vec<String> {
        lock(&self.log).iter().cloned().collect()
    }

    /// Redacts secrets in what the server wrote.
    pub(super) fn redact(&self, text: &str) -> String {
        let server = {
            let state = self.state();
            let starting = state.starting.as_ref().map(|starting| &starting.server);
            starting.or(state.good.as_ref().map(|good| &good.server)).cloned()
        };
        match server {
            Some(server) => server.redact(text).into_owned(),
            None => mask_secrets(text, TextKind::Message).into_owned(),
        }
    }

    fn add_log_line(&self, line: &str) {
        let mut log = lock(&self.log);
        if log.len() >= MAX_LOG_LINES {
            log.pop_front();
        }
        log.push_back(line.to_owned());
    }
}

impl State {
    /// Returns whether the server provides a built-in toolset, and no file declares it.
    pub(super) fn is_built_in(&self) -> bool {
        self.entry.as_ref().is_some_and(|entry| entry.is_built_in)
    }

    /// Returns the state for people.
    pub(super) fn server_state(&self) -> ServerState {
        if self.is_disabled_by_file || self.disabled.is_some() {
            return if self.draining > 0 { ServerState::Stopping } else { ServerState::Disabled };
        }
        let is_verified = self.good.as_ref().is_some_and(|good| !good.is_from_memory);
        match (&self.starting, is_verified) {
            _ if (self.invalid.is_some() || self.collides) && self.good.is_none() => ServerState::Invalid,
            (Some(_), _) if self.last_error.is_some() => ServerState::Failing,
            (Some(_), false) => ServerState::Starting,
            (_, true) if self.invalid.is_some() => ServerState::Failing,
            (_, true) => ServerState::Ready,
            (None, false) if self.draining > 0 => ServerState::Stopping,
            (None, false) => ServerState::NotStarted,
        }
    }

    /// Returns why the server does not run in the configuration of the file.
    pub(super) fn error(&self) -> Option<String> {
        if self.collides {
            return Some("its id is the name of a built-in toolset".to_owned());
        }
        self.invalid.as_ref().map(ToString::to_string).or_else(|| self.last_error.clone())
    }

    /// Returns whether calls of the tools are expected to work.
    pub(super) fn is_available(&self) -> bool {
        self.last_error.is_none() || self.leases.values().any(Lease::is_open) || self.spare.is_some()
    }

    /// Takes the connections out, so that no call uses them anymore.
    pub(super) fn take_connections(&mut self) -> Vec<Arc<Tracked>> {
        let leased = std::mem::take(&mut self.leases).into_values().filter_map(Lease::into_connection);
        self.spare.take().into_iter().chain(leased).collect()
    }

    /// Returns the connections.
    pub(super) fn connections(&self) -> impl Iterator<Item = &Arc<Tracked>> {
        self.spare.iter().chain(self.leases.values().filter_map(Lease::connection))
    }
}

/// What a server tells outside of calls.
pub(super) struct Events(pub(super) Weak<Slot>);

impl ServerEvents for Events {
    fn tools_changed(&self) {
        if let Some(slot) = self.0.upgrade() {
            slot.list_again();
        }
    }

    fn log(&self, line: &str) {
        let Some(slot) = self.0.upgrade() else { return };
        let line = slot.redact(line);
        slot.add_log_line(&line);
        if let Some(server_set) = slot.server_set.upgrade() {
            server_set.journal.log(&slot.id, &line);
        }
    }
}
