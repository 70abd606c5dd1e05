//! `minds task`

mod edit;
mod history;
mod list;
mod migrate;
mod prompt;
mod sections;
mod show;
mod task_args;
mod units;
mod view;

use std::path::Path;
use std::process::ExitCode;

use clap::Subcommand;
use minds_diagnostics::JsonDocument;
use minds_diagnostics::emit::printable;
use minds_process::user_name;
use minds_task_store::Tasks;
use minds_task_store::documents::{TaskNewDocument, TaskProblem};
use minds_taskdoc::TaskError;
use minds_taskdoc::tools::TASK_NEW;
use minds_toolset::{Answer, Caller, Code, Refusal, ToolContext, Toolbox};

use minds_output::exit_codes;
use minds_output::format::{Format, FormatArgs};
use minds_output::{Failure, Output};

/// Create, show and edit task packages
///
/// A task package is a directory `NAME.tsk` in `tasks/` that describes a task: `goals.md`, `constraints.md`, `progress.md`,
/// six sections of the category `bearinmind`, and any sections of custom categories. All but the custom ones are part of
/// the task prompt that agents receive with every message; `minds task show --effective` prints it.
///
/// Exits with 0 on success, with 1 if the operation was refused, and with 2 if a package, section, change or member does not
/// exist, or on wrong usage or a system error.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds task new ship-it           Create the package `tasks/ship-it.tsk`
  minds task set goals --from - < goals.md
                                   Replace the goals
  minds task show --effective      Print the task prompt
  minds task log                   List changes and their authors
  minds task view                  Show and edit it in the browser")]
pub(crate) struct TaskArgs {
    /// The package [default: the only one]
    #[arg(long, value_name = "NAME", global = true)]
    task: Option<String>,
    /// Run as this member of the team
    #[arg(long = "as", value_name = "MEMBER", global = true)]
    member: Option<String>,
    #[command(flatten)]
    format: FormatArgs,
    #[command(subcommand)]
    command: TaskCommand,
}

#[derive(Debug, Subcommand)]
enum TaskCommand {
    /// Create a package
    #[command(after_help = "\
Examples:
  minds task new ship-it")]
    New {
        /// The name of the package, unique even if letter case is ignored
        #[arg(value_name = "NAME")]
        name: Option<String>,
    },
    /// List the packages
    ///
    /// Exits with 1 if a package cannot be read: the other packages are listed, and the error is reported on stderr.
    #[command(after_help = "\
Examples:
  minds task ls
  minds task ls --format json")]
    Ls,
    Show(show::ShowArgs),
    Set(sections::SetArgs),
    Append(sections::AppendArgs),
    Rm(sections::RemoveArgs),
    Recall(sections::RecallArgs),
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

    fn caller(&self) -> Caller {
        match &self.member {
            Some(id) => Caller::member(id.clone()),
            None => Caller::operator(user_name()),
        }
    }

    /// Returns the name of the package, given as an argument or as an option.
    fn package_name<'a>(&'a self, name: Option<&'a str>) -> Result<Option<&'a str>, Failure> {
        match (name, self.task.as_deref()) {
            (Some(name), Some(task)) if name != task => {
                Err(Failure::usage(format!("`{name}` and `--task {task}` are different packages")))
            }
            (name, task) => Ok(name.or(task)),
        }
    }
}

pub(crate) fn run(directory: &Path, args: &TaskArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    // The member must exist for every command. The page rejects `--as` itself.
    if args.member.is_some() && !matches!(args.command, TaskCommand::View(_)) {
        let context = ToolContext::find(directory)?;
        if let Err(refusal) = Toolbox::new().admit(&context, &args.caller())
            && refusal.code == Code::UnknownMember
        {
            return Ok(report_tool_refusal(args, out, &refusal));
        }
    }
    match &args.command {
        TaskCommand::New { name } => new(directory, args, args.package_name(name.as_deref())?, out),
        TaskCommand::Ls => list::run(directory, args, out),
        TaskCommand::Show(show) => show::run(directory, args, show, out),
        TaskCommand::Set(set) => sections::set(directory, args, set, out),
        TaskCommand::Append(append) => sections::append(directory, args, append, out),
        TaskCommand::Rm(remove) => sections::remove(directory, args, remove, out),
        TaskCommand::Recall(recall) => sections::recall(directory, args, recall, out),
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
    let name = name.ok_or_else(|| {
        Failure::usage("the name of the new package is missing: `minds task new NAME`".to_owned())
    })?;
    let context = ToolContext::find(directory)?;
    let author = match Toolbox::new().author(&context, TASK_NEW, &args.caller()) {
        Ok(author) => author,
        Err(refusal) => return Ok(report_tool_refusal(args, out, &refusal)),
    };
    let created = Tasks::open(context.root()).and_then(|tasks| tasks.create(name, &author));
    Ok(answer(args, out, created.as_ref(), |package| {
        let document = TaskNewDocument::from(package);
        let text = format!("created `{}`\n", document.path);
        (document, text)
    }))
}

/// Prints a result, or the error.
fn answer<T, D: JsonDocument>(
    args: &TaskArgs,
    out: &mut Output,
    result: Result<T, &TaskError>,
    render: impl FnOnce(T) -> (D, String),
) -> ExitCode {
    let (document, text) = match result {
        Ok(value) => render(value),
        Err(error) => return report_error(args, out, error),
    };
    print(args, out, &document, &text, &[])
}

/// Prints a document or text, and reports the parts that could not be read; the exit code is then 1, as for other findings.
fn print(
    args: &TaskArgs,
    out: &mut Output,
    document: &impl JsonDocument,
    text: &str,
    problems: &[TaskProblem],
) -> ExitCode {
    if args.wants_json(out) {
        out.document(document);
    } else {
        out.data(text);
        for problem in problems {
            let message = format!("`{}`: {}", printable(&problem.what), problem.message);
            Output::error(problem.code.as_str(), &message);
            if let Some(next) = &problem.next {
                Output::help(next);
            }
        }
    }
    ExitCode::from(u8::from(!problems.is_empty()))
}

fn report_error(args: &TaskArgs, out: &mut Output, error: &TaskError) -> ExitCode {
    report_refusal(args, out, error.code.into(), &error.message, error.next.as_deref())
}

fn report_tool_refusal(args: &TaskArgs, out: &mut Output, refusal: &Refusal) -> ExitCode {
    report_refusal(args, out, refusal.code, &refusal.message, refusal.next.as_deref())
}

fn report_refusal(
    args: &TaskArgs,
    out: &mut Output,
    code: Code,
    message: &str,
    next: Option<&str>,
) -> ExitCode {
    if args.wants_json(out) {
        out.json_refusal(code, message, next);
    } else {
        Output::error(code.as_str(), message);
        if let Some(next) = next {
            Output::help(next);
        }
    }
    exit_codes::of_refusal(code)
}

/// Prints the result of a tool, as JSON or as text from `render`.
fn print_answer(
    args: &TaskArgs,
    out: &mut Output,
    answer: &Answer,
    render: impl FnOnce(&Answer) -> String,
) -> ExitCode {
    if args.wants_json(out) {
        out.json_answer(answer);
    } else if let Some(refusal) = answer.refusal() {
        Output::refusal(refusal);
    } else {
        out.data(&render(answer));
    }
    answer.refusal().map_or(ExitCode::SUCCESS, |refusal| exit_codes::of_refusal(refusal.code))
}
