//! `minds compose`

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Subcommand;
use minds_diagnostics::emit::printable;
use minds_operations::documents::ComposeDocument;
use minds_workspace::AgentView;

use super::allow_nothing_to_do;
use super::fields::{report_errors, show};
use minds_output::format::{Format, FormatArgs};
use minds_output::{Failure, Output};

/// Show the agents of a compose root
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds compose show              Show all agents
  minds compose show main:lead    Show one agent")]
pub(crate) struct ComposeArgs {
    #[command(subcommand)]
    command: ComposeCommand,
}

#[derive(Debug, Subcommand)]
enum ComposeCommand {
    Show(ShowArgs),
}

/// Show agents, with the source of each value
///
/// A value without a place is built in or derived from other values. The compose root is found as for `minds render`.
///
/// Exits with 1 if the files have errors, because values may be missing then, and with 2 if AGENT does not exist.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds compose show                   Show all agents
  minds compose show main:lead         Show one agent
  minds compose show lead --format json | jq '.agents[0].fields.channels'
                                       Print one value as JSON")]
struct ShowArgs {
    /// The agent, as `project:agent`, or its id alone if that is unique
    #[arg(value_name = "AGENT")]
    agent: Option<String>,
    /// The compose root: the directory with `team-compose.yaml`
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Allow a compose root to refer to files outside the repository; findings do not quote their contents
    #[arg(long)]
    allow_outside: bool,
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(directory: &Path, args: &ComposeArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let ComposeCommand::Show(args) = &args.command;
    let outcome = minds_operations::show_compose(
        directory,
        args.root.as_deref(),
        args.agent.as_deref(),
        args.allow_outside,
    );
    // An agent that is given must exist, which it cannot without a compose root.
    let outcome = if args.agent.is_none() { allow_nothing_to_do(outcome, out)? } else { Some(outcome?) };
    let (agents, errors) = outcome.map_or_else(Default::default, |outcome| (outcome.agents, outcome.errors));
    match args.format.chosen(out) {
        Format::Human => out.data(&human(&agents)),
        Format::Json => out.document(&ComposeDocument { agents: &agents }),
    }
    Ok(report_errors("the files of the compose root", errors))
}

fn human(agents: &[AgentView]) -> String {
    let mut text = String::new();
    for (at, agent) in agents.iter().enumerate() {
        if at > 0 {
            text.push('\n');
        }
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{} ({})", printable(&agent.id), agent.rank);
        let names = agent.fields.keys().map(|name| name.len()).max().unwrap_or_default();
        for (name, field) in &agent.fields {
            let from = field.from.as_ref().map_or_else(
                || "built in".to_owned(),
                |place| format!("{}:{}:{}", place.file, place.range.start.line, place.range.start.column),
            );
            let _ = writeln!(text, "  {name:names$}  {}  ({from})", show(&field.value));
        }
    }
    text
}
