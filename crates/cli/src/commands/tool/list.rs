//! `minds tool list`

use std::process::ExitCode;

use clap::ValueEnum;
use minds_toolset::Toolbox;

use crate::output::{Failure, Output};

/// List the tools, with what they take and give
#[derive(Debug, clap::Args)]
pub(super) struct ListArgs {
    /// Only those of this toolset
    #[arg(long, value_name = "TOOLSET")]
    toolset: Option<String>,
    /// How to print them
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A line for each
    Human,
    /// One JSON array with descriptions and schemas
    Json,
}

impl ListArgs {
    pub(super) fn wants_json(&self) -> bool {
        self.format == Format::Json
    }
}

pub(super) fn run(args: &ListArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let toolbox = Toolbox::new();
    let tools = match &args.toolset {
        None => toolbox.list(),
        Some(toolset) => toolbox.toolset(toolset),
    };
    if let (Some(toolset), true) = (&args.toolset, tools.is_empty()) {
        return Err(Failure::usage(format!("there is no toolset `{toolset}` with tools here")));
    }
    if args.format == Format::Json {
        out.json(&tools);
        return Ok(ExitCode::SUCCESS);
    }
    let width = tools.iter().map(|tool| tool.name.len()).max().unwrap_or_default();
    for tool in &tools {
        let first = tool.description.split_inclusive(['.', ';']).next().unwrap_or_default();
        out.data(&format!("{:width$}  {first}\n", tool.name));
    }
    Ok(ExitCode::SUCCESS)
}
