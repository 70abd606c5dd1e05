#![doc = include_str!("../README.md")]

mod admission;
mod agent_state;
mod bootstrap;
mod claim_steps;
mod coalescer;
mod confirmation;
mod context_budget;
mod duplicates;
mod envelope;
mod event;
mod failure;
mod follower;
mod gate;
mod history;
mod ids;
mod item;
mod json;
mod jsonl;
pub mod limits;
mod liveness;
mod members;
pub mod methods;
mod now;
mod ownership;
mod queue;
mod queue_record;
mod redactor;
mod registry;
mod retry;
mod rfc3339;
mod ring;
mod text_stream;
mod timestamp;

pub use admission::{Admission, AgentStatus, admit, check_load, deny_ownership};
pub use agent_state::{AgentEvent, AgentState, TransitionError};
pub use bootstrap::{Bootstrap, BootstrapLifetime, BootstrapState, check_start};
pub use claim_steps::{ClaimStep, ClaimSteps};
pub use coalescer::Coalescer;
pub use confirmation::{Confirmation, ConfirmationState};
pub use context_budget::{
    ContextBudget, ContextPressure, SummaryVerdict, count_summaries, estimate_tokens, judge_summary,
};
pub use duplicates::{ContentHash, Recorded, RequestKey, RequestRecords};
pub use envelope::{EnvelopeError, Outcome, Request, Response, Timeout};
pub use event::{
    ConfirmDone, ConfirmRequest, EndReason, Error, Event, EventKind, Frame, Gap, OwnerChange, OwnerEvent,
    StateChange, Stream, TaskEnd, TaskRecover, TaskStart, Token, ToolCall, ToolResult, Warning, split_text,
};
pub use failure::{Failure, FailureCode};
pub use follower::Follower;
pub use gate::{Gate, Submission};
pub use history::{
    AgentFile, CallRecord, HistoryCall, HistoryRecord, ItemEffects, Role, SummaryRecord, trim_summaries,
};
pub use ids::{AgentId, Caller, DocumentId, IdError, ItemId, RequestId, TraceId};
pub use item::{ItemError, ItemEvent, ItemState};
pub use json::Json;
pub use jsonl::{Lines, Repair, Rotation, find_expired, plan_rotation};
pub use liveness::{Liveness, Presence};
pub use minds_fleet::{ErrorCode, Retry};
pub use now::Now;
pub use ownership::{Claim, Ownership, OwnershipChange};
pub use queue::{Queue, QueueError};
pub use queue_record::{Item, QueueRecord};
pub use redactor::{PatternError, RedactionStream, Redactor};
pub use registry::{AgentInfo, RegistryChange, RegistryEvent, TakeoverEvent, TakeoverNotice};
pub use retry::{Backoff, RequestRetry};
pub use ring::{FrameRing, Offsets};
pub use text_stream::{LineFlusher, Utf8Carry};
pub use timestamp::Timestamp;
