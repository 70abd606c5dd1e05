//! `minds tool`

mod call;
mod list;

use std::path::Path;
use std::process::ExitCode;

use clap::Subcommand;

use crate::output::{Failure, Output};

/// List and call the function tools of agents
///
/// These are the tools that agents have through `minds mcp`, with the same arguments and the same answers.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds tool list --toolset team-mgmt
                                  See what a manager of the team can do
  minds tool call team_mgmt_read_file --args '{\"path\": \".minds/team.yaml\"}'
                                  Read a file as an agent does")]
pub(crate) struct ToolArgs {
    #[command(subcommand)]
    command: ToolCommand,
}

#[derive(Debug, Subcommand)]
enum ToolCommand {
    List(list::ListArgs),
    Call(call::CallArgs),
}

pub(crate) fn run(directory: &Path, args: &ToolArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    match &args.command {
        ToolCommand::List(args) => list::run(args, out),
        ToolCommand::Call(args) => call::run(directory, args, out),
    }
}
