#![doc = include_str!("../README.md")]

mod answer;
mod calls;
mod conversation;
mod error;
mod error_code;
mod event_stream;
mod http;
mod json_list;
mod limits;
mod protocol;
mod request;
mod retry;
mod scripted;

pub use answer::{Answer, Model, ModelEvent};
pub use error::{ModelError, ModelErrorKind};
pub use http::{Endpoint, HttpModel, Key, Times};
pub use protocol::{AnswerReader, Protocol};
pub use request::{Message, ModelRequest, ToolCall, ToolDescription};
pub use retry::{Jitter, next_pause};
pub use scripted::{Script, ScriptError, ScriptedModel, Wait};
