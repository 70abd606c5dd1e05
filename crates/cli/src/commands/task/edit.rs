//! `minds task edit`

use std::path::Path;
use std::process::ExitCode;

use minds_operations::task::{SectionText, Tasks};
use minds_system::editor;
use minds_taskdoc::package::MAX_SECTION_BYTES;
use minds_taskdoc::{Section, TaskCode, TaskError};
use minds_toolset::{ToolContext, Toolbox};
use serde_json::json;

use super::edits::{SectionArgs, call_on, values};
use super::words::size_text;
use super::{TaskArgs, answered, refused, refused_by_tool};
use crate::commands::editing::{Editing, EditingEnd};
use crate::output::{Failure, Output};

/// Open a section in your editor, and replace it with what you save
///
/// The editor is `VISUAL` or `EDITOR`. It gets a private copy outside of the package. If others change the section meanwhile,
/// nothing is replaced, and the copy stays.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds task edit progress
  EDITOR='code --wait' minds task edit checklist --category ux")]
pub(super) struct EditArgs {
    #[command(flatten)]
    place: SectionArgs,
}

pub(super) fn run(
    directory: &Path,
    args: &TaskArgs,
    edit: &EditArgs,
    out: &mut Output,
) -> Result<ExitCode, Failure> {
    let editor = editor()
        .ok_or_else(|| Failure::usage("no editor is set: say which in `EDITOR` or `VISUAL`".to_owned()))?;
    let context = ToolContext::find(directory)?;
    if let Err(refusal) = Toolbox::new().admit_to(&context, "change_mind", &args.caller()) {
        return Ok(refused_by_tool(args, out, &refusal));
    }
    let found = Section::parse(&edit.place.selector, edit.place.category.as_deref()).and_then(|section| {
        let package = Tasks::open(context.root())?.find(args.task.as_deref())?;
        let held = package.section(&section)?;
        Ok((section, package.name().as_str().to_owned(), package.path().as_str().to_owned(), held))
    });
    let (section, name, path, held) = match found {
        Ok(found) => found,
        Err(error) => return Ok(refused(args, out, &error)),
    };
    let size = held.as_ref().map_or_else(|| "new".to_owned(), |held| size_text(held.text.len() as u64));
    Output::remark(&format!(
        "replacing `{section}` of the task `{name}` (`{path}/{}`, {size})",
        section.path()
    ));
    let before = held.as_ref().map(|held| held.text.as_str()).unwrap_or_default();
    let editing = Editing::run(&editor, &format!("{name}-{}", section.path().replace('/', "-")), before)?;
    let text = match text(&editing, &editor) {
        Ok(Some(text)) => text,
        Ok(None) => {
            Output::remark(&format!(
                "`{section}` of the task `{name}` is as it was: nothing was changed in the editor"
            ));
            if args.wants_json(out) {
                let section = section.to_string();
                out.json(&json!({"status": "ok", "task": name, "section": section, "changed": false}));
            }
            return Ok(ExitCode::SUCCESS);
        }
        Err(error) => return Ok(refused(args, out, &error)),
    };
    let answer = replace(args, edit, &context, &name, held.as_ref(), text);
    if answer.is_refused() {
        Output::warning(&editing.kept());
    } else {
        editing.discard();
    }
    Ok(answered(args, out, &answer, |answer| format!("{}\n", answer.to_text())))
}

/// Returns what the user wrote; none if that is what was there.
fn text(editing: &Editing, editor: &str) -> Result<Option<String>, TaskError> {
    let refused = |code, message: &str| Err(TaskError::new(code, message.to_owned()).next(editing.kept()));
    let unchanged = |error: TaskError| {
        Err(error.next("nothing was changed; to empty a section: `minds task set SELECTOR --clear`"))
    };
    let failed = format!("the editor `{editor}` did not end well");
    let bytes = match &editing.end {
        EditingEnd::Unchanged => return Ok(None),
        EditingEnd::Changed(bytes) => bytes,
        EditingEnd::Failed { is_kept: true } => return refused(TaskCode::Failed, &failed),
        EditingEnd::Failed { is_kept: false } => return unchanged(TaskError::new(TaskCode::Failed, failed)),
        EditingEnd::Removed => {
            let removed = format!("the editor `{editor}` removed the file that it was given");
            return unchanged(TaskError::new(TaskCode::Failed, removed));
        }
    };
    if bytes.len() as u64 > MAX_SECTION_BYTES {
        return refused(TaskCode::TooLarge, &format!("a section has at most {MAX_SECTION_BYTES} bytes"));
    }
    match std::str::from_utf8(bytes) {
        Err(_) => refused(TaskCode::InvalidUtf8, "what you wrote is no text in UTF-8"),
        Ok(text) if text.trim().is_empty() => {
            editing.discard();
            unchanged(TaskError::new(TaskCode::ContentRequired, "what you wrote is blank".to_owned()))
        }
        Ok(text) => Ok(Some(text.to_owned())),
    }
}

/// Replaces the section, if it is still what was opened.
fn replace(
    args: &TaskArgs,
    edit: &EditArgs,
    context: &ToolContext,
    name: &str,
    held: Option<&SectionText>,
    text: String,
) -> minds_toolset::Answer {
    let mut values = values(args, &edit.place);
    if !values.contains_key("task") {
        values.insert("task".to_owned(), name.into());
    }
    values.insert("content".to_owned(), text.into());
    match held {
        Some(held) => {
            values.insert("previous_content_hash".to_owned(), held.hash.to_string().into());
            call_on(context, args, "change_mind", values)
        }
        // It must not be there by now either.
        None => call_on(context, args, "do_mind", values),
    }
}
