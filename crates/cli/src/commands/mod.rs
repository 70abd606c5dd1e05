//! One module for each command.

pub(crate) mod access;
pub(crate) mod check;
pub(crate) mod clean;
pub(crate) mod completions;
pub(crate) mod compose;
pub(crate) mod context;
mod editing;
pub(crate) mod explain;
mod fields;
pub(crate) mod files;
pub(crate) mod fleet;
pub(crate) mod fmt;
pub(crate) mod gateway;
pub(crate) mod help;
pub(crate) mod hook;
pub(crate) mod init;
pub(crate) mod man;
pub(crate) mod manual;
pub(crate) mod mcp;
pub(crate) mod problems;
pub(crate) mod prompt;
pub(crate) mod render;
pub(crate) mod schema;
pub(crate) mod source;
pub(crate) mod task;
pub(crate) mod team;
pub(crate) mod tool;

use std::process::ExitCode;

use minds_operations::OperationError;

use crate::args::{Args, Command};
use minds_output::{Failure, Output};

pub(crate) fn run(args: &Args, out: &mut Output) -> Result<ExitCode, Failure> {
    let directory = &args.options.directory;
    match &args.command {
        Command::Check(check) => check::run(directory, check, out),
        Command::Fmt(fmt) => fmt::run(directory, fmt, out),
        Command::Explain(explain) => explain::run(explain, out),
        Command::Team(team) => team::run(directory, team, out),
        Command::Access(access) => access::run(directory, access, out),
        Command::Context(context) => context::run(directory, context, out),
        Command::Compose(compose) => compose::run(directory, compose, out),
        Command::Render(render) => render::run(directory, render, out),
        Command::Clean(clean) => clean::run(directory, clean, out),
        Command::Fleet(fleet) => fleet::run(&args.options, fleet, out),
        Command::Source(source) => source::run(directory, source, out),
        Command::TopLevelVerb(verb) => source::run_verb(directory, &verb.0, out),
        Command::Prompt(prompt) => prompt::run(directory, prompt, out),
        Command::Init(init) => init::run(directory, init, out),
        Command::Schema(schema) => schema::run(directory, schema, out),
        Command::Task(task) => task::run(directory, task, out),
        Command::Tool(tool) => tool::run(directory, tool, out),
        Command::Files(files) => files::run(directory, files, out),
        Command::Problems(problems) => problems::run(directory, problems, out),
        Command::Manual(manual) => manual::run(directory, manual, out),
        Command::Gateway(gateway) => gateway::run(directory, gateway, out),
        Command::Hook(hook) => Ok(hook::run(directory, hook, out)),
        Command::Mcp(mcp) => mcp::run(directory, mcp),
        Command::Completions(completions) => Ok(completions::run(completions, out)),
        Command::Man(man) => man::run(man, out),
        Command::Help(help) => help::run(&args.options, help, out),
    }
}

/// Returns the result of an operation, or `None` and a remark on stderr if there is nothing to work on.
fn allow_nothing_to_do<T>(result: Result<T, OperationError>, out: &Output) -> Result<Option<T>, Failure> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.is_nothing_to_do() => {
            if !out.is_json() {
                Output::remark(&error.to_string());
            }
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// Returns the subcommand with these names, and its full name joined by `-`.
fn find_command(names: &[String]) -> Result<(String, clap::Command), Failure> {
    let mut command = crate::command();
    command.build();
    let mut full_name = command.get_name().to_owned();
    for name in names {
        let Some(subcommand) = command.find_subcommand(name).cloned() else {
            let known =
                command.get_subcommands().filter(|known| !known.is_hide_set()).map(clap::Command::get_name);
            let near = minds_diagnostics::find_nearest(name, known.collect::<Vec<_>>(), 1);
            let near = near.first().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            return Err(Failure::usage(format!("no such command: `{}`{near}", names.join(" "))));
        };
        full_name = format!("{full_name}-{}", subcommand.get_name());
        command = subcommand;
    }
    Ok((full_name, command))
}
