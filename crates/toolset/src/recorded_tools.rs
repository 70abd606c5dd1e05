//! Tools of servers without a gateway, for programs that describe them and do not call them.

use std::sync::Arc;

use crate::{
    ActionOutcome, CallClient, Code, ForeignCall, ForeignTool, Refusal, RunningCall, ServerAction,
    TaskRequest, ToolSource,
};

/// Tools that servers had when they last ran. Every call is refused.
#[derive(Clone, Debug)]
pub struct RecordedTools(Arc<[ForeignTool]>);

impl RecordedTools {
    /// Returns a source of these tools.
    pub fn new(tools: Vec<ForeignTool>) -> Self {
        Self(tools.into())
    }
}

/// A call that was refused at once.
struct RefusedCall;

impl RunningCall for RefusedCall {
    fn cancel(self: Box<Self>) {}
}

fn refuse() -> Refusal {
    Refusal::new(Code::ServerUnavailable, "the gateway does not run")
}

impl ToolSource for RecordedTools {
    fn tools(&self) -> Arc<[ForeignTool]> {
        Arc::clone(&self.0)
    }

    fn call(&self, _: ForeignCall, client: Arc<dyn CallClient>) -> Box<dyn RunningCall> {
        client.answer(Err(refuse()));
        Box::new(RefusedCall)
    }

    fn task(&self, _: TaskRequest, client: Arc<dyn CallClient>) -> Box<dyn RunningCall> {
        client.answer(Err(refuse()));
        Box::new(RefusedCall)
    }

    fn act(&self, _: &str, _: &str, _: ServerAction) -> Result<ActionOutcome, Refusal> {
        Err(refuse())
    }

    fn end_conversation(&self, _: &str) {}

    fn subscribe(&self, _: Box<dyn Fn() + Send + Sync>) {}
}
