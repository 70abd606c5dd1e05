//! The commands that change or read one section. Each calls a tool.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use minds_operations::OperationError;
use minds_process::standard_input;
use minds_toolset::{Answer, ToolContext, Toolbox};
use serde_json::{Map, Value};

use super::{TaskArgs, print_answer};
use minds_output::{Failure, Output};

/// Replace a section
///
/// The content is stored byte for byte. Blank content is refused; `--clear` empties a section.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds task set goals --from goals.md
  minds task set risks --category bearinmind --from - < risks.md
  minds task set progress --clear")]
pub(super) struct SetArgs {
    #[command(flatten)]
    place: SectionArgs,
    /// Refuse if the section no longer has this content hash
    #[arg(long, value_name = "HASH")]
    hash: Option<String>,
    /// The file with the new content; `-` reads stdin
    #[arg(long, value_name = "FILE", required_unless_present = "clear")]
    from: Option<PathBuf>,
    /// Empty the section
    #[arg(long, conflicts_with = "from")]
    clear: bool,
}

/// Append text to a section
///
/// The text begins on a new line, or after the separator.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds task append progress The tests pass
  minds task append checklist --category ux --from - < more.md")]
pub(super) struct AppendArgs {
    #[command(flatten)]
    place: SectionArgs,
    /// Insert this text, as it is, between the old content and the new text
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    separator: Option<String>,
    /// Refuse if the section no longer has this content hash
    #[arg(long, value_name = "HASH")]
    hash: Option<String>,
    /// The file with the text; `-` reads stdin
    #[arg(long, value_name = "FILE", conflicts_with = "words")]
    from: Option<PathBuf>,
    /// The text; a line break is added
    #[arg(value_name = "TEXT", required_unless_present = "from")]
    words: Vec<String>,
}

/// Remove a section of a category
///
/// Goals, constraints and progress cannot be removed; `minds task set SELECTOR --clear` empties them.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds task rm checklist --category ux")]
pub(super) struct RemoveArgs {
    #[command(flatten)]
    place: SectionArgs,
    /// Refuse if the section no longer has this content hash
    #[arg(long, value_name = "HASH")]
    hash: Option<String>,
}

/// Print a section that is not part of the task prompt
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds task recall checklist --category ux")]
pub(super) struct RecallArgs {
    #[command(flatten)]
    place: SectionArgs,
}

#[derive(Debug, clap::Args)]
pub(super) struct SectionArgs {
    /// The section: `goals`, `constraints`, `progress`, or a section of a category
    #[arg(value_name = "SELECTOR")]
    pub(super) selector: String,
    /// The category of the section: `bearinmind` or a custom one
    #[arg(long, value_name = "CATEGORY")]
    pub(super) category: Option<String>,
}

pub(super) fn set(
    directory: &Path,
    args: &TaskArgs,
    set: &SetArgs,
    out: &mut Output,
) -> Result<ExitCode, Failure> {
    let mut values = values(args, &set.place);
    match &set.from {
        Some(from) => values.insert("content".to_owned(), read_content(directory, from)?.into()),
        None => values.insert("clear".to_owned(), set.clear.into()),
    };
    change(directory, args, "change_mind", values, set.hash.as_deref(), out)
}

pub(super) fn append(
    directory: &Path,
    args: &TaskArgs,
    append: &AppendArgs,
    out: &mut Output,
) -> Result<ExitCode, Failure> {
    let content = match &append.from {
        Some(from) => read_content(directory, from)?,
        None => append.words.join(" ") + "\n",
    };
    let mut values = values(args, &append.place);
    values.insert("content".to_owned(), content.into());
    if let Some(separator) = &append.separator {
        values.insert("separator".to_owned(), separator.as_str().into());
    }
    change(directory, args, "mind_more", values, append.hash.as_deref(), out)
}

pub(super) fn remove(
    directory: &Path,
    args: &TaskArgs,
    remove: &RemoveArgs,
    out: &mut Output,
) -> Result<ExitCode, Failure> {
    change(directory, args, "never_mind", values(args, &remove.place), remove.hash.as_deref(), out)
}

/// Calls a tool that changes a section, and reports the result.
fn change(
    directory: &Path,
    args: &TaskArgs,
    tool: &str,
    mut values: Map<String, Value>,
    hash: Option<&str>,
    out: &mut Output,
) -> Result<ExitCode, Failure> {
    if let Some(hash) = hash {
        values.insert("previous_content_hash".to_owned(), hash.into());
    }
    let answer = call(directory, args, tool, values)?;
    Ok(print_answer(args, out, &answer, |answer| format!("{}\n", answer.to_text())))
}

pub(super) fn recall(
    directory: &Path,
    args: &TaskArgs,
    recall: &RecallArgs,
    out: &mut Output,
) -> Result<ExitCode, Failure> {
    let answer = call(directory, args, "recall_taskdoc", values(args, &recall.place))?;
    Ok(print_answer(args, out, &answer, |answer| {
        let content = answer.result.as_ref().ok().and_then(|success| success.fields.get("content"));
        content.and_then(Value::as_str).unwrap_or_default().to_owned()
    }))
}

pub(super) fn values(args: &TaskArgs, place: &SectionArgs) -> Map<String, Value> {
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
    Ok(call_on(&ToolContext::find(directory)?, args, tool, values))
}

pub(super) fn call_on(
    context: &ToolContext,
    args: &TaskArgs,
    tool: &str,
    values: Map<String, Value>,
) -> Answer {
    Toolbox::new().call(context, tool, &Value::Object(values), &args.caller())
}

/// Reads a file relative to the directory of `-C`, or stdin for `-`.
fn read_content(directory: &Path, from: &Path) -> Result<String, Failure> {
    let bytes = if from == Path::new("-") {
        standard_input()
    } else {
        minds_fs::read_named_file(&directory.join(from))
    };
    let bytes = bytes.map_err(OperationError::from)?;
    String::from_utf8(bytes).map_err(|_| Failure::usage(format!("`{}` is not valid UTF-8", from.display())))
}
