//! `minds tool call`

use std::path::Path;
use std::process::ExitCode;

use minds_operations::OperationError;
use minds_process::{standard_input, user_name};
use minds_toolset::{Caller, ToolContext, Toolbox};
use serde_json::{Map, Value};

use minds_output::exit_codes;
use minds_output::format::{FormatArgs, JsonOnly};
use minds_output::{Failure, Output};

/// Call a tool, and print its result as one JSON document
///
/// Exits with 0 on success, with 1 if the call was refused, and with 2 if a tool, member, file or task does not exist, or
/// if the arguments are not valid.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds tool call team_mgmt_validate_team_cfg
                                  Validate the team
  minds tool call read_file --args '{\"path\": \"src/main.rs\"}' --as coder
                                  Read a file with the permissions of a member
  minds tool call create_new_file --args - < args.json
                                  Read the arguments from stdin")]
pub(super) struct CallArgs {
    /// The name of the tool
    #[arg(value_name = "NAME")]
    name: String,
    /// The arguments as a JSON object; `-` reads them from stdin
    #[arg(long, value_name = "JSON", allow_hyphen_values = true)]
    args: Option<String>,
    /// Call the tool with the tools and paths of this member of the team
    #[arg(long = "as", value_name = "MEMBER")]
    member: Option<String>,
    /// Has no effect, because the result of a tool is always JSON.
    #[command(flatten)]
    _format: FormatArgs<JsonOnly>,
}

pub(super) fn run(directory: &Path, args: &CallArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let toolbox = Toolbox::new();
    if !toolbox.has(&args.name) {
        let tools = toolbox.list();
        let names = tools.iter().map(|tool| tool.name.as_ref());
        let near = minds_diagnostics::find_nearest(&args.name, names, 1);
        let near = near.first().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        return Err(Failure::usage(format!("no such tool: `{}`{near}", args.name)));
    }
    let values = parse_arguments(args.args.as_deref())?;
    let context = ToolContext::find(directory)?;
    let caller = match &args.member {
        Some(id) => Caller::member(id.clone()),
        None => Caller::operator(user_name()),
    };
    let answer = toolbox.call(&context, &args.name, &values, &caller);
    out.json_answer(&answer);
    Ok(answer.refusal().map_or(ExitCode::SUCCESS, |refusal| exit_codes::of_refusal(refusal.code)))
}

pub(crate) fn parse_arguments(args: Option<&str>) -> Result<Value, Failure> {
    let invalid = |error: serde_json::Error| Failure::usage(format!("`--args` is not valid JSON: {error}"));
    match args {
        None => Ok(Value::Object(Map::new())),
        Some("-") => {
            let bytes = standard_input().map_err(OperationError::from)?;
            serde_json::from_slice(&bytes).map_err(invalid)
        }
        Some(text) => serde_json::from_str(text).map_err(invalid),
    }
}
