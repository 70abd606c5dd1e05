//! `minds team`

use std::path::Path;
use std::process::ExitCode;

use clap::Subcommand;
use minds_diagnostics::emit::printable;
use minds_workspace::{MemberView, ShownField};
use serde::Serialize;

use super::fields::{add_block, show, told_of_errors};
use crate::format::{Format, FormatArgs};
use crate::output::{Failure, Output};

/// Look at the team
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds team show          Show every member after inheritance
  minds team show coder    Show one member")]
pub(crate) struct TeamArgs {
    #[command(subcommand)]
    command: TeamCommand,
}

#[derive(Debug, Subcommand)]
enum TeamCommand {
    Show(ShowArgs),
}

/// Show members after inheritance, each value with the place that it comes from
///
/// A value that a member does not give itself comes from `member_defaults`; one without a place is built in. The two
/// members that every team has are shown as well.
///
/// Exits with 1 if the files have errors, because then a value may be missing, and with 2 if there is no such MEMBER.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds team show                   Show every member
  minds team show coder             Show one member
  minds team show coder --format json | jq '.members[0].fields.model'
                                    Let a program read one value")]
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
                out.remark_behind(
                    "there is no `.minds/team.yaml`: these are the members that every team has; `minds init` writes one",
                );
            }
        }
        Format::Json => {
            #[derive(Serialize)]
            struct Document<'a> {
                members: &'a [MemberView],
            }
            out.json(&Document { members: &outcome.members });
        }
    }
    Ok(told_of_errors("the files of the team", outcome.errors))
}

fn human(members: &[MemberView]) -> String {
    let mut text = String::new();
    for member in members {
        let rows: Vec<[String; 3]> = member
            .fields
            .iter()
            .map(|(name, field)| [(*name).to_string(), show(&field.value), from(field)])
            .collect();
        add_block(&mut text, &printable(&member.id), &rows);
    }
    text
}

/// Returns where a value comes from.
fn from(field: &ShownField) -> String {
    let Some(place) = &field.from else { return "built in".to_owned() };
    let start = place.range.start;
    let inherited = place.pointer.starts_with("/member_defaults/");
    let inherited = if inherited { " (member_defaults)" } else { "" };
    format!("{}:{}:{}{inherited}", printable(&place.file), start.line, start.column)
}
