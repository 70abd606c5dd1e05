//! `minds manual`

use std::path::Path;
use std::process::ExitCode;

use clap::ValueEnum;
use minds_process::user_name;
use minds_toolset::{Caller, ToolContext, Toolbox};
use serde_json::{Map, Value};

use minds_output::exit_codes;
use minds_output::format::{Format, FormatArgs};
use minds_output::{Failure, Output};

/// Print the manual for managing a team
///
/// A topic is a path, such as `llm builtin-defaults`. Without TOPIC the index is printed, and the topic `topics` lists all
/// topics. Exits with 2 if the topic does not exist.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds manual                          Print the index
  minds manual team member-properties   Print the page about all fields of a member
  minds manual mcp --lang zh            Print the page about MCP servers in Chinese")]
pub(crate) struct ManualArgs {
    /// The parts of the topic, in any order
    #[arg(value_name = "TOPIC")]
    topics: Vec<String>,
    /// The language of the page
    #[arg(long, value_enum, value_name = "LANG", default_value_t = Lang::En)]
    lang: Lang,
    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Lang {
    /// English
    En,
    /// Chinese
    Zh,
}

pub(crate) fn run(directory: &Path, args: &ManualArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let context = ToolContext::find(directory)?;
    let lang = match args.lang {
        Lang::En => "en",
        Lang::Zh => "zh",
    };
    let values = Map::from_iter([
        ("topics".to_owned(), args.topics.as_slice().into()),
        ("lang".to_owned(), lang.into()),
    ]);
    let caller = Caller::operator(user_name());
    let answer = Toolbox::new().call(&context, "team_mgmt_manual", &Value::Object(values), &caller);
    if args.format.chosen(out) == Format::Json {
        out.json_answer(&answer);
    } else {
        match &answer.result {
            Ok(page) => out.data(page.fields.get("content").and_then(Value::as_str).unwrap_or_default()),
            Err(refusal) => {
                Output::error(refusal.code.as_str(), &refusal.message);
                Output::help("`minds manual topics` lists all topics");
            }
        }
    }
    Ok(answer.refusal().map_or(ExitCode::SUCCESS, |refusal| exit_codes::of_refusal(refusal.code)))
}
