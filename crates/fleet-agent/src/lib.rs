#![doc = include_str!("../README.md")]

mod clock;
mod context;
mod tail;
mod tools;
pub mod turn;

pub use tools::{NoTools, RunningTool, ToolEvent, Tools};
