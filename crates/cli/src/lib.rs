//! The `minds` command: arguments in, documents out.
//!
//! Exit codes: 0 clean, 1 findings of error severity or a refusal, 2 usage or environment.

mod args;
mod commands;
mod output;
mod paint;

use std::borrow::Cow;
use std::ffi::OsString;
use std::io;
use std::process::ExitCode;
use std::time::Duration;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser as _};
use minds_operations::OperationError;

use crate::args::Args;
use crate::output::{Failure, Output};

/// The environment variable that says for how many seconds a lock of another process is waited for.
const LOCK_TIMEOUT: &str = "MINDS_LOCK_TIMEOUT";

/// Runs the command with the arguments of a process, the program's name first.
pub fn run(args: impl Iterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.collect();
    let mut parsed = match Args::try_parse_from(&args) {
        Ok(parsed) => parsed,
        Err(error) => return usage(&error, &args),
    };
    let adopted = parsed.adopt();
    let is_json = parsed.wants_json() || (adopted.is_err() && args::asks_for_json(&args));
    let mut output = Output::new(parsed.color, is_json);
    if parsed.wants_ascii() {
        output.keep_to_ascii();
    }
    if let Err(message) = adopted {
        let code = output.failure(&Failure::usage(message));
        return output.finish(code);
    }
    match lock_timeout() {
        Ok(timeout) => minds_system::configure(timeout, |notice| Output::remark(&notice.to_string())),
        Err(failure) => {
            let code = output.failure(&failure);
            return output.finish(code);
        }
    }
    let code = match commands::run(&parsed, &mut output) {
        Ok(code) => code,
        Err(failure) => output.failure(&failure),
    };
    output.finish(code)
}

/// Returns how long a lock of another process is waited for.
fn lock_timeout() -> Result<Duration, Failure> {
    let Some(given) = minds_system::variable(LOCK_TIMEOUT).map_err(OperationError::from)? else {
        return Ok(minds_system::DEFAULT_LOCK_TIMEOUT);
    };
    let seconds = given.trim().parse::<u32>();
    let wrong = |_| Failure::usage(format!("`{LOCK_TIMEOUT}` must be a number of seconds, and is `{given}`"));
    seconds.map(|seconds| Duration::from_secs(seconds.into())).map_err(wrong)
}

/// Returns the command as data, for documents about it.
pub fn command() -> clap::Command {
    Args::command()
}

/// Answers arguments that are no command: help and version go to standard output, everything else is an error.
fn usage(error: &clap::Error, args: &[OsString]) -> ExitCode {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return match error.print() {
            Err(failed) if failed.kind() != io::ErrorKind::BrokenPipe => ExitCode::from(2),
            _ => ExitCode::SUCCESS,
        };
    }
    if args::asks_for_json(args) {
        let rendered = error.to_string();
        let message = rendered.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
        let mut output = Output::new(args::Color::Never, true);
        let code = output.failure(&Failure::usage(message));
        return output.finish(code);
    }
    let plain = error.to_string();
    if let Cow::Owned(covered) = minds_workspace::message_without_secrets(&plain) {
        Output::remarks(&covered);
    } else {
        let _ = error.print();
    }
    ExitCode::from(2)
}
