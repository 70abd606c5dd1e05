//! The arguments of the command, which are also its help.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::LazyLock;

use clap::{ArgMatches, Parser, Subcommand, ValueEnum};

use crate::commands::{
    access, check, clean, completions, compose, explain, files, fleet, fmt, help, init, man, manual, mcp,
    problems, prompt, render, schema, source, task, team, tool,
};
use crate::output::Verbosity;
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

Exit codes:
  0  done, and nothing is wrong; also where there is nothing to work on
  1  errors were found, something was refused, or `--check` found a difference
  2  wrong usage, something that was named does not exist, or the environment"
)]
pub(crate) struct Args {
    /// Run as if started in DIR
    #[arg(short = 'C', value_name = "DIR", global = true, default_value = ".", hide_default_value = true)]
    pub(crate) directory: PathBuf,
    /// When to use colours; `NO_COLOR` and `CLICOLOR_FORCE` are honoured
    #[arg(long, value_enum, value_name = "WHEN", global = true, default_value_t = Color::Auto)]
    pub(crate) color: Color,
    /// Print only results and errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Also print on standard error what is read and decided
    #[arg(short, long, global = true)]
    verbose: bool,
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
    Help(help::HelpArgs),
}

impl Args {
    /// Returns how much is said on standard error.
    pub(crate) fn verbosity(&self) -> Verbosity {
        match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (false, true) => Verbosity::Verbose,
            (false, false) => Verbosity::Normal,
        }
    }

    /// Gives what stands before the command to the verb of sources that it is for.
    ///
    /// # Errors
    ///
    /// Returns what is wrong if the command is another one.
    pub(crate) fn adopt(&mut self) -> Result<(), String> {
        match (&mut self.command, self.early.for_sources()) {
            (Command::Source(args), _) => args.adopt(self.early),
            (Command::SourceVerb(verb), _) => verb.adopt(self.early),
            (_, None) => {}
            (_, Some(flag)) => {
                return Err(format!(
                    "only verbs of sources take `{flag}` before their name, as in `minds {flag} probe`; \
                     `minds COMMAND --help` lists the options of other commands"
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
}

/// Makes sure that no option is read as a value: a word that looks like one is a value only after `--`.
///
/// # Errors
///
/// Returns what is wrong.
pub(crate) fn expect_no_option_as_text(
    command: &clap::Command,
    matches: &ArgMatches,
    args: &[OsString],
) -> Result<(), String> {
    let (mut command, mut matches) = (command, matches);
    while let Some((name, inner)) = matches.subcommand() {
        let Some(found) = command.find_subcommand(name) else { return Ok(()) };
        (command, matches) = (found, inner);
    }
    for arg in command.get_positionals().filter(|arg| arg.is_allow_hyphen_values_set() && !arg.is_last_set())
    {
        let values = matches.try_get_raw(arg.get_id().as_str()).ok().flatten().into_iter().flatten();
        for value in values.filter_map(|value| value.to_str()).filter(|value| looks_like_option(value)) {
            if args.iter().take_while(|arg| *arg != "--").any(|arg| arg == value) {
                return Err(format!(
                    "there is no option `{value}`; write `-- {value}` if it is meant as text"
                ));
            }
        }
    }
    Ok(())
}

/// Returns whether a word looks like an option: `-x`, or `--` and a name, without white space.
fn looks_like_option(word: &str) -> bool {
    let name = word.strip_prefix("--").or_else(|| word.strip_prefix('-').filter(|name| name.len() == 1));
    name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
        && !word.contains(char::is_whitespace)
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
