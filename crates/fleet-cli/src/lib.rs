#![doc = include_str!("../README.md")]

mod acceptance;
mod agent_name;
mod args;
mod client;
mod clock;
mod command_error;
mod document;
mod documents;
mod frame_text;
mod questions;
mod repl;
mod session;
mod since;
mod spawning;
mod starter;
mod table;
mod transport;
mod verbs;

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use clap::FromArgMatches as _;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use minds_output::{Color, Output, name_program};

pub use crate::client::Client;
pub use crate::documents::{DocumentKind, documents};

use crate::args::Args;
use crate::command_error::CommandError;

/// Runs the command with its arguments, the first of which is the name of the program.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    name_program("minds-fleet");
    let args: Vec<OsString> = args.into_iter().collect();
    let mut command = command();
    let parsed = command
        .try_get_matches_from_mut(&args)
        .and_then(|matches| Args::from_arg_matches(&matches).map_err(|error| error.format(&mut command)));
    let parsed = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return report_usage(&error, &args),
    };
    let mut out = Output::new(parsed.options.color, parsed.options.json);
    let code = verbs::run(&parsed, &mut out).unwrap_or_else(|error| error.report(&mut out));
    out.finish(code)
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
    let is_json = args.iter().take_while(|arg| *arg != "--").any(|arg| arg == "--json");
    let mut out = Output::new(Color::Never, is_json);
    let code = if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand && !is_json {
        Output::remarks(&error.to_string());
        ExitCode::from(2)
    } else {
        CommandError::Usage(usage_message(error)).report(&mut out)
    };
    out.finish(code)
}

/// Returns a usage error as one line.
fn usage_message(error: &clap::Error) -> String {
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return "a command is required; `minds-fleet --help` lists all commands".to_owned();
    }
    let rendered = error.to_string();
    let first = rendered.lines().next().unwrap_or_default().trim_start_matches("error: ");
    let args = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::Strings(args)) if first.ends_with(':') => args.join(", "),
        _ => String::new(),
    };
    let message = format!("{first} {args}").trim_end().to_owned();
    match error.get(ContextKind::SuggestedSubcommand).or_else(|| error.get(ContextKind::SuggestedArg)) {
        Some(ContextValue::String(near)) => format!("{message}; did you mean `{near}`?"),
        Some(ContextValue::Strings(near)) => match near.first() {
            Some(near) => format!("{message}; did you mean `{near}`?"),
            None => message,
        },
        _ => message,
    }
}
