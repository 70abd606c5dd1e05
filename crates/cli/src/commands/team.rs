//! `minds team`

use std::path::Path;
use std::process::ExitCode;

use clap::Subcommand;
use minds_diagnostics::emit::printable;
use minds_operations::documents::TeamDocument;
use minds_workspace::{MemberView, ShownField};

use super::fields::{add_block, report_errors, show};
use minds_output::format::{Format, FormatArgs};
use minds_output::{Failure, Output};

/// Show the members of the team
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds team show          Show all members after inheritance
  minds team show coder    Show one member")]
pub(crate) struct TeamArgs {
    #[command(subcommand)]
    command: TeamCommand,
}

#[derive(Debug, Subcommand)]
enum TeamCommand {
    Show(ShowArgs),
}

/// Show members after inheritance, with the source of each value
///
/// A value that a member does not set comes from `member_defaults`; a value without a place is built in. The two built-in
/// members of every team are listed as well.
///
/// Exits with 1 if the files have errors, because values may be missing then, and with 2 if MEMBER does not exist.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds team show                   Show all members
  minds team show coder             Show one member
  minds team show coder --format json | jq '.members[0].fields.model'
                                    Print one value as JSON")]
struct ShowArgs {
    /// The id of a member
    #[arg(value_name = "MEMBER")]
    member: Option<String>,
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(directory: &Path, args: &TeamArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let TeamCommand::Show(args) = &args.command;
    let outcome = minds_operations::show_team(directory, args.member.as_deref())?;
    match args.format.chosen(out) {
        Format::Human => {
            out.data(&human(&outcome.members));
            if !outcome.has_file {
                out.trailing_remark(
                    "`.minds/team.yaml` not found: these are the built-in members of every team; `minds init` creates the file",
                );
            }
        }
        Format::Json => out.document(&TeamDocument { members: &outcome.members }),
    }
    Ok(report_errors("the files of the team", outcome.errors))
}

fn human(members: &[MemberView]) -> String {
    let mut text = String::new();
    for member in members {
        let rows: Vec<[String; 3]> = member
            .fields
            .iter()
            .map(|(name, field)| [(*name).to_string(), show(&field.value), render_source(field)])
            .collect();
        add_block(&mut text, &printable(&member.id), &rows);
    }
    text
}

/// Renders the place that a value comes from.
fn render_source(field: &ShownField) -> String {
    let Some(place) = &field.from else { return "built in".to_owned() };
    let start = place.range.start;
    let inherited = place.pointer.starts_with("/member_defaults/");
    let inherited = if inherited { " (member_defaults)" } else { "" };
    format!("{}:{}:{}{inherited}", printable(&place.file), start.line, start.column)
}
