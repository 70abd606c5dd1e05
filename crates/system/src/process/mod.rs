//! Programs of others, which end in time, say a bounded amount, and leave nobody behind.
//!
//! Each is started in a process group of its own, with standard input closed and what it prints caught. When it ends, or
//! its time is up, all that is still in its group is killed.

mod group;
mod shell;

pub(crate) use group::{End, Listener, run};
pub use shell::{SHELL_VARIABLES, ShellEnd, ShellLimits, ShellOutcome, run_shell};
