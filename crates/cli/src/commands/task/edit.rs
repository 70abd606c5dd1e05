//! `minds task edit`

use std::path::Path;
use std::process::ExitCode;

use minds_process::editor;
use minds_task_store::documents::TaskUnchangedDocument;
use minds_task_store::{SectionText, Tasks};
use minds_taskdoc::package::MAX_SECTION_BYTES;
use minds_taskdoc::{Section, TaskCode, TaskError};
use minds_toolset::{ToolContext, Toolbox};

use super::sections::{SectionArgs, call_on, values};
use super::units::size_text;
use super::{TaskArgs, print_answer, report_error, report_tool_refusal};
use crate::commands::editing::{Editing, EditingEnd};
use minds_output::{Failure, Output};

/// Edit a section in your editor
///
/// Opens a private copy outside of the package in the editor of `VISUAL` or `EDITOR`. If the section changes in the
/// meantime, it is not replaced, and the copy is kept.
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
    let editor =
        editor().ok_or_else(|| Failure::usage("no editor is set; set `EDITOR` or `VISUAL`".to_owned()))?;
    let context = ToolContext::find(directory)?;
    // The tool checks this again; a refused caller should not write the text first.
    if let Err(refusal) = Toolbox::new().author(&context, "change_mind", &args.caller()) {
        return Ok(report_tool_refusal(args, out, &refusal));
    }
    let opened = Section::parse(&edit.place.selector, edit.place.category.as_deref()).and_then(|section| {
        let package = Tasks::open(context.root())?.find(args.task.as_deref())?;
        let original = package.section(&section)?;
        Ok((section, package.name().as_str().to_owned(), package.path().as_str().to_owned(), original))
    });
    let (section, name, path, original) = match opened {
        Ok(opened) => opened,
        Err(error) => return Ok(report_error(args, out, &error)),
    };
    let size =
        original.as_ref().map_or_else(|| "new".to_owned(), |original| size_text(original.text.len() as u64));
    Output::remark(&format!("editing `{section}` of task `{name}` (`{path}/{}`, {size})", section.path()));
    let before = original.as_ref().map(|original| original.text.as_str()).unwrap_or_default();
    let editing = Editing::run(&editor, &format!("{name}-{}", section.path().replace('/', "-")), before)?;
    let text = match edited_text(&editing, &editor) {
        Ok(Some(text)) => text,
        Ok(None) => {
            Output::remark(&format!("`{section}` of task `{name}` is unchanged: the editor made no changes"));
            if args.wants_json(out) {
                out.document(&TaskUnchangedDocument::new(name, &section));
            }
            return Ok(ExitCode::SUCCESS);
        }
        Err(error) => return Ok(report_error(args, out, &error)),
    };
    let answer = replace(args, edit, &context, &name, original.as_ref(), text);
    if answer.is_refused() {
        Output::warning(&editing.kept_copy_message());
    } else {
        editing.discard();
    }
    Ok(print_answer(args, out, &answer, |answer| format!("{}\n", answer.to_text())))
}

/// Returns the edited text, or `None` if it is unchanged.
fn edited_text(editing: &Editing, editor: &str) -> Result<Option<String>, TaskError> {
    let refused =
        |code, message: &str| Err(TaskError::new(code, message.to_owned()).next(editing.kept_copy_message()));
    let unchanged = |error: TaskError| {
        Err(error.next("the section is unchanged; to empty a section, run `minds task set SELECTOR --clear`"))
    };
    let failed = format!("the editor `{editor}` failed");
    let bytes = match &editing.end {
        EditingEnd::Unchanged => return Ok(None),
        EditingEnd::Changed(bytes) => bytes,
        EditingEnd::Failed { is_kept: true } => return refused(TaskCode::Failed, &failed),
        EditingEnd::Failed { is_kept: false } => return unchanged(TaskError::new(TaskCode::Failed, failed)),
        EditingEnd::Removed => {
            let removed = format!("the editor `{editor}` removed the file");
            return unchanged(TaskError::new(TaskCode::Failed, removed));
        }
    };
    if bytes.len() as u64 > MAX_SECTION_BYTES {
        return refused(TaskCode::TooLarge, &format!("a section has at most {MAX_SECTION_BYTES} bytes"));
    }
    match std::str::from_utf8(bytes) {
        Err(_) => refused(TaskCode::InvalidUtf8, "the edited text is not valid UTF-8"),
        Ok(text) if text.trim().is_empty() => {
            editing.discard();
            unchanged(TaskError::new(TaskCode::ContentRequired, "the edited text is blank".to_owned()))
        }
        Ok(text) => Ok(Some(text.to_owned())),
    }
}

/// Replaces the section, unless it has changed since it was opened.
fn replace(
    args: &TaskArgs,
    edit: &EditArgs,
    context: &ToolContext,
    name: &str,
    original: Option<&SectionText>,
    text: String,
) -> minds_toolset::Answer {
    let mut values = values(args, &edit.place);
    if !values.contains_key("task") {
        values.insert("task".to_owned(), name.into());
    }
    values.insert("content".to_owned(), text.into());
    match original {
        Some(original) => {
            values.insert("previous_content_hash".to_owned(), original.hash.to_string().into());
            call_on(context, args, "change_mind", values)
        }
        // The section must still not exist.
        None => call_on(context, args, "do_mind", values),
    }
}
