//! `minds fleet`

use std::path::Path;
use std::process::ExitCode;

use clap::Subcommand;
use minds_diagnostics::emit::printable;
use minds_operations::documents::FleetDocument;
use minds_workspace::{FleetAgentView, FleetField, FleetTool};

use super::fields::{add_block, report_errors, show};
use minds_output::format::{Format, FormatArgs};
use minds_output::{Failure, Output};

/// Show the agents of a fleet
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds fleet show         Show all agents after merging all layers
  minds fleet show zeus    Show one agent")]
pub(crate) struct FleetArgs {
    #[command(subcommand)]
    command: FleetCommand,
}

#[derive(Debug, Subcommand)]
enum FleetCommand {
    Show(ShowArgs),
}

/// Show agents after merging all layers, with the source of each value
///
/// Layers are the `.ateam/` directories of the workspace, of its parent directories and of your home directory; the nearest
/// one takes precedence. A value without a place is built in. The values are followed by the tools, and the reasons why
/// tools are not granted.
///
/// Exits with 1 if the files have errors, because values may be missing then, and with 2 if AGENT does not exist.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds fleet show                  Show all agents
  minds fleet show zeus             Show one agent
  minds fleet show zeus --format json | jq '.agents[0].fields.model.value'
                                    Print one value as JSON")]
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
        Format::Json => out.document(&FleetDocument { agents: &outcome.agents }),
    }
    // Files with errors may define agents.
    if outcome.agents.is_empty() && outcome.errors == 0 && args.format.chosen(out) == Format::Human {
        Output::remark("the fleet has no agents; `minds init --fleet` creates one");
    }
    Ok(report_errors("the files of the fleet", outcome.errors))
}

fn human(agents: &[FleetAgentView]) -> String {
    let mut text = String::new();
    for agent in agents {
        let fields = agent.fields.iter();
        let fields = fields
            .map(|(name, field)| [printable(name).into_owned(), show(&field.value), render_source(field)]);
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
    let grant = if tool.given { "granted" } else { "withheld" };
    [format!("tool {}", tool.name), grant.to_owned(), reason.unwrap_or_default()]
        .map(|cell| cell.trim_end().to_owned())
}

/// Renders where a value comes from: the first place, and the number of further files.
fn render_source(field: &FleetField) -> String {
    let Some(first) = field.from.first() else { return "built in".to_owned() };
    let mut files: Vec<&str> = field.from.iter().map(|place| place.file.as_str()).collect();
    files.sort_unstable();
    files.dedup();
    let start = first.range.start;
    let more = if files.len() > 1 { format!(" and {} more", files.len() - 1) } else { String::new() };
    format!("{}:{}:{}{more}", printable(&first.file), start.line, start.column)
}
