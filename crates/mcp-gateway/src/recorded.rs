//! The tools of servers that earlier starts have listed, without a gateway.

use std::sync::Arc;

use minds_process::SystemError;
use minds_toolset::{
    ActionOutcome, CallClient, Code, ForeignCall, ForeignTool, Refusal, RunningCall, ServerAction,
    TaskRequest, ToolSource,
};

use crate::journal::Journal;
use crate::listing::{ListedServer, expose};
use crate::report::{ReportError, read_config};
use crate::{Options, Server};

/// The tools that the servers of a workspace had when they last started with their present configuration. No server is
/// started, and calls are refused.
#[derive(Clone, Debug)]
pub struct RecordedTools(Arc<[ForeignTool]>);

impl RecordedTools {
    /// Reads the tools of the enabled servers. The tools of a server without a record are left out.
    ///
    /// # Errors
    ///
    /// Fails if the file of the servers cannot be used, or the state folder cannot be read.
    pub fn read(options: &Options) -> Result<Self, ReportError> {
        let config = read_config(&options.workspace)?;
        let journal =
            Journal::new(&options.state).map_err(|error| SystemError::new("read", &options.state, error))?;
        let usable = config.servers.iter().filter_map(|entry| {
            let server = entry.server.as_ref().ok().filter(|server: &&Server| server.is_enabled)?;
            Some((entry.id.as_str(), server, journal.recall(server.fingerprint())?.tools))
        });
        let listed: Vec<_> = usable.collect();
        let listing = expose(listed.iter().map(|(id, server, tools)| ListedServer {
            id,
            server,
            tools,
            is_available: true,
        }));
        Ok(Self(listing.tools.into()))
    }

    /// Returns no tools.
    pub fn none() -> Self {
        Self(Arc::from([]))
    }
}

fn refusal() -> Refusal {
    Refusal::new(Code::ServerUnavailable, "the gateway does not run")
}

/// A call that was refused at once.
struct RefusedCall;

impl RunningCall for RefusedCall {
    fn cancel(self: Box<Self>) {}
}

impl ToolSource for RecordedTools {
    fn tools(&self) -> Arc<[ForeignTool]> {
        Arc::clone(&self.0)
    }

    fn call(&self, _: ForeignCall, client: Arc<dyn CallClient>) -> Box<dyn RunningCall> {
        client.answer(Err(refusal()));
        Box::new(RefusedCall)
    }

    fn task(&self, _: TaskRequest, client: Arc<dyn CallClient>) -> Box<dyn RunningCall> {
        client.answer(Err(refusal()));
        Box::new(RefusedCall)
    }

    fn act(&self, _: &str, _: &str, _: ServerAction) -> Result<ActionOutcome, Refusal> {
        Err(refusal())
    }

    fn end_conversation(&self, _: &str) {}

    fn subscribe(&self, _: Box<dyn Fn() + Send + Sync>) {}
}
