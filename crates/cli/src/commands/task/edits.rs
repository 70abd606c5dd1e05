//! The commands that change one section, and the one that reads one. Each is a tool.

use std::path::Path;
use std::process::ExitCode;

use minds_operations::OperationError;
use minds_system::{standard_input, user_name};
use minds_toolset::{Answer, Caller, Toolbox, Workbench};
use serde_json::{Map, Value};

use super::{TaskArgs, answered};
use crate::output::{Failure, Output};

/// Replace a section
#[derive(Debug, clap::Args)]
pub(super) struct SetArgs {
    #[command(flatten)]
    place: SectionArgs,
    /// Refuse if the section holds something else by now
    #[arg(long, value_name = "HASH")]
    hash: Option<String>,
    /// The file with the whole new content; `-` reads standard input
    #[arg(long, value_name = "FILE", required = true)]
    from: std::path::PathBuf,
}

/// Print a section that agents are not given with every message
#[derive(Debug, clap::Args)]
pub(super) struct RecallArgs {
    #[command(flatten)]
    place: SectionArgs,
}

/// Which section is meant.
#[derive(Debug, clap::Args)]
struct SectionArgs {
    /// The section: `goals`, `constraints`, `progress`, or one of a category
    #[arg(value_name = "SELECTOR")]
    selector: String,
    /// The category: `bearinmind` or one of your own
    #[arg(long, value_name = "CATEGORY")]
    category: Option<String>,
}

pub(super) fn set(
    directory: &Path,
    args: &TaskArgs,
    set: &SetArgs,
    out: &mut Output,
) -> Result<ExitCode, Failure> {
    let content = content(&set.from)?;
    let mut values = values(args, &set.place);
    values.insert("content".to_owned(), content.into());
    if let Some(hash) = &set.hash {
        values.insert("previous_content_hash".to_owned(), hash.as_str().into());
    }
    let answer = call(directory, args, "change_mind", values)?;
    Ok(answered(args, out, &answer, |answer| format!("{}\n", answer.to_text())))
}

pub(super) fn recall(
    directory: &Path,
    args: &TaskArgs,
    recall: &RecallArgs,
    out: &mut Output,
) -> Result<ExitCode, Failure> {
    let answer = call(directory, args, "recall_taskdoc", values(args, &recall.place))?;
    Ok(answered(args, out, &answer, |answer| {
        let content = answer.result.as_ref().ok().and_then(|success| success.fields.get("content"));
        content.and_then(Value::as_str).unwrap_or_default().to_owned()
    }))
}

fn values(args: &TaskArgs, place: &SectionArgs) -> Map<String, Value> {
    let mut values = Map::new();
    values.insert("selector".to_owned(), place.selector.as_str().into());
    for (name, value) in [("category", &place.category), ("task", &args.task)] {
        if let Some(value) = value {
            values.insert(name.to_owned(), value.as_str().into());
        }
    }
    values
}

fn call(
    directory: &Path,
    args: &TaskArgs,
    tool: &str,
    values: Map<String, Value>,
) -> Result<Answer, Failure> {
    let caller = match &args.member {
        Some(id) => Caller::member(id.clone()),
        None => Caller::operator(user_name()),
    };
    let bench = Workbench::find(directory)?;
    Ok(Toolbox::new().call(&bench, tool, Value::Object(values), &caller))
}

/// Returns what a file holds, or standard input for `-`.
fn content(from: &Path) -> Result<String, Failure> {
    let bytes = if from == Path::new("-") { standard_input() } else { minds_system::read_named_file(from) };
    let bytes = bytes.map_err(OperationError::from)?;
    String::from_utf8(bytes).map_err(|_| Failure::usage(format!("`{}` is no text in UTF-8", from.display())))
}
