#![doc = include_str!("../README.md")]
//!
//! # Overview
//!
//! - The environment: [`variable`], [`current_directory`], [`program_folder`], [`user_name`], [`terminal_width`], [`now`], [`monotonic`].
//! - Standard input: [`standard_input`] as a whole, [`standard_input_lines`] line by line; standard output: [`is_standard_output_writable`].
//! - Programs: [`run_program`] and [`run_shell`] with a timeout, bounded output and no remaining child processes;
//!   [`Program`] for one that runs beside this process;
//!   [`Companion`] for another process of this program, to which [`send_descriptors`] passes open files;
//!   [`DetachedProcess`] for one that goes on when this one ends; [`replace_program`] for one that takes the place of this one;
//!   [`edit_file`] and [`open_in_browser`] for the programs of the user.
#![expect(clippy::disallowed_methods, reason = "the other crates use these only through this crate")]

mod browser;
mod clock;
mod companion;
mod descendants;
mod descriptors;
mod detached;
mod editor;
mod environment;
mod error;
mod group;
mod interrupts;
mod lines;
mod passing;
mod program;
mod random;
mod replace;
mod shell;
mod signals;
mod stop_request;

pub use browser::open_in_browser;
pub use clock::{monotonic, now, pause};
pub use companion::{Companion, kill, standard_input_socket, this_program};
pub use descendants::{
    adopt_descendants, kill_descendants, reap_adopted, reap_adopted_except, terminate_descendants,
};
pub use descriptors::{close_inherited_descriptors, expect_descriptors};
pub use detached::{DetachedProcess, start_session};
pub use editor::{edit_file, editor};
pub use environment::{
    MAX_INPUT_BYTES, current_directory, host_name, is_standard_output_writable, program_folder,
    standard_input, terminal_width, user_name, variable, variables,
};
pub use error::{SystemError, describe_io_error};
pub use group::{End, Listener, run_program};
pub use lines::{Line, Lines, standard_input_lines};
pub use passing::{
    ReceivedDescriptors, receive_descriptor, receive_descriptors, send_descriptor, send_descriptors, try_send,
};
pub use program::{Inherited, Program, ProgramCall, ProgramEnd, ProgramPipes, StartError};
pub use random::random;
pub use replace::{find_program, find_program_beside, is_program, program_file, replace_program};
pub use shell::{SHELL_VARIABLES, ShellEnd, ShellLimits, ShellOutcome, run_shell};
pub use signals::{Signal, watch_signals};
pub use stop_request::StopRequest;
