//! Starting a server until it works, and listing its tools.

use std::sync::Arc;

use tokio::time::sleep;

use super::slot::{Events, Good, Slot, Starting};
use super::tracked::Tracked;
use crate::Server;
use crate::client::{CallLimits, Connection, Inheritance, ListedTool, Options, PipeRelay, ServerEvents};

/// When a start begins.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Begin {
    /// At once.
    Now,
    /// After the pause that follows a failure.
    AfterPause,
}

/// What happens to the connections of the same configuration when a start works.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Present {
    /// They stay.
    Kept,
    /// They are closed, as those of another configuration are in any case.
    Replaced,
}

impl Slot {
    /// Starts a server beside what runs; once it works, it replaces another configuration. Returns the number of the start.
    pub(super) fn start(self: &Arc<Self>, server: Arc<Server>, begin: Begin, present: Present) -> u64 {
        let Some(server_set) = self.server_set.upgrade() else { return 0 };
        let mut state = self.state();
        let replaced = state.starting.take();
        let is_replaced = replaced.is_some();
        if let Some(starting) = replaced {
            starting.task.abort();
        }
        state.starts += 1;
        let number = state.starts;
        let fingerprint = server.fingerprint();
        let run = run(Arc::clone(self), Arc::clone(&server), number, begin, present);
        let task = server_set.runtime.spawn(run).abort_handle();
        let is_connecting = begin == Begin::Now;
        state.starting = Some(Starting { server, fingerprint, number, is_connecting, task });
        state.since = minds_process::now();
        drop(state);
        if is_replaced {
            // Calls that waited for the other start may connect themselves now.
            self.report_outcome();
        } else {
            server_set.publish_soon();
        }
        number
    }

    /// Opens a connection.
    ///
    /// # Errors
    ///
    /// Returns the reason as a sentence.
    pub(super) async fn open(self: &Arc<Self>, server: &Server) -> Result<Connection, String> {
        let server_set = self.server_set.upgrade().ok_or("the gateway ends")?;
        let settings = server_set.settings();
        let fingerprint = server.fingerprint();
        let revision = self.state().good.as_ref().and_then(|good| {
            (good.fingerprint == fingerprint && !good.protocol.is_empty()).then(|| good.protocol.clone())
        });
        let inherited = if self.is_built_in() {
            Inheritance::OfProgram
        } else if settings.inherit_env {
            Inheritance::All
        } else {
            Inheritance::Basic
        };
        let options = Options { inherited, revision, times: settings.times };
        let relay = server_set.relays().map(|relays| Arc::clone(relays) as Arc<dyn PipeRelay>);
        drop(server_set);
        let events = Arc::new(Events(Arc::downgrade(self))) as Arc<dyn ServerEvents>;
        let opened = Connection::open_through(&server.transport, &options, events, relay.as_deref()).await;
        opened.map_err(|error| server.redact(&error.to_string()).into_owned())
    }

    /// Lists the tools again over a connection that is open, because the server says that they changed.
    pub(super) fn list_again(self: &Arc<Self>) {
        let connection = self.state().connections().next().cloned();
        if let Some(connection) = connection {
            self.list(&connection);
        }
    }

    /// Lists the tools over a connection.
    pub(super) fn list(self: &Arc<Self>, connection: &Arc<Tracked>) {
        let Some(server_set) = self.server_set.upgrade() else { return };
        let (slot, connection) = (Arc::clone(self), Arc::clone(connection));
        server_set.runtime.spawn(async move {
            let Some(limits) = slot.server_set.upgrade().map(|server_set| server_set.settings().list) else {
                return;
            };
            if let Ok(tools) = connection.connection.list_tools(limits).await {
                slot.replace_tools(&connection, tools);
            }
        });
    }

    fn replace_tools(&self, connection: &Arc<Tracked>, tools: Vec<ListedTool>) {
        let Some(server_set) = self.server_set.upgrade() else { return };
        let good = {
            let mut state = self.state();
            // A connection of an earlier configuration has no say.
            let is_current = state.connections().any(|one| Arc::ptr_eq(one, connection));
            let Some(good) = state.good.as_mut().filter(|_| is_current) else { return };
            if *good.tools == *tools && !good.is_from_memory {
                return;
            }
            good.tools = tools.into();
            good.is_from_memory = false;
            connection.connection.protocol().clone_into(&mut good.protocol);
            good.clone()
        };
        server_set.journal.remember(&good.fingerprint, &good.protocol, good.tools.to_vec());
        server_set.publish_soon();
    }

    /// Returns whether a start is the current one, and records whether it connects.
    fn set_connecting(&self, number: u64, is_connecting: bool) -> bool {
        let mut state = self.state();
        match state.starting.as_mut().filter(|starting| starting.number == number) {
            Some(starting) => {
                starting.is_connecting = is_connecting;
                true
            }
            None => false,
        }
    }

    fn record_failure(&self, number: u64, reason: String) -> bool {
        if !self.set_connecting(number, false) {
            return false;
        }
        let mut state = self.state();
        let now = minds_process::now();
        state.backoff.fail(now);
        state.last_error = Some(reason);
        state.since = now;
        drop(state);
        self.report_outcome();
        true
    }

    fn record_start(
        self: &Arc<Self>,
        number: u64,
        (connection, tools): (Connection, Vec<ListedTool>),
        present: Present,
    ) {
        let Some(server_set) = self.server_set.upgrade() else { return };
        let (protocol, is_shareable) = (connection.protocol().to_owned(), connection.is_shareable());
        let tracked = Tracked::new(connection);
        let (good, replaced) = {
            let mut state = self.state();
            // A connection that was given up meanwhile ends with its value.
            let Some(starting) = state.starting.take_if(|starting| starting.number == number) else { return };
            // Its filters may be newer than those at the start.
            let server = starting.server;
            let good = Good {
                is_shared: server.is_stateless || is_shareable,
                server,
                fingerprint: starting.fingerprint,
                tools: tools.into(),
                protocol,
                is_from_memory: false,
            };
            let before = state.good.replace(good.clone());
            let is_other = before.as_ref().is_some_and(|before| before.fingerprint != good.fingerprint);
            if before.is_some_and(|before| !before.is_from_memory) {
                state.restarts += 1;
            }
            let is_replaced = is_other || present == Present::Replaced;
            let replaced =
                if is_replaced { state.take_connections() } else { state.spare.take().into_iter().collect() };
            state.spare = Some(Arc::clone(&tracked));
            let now = minds_process::now();
            state.backoff.start(now);
            state.last_error = None;
            state.since = now;
            (good, replaced)
        };
        self.watch(&tracked);
        self.drain_all(replaced);
        server_set.journal.remember(&good.fingerprint, &good.protocol, good.tools.to_vec());
        self.report_outcome();
    }

    /// Is called when a call has reached the server again.
    pub(super) fn record_recovery(self: &Arc<Self>, tracked: &Arc<Tracked>) {
        {
            let mut state = self.state();
            let now = minds_process::now();
            state.backoff.start(now);
            state.restarts += 1;
            state.last_error = None;
            state.since = now;
        }
        self.list(tracked);
        self.report_outcome();
    }

    /// Wakes the calls that wait for the end of a start.
    pub(super) fn report_outcome(&self) {
        self.outcomes.send_modify(|count| *count += 1);
        if let Some(server_set) = self.server_set.upgrade() {
            server_set.publish_soon();
        }
    }
}

async fn run(slot: Arc<Slot>, server: Arc<Server>, number: u64, begin: Begin, present: Present) {
    let mut has_failed = begin == Begin::AfterPause;
    loop {
        if has_failed {
            let jitter = minds_process::random::<1>().map_or(128, |[jitter]| jitter);
            let pause = slot.state().backoff.pause(jitter);
            sleep(pause).await;
        }
        if !slot.set_connecting(number, true) {
            return;
        }
        match open_and_list(&slot, &server).await {
            Ok(opened) => return slot.record_start(number, opened, present),
            Err(reason) => {
                if !slot.record_failure(number, reason) {
                    return;
                }
                has_failed = true;
            }
        }
    }
}

async fn open_and_list(slot: &Arc<Slot>, server: &Server) -> Result<(Connection, Vec<ListedTool>), String> {
    let connection = slot.open(server).await?;
    let limits =
        slot.server_set.upgrade().map_or(CallLimits::default(), |server_set| server_set.settings().list);
    match connection.list_tools(limits).await {
        Ok(tools) => Ok((connection, tools)),
        Err(error) => {
            connection.close(true).await;
            Err(format!("the tools cannot be listed: {error}"))
        }
    }
}
