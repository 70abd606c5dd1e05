//! `minds task`

mod edit;
mod edits;
mod history;
mod list;
mod meant;
mod migrate;
mod prompt;
mod show;
mod view;
mod words;

use std::path::Path;
use std::process::ExitCode;

use clap::Subcommand;
use minds_diagnostics::emit::printable;
use minds_operations::task::{Author, Tasks};
use minds_system::user_name;
use minds_taskdoc::TaskError;
use minds_taskdoc::tools::TASK_NEW;
use minds_toolset::{Answer, Caller, Code, Refusal, ToolContext, Toolbox};
use serde_json::{Value, json};

use crate::exit_codes;
use crate::format::{Format, FormatArgs};
use crate::output::{Failure, Output};

/// Work on task packages
///
/// A task package is a directory `NAME.tsk` in `tasks/` that says what a task is about: `goals.md`, `constraints.md` and
/// `progress.md`, six sections to be borne in mind, and any others in categories. Agents are given the first ones with
/// every message; `minds task show --effective` prints what they are given.
///
/// Exits with 0 if it was done, with 1 if it was refused, and with 2 if a package, section, change or member does not exist,
/// and on wrong usage or environment.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds task new ship-it           Make the package `tasks/ship-it.tsk`
  minds task set goals --from - < goals.md
                                   Replace the goals
  minds task show --effective      Print what agents are given
  minds task log                   See who changed what
  minds task view                  See and change it in the browser")]
pub(crate) struct TaskArgs {
    /// The package; by default the only one
    #[arg(long, value_name = "NAME", global = true)]
    task: Option<String>,
    /// Do it as this member of the team
    #[arg(long = "as", value_name = "MEMBER", global = true)]
    member: Option<String>,
    #[command(flatten)]
    format: FormatArgs,
    #[command(subcommand)]
    command: TaskCommand,
}

#[derive(Debug, Subcommand)]
enum TaskCommand {
    /// Make a package
    #[command(after_help = "\
Examples:
  minds task new ship-it")]
    New {
        /// Its name, which no other one may have in any letter case
        #[arg(value_name = "NAME")]
        name: Option<String>,
    },
    /// List the packages
    ///
    /// Exits with 1 if a package could not be read: everything else is listed, and stderr reports the problem.
    #[command(after_help = "\
Examples:
  minds task ls
  minds task ls --format json")]
    Ls,
    Show(show::ShowArgs),
    Set(edits::SetArgs),
    Append(edits::AppendArgs),
    Rm(edits::RemoveArgs),
    Recall(edits::RecallArgs),
    Prompt(prompt::PromptArgs),
    Edit(edit::EditArgs),
    Log(history::LogArgs),
    Blame(history::BlameArgs),
    Diff(history::DiffArgs),
    Undo(history::UndoArgs),
    Verify(history::VerifyArgs),
    Migrate(migrate::MigrateArgs),
    View(view::ViewArgs),
}

impl TaskArgs {
    fn wants_json(&self, out: &Output) -> bool {
        self.format.chosen(out) == Format::Json
    }

    /// Returns who does it.
    fn caller(&self) -> Caller {
        match &self.member {
            Some(id) => Caller::member(id.clone()),
            None => Caller::operator(user_name()),
        }
    }

    /// Returns the package that is meant, by its name as an argument or as an option.
    fn named<'a>(&'a self, name: Option<&'a str>) -> Result<Option<&'a str>, Failure> {
        match (name, self.task.as_deref()) {
            (Some(name), Some(task)) if name != task => {
                Err(Failure::usage(format!("`{name}` and `--task {task}` name two packages")))
            }
            (name, task) => Ok(name.or(task)),
        }
    }
}

pub(crate) fn run(directory: &Path, args: &TaskArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    // Also where a command asks nothing else about the member. A page has none.
    if args.member.is_some() && !matches!(args.command, TaskCommand::View(_)) {
        let context = ToolContext::find(directory)?;
        if let Err(refusal) = Toolbox::new().admit(&context, &args.caller())
            && refusal.code == Code::UnknownMember
        {
            return Ok(refused_by_tool(args, out, &refusal));
        }
    }
    match &args.command {
        TaskCommand::New { name } => new(directory, args, args.named(name.as_deref())?, out),
        TaskCommand::Ls => list::run(directory, args, out),
        TaskCommand::Show(show) => show::run(directory, args, show, out),
        TaskCommand::Set(set) => edits::set(directory, args, set, out),
        TaskCommand::Append(append) => edits::append(directory, args, append, out),
        TaskCommand::Rm(remove) => edits::remove(directory, args, remove, out),
        TaskCommand::Recall(recall) => edits::recall(directory, args, recall, out),
        TaskCommand::Prompt(prompt) => prompt::run(directory, args, prompt, out),
        TaskCommand::Edit(edit) => edit::run(directory, args, edit, out),
        TaskCommand::Log(log) => history::log(directory, args, log, out),
        TaskCommand::Blame(blame) => history::blame(directory, args, blame, out),
        TaskCommand::Diff(diff) => history::diff(directory, args, diff, out),
        TaskCommand::Undo(undo) => history::undo(directory, args, undo, out),
        TaskCommand::Verify(verify) => history::verify(directory, args, verify, out),
        TaskCommand::Migrate(migrate) => migrate::run(directory, args, migrate, out),
        TaskCommand::View(view) => view::run(directory, args, view, out),
    }
}

fn new(directory: &Path, args: &TaskArgs, name: Option<&str>, out: &mut Output) -> Result<ExitCode, Failure> {
    let name =
        name.ok_or_else(|| Failure::usage("a new package needs a name: `minds task new NAME`".to_owned()))?;
    let context = ToolContext::find(directory)?;
    let caller = args.caller();
    if let Err(refusal) = Toolbox::new().admit_to(&context, TASK_NEW, &caller) {
        return Ok(refused_by_tool(args, out, &refusal));
    }
    let author = Author { actor: caller.label(), time: context.now() };
    let made = Tasks::open(context.root()).and_then(|tasks| tasks.create_as(name, &author));
    let made = made.map(|package| (package.name().as_str().to_owned(), package.path().as_str().to_owned()));
    Ok(answer(args, out, made, |(name, path)| {
        (json!({"name": name, "path": path}), format!("made `{path}`\n"))
    }))
}

/// Says what was done, or why it was refused.
fn answer<T>(
    args: &TaskArgs,
    out: &mut Output,
    result: Result<T, TaskError>,
    say: impl FnOnce(T) -> (Value, String),
) -> ExitCode {
    answer_with(args, out, result, |value| {
        let (document, text) = say(value);
        (document, text, Vec::new())
    })
}

/// Prints what could be read, and reports what could not: the exit code is then 1, as for any problem that is found.
fn answer_with<T>(
    args: &TaskArgs,
    out: &mut Output,
    result: Result<T, TaskError>,
    say: impl FnOnce(T) -> (Value, String, Vec<(String, TaskError)>),
) -> ExitCode {
    let (document, text, problems) = match result {
        Ok(value) => say(value),
        Err(error) => return refused(args, out, &error),
    };
    if args.wants_json(out) {
        let mut document = document;
        if let (Some(document), false) = (document.as_object_mut(), problems.is_empty()) {
            document.insert("problems".to_owned(), problems.iter().map(problem_document).collect());
        }
        out.json(&document);
    } else {
        out.data(&text);
        for (what, error) in &problems {
            let message = format!("`{}` could not be read: {}", printable(what), error.message);
            Output::error(error.code.as_str(), &message);
            if let Some(next) = &error.next {
                Output::help(next);
            }
        }
    }
    ExitCode::from(u8::from(!problems.is_empty()))
}

fn problem_document((what, error): &(String, TaskError)) -> Value {
    json!({"what": what, "code": error.code.as_str(), "message": error.message, "next": error.next})
}

/// Says why something was refused.
fn refused(args: &TaskArgs, out: &mut Output, error: &TaskError) -> ExitCode {
    say_refusal(args, out, error.code.as_str(), &error.message, error.next.as_deref())
}

/// Says why a caller may not do something.
fn refused_by_tool(args: &TaskArgs, out: &mut Output, refusal: &Refusal) -> ExitCode {
    say_refusal(args, out, refusal.code.as_str(), &refusal.message, refusal.next.as_deref())
}

fn say_refusal(args: &TaskArgs, out: &mut Output, code: &str, message: &str, next: Option<&str>) -> ExitCode {
    if args.wants_json(out) {
        out.json_refusal(code, message, next);
    } else {
        Output::error(code, message);
        if let Some(next) = next {
            Output::help(next);
        }
    }
    exit_codes::of_refusal(code)
}

/// Says what a tool answered; to people what `say` makes of it.
fn answered(
    args: &TaskArgs,
    out: &mut Output,
    answer: &Answer,
    say: impl FnOnce(&Answer) -> String,
) -> ExitCode {
    if args.wants_json(out) {
        out.json_answer(answer);
    } else if let Some(refusal) = answer.refusal() {
        Output::refusal(refusal);
    } else {
        out.data(&say(answer));
    }
    answer.refusal().map_or(ExitCode::SUCCESS, |refusal| exit_codes::of_refusal(refusal.code.as_str()))
}
