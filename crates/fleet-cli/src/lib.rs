#![doc = include_str!("../README.md")]

use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the command with its arguments, the first of which is the name of the program.
pub fn run(_: impl IntoIterator<Item = OsString>) -> ExitCode {
    ExitCode::SUCCESS
}
