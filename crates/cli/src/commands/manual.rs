//! `minds manual`

use std::path::Path;
use std::process::ExitCode;

use clap::ValueEnum;
use minds_system::user_name;
use minds_toolset::{Caller, Toolbox, Workbench};
use serde_json::{Value, json};

use crate::output::{Failure, Output};

/// Read how to manage a team: the manual that agents have
///
/// A topic is a path, such as `llm builtin-defaults`; without one the index is printed, and `topics` lists all. Exits with
/// 1 if there is no such topic.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds manual                          Read where to begin
  minds manual team member-properties   Read about every field of a member
  minds manual mcp --lang zh            Read about MCP servers in Chinese")]
pub(crate) struct ManualArgs {
    /// The parts of the topic, in any order
    #[arg(value_name = "TOPIC")]
    topics: Vec<String>,
    /// The language of the page
    #[arg(long, value_enum, value_name = "LANG", default_value_t = Lang::En)]
    lang: Lang,
    /// How to print it
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Lang {
    /// English
    En,
    /// Chinese
    Zh,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The page in Markdown
    Text,
    /// The answer of the tool `team_mgmt_manual`
    Json,
}

impl ManualArgs {
    pub(crate) fn wants_json(&self) -> bool {
        self.format == Format::Json
    }
}

pub(crate) fn run(directory: &Path, args: &ManualArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let bench = Workbench::find(directory)?;
    let lang = match args.lang {
        Lang::En => "en",
        Lang::Zh => "zh",
    };
    let values = json!({"topics": args.topics, "lang": lang});
    let caller = Caller::operator(user_name());
    let answer = Toolbox::new().call(&bench, "team_mgmt_manual", values, &caller);
    if args.wants_json() {
        out.json(&answer);
    } else {
        match &answer.result {
            Ok(page) => out.data(page.fields.get("content").and_then(Value::as_str).unwrap_or_default()),
            Err(refusal) => {
                Output::remark(&refusal.message);
                Output::remark("`minds manual topics` lists all topics");
            }
        }
    }
    Ok(ExitCode::from(u8::from(answer.is_refused())))
}
