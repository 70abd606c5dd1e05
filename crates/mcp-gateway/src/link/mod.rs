//! The connection to a gateway in another process.

mod calls;
mod connection;
mod direct;
pub(crate) mod message;
mod outgoing;
mod relay;

use std::fmt;
use std::io;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use minds_process::Companion;
use minds_toolset::{
    ActionOutcome, CallClient, ForeignCall, ForeignTool, Refusal, RunningCall, ServerAction, TaskRequest,
    ToolSource,
};

use crate::client::wire::lock;
use crate::documents::{GatewayState, ServerTools};
use calls::Reply;
use connection::Shared;
use message::Request;
use relay::Relays;

/// The time for an answer of the gateway to anything but a call.
const ANSWER_TIME: Duration = Duration::from_mins(2);

/// The tools of a gateway that runs in other processes, which this one may have no rights for.
///
/// If the process with the servers ends unexpectedly, calls that run are refused once, and the next ones go to its successor.
pub struct Link {
    shared: Arc<Shared>,
    /// The supervisor, and the socket to it.
    supervisor: Option<Supervisor>,
}

struct Supervisor {
    control: UnixStream,
    /// Its process, until a thread waits for it.
    process: Mutex<Option<Companion>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    /// Whether this process passes the messages of programs on.
    relays: bool,
}

impl Link {
    /// Uses the gateway of a supervisor, to which `control` leads. If it `relays`, the messages of programs pass through this
    /// process.
    pub(crate) fn to_supervisor(control: UnixStream, process: Companion, relays: bool) -> Self {
        let (process, thread) = (Mutex::new(Some(process)), Mutex::new(None));
        Self { shared: Shared::new(), supervisor: Some(Supervisor { control, process, thread, relays }) }
    }

    /// Starts the threads that receive what the gateway and its servers send. Before, there are no tools, and calls wait.
    ///
    /// A process that confines itself does that first, because its threads are confined one by one.
    ///
    /// # Errors
    ///
    /// Fails if the system has no threads.
    pub fn follow(&self) -> io::Result<()> {
        let Some(supervisor) = &self.supervisor else { return Ok(()) };
        let Some(process) = lock(&supervisor.process).take() else { return Ok(()) };
        let (shared, control) = (Arc::clone(&self.shared), supervisor.control.try_clone()?);
        let thread = std::thread::Builder::new().name("gateway".to_owned());
        let relays = if supervisor.relays { Some(Relays::start(&shared)?) } else { None };
        let thread = thread.spawn(move || connection::follow(&shared, &control, process, relays.as_ref()))?;
        *lock(&supervisor.thread) = Some(thread);
        Ok(())
    }

    /// Uses a gateway that runs for another process, without its tools.
    ///
    /// # Errors
    ///
    /// Fails if the system has no thread.
    pub(crate) fn to_gateway(stream: UnixStream) -> io::Result<Self> {
        let shared = Shared::new();
        let thread_shared = Arc::clone(&shared);
        let reader = shared.connect(stream)?;
        let thread = std::thread::Builder::new().name("gateway".to_owned());
        thread.spawn(move || {
            connection::read(&thread_shared, reader);
            thread_shared.end();
        })?;
        Ok(Self { shared, supervisor: None })
    }

    /// Ends the gateway, and waits until all of its processes have ended, which takes less than a second, or two if the
    /// supervisor does not run at present.
    ///
    /// The link does this too when it is dropped. But a thread that still uses it may drop it, and a program that ends
    /// meanwhile leaves the processes to end by themselves.
    pub fn end(&self) {
        self.shared.close();
        let Some(supervisor) = &self.supervisor else { return };
        // The supervisor may have ended.
        let _ = supervisor.control.shutdown(Shutdown::Both);
        let thread = lock(&supervisor.thread).take();
        // The thread does not wait for itself.
        if let Some(thread) = thread.filter(|thread| thread.thread().id() != std::thread::current().id()) {
            // It does not panic.
            let _ = thread.join();
        }
    }

    /// Returns whether the gateway has ended.
    pub fn has_ended(&self) -> bool {
        self.shared.has_ended()
    }

    /// Returns the state of all servers.
    ///
    /// # Errors
    ///
    /// Fails if the gateway ends or does not answer.
    pub fn state(&self) -> Result<GatewayState, Refusal> {
        match self.shared.ask(ANSWER_TIME, |id| Request::State { id })? {
            Reply::State(state) => Ok(*state),
            _ => Err(calls::no_answer()),
        }
    }

    /// Returns the tools of all servers, also those that are left out.
    ///
    /// # Errors
    ///
    /// Fails if the gateway ends or does not answer.
    pub fn server_tools(&self) -> Result<Vec<ServerTools>, Refusal> {
        match self.shared.ask(ANSWER_TIME, |id| Request::Tools { id })? {
            Reply::Tools(tools) => Ok(tools),
            _ => Err(calls::no_answer()),
        }
    }
}

impl ToolSource for Link {
    fn tools(&self) -> Arc<[ForeignTool]> {
        self.shared.tools()
    }

    fn call(&self, call: ForeignCall, client: Arc<dyn CallClient>) -> Box<dyn RunningCall> {
        let id = self.shared.call(call, client);
        Box::new(Running { shared: Arc::clone(&self.shared), id })
    }

    fn task(&self, request: TaskRequest, client: Arc<dyn CallClient>) -> Box<dyn RunningCall> {
        let TaskRequest { conversation, server, action, params } = request;
        let id = self.shared.start(client, |id| Request::Task { id, conversation, server, action, params });
        Box::new(Running { shared: Arc::clone(&self.shared), id })
    }

    fn act(&self, conversation: &str, server: &str, action: ServerAction) -> Result<ActionOutcome, Refusal> {
        let (conversation, server) = (conversation.to_owned(), server.to_owned());
        match self.shared.ask(ANSWER_TIME, |id| Request::Act { id, conversation, server, action })? {
            Reply::Outcome(outcome) => Ok(outcome),
            _ => Err(calls::no_answer()),
        }
    }

    fn end_conversation(&self, conversation: &str) {
        self.shared.send(&Request::EndConversation { conversation: conversation.to_owned() });
    }

    fn subscribe(&self, changed: Box<dyn Fn() + Send + Sync>) {
        self.shared.subscribe(changed);
    }

    fn wait_for_tools(&self) {
        self.shared.wait_for_tools(crate::worker::LIST_TIME);
    }
}

/// A call at the gateway.
struct Running {
    shared: Arc<Shared>,
    id: u64,
}

impl RunningCall for Running {
    fn cancel(self: Box<Self>) {
        self.shared.cancel(self.id);
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link").finish_non_exhaustive()
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "a test looks at what a program wrote")]

    use std::path::Path;

    use super::*;

    #[test]
    fn the_end_waits_for_the_supervisor_also_if_the_link_is_used_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        let ended = folder.path().join("ended");
        let (ours, theirs) = UnixStream::pair().unwrap();
        let script = format!("cat >/dev/null; touch '{}'", ended.display());
        let supervisor = Companion::start(Path::new("sh"), &["-c", script.as_str()], theirs).unwrap();
        let link = Arc::new(Link::to_supervisor(ours, supervisor, false));
        link.follow().unwrap();
        let user = Arc::clone(&link);
        link.end();
        assert!(ended.exists());
        assert!(user.state().is_err());
    }
}
