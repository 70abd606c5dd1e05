//! What the person who runs an agent does with it in its own process: without a connection, and without an owner.

use std::sync::Arc;

use minds_fleet_protocol::methods::{Call as _, Input, InputMeta, Method, QueueCounts, QueueListValue};
use minds_fleet_protocol::{
    AgentId, AgentState, AgentStatus, Caller, ErrorCode, Failure, HistoryRecord, ItemId, Request, RequestId,
    check_load,
};

use crate::clock::timestamp;
use crate::requests::items;
use crate::running::{Command, Shared};

/// The source of these inputs.
const SOURCE: &str = "local";

/// Controls an agent from its own process. It is used on a thread of its own.
pub struct LocalControl {
    shared: Arc<Shared>,
    caller: Caller,
}

/// What an agent does at present.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalStatus {
    /// The id of the agent.
    pub id: AgentId,
    /// The state.
    pub state: AgentState,
    /// The used part of the context, from 0 to 1.
    pub ctx_pct: f64,
    /// The model.
    pub model: Option<String>,
    /// The item at work.
    pub current: Option<ItemId>,
    /// The items of the queue.
    pub queue: QueueCounts,
    /// The last error, without secrets.
    pub last_error: Option<String>,
}

impl LocalControl {
    pub(crate) fn new(shared: &Arc<Shared>) -> Result<Self, Failure> {
        let caller = Caller::parse(&format!("local:s-{:016x}", random()?));
        let caller = caller.map_err(|error| Failure::new(ErrorCode::HandlerError, error.to_string()))?;
        Ok(Self { shared: Arc::clone(shared), caller })
    }

    /// Returns what the agent does.
    pub fn status(&self) -> LocalStatus {
        let queue = self.shared.store().queue().counts();
        let status = self.shared.status();
        LocalStatus {
            id: self.shared.id.clone(),
            state: status.state,
            ctx_pct: status.context.part(),
            model: status.model.clone(),
            current: status.current.clone(),
            queue,
            last_error: status.last_error.clone(),
        }
    }

    /// Returns the items of the queue, with secrets replaced; at most those that fit into one message.
    pub fn queue(&self) -> QueueListValue {
        items::list(&self.shared)
    }

    /// Removes the pending items, and returns their number.
    ///
    /// # Errors
    ///
    /// Returns `handler.error` if the queue cannot be written.
    pub fn clear_queue(&self) -> Result<u64, Failure> {
        let removed = items::clear(&self.shared, &self.caller)?.removed;
        self.shared.wake();
        Ok(removed)
    }

    /// Returns the last `count` records of the history; fewer if they do not fit into one message.
    ///
    /// # Errors
    ///
    /// Returns `handler.error` if the history cannot be read.
    pub fn history(&self, count: usize) -> Result<Vec<HistoryRecord>, Failure> {
        let read = self.shared.store().read_history(count, None)?;
        // A record of a later version that cannot be decoded is not displayed.
        Ok(read.turns.iter().filter_map(|turn| turn.decode().ok()).collect())
    }

    /// Makes the agent read its files now, and not only for the next step.
    pub fn reload(&self) {
        self.shared.command(Command::Look);
    }

    /// Adds an input to the queue. It is on disk when this returns.
    ///
    /// # Errors
    ///
    /// Returns `payload.too_large` above the size of a message, `args.invalid` for text that is not an input, `busy` if the agent
    /// accepts no more work, and `handler.error` if the queue cannot be written.
    pub fn input(&self, text: &str) -> Result<ItemId, Failure> {
        let input =
            Input { text: text.to_owned(), meta: InputMeta { source: SOURCE.to_owned(), trace_id: None } };
        let request = Request {
            req_id: RequestId::new(random()?),
            method: Method::Input.name().to_owned(),
            params: input.encode()?,
            ts: timestamp(),
            caller: self.caller.clone(),
            timeout: None,
        };
        // The limits are those of an input that arrives as a message.
        request.encode().map_err(|error| Failure::new(ErrorCode::PayloadTooLarge, error.to_string()))?;
        Method::Input.check(&request.params)?;
        self.check_load()?;
        let (item, _) = items::append(&self.shared, &request, &input)?;
        self.shared.store().sync_queue()?;
        self.shared.command(Command::Look);
        self.shared.wake();
        Ok(item)
    }

    fn check_load(&self) -> Result<(), Failure> {
        let pending = self.shared.store().queue().counts().pending;
        let status = self.shared.status();
        let agent = AgentStatus {
            id: &self.shared.id,
            epoch: 0,
            state: status.state,
            pending: usize::try_from(pending).unwrap_or(usize::MAX),
            context: status.context,
        };
        check_load(Method::Input, agent)
    }
}

fn random() -> Result<u64, Failure> {
    let failed = |error: std::io::Error| Failure::new(ErrorCode::HandlerError, error.to_string());
    minds_process::random::<8>().map(u64::from_ne_bytes).map_err(failed)
}
