//! Running external programs with a timeout, bounded output, and without remaining child processes.
//!
//! Each program is started in a process group of its own, with closed standard input and captured output.
//! When it exits or reaches its timeout, all remaining processes of the group are killed.

mod group;
mod shell;

pub(crate) use group::{End, Listener, run};
pub use shell::{SHELL_VARIABLES, ShellEnd, ShellLimits, ShellOutcome, run_shell};
