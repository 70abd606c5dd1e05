//! The arguments of the command, which are also its help.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::LazyLock;

use clap::{Parser, Subcommand, ValueEnum};

use crate::commands::{
    access, check, clean, completions, compose, explain, files, fleet, fmt, init, man, manual, mcp, problems,
    prompt, render, schema, source, task, team, tool,
};
use source::flags::EarlyFlags;

/// What `--version` prints: the version of the program, and that of the format of sources that it reads.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    format!("{}\nformat of sources: {}", env!("CARGO_PKG_VERSION"), minds_workspace::SOURCE_COMPATIBILITY)
});

/// The toolchain for teams of AI agents that are configured by files
///
/// Who is on a team, which model and tools each member has, which directories it may touch: all this is written in
/// files. `minds` checks them with exact positions and says what to do.
#[derive(Debug, Parser)]
#[command(
    name = "minds",
    version,
    long_version = VERSION.as_str(),
    max_term_width = 100,
    disable_help_subcommand = true,
    propagate_version = false,
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "\
Examples:
  minds init                    Write a first configuration
  minds check                   Check the workspace that you are in
  minds fmt                     Bring its files into their canonical form
  minds explain team/unsafe-id  Read what a finding is about
  minds team show coder         See what a member has after inheritance
  minds access matrix           See who may read and write what
  minds tool list               See what agents can do
  minds render --write          Render what the agents of a compose root are started with

Exit codes: 0 clean, 1 errors found or refused, 2 wrong usage or environment"
)]
pub(crate) struct Args {
    /// Run as if started in DIR
    #[arg(short = 'C', value_name = "DIR", global = true, default_value = ".", hide_default_value = true)]
    pub(crate) directory: PathBuf,
    /// When to use colours; `NO_COLOR` and `CLICOLOR_FORCE` are honoured
    #[arg(long, value_enum, value_name = "WHEN", global = true, default_value_t = Color::Auto)]
    pub(crate) color: Color,
    #[command(flatten)]
    early: EarlyFlags,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Check(check::CheckArgs),
    Fmt(fmt::FmtArgs),
    Explain(explain::ExplainArgs),
    Team(team::TeamArgs),
    Access(access::AccessArgs),
    Compose(compose::ComposeArgs),
    Render(render::RenderArgs),
    Clean(clean::CleanArgs),
    Fleet(fleet::FleetArgs),
    Source(source::SourceArgs),
    #[command(flatten)]
    SourceVerb(Box<source::SourceVerb>),
    Prompt(prompt::PromptArgs),
    Init(init::InitArgs),
    Schema(schema::SchemaArgs),
    Task(task::TaskArgs),
    Tool(tool::ToolArgs),
    Files(files::FilesArgs),
    Problems(problems::ProblemsArgs),
    Manual(manual::ManualArgs),
    Mcp(mcp::McpArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
}

impl Args {
    /// Gives what stands before the command to the verb of sources that it is for.
    ///
    /// # Errors
    ///
    /// Returns what is wrong if the command is another one.
    pub(crate) fn adopt(&mut self) -> Result<(), String> {
        match (&mut self.command, self.early.given()) {
            (Command::Source(args), _) => args.adopt(self.early),
            (Command::SourceVerb(verb), _) => verb.adopt(self.early),
            (_, None) => {}
            (_, Some(flag)) => {
                return Err(format!(
                    "`{flag}` stands before verbs of sources only, as in `minds {flag} probe`; \
                     `minds COMMAND --help` says what other commands take behind them"
                ));
            }
        }
        if self.wants_ascii() {
            self.color = Color::Never;
        }
        Ok(())
    }

    /// Returns whether signs of our own are to be ASCII.
    pub(crate) fn wants_ascii(&self) -> bool {
        match &self.command {
            Command::Source(args) => args.wants_ascii(),
            Command::SourceVerb(verb) => verb.wants_ascii(),
            _ => false,
        }
    }

    /// Returns whether standard output must hold one JSON document.
    pub(crate) fn wants_json(&self) -> bool {
        match &self.command {
            Command::Check(args) => args.format == check::Format::Json,
            Command::Team(args) => args.wants_json(),
            Command::Access(args) => args.wants_json(),
            Command::Task(args) => args.wants_json(),
            Command::Compose(args) => args.wants_json(),
            Command::Render(args) => args.format == render::Format::Json,
            Command::Clean(args) => args.format == render::Format::Json,
            Command::Fleet(args) => args.wants_json(),
            Command::Source(args) => args.wants_json(),
            Command::SourceVerb(verb) => verb.wants_json(),
            Command::Tool(args) => args.wants_json(),
            Command::Files(args) => args.wants_json(),
            Command::Problems(args) => args.wants_json(),
            Command::Manual(args) => args.wants_json(),
            Command::Fmt(_)
            | Command::Prompt(_)
            | Command::Explain(_)
            | Command::Init(_)
            | Command::Schema(_)
            | Command::Mcp(_)
            | Command::Completions(_)
            | Command::Man(_) => false,
        }
    }
}

/// Returns whether arguments that could not be parsed ask for JSON all the same.
pub(crate) fn asks_for_json(args: &[OsString]) -> bool {
    let mut before = None;
    for arg in args.iter().take_while(|arg| *arg != "--") {
        if arg == "--format=json"
            || arg == "--json"
            || (arg == "json" && before.is_some_and(|before: &OsString| before == "--format"))
        {
            return true;
        }
        before = Some(arg);
    }
    false
}
