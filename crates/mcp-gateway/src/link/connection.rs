//! The sockets to a gateway, and what both directions share.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use minds_process::{Companion, receive_descriptors};
use minds_toolset::{Code, ForeignTool, Refusal};

use super::calls::{Answer, Calls, Place, Reply, no_answer};
use super::direct::Direct;
use super::message::{Event, MAX_MESSAGE_BYTES, PROTOCOL, Request, line};
use super::outgoing::Outgoing;
use super::relay::{Records, Relays};

/// The time for which a message waits for a gateway that does not read.
const WRITE_TIME: Duration = Duration::from_secs(10);
/// The time after which a supervisor that does not end is killed.
const MAX_END_TIME: Duration = Duration::from_secs(2);

/// What all users of a link share.
pub(super) struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    subscribers: Mutex<Vec<Box<dyn Fn() + Send + Sync>>>,
    /// Is notified of messages that did not find space, and of the end.
    pub(super) queued: Condvar,
    pub(super) this: Weak<Self>,
    /// The records of direct calls that are not sent yet.
    pub(super) records: Records,
}

#[derive(Default)]
pub(super) struct State {
    /// The socket to the process with the servers; none while there is no such process.
    pub(super) stream: Option<Arc<UnixStream>>,
    /// Messages for the next process, while there is none.
    pub(super) pending: Vec<Vec<u8>>,
    pub(super) outgoing: Outgoing,
    /// Whether there will be none.
    pub(super) has_ended: bool,
    pub(super) calls: Calls,
    pub(super) direct: Direct,
    tools: Arc<[ForeignTool]>,
    /// The parts of a list that is not complete.
    parts: Vec<ForeignTool>,
    is_settled: bool,
}

impl Shared {
    pub(super) fn new() -> Arc<Self> {
        Arc::new_cyclic(|this| Self {
            state: Mutex::default(),
            changed: Condvar::new(),
            subscribers: Mutex::default(),
            queued: Condvar::new(),
            this: Weak::clone(this),
            records: Records::default(),
        })
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn tools(&self) -> Arc<[ForeignTool]> {
        Arc::clone(&self.lock().tools)
    }

    pub(super) fn has_ended(&self) -> bool {
        self.lock().has_ended
    }

    pub(super) fn subscribe(&self, changed: Box<dyn Fn() + Send + Sync>) {
        self.subscribers.lock().unwrap_or_else(PoisonError::into_inner).push(changed);
    }

    /// Waits until all servers are known, or the gateway has ended.
    pub(super) fn wait_for_tools(&self, time: Duration) {
        let waits = |state: &mut State| !state.is_settled && !state.has_ended;
        // A timeout is as good as an end.
        let _ = self.changed.wait_timeout_while(self.lock(), time, waits);
    }

    /// Asks the gateway something, and waits for the answer.
    ///
    /// # Errors
    ///
    /// Fails if the gateway refuses, ends, or does not answer in time.
    pub(super) fn ask(&self, time: Duration, request: impl FnOnce(u64) -> Request) -> Result<Reply, Refusal> {
        let (sender, receiver) = sync_channel(1);
        let mut state = self.lock();
        if state.has_ended {
            return Err(end_refusal());
        }
        let id = state.calls.add_question(sender);
        self.write(state, &request(id));
        receiver.recv_timeout(time).unwrap_or_else(|_| {
            self.lock().calls.remove(id);
            Err(no_answer())
        })
    }

    /// Cancels a call. There is no answer afterwards.
    pub(super) fn cancel(&self, id: u64) {
        let mut state = self.lock();
        match state.calls.remove(id) {
            None => {}
            Some(Place::Worker) => self.write(state, &Request::Cancel { id }),
            Some(Place::Relay(relay)) => {
                drop(state);
                self.cancel_direct(&relay, id);
            }
        }
    }

    /// Sends a message that has no answer.
    pub(super) fn send(&self, request: &Request) {
        let state = self.lock();
        self.write(state, request);
    }

    /// Uses a socket to a process with servers, and returns it for reading.
    ///
    /// # Errors
    ///
    /// Fails if the socket cannot be used.
    pub(super) fn connect(&self, stream: UnixStream) -> io::Result<UnixStream> {
        stream.set_write_timeout(Some(WRITE_TIME))?;
        let reader = stream.try_clone()?;
        let mut state = self.lock();
        let mut pending = line(&Request::Hello { protocol: PROTOCOL });
        pending.extend(state.pending.drain(..).flatten());
        (&stream).write_all(&pending)?;
        state.stream = Some(Arc::new(stream));
        Ok(reader)
    }

    /// Refuses what waits, because the process with the servers has ended.
    fn disconnect(&self) {
        let answers = {
            let mut state = self.lock();
            state.stream = None;
            state.outgoing.clear();
            state.parts.clear();
            state.direct.clear();
            let message = "the process with the MCP servers ended during the call";
            state.calls.refuse_all(&Refusal::new(Code::ServerUnavailable, message).next("call again"))
        };
        answers.into_iter().for_each(Answer::give);
    }

    /// Refuses what waits and what comes, because the gateway has ended.
    pub(super) fn end(&self) {
        let answers = {
            let mut state = self.lock();
            state.has_ended = true;
            state.stream = None;
            state.outgoing.clear();
            state.pending.clear();
            state.direct.clear();
            state.calls.refuse_all(&end_refusal())
        };
        self.changed.notify_all();
        self.queued.notify_all();
        answers.into_iter().for_each(Answer::give);
    }

    /// Closes the sockets, which ends the gateway.
    pub(super) fn close(&self) {
        self.send_records();
        let mut state = self.lock();
        state.has_ended = true;
        if let Some(stream) = &state.stream {
            // It may be closed already.
            let _ = stream.shutdown(std::net::Shutdown::Both);
        }
        self.queued.notify_all();
    }

    fn handle(self: &Arc<Self>, event: Event) {
        let answer = match event {
            Event::Hello { protocol } => {
                if protocol != PROTOCOL {
                    // A gateway of another version of this program.
                    self.close();
                }
                None
            }
            Event::Tools { tools, is_last, is_settled } => {
                self.take_tools(tools, is_last, is_settled);
                None
            }
            Event::Settled { is_settled } => {
                self.lock().is_settled = is_settled;
                self.changed.notify_all();
                None
            }
            Event::Progress { id, progress } => {
                let client = self.lock().calls.client(id);
                if let Some(client) = client {
                    client.progress(progress);
                }
                None
            }
            Event::Ask { id, question, params } => {
                let client = self.lock().calls.client(id);
                if let Some(client) = client {
                    let shared = Arc::downgrade(self);
                    let reply = move |answer| {
                        if let Some(shared) = shared.upgrade() {
                            shared.send(&Request::Answer { id, question, answer });
                        }
                    };
                    client.elicit(params, Box::new(reply));
                }
                None
            }
            Event::Result { id, result } => self.lock().calls.answer(id, Ok(result)),
            Event::Refused { id, refusal } => self.lock().calls.answer(id, Err(refusal.into())),
            Event::Acted { id, outcome } => self.lock().calls.reply(id, Reply::Outcome(outcome)),
            Event::State { id, state } => self.lock().calls.reply(id, Reply::State(state)),
            Event::ServerTools { id, servers } => self.lock().calls.reply(id, Reply::Tools(servers)),
            Event::Open { relay, server, conversation, limits } => {
                self.open_relay(relay, server, conversation, limits);
                None
            }
            Event::Close { relay } => {
                self.close_relay(relay);
                None
            }
            Event::Count { question } => {
                let counts = self.lock().direct.counts();
                self.send(&Request::Counts { question, counts });
                None
            }
        };
        if let Some(answer) = answer {
            answer.give();
        }
    }

    fn take_tools(&self, tools: Vec<ForeignTool>, is_last: bool, is_settled: bool) {
        {
            let mut state = self.lock();
            state.parts.extend(tools);
            if !is_last {
                return;
            }
            let tools = std::mem::take(&mut state.parts);
            if *state.tools != *tools {
                state.tools = tools.into();
            }
            state.is_settled = is_settled;
        }
        self.changed.notify_all();
        for changed in &*self.subscribers.lock().unwrap_or_else(PoisonError::into_inner) {
            changed();
        }
    }
}

/// Uses the processes that a supervisor starts, one after the other, until it ends.
pub(super) fn follow(
    shared: &Arc<Shared>,
    control: &UnixStream,
    mut supervisor: Companion,
    relays: Option<&Relays>,
) {
    while let Ok(Some(received)) = receive_descriptors(control) {
        let mut sockets = received.descriptors.into_iter().map(UnixStream::from);
        let (stream, for_pipes) = (sockets.next(), sockets.next());
        if let Some((relays, for_pipes)) = relays.zip(for_pipes) {
            relays.accept(for_pipes, shared);
        }
        if let Some(Ok(reader)) = stream.map(|stream| shared.connect(stream)) {
            read(shared, reader);
        }
        shared.disconnect();
    }
    shared.end();
    // It has ended, or ends with the socket, unless it is stopped.
    let _ = supervisor.end_within(MAX_END_TIME);
}

/// Handles the messages of a gateway until the end of the socket.
pub(super) fn read(shared: &Arc<Shared>, stream: UnixStream) {
    let mut reader = BufReader::with_capacity(1 << 16, stream);
    let mut line = Vec::new();
    loop {
        line.clear();
        let limit = u64::try_from(MAX_MESSAGE_BYTES).unwrap_or(u64::MAX);
        match (&mut reader).take(limit).read_until(b'\n', &mut line) {
            Ok(count) if count > 0 && line.ends_with(b"\n") => {}
            _ => return,
        }
        // The other end is the same program, so anything else is damage.
        let Ok(event) = serde_json::from_slice(&line) else { return };
        shared.handle(event);
        if line.capacity() > 1 << 20 {
            line = Vec::new();
        }
    }
}

pub(super) fn end_refusal() -> Refusal {
    let message = "the gateway with the MCP servers has ended";
    Refusal::new(Code::ServerUnavailable, message).next("ask the user to restart the MCP server `minds`")
}
