//! `minds gateway call`

use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use minds_mcp_gateway::Options;
use minds_mcp_gateway::documents::{CallStatus, GatewayCallDocument};
use minds_mcp_gateway::report::{self, ReportError};
use minds_process::user_name;
use minds_toolset::{
    Answer, CallClient, Caller, Code, ForeignAnswer, ForeignCall, Refusal, ToolContext, ToolSource, Toolbox,
};
use serde_json::{Map, Value};

use crate::commands::tool::parse_arguments;
use minds_output::exit_codes::{self, REFUSED};
use minds_output::format::{FormatArgs, JsonOnly};
use minds_output::{Failure, Output};

use super::failure;

/// Call a tool of an MCP server, and print its result as one JSON document
///
/// The servers that are needed are started for the duration of the command. Questions of the server are declined.
///
/// Exits with 0 on success, with 1 if the call was refused or the tool reports an error, and with 2 if the tool or member does
/// not exist, or if the arguments are not a JSON object.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds gateway call read_file --args '{\"path\": \"README.md\"}'
                                Call a tool
  minds gateway call read_file --args - --as coder < args.json
                                Call it with the rights of a member")]
pub(super) struct CallArgs {
    /// The name of the tool, as `minds gateway tools` lists it
    #[arg(value_name = "TOOL")]
    tool: String,
    /// The arguments as a JSON object; `-` reads them from stdin
    #[arg(long, value_name = "JSON", allow_hyphen_values = true)]
    args: Option<String>,
    /// Call the tool with the tools of this member of the team
    #[arg(long = "as", value_name = "MEMBER")]
    member: Option<String>,
    /// Cancel the call after this number of seconds [default: the limit in `.minds/minds.toml`]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: Option<u64>,
    /// Has no effect, because the result of a tool is always JSON.
    #[command(flatten)]
    _format: FormatArgs<JsonOnly>,
}

pub(super) fn run(directory: &Path, args: &CallArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let options = super::options(directory)?;
    let Value::Object(arguments) = parse_arguments(args.args.as_deref())? else {
        return Err(Failure::usage("the arguments of a tool must be a JSON object".to_owned()));
    };
    let context = ToolContext::find(directory)?;
    let caller = match &args.member {
        Some(id) => Caller::member(id.clone()),
        None => Caller::operator(user_name()),
    };
    let options = Options { fleet: options.fleet.map(|_| caller.clone()), ..options };
    report::read_config(&options).map_err(failure)?;
    let link = Arc::new(super::start(&options)?);
    link.wait_for_tools();
    let toolbox = Toolbox::new().with_source(Arc::clone(&link) as Arc<dyn ToolSource>);
    let mut authorized = toolbox.authorize_foreign(&context, &args.tool, &caller);
    if authorized.is_none() {
        // A list of tools does not wait for servers that start slowly.
        report::wait_for_starts(&link).map_err(ReportError::Gateway).map_err(failure)?;
        authorized = toolbox.authorize_foreign(&context, &args.tool, &caller);
    }
    let Some(authorized) = authorized else {
        let refusal = toolbox.refuse_unknown(&args.tool);
        let next = refusal.next.map(|next| format!("; {next}")).unwrap_or_default();
        return Err(Failure::usage(format!("no MCP server has a tool `{}`{next}", args.tool)));
    };
    let tool = match authorized {
        Ok(tool) => tool,
        Err(refusal) => return Ok(refuse(&args.tool, refusal, out)),
    };
    let server = tool.server.clone();
    let call = ForeignCall {
        conversation: "command".to_owned(),
        caller: caller.label(),
        tool,
        arguments,
        can_elicit: false,
        accepts_tasks: false,
    };
    match perform(link.as_ref(), call, args.timeout) {
        Ok(result) => Ok(print(args, server, result, out)),
        Err(refusal) => Ok(refuse(&args.tool, refusal, out)),
    }
}

fn perform(source: &dyn ToolSource, call: ForeignCall, timeout: Option<u64>) -> ForeignAnswer {
    let (sender, receiver) = sync_channel(1);
    let running = source.call(call, Arc::new(Client(Mutex::new(Some(sender)))));
    let Some(seconds) = timeout else {
        return receiver
            .recv()
            .unwrap_or_else(|_| Err(Refusal::new(Code::Cancelled, "the call was cancelled")));
    };
    match receiver.recv_timeout(Duration::from_secs(seconds)) {
        Ok(answer) => answer,
        Err(RecvTimeoutError::Timeout) => {
            running.cancel();
            Err(Refusal::new(Code::TimedOut, format!("there was no result within {seconds} s"))
                .next("the call may have had effects: check before you call again"))
        }
        Err(RecvTimeoutError::Disconnected) => Err(Refusal::new(Code::Cancelled, "the call was cancelled")),
    }
}

fn print(args: &CallArgs, server: String, mut result: Map<String, Value>, out: &mut Output) -> ExitCode {
    let is_error = result.get("isError") == Some(&Value::Bool(true));
    out.document(&GatewayCallDocument {
        status: if is_error { CallStatus::Error } else { CallStatus::Ok },
        tool: args.tool.clone(),
        server,
        content: result.remove("content").unwrap_or_else(|| Value::Array(Vec::new())),
        structured_content: result.remove("structuredContent"),
        is_error,
    });
    if is_error { ExitCode::from(REFUSED) } else { ExitCode::SUCCESS }
}

fn refuse(tool: &str, refusal: Refusal, out: &mut Output) -> ExitCode {
    let code = exit_codes::of_refusal(refusal.code);
    out.json_answer(&Answer { tool: tool.to_owned(), result: Err(refusal) });
    code
}

/// Waits for the answer of a call.
struct Client(Mutex<Option<SyncSender<ForeignAnswer>>>);

impl CallClient for Client {
    fn progress(&self, _: Map<String, Value>) {}

    fn elicit(&self, _: Map<String, Value>, _: Box<dyn FnOnce(Map<String, Value>) + Send>) {
        // A question whose reply is dropped is declined.
    }

    fn answer(&self, answer: ForeignAnswer) {
        if let Some(sender) = self.0.lock().unwrap_or_else(PoisonError::into_inner).take() {
            // The command may have stopped waiting.
            let _ = sender.try_send(answer);
        }
    }
}
