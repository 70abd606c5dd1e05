//! One file for each command.

pub(crate) mod access;
pub(crate) mod check;
pub(crate) mod clean;
pub(crate) mod completions;
pub(crate) mod compose;
mod editing;
pub(crate) mod explain;
mod fields;
pub(crate) mod files;
pub(crate) mod fleet;
pub(crate) mod fmt;
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

use crate::args::{Args, Command};
use crate::output::{Failure, Output};

pub(crate) fn run(args: &Args, out: &mut Output) -> Result<ExitCode, Failure> {
    match &args.command {
        Command::Check(check) => check::run(&args.directory, check, out),
        Command::Fmt(fmt) => fmt::run(&args.directory, fmt, out),
        Command::Explain(explain) => explain::run(explain, out),
        Command::Team(team) => team::run(&args.directory, team, out),
        Command::Access(access) => access::run(&args.directory, access, out),
        Command::Compose(compose) => compose::run(&args.directory, compose, out),
        Command::Render(render) => render::run(&args.directory, render, out),
        Command::Clean(clean) => clean::run(&args.directory, clean, out),
        Command::Fleet(fleet) => fleet::run(&args.directory, fleet, out),
        Command::Source(source) => source::run(&args.directory, source, out),
        Command::SourceVerb(verb) => source::run_verb(&args.directory, verb, out),
        Command::Prompt(prompt) => prompt::run(&args.directory, prompt, out),
        Command::Init(init) => init::run(&args.directory, init, out),
        Command::Schema(schema) => schema::run(&args.directory, schema, out),
        Command::Task(task) => task::run(&args.directory, task, out),
        Command::Tool(tool) => tool::run(&args.directory, tool, out),
        Command::Files(files) => files::run(&args.directory, files, out),
        Command::Problems(problems) => problems::run(&args.directory, problems, out),
        Command::Manual(manual) => manual::run(&args.directory, manual, out),
        Command::Mcp(mcp) => mcp::run(&args.directory, mcp),
        Command::Completions(completions) => Ok(completions::run(completions, out)),
        Command::Man(man) => man::run(man, out),
    }
}
