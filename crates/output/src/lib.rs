#![doc = include_str!("../README.md")]

mod color;
mod context;
mod count;
pub mod exit_codes;
mod failure_kind;
pub mod format;
mod output;
pub mod paint;
mod progress;

pub use color::Color;
pub use context::{context_parts, context_table};
pub use count::count;
pub use failure_kind::{FailureCode, FailureKind};
pub use output::{Failure, Output, Verbosity, name_program};
pub use progress::Progress;
