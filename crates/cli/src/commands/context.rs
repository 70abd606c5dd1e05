//! `minds context`

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use clap::builder::PossibleValuesParser;
use minds_mcp_gateway::report::{ReportError, recorded_tools};
use minds_operations::documents::ContextDocument;
use minds_operations::{ContextRequest, OperationError, locate};
use minds_output::format::{Format, FormatArgs};
use minds_output::{Failure, Output, context_parts, context_table};
use minds_process::terminal_width;
use minds_server::mcp::Server;
use minds_task_store::Tasks;
use minds_taskdoc::guide;
use minds_toolset::{Caller, Clock, Code, RecordedTools, ToolContext};
use minds_workspace::context::{ContextPart, ContextSource};

use super::fields::report_errors;
use super::{allow_nothing_to_do, gateway};

/// Estimate the tokens that each member starts with, in each client
///
/// Counts what the files of the workspace add to the context at the start of a session: instructions with the files that they
/// import, the persona and other minds files of the member, and the names and descriptions of agents and skills. The last
/// column, `minds-mcp`, is what `minds mcp --member MEMBER` sends: its instructions and the list of tools. What the client
/// itself adds, such as its own system prompt and tools, is not counted.
///
/// Tokens are estimated with 4 bytes for each token. No server is started: the tools of an MCP server are counted if they are
/// recorded from an earlier start, and unknown otherwise. `-C DIR` is the directory in which the session starts.
///
/// Exits with 0, also if there is no team, with 1 if the files of the team have errors, and with 2 if the member or the task
/// does not exist.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds context                 Show the totals of all members
  minds context coder           Show the parts for one member
  minds context coder --client codex --client minds-mcp
                                Show the parts for some clients
  minds context --format json | jq '.members[].clients[] | {client, tokens}'
                                Print the totals as JSON")]
pub(crate) struct ContextArgs {
    /// The id of a member, to list all parts of its context
    #[arg(value_name = "MEMBER")]
    member: Option<String>,
    /// Show only this client; can be repeated
    #[arg(
        long = "client",
        value_name = "CLIENT",
        value_parser = PossibleValuesParser::new(minds_operations::context_clients())
    )]
    clients: Vec<String>,
    /// The task package of the session
    #[arg(long, value_name = "NAME")]
    task: Option<String>,
    #[command(flatten)]
    format: FormatArgs,
}

/// The width if the output is not a terminal, in columns.
const DEFAULT_WIDTH: usize = 80;

pub(crate) fn run(directory: &Path, args: &ContextArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let task = args.task.as_deref().map(|name| task_part(directory, name)).transpose()?;
    let recorded = read_recorded_tools(directory)?;
    let serve = |id: &str| serve(directory, id, args.task.as_deref(), &recorded);
    let request = ContextRequest {
        base: directory,
        member: args.member.as_deref(),
        clients: &args.clients,
        task: task.as_ref(),
    };
    let outcome = minds_operations::context(&request, &serve);
    // A member that is given must exist, which it cannot without a team.
    let outcome = if args.member.is_some() { Some(outcome?) } else { allow_nothing_to_do(outcome, out)? };
    let is_json = args.format.chosen(out) == Format::Json;
    let Some(outcome) = outcome else {
        if is_json {
            out.document(&ContextDocument::empty());
        }
        return Ok(ExitCode::SUCCESS);
    };
    let width = terminal_width().unwrap_or(DEFAULT_WIDTH);
    if is_json {
        out.document(&ContextDocument::new(&outcome));
    } else if args.member.is_some() {
        let is_colored = out.is_colored();
        for member in &outcome.members {
            out.push_styled(&context_parts(member, width, is_colored));
        }
    } else if outcome.members.is_empty() && outcome.errors == 0 {
        out.trailing_remark("`.minds/team.yaml` defines no members");
    } else {
        out.data(&context_table(&outcome, width));
    }
    Ok(report_errors("the files of the team", outcome.errors))
}

/// Returns what `minds mcp` sends to a member at the start of a session.
fn serve(
    directory: &Path,
    id: &str,
    task: Option<&str>,
    recorded: &Arc<RecordedTools>,
) -> Result<Vec<ContextPart>, OperationError> {
    let root = locate(directory, &[])?.directory.unwrap_or_else(|| directory.to_owned());
    let state = minds_fs::state_folder(&root)?;
    let context = ToolContext::open(&root, &state, Clock::System)?.for_task(task.map(str::to_owned));
    let name = minds_fs::directory_name(&root)?.unwrap_or_else(|| "workspace".to_owned());
    let server = Server::new(context, name, Caller::member(id));
    Ok(server.with_source(Arc::clone(recorded) as Arc<_>).start_context())
}

/// Returns the recorded tools of servers; none if their file cannot be used, which a check reports.
fn read_recorded_tools(directory: &Path) -> Result<Arc<RecordedTools>, Failure> {
    match recorded_tools(&gateway::options(directory)?) {
        Ok(tools) => Ok(Arc::new(RecordedTools::new(tools))),
        Err(ReportError::Config(_)) => Ok(Arc::new(RecordedTools::new(Vec::new()))),
        Err(error) => Err(gateway::failure(error)),
    }
}

/// Returns the text about a task that `minds task prompt` prints, with which a session in a client can begin.
fn task_part(directory: &Path, name: &str) -> Result<ContextPart, Failure> {
    let context = ToolContext::find(directory)?;
    let found = Tasks::open(context.root()).and_then(|tasks| {
        let package = tasks.find(Some(name))?;
        let text = format!("{}\n{}", guide(tasks.language()), package.status().text(tasks.language()));
        Ok((package.path().as_str().to_owned(), text.len()))
    });
    let (path, bytes) = found.map_err(|error| {
        let next = error.next.map(|next| format!("; {next}")).unwrap_or_default();
        Failure::usage(format!("{}{next}", error.message)).with_code(Code::from(error.code))
    })?;
    let part = ContextPart::new(ContextSource::Task, Some(path), Some(bytes));
    Ok(part.with_note("the text of `minds task prompt`"))
}
