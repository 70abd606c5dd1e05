#![doc = include_str!("../README.md")]

mod answer;
mod error;
mod request;
mod scripted;

pub use answer::{Answer, Model, ModelEvent};
pub use error::{ModelError, ModelErrorKind};
pub use request::{Message, ModelRequest, ToolCall, ToolDescription};
pub use scripted::{Script, ScriptError, ScriptedModel, Wait};
