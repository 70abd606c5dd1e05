#![doc = include_str!("../README.md")]
//!
//! # Overview
//!
//! - What to run: [`Command`], [`SandboxRules`], [`environment`].
//! - While it runs: [`Running`] with its [`ExecEvent`]s, or [`Supervised`] with [`Pipes`] for a program that is talked to;
//!   [`OutputLines`] makes text of the output.
//! - The supervisor: [`SupervisorProgram`] says which program it is, and that program calls [`confine`].
#![expect(clippy::disallowed_methods, reason = "this crate starts the commands of agents and their supervisor")]

mod command;
mod environment;
mod error;
mod kernel_sandbox;
mod messages;
mod output_lines;
mod rule_paths;
mod rules;
mod running;
mod supervised;
mod supervisor;
mod terminal;

pub use command::{Command, Program, SupervisorProgram};
pub use environment::{BUS_VARIABLES, COMMAND_VARIABLES, environment};
pub use error::ExecError;
pub use kernel_sandbox::{KernelSandbox, Level, available_level};
pub use output_lines::OutputLines;
pub use rules::{Folders, SandboxRules, SkippedRule, expand_home};
pub use running::{ExecEvent, Running, Stream};
pub use supervised::{Outcome, Pipes, Supervised};
pub use supervisor::confine;
