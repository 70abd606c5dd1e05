//! The pipes of programs that the user of the gateway passes on, and the calls that it makes itself.

use std::collections::BTreeMap;
use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use minds_process::send_descriptors;
use minds_toolset::{CallClient, ForeignAnswer};
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::call::{answer_of, set_outcome};
use super::refusal;
use super::serve::Output;
use super::server_set::ServerSet;
use super::slot::Slot;
use super::tracked::{DirectUse, Tracked};
use crate::client::wire::lock;
use crate::client::{CallError, CallLimits, PipeRelay, RelayedPipes};
use crate::link::message::{Event, FailedCall};

/// The time for the numbers of direct calls that run.
const COUNT_TIME: Duration = Duration::from_millis(500);

/// What the user of the gateway passes on.
pub(super) struct Relays {
    /// Where the pipes of programs are sent.
    socket: UnixStream,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    last: u64,
    output: Option<Arc<Output>>,
    /// The connections with direct calls.
    connections: BTreeMap<u64, Connection>,
    counts: BTreeMap<u64, oneshot::Sender<BTreeMap<u64, usize>>>,
    questions: u64,
}

struct Connection {
    slot: Weak<Slot>,
    /// It stays until no direct call can fail any longer, because only it can say why the server ended.
    tracked: Arc<Tracked>,
    conversation: Option<String>,
}

impl Relays {
    /// # Errors
    ///
    /// Fails if the socket cannot be used.
    pub(super) fn new(socket: UnixStream) -> io::Result<Arc<Self>> {
        // A user that does not read gets no pipes, and no caller waits for it.
        socket.set_nonblocking(true)?;
        // Numbers differ from those of a worker before this one.
        let last = u64::from(std::process::id()) << 32;
        let state = State { last, ..State::default() };
        Ok(Arc::new(Self { socket, state: Mutex::new(state) }))
    }

    /// Uses the output to the user, whose messages arrive from now on.
    pub(super) fn connect(&self, output: &Arc<Output>) {
        lock(&self.state).output = Some(Arc::clone(output));
    }

    fn send(&self, event: &Event) {
        let output = lock(&self.state).output.clone();
        if let Some(output) = output {
            output.send(event);
        }
    }

    /// Allows direct calls over a connection: in a conversation, or in all of them.
    pub(super) fn open(
        &self,
        slot: &Arc<Slot>,
        tracked: &Arc<Tracked>,
        conversation: Option<&str>,
        limits: CallLimits,
    ) {
        let Some(relay) = tracked.connection.relay().filter(|_| tracked.begin_direct_use()) else { return };
        let connection = Connection {
            slot: Arc::downgrade(slot),
            tracked: Arc::clone(tracked),
            conversation: conversation.map(ToOwned::to_owned),
        };
        lock(&self.state).connections.insert(relay, connection);
        let conversation = conversation.map(ToOwned::to_owned);
        self.send(&Event::Open { relay, server: slot.id.clone(), conversation, limits });
    }

    /// Sets the limits of direct calls.
    pub(super) fn set_limits(&self, limits: CallLimits) {
        let open: Vec<Event> = lock(&self.state)
            .connections
            .iter()
            .filter(|(_, one)| one.tracked.direct_use() == DirectUse::Open)
            .filter_map(|(relay, one)| {
                let server = one.slot.upgrade()?.id.clone();
                Some(Event::Open { relay: *relay, server, conversation: one.conversation.clone(), limits })
            })
            .collect();
        for event in &open {
            self.send(event);
        }
    }

    /// Allows no further direct calls over a connection. Its draining waits for those that run.
    pub(super) fn close(&self, tracked: &Tracked) {
        if let Some(relay) = tracked.connection.relay().filter(|_| tracked.close_direct_use()) {
            self.send(&Event::Close { relay });
        }
    }

    /// Records that no direct call uses a relay any longer.
    pub(super) fn record_end(&self, relay: u64) {
        let connection = lock(&self.state).connections.remove(&relay);
        if let Some(connection) = connection {
            connection.tracked.end_direct_use();
        }
    }

    /// Returns the numbers of direct calls that run, by their relays. A user that does not answer in time has none.
    pub(super) async fn count(&self) -> BTreeMap<u64, usize> {
        let (sender, receiver) = oneshot::channel();
        let question = {
            let mut state = lock(&self.state);
            if state.connections.is_empty() {
                return BTreeMap::new();
            }
            state.questions += 1;
            let question = state.questions;
            state.counts.insert(question, sender);
            question
        };
        self.send(&Event::Count { question });
        let counts = timeout(COUNT_TIME, receiver).await;
        lock(&self.state).counts.remove(&question);
        counts.ok().and_then(Result::ok).unwrap_or_default()
    }

    /// Takes the answer to a question for numbers.
    pub(super) fn take_counts(&self, question: u64, counts: BTreeMap<u64, usize>) {
        let sender = lock(&self.state).counts.remove(&question);
        // The one who asked may have stopped waiting.
        let _ = sender.map(|sender| sender.send(counts));
    }

    fn find(&self, relay: u64) -> Option<(Arc<Slot>, Arc<Tracked>)> {
        let state = lock(&self.state);
        let connection = state.connections.get(&relay)?;
        Some((connection.slot.upgrade()?, Arc::clone(&connection.tracked)))
    }
}

impl PipeRelay for Relays {
    fn relay(&self, input: &OwnedFd, output: &OwnedFd) -> io::Result<RelayedPipes> {
        let (from_worker, to_user): (PipeReader, PipeWriter) = io::pipe()?;
        let (from_user, to_worker): (PipeReader, PipeWriter) = io::pipe()?;
        let number = {
            let mut state = lock(&self.state);
            state.last += 1;
            state.last
        };
        let sent = [input.as_fd(), output.as_fd(), from_worker.as_fd(), to_worker.as_fd()];
        send_descriptors(&self.socket, number, &sent)?;
        Ok(RelayedPipes { number, input: to_user.into(), output: from_user.into() })
    }
}

/// Answers a direct call that failed, as one of this process would be.
pub(super) fn fail(
    server_set: Arc<ServerSet>,
    call: FailedCall,
    client: Arc<dyn CallClient>,
) -> impl Future<Output = ()> + Send + 'static {
    let FailedCall { id: _, relay, error, mut record } = call;
    // Before the end of the direct use is recorded, which forgets the connection.
    let connection = server_set.relays().and_then(|relays| relays.find(relay));
    async move {
        let answer = explain(connection, &record.server, error).await;
        set_outcome(&mut record, &answer);
        client.answer(answer);
        server_set.journal.audit(record);
    }
}

async fn explain(
    connection: Option<(Arc<Slot>, Arc<Tracked>)>,
    server: &str,
    error: Option<CallError>,
) -> ForeignAnswer {
    let Some((slot, tracked)) = connection else {
        return Err(refusal::unavailable(server, "the server closed the connection"));
    };
    let error = match error {
        Some(error) => error,
        None => tracked.connection.explain_end().await,
    };
    answer_of(&slot, &tracked, Err(error))
}
