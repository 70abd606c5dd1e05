//! `minds team`

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use clap::{Subcommand, ValueEnum};
use minds_diagnostics::emit::{JSON_VERSION, printable};
use minds_workspace::MemberView;
use serde::Serialize;
use serde_json::Value;
use unicode_width::UnicodeWidthStr as _;

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
    /// How to print the members
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A block for each member
    Human,
    /// One JSON document
    Json,
}

impl TeamArgs {
    pub(crate) fn wants_json(&self) -> bool {
        let TeamCommand::Show(args) = &self.command;
        args.format == Format::Json
    }
}

pub(crate) fn run(directory: &Path, args: &TeamArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let TeamCommand::Show(args) = &args.command;
    let outcome = minds_operations::show_team(directory, args.member.as_deref())?;
    match args.format {
        Format::Human => out.data(&human(&outcome.members)),
        Format::Json => {
            #[derive(Serialize)]
            struct Document<'a> {
                version: u32,
                members: &'a [MemberView],
            }
            out.json(&Document { version: JSON_VERSION, members: &outcome.members });
        }
    }
    if outcome.errors == 0 {
        return Ok(ExitCode::SUCCESS);
    }
    let errors =
        if outcome.errors == 1 { "an error".to_owned() } else { format!("{} errors", outcome.errors) };
    Output::remark(&format!(
        "the files of the team have {errors}, so something may be missing; see `minds check`"
    ));
    Ok(ExitCode::from(1))
}

fn human(members: &[MemberView]) -> String {
    let mut text = String::new();
    for (at, member) in members.iter().enumerate() {
        if at > 0 {
            text.push('\n');
        }
        text.push_str(&printable(&member.id));
        text.push('\n');
        let names = member.fields.keys().map(|name| name.len()).max().unwrap_or_default();
        let values: Vec<String> = member.fields.values().map(|field| show(&field.value)).collect();
        let longest = values.iter().map(|value| value.width()).filter(|width| *width <= LONGEST).max();
        let width = longest.unwrap_or_default();
        for ((name, field), value) in member.fields.iter().zip(&values) {
            let from = match &field.from {
                None => "built in".to_owned(),
                Some(place) => {
                    let start = place.range.start;
                    let inherited = place.pointer.starts_with("/member_defaults/");
                    let inherited = if inherited { " (member_defaults)" } else { "" };
                    format!("{}:{}:{}{inherited}", place.file, start.line, start.column)
                }
            };
            // Writing to a string cannot fail.
            let padding = " ".repeat(width.saturating_sub(value.width()));
            let _ = writeln!(text, "  {name:names$}  {value}{padding}  {from}");
        }
    }
    text
}

/// Values of more columns do not widen the column of values.
const LONGEST: usize = 48;

/// Returns a value in one line: lists in brackets, texts without quotes where that cannot be misread.
pub(super) fn show(value: &Value) -> String {
    match value {
        Value::String(text) if !text.is_empty() && text.trim() == text => printable(text).into_owned(),
        Value::Array(items) => {
            let shown: Vec<String> = items.iter().map(show).collect();
            format!("[{}]", shown.join(", "))
        }
        Value::Null => "unreadable".to_owned(),
        other => printable(&other.to_string()).into_owned(),
    }
}
