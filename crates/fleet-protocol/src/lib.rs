#![doc = include_str!("../README.md")]

mod agent_state;
mod envelope;
mod event;
mod failure;
mod ids;
mod item;
mod json;
pub mod limits;
mod members;
pub mod methods;
mod timestamp;

pub use agent_state::{AgentEvent, AgentState, TransitionError};
pub use envelope::{EnvelopeError, Outcome, Request, Response, Timeout};
pub use event::{
    ConfirmDone, ConfirmRequest, EndReason, Error, Event, EventKind, Frame, Gap, OwnerChange, OwnerEvent,
    StateChange, Stream, TaskEnd, TaskRecover, TaskStart, Token, ToolCall, ToolResult, Warning, split_text,
};
pub use failure::{Failure, FailureCode};
pub use ids::{AgentId, Caller, DocumentId, IdError, ItemId, RequestId, TraceId};
pub use item::{ItemError, ItemEvent, ItemState};
pub use json::Json;
pub use minds_fleet::{ErrorCode, Retry};
pub use timestamp::Timestamp;
