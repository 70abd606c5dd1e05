//! `minds tool`

mod call;
mod list;

use std::path::Path;
use std::process::ExitCode;

use clap::Subcommand;

use minds_output::{Failure, Output};

pub(crate) use call::parse_arguments;

/// List and call the tools of agents
///
/// These are the tools that `minds mcp` serves to agents, with the same arguments and results.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds tool list --toolset team-mgmt
                                  List the tools for managing the team
  minds tool call team_mgmt_read_file --args '{\"path\": \".minds/team.yaml\"}'
                                  Read a file with the tool of agents")]
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
