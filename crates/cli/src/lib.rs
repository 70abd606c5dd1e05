//! The `minds` command line. The crate `output` defines the exit codes.

mod args;
mod commands;
mod documents;

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;
use std::time::Duration;

use clap::FromArgMatches as _;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use minds_diagnostics::emit::visible;
use minds_operations::OperationError;

pub use crate::documents::{DocumentKind, documents};

use crate::args::Args;
use minds_output::{Failure, Output};

/// The environment variable with the number of seconds to wait for a lock of another process.
const LOCK_TIMEOUT: &str = "MINDS_LOCK_TIMEOUT";

/// Runs the command with the arguments of a process, the program's name first.
pub fn run(args: impl Iterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.collect();
    let narrow = args::narrow_command(&args).and_then(|command| parse(command, &args).ok());
    let parsed = narrow.map_or_else(|| parse(command(), &args), Ok);
    let (mut parsed, wants_json) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return report_usage(&error, &args),
    };
    parsed.verbosity().set();
    let adopted = parsed.adopt();
    let is_json = wants_json.as_ref().map_or_else(|_| args::requests_json(&args), |wants_json| *wants_json);
    let mut output = Output::new(parsed.options.color, is_json);
    if parsed.wants_ascii() {
        output.keep_to_ascii();
    }
    let run = || {
        adopted.and(wants_json.map(drop)).map_err(Failure::usage)?;
        minds_fs::configure(lock_timeout()?, Output::notice);
        // The directory of `-C` must exist, also for commands that do not use it.
        minds_operations::expect_directory(&parsed.options.directory)?;
        commands::run(&parsed, &mut output)
    };
    let done: Result<ExitCode, Failure> = run();
    let code = done.unwrap_or_else(|failure| output.failure(&failure));
    output.finish(code)
}

/// Parses the arguments, and finds out whether the output shall be JSON.
fn parse(mut command: clap::Command, args: &[OsString]) -> Result<(Args, Result<bool, String>), clap::Error> {
    let matches = command.try_get_matches_from_mut(args)?;
    let parsed = Args::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
    let wants_json = minds_output::format::wants_json(&command, &matches).and_then(|wants_json| {
        args::reject_option_as_text(&command, &matches, args)?;
        Ok(wants_json)
    });
    Ok((parsed, wants_json))
}

/// Returns how long to wait for a lock of another process.
fn lock_timeout() -> Result<Duration, Failure> {
    let Some(value) = minds_process::variable(LOCK_TIMEOUT).map_err(OperationError::from)? else {
        return Ok(minds_fs::DEFAULT_LOCK_TIMEOUT);
    };
    let seconds = value.trim().parse::<u32>();
    let invalid = |_| Failure::usage(format!("`{LOCK_TIMEOUT}` must be a number of seconds, not `{value}`"));
    seconds.map(|seconds| Duration::from_secs(seconds.into())).map_err(invalid)
}

/// Returns the command line as data, for generated documents.
pub fn command() -> clap::Command {
    args::command()
}

/// Handles arguments that do not run a command: help and version are printed on stdout, everything else is an error.
fn report_usage(error: &clap::Error, args: &[OsString]) -> ExitCode {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return match error.print() {
            Err(failed) if failed.kind() != io::ErrorKind::BrokenPipe => ExitCode::from(2),
            _ => ExitCode::SUCCESS,
        };
    }
    if args::requests_json(args) {
        let mut output = Output::new(minds_output::Color::Never, true);
        let code = output.failure(&Failure::usage(usage_message(error)));
        return output.finish(code);
    }
    let plain = error.to_string();
    let redacted = minds_workspace::message_without_secrets(&plain);
    let redacted = visible(&redacted);
    match redacted.strip_prefix("error: ") {
        Some(rest) => Output::remarks(&format!("error[usage]: {rest}")),
        // The help, where a subcommand is missing.
        None => Output::remarks(&redacted),
    }
    ExitCode::from(2)
}

/// Returns a usage error as one line: the first line of the rendered error, with the arguments that are rendered on the
/// following lines.
fn usage_message(error: &clap::Error) -> String {
    let rendered = error.to_string();
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return "a command is required; `minds help` lists all commands".to_owned();
    }
    let first = rendered.lines().next().unwrap_or_default().trim_start_matches("error: ");
    let args = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::Strings(args)) if first.ends_with(':') => args.join(", "),
        _ => String::new(),
    };
    format!("{first} {args}").trim_end().to_owned()
}
