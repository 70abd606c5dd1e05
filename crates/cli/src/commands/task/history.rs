//! The commands for the history of a package: `log`, `blame`, `diff`, `undo` and `verify`.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use minds_diagnostics::emit::{self, printable, visible};
use minds_process::terminal_width;
use minds_task_store::documents::{TaskBlameDocument, TaskDiffDocument, TaskLogDocument, TaskUndoDocument};
use minds_task_store::{BlamedLine, ChangeText, Package, Tasks, UndoResult};
use minds_taskdoc::tools::TASK_UNDO;
use minds_taskdoc::{Entry, Section};
use minds_text::{diff_header, unified_diff};
use minds_toolset::{ToolContext, Toolbox};

use super::task_args::{ChangeArgs, ChangeRef};
use super::units::{size_text, time_text};
use super::{TaskArgs, answer, report_error, report_tool_refusal};
use crate::commands::check::WIDTH;
use minds_output::paint;
use minds_output::{Failure, Output};

/// List the changes of a package, newest first
///
/// Each line shows the abbreviated id of the change, the time in UTC, the operation, the section, its new size, and the
/// author. The operation `outside` is a change that another program made without recording its author.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds task log                   List all changes of the only package
  minds task log ship-it --format json | jq '.entries[0]'
                                   Print the newest change as JSON")]
pub(super) struct LogArgs {
    /// The package [default: the only one]
    #[arg(value_name = "NAME")]
    name: Option<String>,
}

/// Show which change last modified each line of a section
///
/// `^` marks a change that may be older, because the text of earlier changes was not kept. `?` marks a line that is not in
/// the journal, because another program wrote it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds task blame progress
  minds task blame risks --category bearinmind --task ship-it")]
pub(super) struct BlameArgs {
    #[command(flatten)]
    place: super::sections::SectionArgs,
}

/// Show a change as a unified diff
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds task diff                  Show the newest change
  minds task diff 3f9a2c41         Show this change of the only package
  minds task diff ship-it 3f9a2c41")]
pub(super) struct DiffArgs {
    #[command(flatten)]
    change: ChangeArgs,
}

/// Undo a change of a section
///
/// Later changes of the same section are undone as well, and are listed. An undo is a change itself, so it can be undone.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds task undo                  Undo the newest change
  minds task undo 3f9a2c41         Undo this change, and later changes of its section")]
pub(super) struct UndoArgs {
    #[command(flatten)]
    change: ChangeArgs,
}

/// Verify that a package matches its journal
///
/// Checks every line of the journal, the contents of every section, and the data for undo. Nothing is written.
///
/// Exits with 0 if everything matches, with 1 if something was changed by another program, removed or lost, and with 2 on
/// wrong usage or a system error.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds task verify
  minds task verify ship-it --format json | jq -r '.diagnostics[].code'")]
pub(super) struct VerifyArgs {
    /// The package [default: the only one]
    #[arg(value_name = "NAME")]
    name: Option<String>,
}

pub(super) fn log(
    directory: &Path,
    args: &TaskArgs,
    log: &LogArgs,
    out: &mut Output,
) -> Result<ExitCode, Failure> {
    let context = ToolContext::find(directory)?;
    let name = args.package_name(log.name.as_deref())?;
    let listed = Tasks::open(context.root()).and_then(|tasks| tasks.find(name)).and_then(|package| {
        let journal = package.journal()?;
        Ok((package.name().as_str().to_owned(), journal))
    });
    Ok(answer(args, out, listed.as_ref(), |(name, journal)| {
        let entries: Vec<&Entry> = journal.in_order().into_iter().rev().collect();
        let unreadable = journal.problems.len();
        if unreadable > 0 {
            Output::warning(&format!(
                "{unreadable} {} of the journal cannot be read; see `minds task verify`",
                if unreadable == 1 { "line" } else { "lines" }
            ));
        }
        (TaskLogDocument::new(name.clone(), journal), table(&entries))
    }))
}

pub(super) fn blame(
    directory: &Path,
    args: &TaskArgs,
    blame: &BlameArgs,
    out: &mut Output,
) -> Result<ExitCode, Failure> {
    let context = ToolContext::find(directory)?;
    let blamed = Section::parse(&blame.place.selector, blame.place.category.as_deref()).and_then(|section| {
        let package = Tasks::open(context.root())?.find(args.task.as_deref())?;
        let lines = package.history()?.blame(&section)?;
        Ok((package.name().as_str().to_owned(), section, lines))
    });
    Ok(answer(args, out, blamed.as_ref(), |(name, section, lines)| {
        (TaskBlameDocument::new(name.clone(), section, lines), blame_text(lines))
    }))
}

pub(super) fn diff(
    directory: &Path,
    args: &TaskArgs,
    diff: &DiffArgs,
    out: &mut Output,
) -> Result<ExitCode, Failure> {
    let context = ToolContext::find(directory)?;
    let tasks = Tasks::open(context.root());
    let change = diff.change.resolve(args, &tasks)?;
    let change_text = tasks.and_then(|tasks| {
        let ChangeRef { name, change } = change?;
        let package = tasks.find(name)?;
        let history = package.history()?;
        let text = history.text(&history.change(change)?)?;
        Ok((package, text))
    });
    let (package, text) = match change_text {
        Ok(change_text) => change_text,
        Err(error) => return Ok(report_error(args, out, &error)),
    };
    let diff = render_diff(&package, &text);
    if args.wants_json(out) {
        out.document(&TaskDiffDocument::new(package.name().as_str().to_owned(), &text.entry, diff));
    } else {
        out.push_styled(&paint::diff(&diff, out.is_colored()));
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn undo(
    directory: &Path,
    args: &TaskArgs,
    undo: &UndoArgs,
    out: &mut Output,
) -> Result<ExitCode, Failure> {
    let context = ToolContext::find(directory)?;
    let author = match Toolbox::new().author(&context, TASK_UNDO, &args.caller()) {
        Ok(author) => author,
        Err(refusal) => return Ok(report_tool_refusal(args, out, &refusal)),
    };
    let tasks = Tasks::open(context.root());
    let change = undo.change.resolve(args, &tasks)?;
    let undone = tasks.and_then(|tasks| {
        let ChangeRef { name, change } = change?;
        let package = tasks.find(name)?;
        let undone = package.undo(&author, change)?;
        Ok((package.name().as_str().to_owned(), undone))
    });
    Ok(answer(args, out, undone.as_ref(), |(name, undone)| {
        (TaskUndoDocument::new(name.clone(), undone), undone_text(name, undone))
    }))
}

pub(super) fn verify(
    directory: &Path,
    args: &TaskArgs,
    verify: &VerifyArgs,
    out: &mut Output,
) -> Result<ExitCode, Failure> {
    let context = ToolContext::find(directory)?;
    let name = args.package_name(verify.name.as_deref())?;
    let verified = Tasks::open(context.root()).and_then(|tasks| tasks.find(name)).and_then(|package| {
        let report = package.verify()?;
        Ok((package.name().as_str().to_owned(), package.journal()?.entries.len(), report))
    });
    let (name, changes, report) = match verified {
        Ok(verified) => verified,
        Err(error) => return Ok(report_error(args, out, &error)),
    };
    let is_clean = report.summary().is_clean(false);
    if args.wants_json(out) {
        out.data(&emit::json(&report));
    } else if is_clean {
        let changes = if changes == 1 { "1 change".to_owned() } else { format!("{changes} changes") };
        out.data(&format!("`{}` matches its journal: {changes}\n", printable(&name)));
    } else {
        let style = emit::Human { color: out.is_colored(), width: terminal_width().unwrap_or(WIDTH) };
        out.push_styled(&emit::human_findings(&report, style));
        let count = report.diagnostics.len();
        let problems = if count == 1 { "1 problem".to_owned() } else { format!("{count} problems") };
        out.data(&format!("`{}` does not match its journal: {problems}\n", printable(&name)));
    }
    Ok(if is_clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Renders changes as text, one line each.
fn table(entries: &[&Entry]) -> String {
    let width = |lengths: &mut dyn Iterator<Item = usize>| lengths.max().unwrap_or_default();
    let sections = width(&mut entries.iter().map(|entry| entry.section.to_string().chars().count())).min(24);
    let line = |entry: &&Entry| {
        let size = if entry.after.is_some() { size_text(entry.size) } else { "removed".to_owned() };
        let undoes = entry
            .undoes
            .map(|undone| format!(" of {}", undone.to_string().chars().skip(7).take(12).collect::<String>()));
        let (id, when, what) = (entry.short_id(), time_text(&entry.time), entry.operation.as_str());
        let (section, who) = (entry.section.to_string(), printable(&entry.actor));
        format!(
            "{id}  {when}  {what:<7}  {section:<sections$}  {size:>9}  {who}{}\n",
            undoes.unwrap_or_default()
        )
    };
    entries.iter().map(line).collect()
}

fn blame_text(lines: &[BlamedLine]) -> String {
    let actor = |line: &BlamedLine| match &line.change {
        Some(change) => printable(&change.actor).into_owned(),
        None => "?".to_owned(),
    };
    let width = lines.iter().map(|line| actor(line).chars().count()).max().unwrap_or_default().min(24);
    let digits = lines.len().to_string().len();
    let rendered = lines.iter().enumerate().map(|(index, line)| {
        let (mark, id, when) = match &line.change {
            Some(change) if line.is_certain => (' ', change.short_id(), time_text(&change.time)),
            Some(change) => ('^', change.short_id(), time_text(&change.time)),
            None => ('?', String::new(), String::new()),
        };
        let (who, number, text) = (actor(line), index + 1, visible(&line.text));
        format!("{mark}{id:<12}  {when:<16}  {who:<width$}  {number:>digits$}  {text}").trim_end().to_owned()
            + "\n"
    });
    rendered.collect()
}

/// Renders a change as a unified diff.
fn render_diff(package: &Package<'_>, text: &ChangeText) -> String {
    let decode =
        |bytes: &Option<Vec<u8>>| bytes.as_ref().map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let file = format!("{}/{}", package.path(), text.entry.section.path());
    let (before, after) = (decode(&text.before), decode(&text.after));
    let (before, after) = (before.as_deref(), after.as_deref());
    let diff = unified_diff(&file, before, after);
    // A section that is created or removed without content has no changed lines.
    if diff.is_empty() && before != after { diff_header(&file, before, after) } else { diff }
}

fn undone_text(name: &str, undone: &UndoResult) -> String {
    let (section, undoes) = (&undone.undoes.section, undone.undoes.short_id());
    let name = printable(name);
    let Some(entry) = &undone.changed.entry else {
        return format!("`{section}` of task `{name}` already has the contents from before {undoes}\n");
    };
    let size = match undone.changed.hash {
        Some(_) => size_text(undone.changed.size),
        None => "removed".to_owned(),
    };
    let mut text = format!(
        "{}: restored `{section}` of task `{name}` to the state before {undoes}: {size}\n",
        entry.short_id()
    );
    for later in &undone.taken_back {
        let (id, when, what) = (later.short_id(), time_text(&later.time), later.operation.as_str());
        // Writing to a string cannot fail.
        let _ = writeln!(text, "also undone: {id}  {when}  {what}  {}", printable(&later.actor));
    }
    text
}
