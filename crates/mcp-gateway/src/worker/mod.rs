//! The gateway in a process: a thread with all servers of a workspace.

mod admin;
mod call;
mod lease;
mod refusal;
mod relays;
mod serve;
mod server_set;
mod settings;
mod slot;
mod start;
mod status;
mod tracked;

use std::collections::BTreeMap;
use std::fmt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use minds_process::SystemError;
use minds_toolset::{
    ActionOutcome, CallClient, Code, ForeignCall, ForeignTool, Refusal, RunningCall, ServerAction,
    TaskRequest, ToolSource,
};
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use crate::Options;
use crate::documents::{GatewayState, ServerTools};
use relays::Relays;
use serve::{Peer, accept, serve};
use server_set::{INTERVAL, ServerSet, Stamps};

/// The number of file descriptors that a gateway needs without servers.
const DESCRIPTORS: usize = 16;
/// The time for which a list of tools waits for servers that have listed nothing yet.
pub(crate) const LIST_TIME: Duration = Duration::from_secs(5);
/// The pause after something was published, so that many changes are published together.
const PUBLISH_PAUSE: Duration = Duration::from_millis(10);

/// The servers of a workspace, in this process. They end with this value.
///
/// Servers are started by this process, so it must not be confined; `minds mcp` uses [`Link`](crate::Link) instead.
pub struct Gateway {
    server_set: Arc<ServerSet>,
    end: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

impl Gateway {
    /// Reads `mcp.yaml`, starts its servers, and follows changes of the file.
    ///
    /// # Errors
    ///
    /// Fails if the workspace cannot be opened, or the system has no thread.
    pub fn start(options: Options) -> Result<Self, SystemError> {
        Self::start_with(options, None)
    }

    /// Starts as [`Gateway::start`] does. With a socket, the pipes of programs are sent over it, and the process at the other
    /// end passes their messages on.
    pub(crate) fn start_with(options: Options, for_pipes: Option<UnixStream>) -> Result<Self, SystemError> {
        let workspace = options.workspace.clone();
        let failed = |error| SystemError::new("start the gateway of", &workspace, error);
        let relays = for_pipes.map(Relays::new).transpose().map_err(failed)?;
        // The runtime panics if it does not get the file descriptors that it needs.
        minds_process::expect_descriptors(DESCRIPTORS).map_err(failed)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
        let server_set = ServerSet::new(options, runtime.handle().clone(), relays)?;
        let (end, ended) = watch::channel(false);
        let run_manager = Arc::clone(&server_set);
        let run = move || {
            runtime.block_on(run(&run_manager, ended));
            // What still ends is ended with the runtime.
            runtime.shutdown_background();
        };
        let thread = std::thread::Builder::new().name("gateway".to_owned()).spawn(run).map_err(failed)?;
        Ok(Self { server_set, end, thread: Some(thread) })
    }

    /// Returns the state of all servers.
    pub fn state(&self) -> GatewayState {
        status::state(&self.server_set, &BTreeMap::new())
    }

    /// Returns the tools of all servers, also those that are left out.
    pub fn server_tools(&self) -> Vec<ServerTools> {
        status::tools(&self.server_set)
    }

    /// Answers a user of the gateway until its socket is closed. Afterwards the gateway should end.
    pub(crate) fn serve(&self, stream: UnixStream) {
        // A socket that cannot be read has ended.
        let _ = self.wait(serve(Arc::clone(&self.server_set), stream, Peer::Server));
    }

    /// Answers commands that connect to a socket.
    pub(crate) fn accept(&self, listener: &UnixListener) {
        let Ok(listener) = listener.try_clone() else { return };
        let server_set = Arc::clone(&self.server_set);
        self.server_set.runtime.spawn(async move { accept(&server_set, listener).await });
    }

    /// Waits from now on for processes that this one adopts. No other code of this process starts any.
    pub(crate) fn reap_adopted(&self) {
        self.server_set.runtime.spawn(async {
            loop {
                sleep(INTERVAL).await;
                minds_process::reap_adopted();
            }
        });
    }

    /// Runs a future on the thread of the gateway, and waits for its result; none if the gateway ends.
    fn wait<T: Send + 'static>(&self, future: impl Future<Output = T> + Send + 'static) -> Option<T> {
        let (sender, receiver) = channel();
        self.server_set.runtime.spawn(async move { send(&sender, future.await) });
        receiver.recv().ok()
    }
}

fn send<T>(sender: &Sender<T>, value: T) {
    // The receiver waits.
    let _ = sender.send(value);
}

/// Follows the files and publishes, until the gateway ends.
async fn run(server_set: &Arc<ServerSet>, mut end: watch::Receiver<bool>) {
    let mut read = server_set.stamps();
    server_set.reload();
    server_set.publish();
    let mut seen = read.clone();
    let mut next = Instant::now() + INTERVAL;
    loop {
        tokio::select! {
            // The sender is dropped with the gateway.
            _ = end.wait_for(|has_ended| *has_ended) => break,
            () = server_set.dirty.notified() => {
                sleep(PUBLISH_PAUSE).await;
                server_set.publish();
            }
            () = sleep_until(next) => {
                next = Instant::now() + INTERVAL;
                follow(server_set, &mut seen, &mut read);
            }
        }
    }
    server_set.end().await;
}

/// Reads the files if they have changed, but not since the last time.
fn follow(server_set: &Arc<ServerSet>, seen: &mut Stamps, read: &mut Stamps) {
    let now = server_set.stamps();
    if now == *seen && now != *read {
        *read = now;
        server_set.reload();
    } else {
        *seen = now;
    }
}

impl ServerSet {
    /// Acts on a server for a conversation.
    async fn act(
        self: Arc<Self>,
        conversation: String,
        server: String,
        action: ServerAction,
    ) -> Result<ActionOutcome, Refusal> {
        let mut released = false;
        match action {
            ServerAction::Restart => self.restart(&server).await?,
            ServerAction::Release => released = self.require(&server)?.release(&conversation),
            ServerAction::Disable => self.require(&server)?.disable(),
        }
        let state = self.require(&server)?.state().server_state();
        Ok(ActionOutcome { state, released })
    }

    async fn restart(self: &Arc<Self>, server: &str) -> Result<(), Refusal> {
        if let Some(slot) = self.find(server) {
            slot.state().disabled = None;
        }
        self.reload();
        let slot = self.require(server)?;
        let outcome = slot.restart().await;
        self.publish();
        outcome
    }

    async fn wait_for_tools(self: Arc<Self>) {
        let mut settled = self.settled.subscribe();
        // The sender lives as long as the server_set.
        let _ = timeout(LIST_TIME, settled.wait_for(|is_settled| *is_settled)).await;
    }
}

impl ToolSource for Gateway {
    fn tools(&self) -> Arc<[ForeignTool]> {
        self.server_set.tools()
    }

    fn call(&self, call: ForeignCall, client: Arc<dyn CallClient>) -> Box<dyn RunningCall> {
        let task = self.server_set.runtime.spawn(call::run(Arc::clone(&self.server_set), call, client));
        Box::new(Running(task.abort_handle()))
    }

    fn task(&self, request: TaskRequest, client: Arc<dyn CallClient>) -> Box<dyn RunningCall> {
        let ask = call::ask_about_task(Arc::clone(&self.server_set), request, client);
        Box::new(Running(self.server_set.runtime.spawn(ask).abort_handle()))
    }

    fn act(&self, conversation: &str, server: &str, action: ServerAction) -> Result<ActionOutcome, Refusal> {
        let act = Arc::clone(&self.server_set).act(conversation.to_owned(), server.to_owned(), action);
        let ended = || Refusal::new(Code::ServerUnavailable, "the gateway ends");
        self.wait(act).unwrap_or_else(|| Err(ended()))
    }

    fn end_conversation(&self, conversation: &str) {
        for slot in self.server_set.slots() {
            slot.release(conversation);
        }
    }

    fn subscribe(&self, changed: Box<dyn Fn() + Send + Sync>) {
        self.server_set.subscribe(changed);
    }

    fn wait_for_tools(&self) {
        // A gateway that ends has no further tools.
        let _ = self.wait(Arc::clone(&self.server_set).wait_for_tools());
    }
}

/// A call on the thread of the gateway.
struct Running(AbortHandle);

impl RunningCall for Running {
    fn cancel(self: Box<Self>) {
        self.0.abort();
    }
}

impl fmt::Debug for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gateway")
            .field("workspace", &self.server_set.options.workspace)
            .finish_non_exhaustive()
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        self.end.send_replace(true);
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has ended its servers with the runtime.
            let _ = thread.join();
        }
    }
}
