#![doc = include_str!("../README.md")]

mod color;
pub mod exit_codes;
mod failure_kind;
pub mod format;
mod output;
pub mod paint;
mod progress;

pub use color::Color;
pub use failure_kind::{FailureCode, FailureKind};
pub use output::{Failure, Output, Verbosity};
pub use progress::Progress;
