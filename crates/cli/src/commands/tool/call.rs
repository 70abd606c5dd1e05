//! `minds tool call`

use std::path::Path;
use std::process::ExitCode;

use minds_operations::OperationError;
use minds_system::{standard_input, user_name};
use minds_toolset::{Caller, ToolContext, Toolbox};
use serde_json::{Value, json};

use crate::exit_codes;
use crate::format::{FormatArgs, JsonOnly};
use crate::output::{Failure, Output};

/// Call a tool, and print its answer as one JSON document
///
/// Exits with 0 if it was done, with 1 if it was refused, and with 2 if a tool, member, file or task that was named does not
/// exist, or if the arguments are not valid.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds tool call team_mgmt_validate_team_cfg
                                  Validate the team
  minds tool call read_file --args '{\"path\": \"src/main.rs\"}' --as coder
                                  See whether a member may read a file
  minds tool call create_new_file --args - < args.json
                                  Give the arguments on standard input")]
pub(super) struct CallArgs {
    /// The name of the tool
    #[arg(value_name = "NAME")]
    name: String,
    /// The arguments as a JSON object; `-` reads them from standard input
    #[arg(long, value_name = "JSON", allow_hyphen_values = true)]
    args: Option<String>,
    /// Call it as this member of the team, with its tools and paths
    #[arg(long = "as", value_name = "MEMBER")]
    member: Option<String>,
    /// The answer of a tool is always JSON, so this changes nothing.
    #[command(flatten)]
    _format: FormatArgs<JsonOnly>,
}

pub(super) fn run(directory: &Path, args: &CallArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let toolbox = Toolbox::new();
    if !toolbox.has(&args.name) {
        let names: Vec<&str> = toolbox.list().iter().map(|tool| tool.name).collect();
        let near = minds_diagnostics::nearest(&args.name, names, 1);
        let near = near.first().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        return Err(Failure::usage(format!("there is no tool `{}`{near}", args.name)));
    }
    let values = values(args.args.as_deref())?;
    let context = ToolContext::find(directory)?;
    let caller = match &args.member {
        Some(id) => Caller::member(id.clone()),
        None => Caller::operator(user_name()),
    };
    let answer = toolbox.call(&context, &args.name, values, &caller);
    out.json_answer(&answer);
    Ok(answer.refusal().map_or(ExitCode::SUCCESS, |refusal| exit_codes::of_refusal(refusal.code.as_str())))
}

fn values(given: Option<&str>) -> Result<Value, Failure> {
    let no_json = |error: serde_json::Error| Failure::usage(format!("`--args` is no JSON: {error}"));
    match given {
        None => Ok(json!({})),
        Some("-") => {
            let bytes = standard_input().map_err(OperationError::from)?;
            serde_json::from_slice(&bytes).map_err(no_json)
        }
        Some(text) => serde_json::from_str(text).map_err(no_json),
    }
}
