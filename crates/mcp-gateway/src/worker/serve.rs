//! Serves a gateway over a socket.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::os::unix::net::{UnixListener as StdListener, UnixStream as StdStream};
use std::sync::{Arc, Mutex};

use minds_toolset::{CallClient, ForeignAnswer, ForeignCall, ForeignTool, TaskRequest};
use serde_json::{Map, Value};
use tokio::net::unix::OwnedWriteHalf;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Notify;
use tokio::task::{AbortHandle, JoinSet};

use super::server_set::ServerSet;
use super::{call, relays, status};
use crate::client::lines::Lines;
use crate::client::wire::lock;
use crate::link::message::{CallRequest, Event, MAX_MESSAGE_BYTES, PROTOCOL, Request, line};

/// The size at which a list of tools is divided, in bytes.
const MAX_PART_BYTES: usize = 4 << 20;

/// Whom a socket belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Peer {
    /// The server for which the gateway runs. It receives the tools.
    Server,
    /// A command that asks for the state.
    Command,
}

/// Answers commands, each on a connection of its own.
pub(super) async fn accept(server_set: &Arc<ServerSet>, listener: StdListener) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let listener = UnixListener::from_std(listener)?;
    loop {
        let (stream, _) = listener.accept().await?;
        let (server_set, stream) = (Arc::clone(server_set), stream.into_std()?);
        tokio::spawn(async move { serve(server_set, stream, Peer::Command).await });
    }
}

/// Answers the messages of a socket until it is closed.
pub(super) async fn serve(server_set: Arc<ServerSet>, stream: StdStream, peer: Peer) -> io::Result<()> {
    stream.set_nonblocking(true)?;
    let (reader, writer) = UnixStream::from_std(stream)?.into_split();
    let output = Output::new(writer);
    let mut tasks = JoinSet::new();
    tasks.spawn(Arc::clone(&output).write());
    output.send(&Event::Hello { protocol: PROTOCOL });
    if peer == Peer::Server {
        if let Some(relays) = server_set.relays() {
            relays.connect(&output);
        }
        tasks.spawn(push_tools(Arc::clone(&server_set), Arc::clone(&output)));
    }
    let mut session = Session { server_set, output, calls: BTreeMap::new() };
    let mut lines = Lines::new(reader, MAX_MESSAGE_BYTES);
    while let Some(line) = lines.next().await {
        // The other end is the same program, so anything else is damage.
        let Ok(request) = serde_json::from_slice(&line.bytes) else { break };
        session.handle(request, &mut tasks);
    }
    for (call, _) in session.calls.into_values() {
        call.abort();
    }
    Ok(())
}

/// Sends the tools after each change.
async fn push_tools(server_set: Arc<ServerSet>, output: Arc<Output>) {
    let changed = Arc::new(Notify::new());
    let notify = Arc::clone(&changed);
    server_set.subscribe(Box::new(move || notify.notify_one()));
    let mut sent: Option<Arc<[ForeignTool]>> = None;
    loop {
        let tools = server_set.tools();
        let is_settled = *server_set.settled.borrow();
        let is_same = sent.as_ref().is_some_and(|sent| Arc::ptr_eq(sent, &tools));
        send_tools(&output, if is_same { None } else { Some(&tools) }, is_settled);
        sent = Some(tools);
        changed.notified().await;
    }
}

/// Sends tools in parts of limited size, or only whether all servers are known.
fn send_tools(output: &Output, tools: Option<&[ForeignTool]>, is_settled: bool) {
    let Some(tools) = tools else {
        return output.send(&Event::Settled { is_settled });
    };
    let (mut part, mut bytes) = (Vec::new(), 0);
    for tool in tools {
        bytes += serde_json::to_vec(tool).map_or(0, |tool| tool.len());
        part.push(tool.clone());
        if bytes > MAX_PART_BYTES {
            bytes = 0;
            output.send(&Event::Tools { tools: std::mem::take(&mut part), is_last: false, is_settled });
        }
    }
    output.send(&Event::Tools { tools: part, is_last: true, is_settled });
}

/// What a user of the gateway has asked for.
struct Session {
    server_set: Arc<ServerSet>,
    output: Arc<Output>,
    calls: BTreeMap<u64, (AbortHandle, Arc<Client>)>,
}

impl Session {
    fn handle(&mut self, request: Request, tasks: &mut JoinSet<()>) {
        match request {
            Request::Hello { .. } => {}
            Request::Call(request) => self.call(*request),
            Request::Task { id, conversation, server, action, params } => {
                let request = TaskRequest { conversation, server, action, params };
                self.spawn(id, |server_set, client| call::ask_about_task(server_set, request, client));
            }
            Request::Cancel { id } => {
                if let Some((call, _)) = self.calls.remove(&id) {
                    call.abort();
                }
            }
            Request::Answer { id, question, answer } => {
                if let Some((_, client)) = self.calls.get(&id) {
                    client.reply(question, answer);
                }
            }
            Request::Act { id, conversation, server, action } => {
                let act = Arc::clone(&self.server_set).act(conversation, server, action);
                let output = Arc::clone(&self.output);
                tasks.spawn(async move {
                    output.send(&match act.await {
                        Ok(outcome) => Event::Acted { id, outcome },
                        Err(refusal) => Event::Refused { id, refusal: refusal.into() },
                    });
                });
            }
            Request::EndConversation { conversation } => {
                for slot in self.server_set.slots() {
                    slot.release(&conversation);
                }
            }
            Request::State { id } => {
                let (server_set, output) = (Arc::clone(&self.server_set), Arc::clone(&self.output));
                tasks.spawn(async move {
                    let direct = match server_set.relays() {
                        Some(relays) => relays.count().await,
                        None => BTreeMap::new(),
                    };
                    // A server that has just started has tools.
                    server_set.publish();
                    output.send(&Event::State { id, state: Box::new(status::state(&server_set, &direct)) });
                });
            }
            Request::Tools { id } => {
                self.server_set.publish();
                self.output.send(&Event::ServerTools { id, servers: status::tools(&self.server_set) });
            }
            Request::Failed(failed) => {
                self.spawn(failed.id, |server_set, client| relays::fail(server_set, *failed, client));
            }
            Request::Record { calls } => {
                for call in calls {
                    self.server_set.journal.audit(call);
                }
            }
            Request::Closed { relay } => {
                if let Some(relays) = self.server_set.relays() {
                    relays.record_end(relay);
                }
            }
            Request::Counts { question, counts } => {
                if let Some(relays) = self.server_set.relays() {
                    relays.take_counts(question, counts);
                }
            }
        }
    }

    fn call(&mut self, request: CallRequest) {
        let CallRequest {
            id,
            conversation,
            caller,
            server,
            tool,
            original,
            arguments,
            can_elicit,
            accepts_tasks,
        } = request;
        let tool = ForeignTool { name: tool, server, original, ..ForeignTool::default() };
        let call = ForeignCall { conversation, caller, tool, arguments, can_elicit, accepts_tasks };
        self.spawn(id, |server_set, client| call::run(server_set, call, client));
    }

    /// Starts what answers once, and can be cancelled.
    fn spawn<F>(&mut self, id: u64, run: impl FnOnce(Arc<ServerSet>, Arc<dyn CallClient>) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.calls.retain(|_, (call, _)| !call.is_finished());
        let client = Arc::new(Client { id, output: Arc::clone(&self.output), questions: Mutex::default() });
        let running = run(Arc::clone(&self.server_set), Arc::clone(&client) as Arc<dyn CallClient>);
        let task = self.server_set.runtime.spawn(running);
        self.calls.insert(id, (task.abort_handle(), client));
    }
}

type Reply = Box<dyn FnOnce(Map<String, Value>) + Send>;

/// The client of a call, at the other end of the socket.
struct Client {
    id: u64,
    output: Arc<Output>,
    /// The questions that wait for their answers, and the number of the next one.
    questions: Mutex<(BTreeMap<u64, Reply>, u64)>,
}

impl Client {
    fn reply(&self, question: u64, answer: Map<String, Value>) {
        let reply = lock(&self.questions).0.remove(&question);
        if let Some(reply) = reply {
            reply(answer);
        }
    }
}

impl CallClient for Client {
    fn progress(&self, progress: Map<String, Value>) {
        self.output.send(&Event::Progress { id: self.id, progress });
    }

    fn elicit(&self, params: Map<String, Value>, reply: Reply) {
        let question = {
            let mut questions = lock(&self.questions);
            questions.1 += 1;
            let question = questions.1;
            questions.0.insert(question, reply);
            question
        };
        self.output.send(&Event::Ask { id: self.id, question, params });
    }

    fn answer(&self, answer: ForeignAnswer) {
        let id = self.id;
        self.output.send(&match answer {
            Ok(result) => Event::Result { id, result },
            Err(refusal) => Event::Refused { id, refusal: refusal.into() },
        });
    }
}

/// The output of a socket. No message waits for the reader.
pub(super) struct Output {
    writer: OwnedWriteHalf,
    queue: Mutex<VecDeque<Vec<u8>>>,
    queued: Notify,
}

impl Output {
    fn new(writer: OwnedWriteHalf) -> Arc<Self> {
        Arc::new(Self { writer, queue: Mutex::default(), queued: Notify::new() })
    }

    pub(super) fn send(&self, event: &Event) {
        let mut line = line(event);
        let mut queue = lock(&self.queue);
        if queue.is_empty() {
            // Mostly there is space, and no other task has to run.
            match self.writer.try_write(&line) {
                Ok(count) if count == line.len() => return,
                Ok(count) => drop(line.drain(..count)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                // The reader is gone, which ends the session.
                Err(_) => return,
            }
        }
        queue.push_back(line);
        drop(queue);
        self.queued.notify_one();
    }

    /// Writes what did not find space.
    async fn write(self: Arc<Self>) {
        loop {
            let is_empty = lock(&self.queue).is_empty();
            if is_empty {
                self.queued.notified().await;
                continue;
            }
            if self.writer.writable().await.is_err() {
                return;
            }
            let mut queue = lock(&self.queue);
            let Some(line) = queue.front_mut() else { continue };
            match self.writer.try_write(line) {
                Ok(count) if count == line.len() => drop(queue.pop_front()),
                Ok(count) => drop(line.drain(..count)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => return,
            }
        }
    }
}
