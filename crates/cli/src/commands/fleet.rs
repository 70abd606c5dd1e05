//! `minds fleet`

use std::path::Path;
use std::process::ExitCode;

use clap::Subcommand;
use minds_diagnostics::emit::printable;
use minds_workspace::{FleetAgentView, FleetField, FleetTool};
use serde::Serialize;

use super::fields::{add_block, show, told_of_errors};
use crate::format::{Format, FormatArgs};
use crate::output::{Failure, Output};

/// Look at a fleet
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds fleet show         Show every agent after all layers are put together
  minds fleet show zeus    Show one agent")]
pub(crate) struct FleetArgs {
    #[command(subcommand)]
    command: FleetCommand,
}

#[derive(Debug, Subcommand)]
enum FleetCommand {
    Show(ShowArgs),
}

/// Show agents after all layers are put together, each value with the place that it comes from
///
/// Layers are the `.ateam/` directories of the workspace, of the directories above it and of your home; the nearest one has
/// the last word. A value without a place is built in. Behind the values stand the tools, and why one is withheld.
///
/// Exits with 1 if the files have errors, because then a value may be missing, and with 2 if there is no such AGENT.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds fleet show                  Show every agent
  minds fleet show zeus             Show one agent
  minds fleet show zeus --format json | jq '.agents[0].fields.model.value'
                                    Let a program read one value")]
struct ShowArgs {
    /// The name of an agent
    #[arg(value_name = "AGENT")]
    agent: Option<String>,
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(directory: &Path, args: &FleetArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let FleetCommand::Show(args) = &args.command;
    let outcome = minds_operations::show_fleet(directory, args.agent.as_deref())?;
    match args.format.chosen(out) {
        Format::Human => out.data(&human(&outcome.agents)),
        Format::Json => {
            #[derive(Serialize)]
            struct Document<'a> {
                agents: &'a [FleetAgentView],
            }
            out.json(&Document { agents: &outcome.agents });
        }
    }
    // What cannot be read may be agents.
    if outcome.agents.is_empty() && outcome.errors == 0 && args.format.chosen(out) == Format::Human {
        Output::remark("the fleet has no agent; `minds init --fleet` writes a first one");
    }
    Ok(told_of_errors("the files of the fleet", outcome.errors))
}

fn human(agents: &[FleetAgentView]) -> String {
    let mut text = String::new();
    for agent in agents {
        let fields = agent.fields.iter();
        let fields =
            fields.map(|(name, field)| [printable(name).into_owned(), show(&field.value), from(field)]);
        let rows: Vec<[String; 3]> = fields.chain(agent.tools.iter().map(tool)).collect();
        add_block(&mut text, &printable(&agent.id), &rows);
    }
    text
}

fn tool(tool: &FleetTool) -> [String; 3] {
    let place = tool.from.as_ref().map(|place| {
        let start = place.range.start;
        format!(" ({}:{}:{})", printable(&place.file), start.line, start.column)
    });
    let reason = tool.reason.map(|reason| format!("{reason}{}", place.unwrap_or_default()));
    let given = if tool.given { "given" } else { "withheld" };
    [format!("tool {}", tool.name), given.to_owned(), reason.unwrap_or_default()]
        .map(|cell| cell.trim_end().to_owned())
}

/// Returns where a value comes from: its first place, and how many files say more.
fn from(field: &FleetField) -> String {
    let Some(first) = field.from.first() else { return "built in".to_owned() };
    let mut files: Vec<&str> = field.from.iter().map(|place| place.file.as_str()).collect();
    files.sort_unstable();
    files.dedup();
    let start = first.range.start;
    let more = if files.len() > 1 { format!(" and {} more", files.len() - 1) } else { String::new() };
    format!("{}:{}:{}{more}", printable(&first.file), start.line, start.column)
}
