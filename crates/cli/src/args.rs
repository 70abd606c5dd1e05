//! The command line and its help.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::LazyLock;

use clap::{ArgMatches, CommandFactory, Parser, Subcommand};

use crate::commands::{
    access, check, clean, completions, compose, context, explain, files, fleet, fmt, gateway, help, hook,
    init, man, manual, mcp, problems, prompt, render, schema, source, task, team, tool,
};
use minds_output::{Color, Verbosity};
use source::flags::EarlyFlags;

/// The output of `--version`: the version of the program, and that of the source format that it reads.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    format!("{}\nsource format: {}", env!("CARGO_PKG_VERSION"), minds_workspace::SOURCE_COMPATIBILITY)
});

/// Check, explain and run teams of AI agents that are configured by files
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
  minds init                    Create a configuration
  minds check                   Check the workspace of the current directory
  minds explain team/unsafe-id  Explain a finding

Exit codes: 0 success, 1 errors or refusals, 2 wrong usage or missing files.
`minds help COMMAND` prints the help of a command."
)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) options: Options,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The options that all commands have.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Run in DIR instead of the current directory
    #[arg(short = 'C', value_name = "DIR", global = true, default_value = ".", hide_default_value = true)]
    pub(crate) directory: PathBuf,
    /// When to use colors; respects `NO_COLOR` and `CLICOLOR_FORCE`
    #[arg(long, value_enum, value_name = "WHEN", global = true, default_value_t = Color::Auto)]
    pub(crate) color: Color,
    /// Print only results and errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Also print what is read and decided, on stderr
    #[arg(short, long, global = true)]
    verbose: bool,
    #[command(flatten)]
    early: EarlyFlags,
}

/// The commands that the help of the program lists, by groups.
const GROUPS: &[(&str, &[&str])] = &[
    ("Getting started", &["init", "manual", "explain", "help"]),
    ("Configuration files", &["check", "fmt", "schema", "problems"]),
    ("Teams and access rights", &["team", "access", "context"]),
    ("Running agents", &["compose", "render", "clean", "fleet", "prompt", "mcp", "gateway", "hook"]),
    ("Work of agents", &["task", "tool", "files"]),
    ("Skills and other items from repositories", &["source"]),
    ("Shell integration", &["completions", "man"]),
];

/// Returns the command line as data.
pub(crate) fn command() -> clap::Command {
    let mut command = <Args as CommandFactory>::command();
    let header = *command.get_styles().get_header();
    let literal = *command.get_styles().get_literal();
    let mut list = String::new();
    // Writing to a string cannot fail.
    for (group, names) in GROUPS {
        let _ = writeln!(list, "{header}{group}:{header:#}");
        for subcommand in names.iter().filter_map(|name| command.find_subcommand(name)) {
            let about = subcommand.get_about().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(list, "  {literal}{:<11}{literal:#}  {about}", subcommand.get_name());
        }
        list.push('\n');
    }
    command = command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}{header}Options:{header:#}\n{{options}}{{after-help}}"
    ));
    // The verbs list these options themselves.
    command.mut_subcommand("source", |source| {
        ["json", "yes", "ascii"]
            .into_iter()
            .fold(source, |source, id| source.mut_arg(id, |arg| arg.hide(false)))
    })
}

/// Returns the command line with no other command than the one that is named first.
///
/// It accepts what [`command`] accepts with this command, and takes much less time and memory to make.
/// Its errors and help lack the rest: where it does not accept the arguments, parse them with [`command`].
pub(crate) fn narrow_command(args: &[OsString]) -> Option<clap::Command> {
    let subcommand = subcommand(args.get(1)?.to_str()?)?;
    let command = <Options as clap::Args>::augment_args(clap::Command::new("minds"));
    Some(command.disable_help_subcommand(true).subcommand(subcommand))
}

/// Returns the command line without the commands and options at the top level that help does not list.
pub(crate) fn listed_command() -> clap::Command {
    let command = command();
    clap::Command::new("minds")
        .version(env!("CARGO_PKG_VERSION"))
        .disable_help_subcommand(true)
        .args(command.get_arguments().filter(|arg| !arg.is_hide_set()).cloned())
        .subcommands(command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()).cloned())
}

/// Declares the commands: the enumeration that is parsed into, and each command alone.
macro_rules! commands {
    ($($variant:ident($args:path) = $name:literal,)*) => {
        #[derive(Debug, Subcommand)]
        pub(crate) enum Command {
            $(#[command(name = $name)] $variant($args),)*
            #[command(flatten)]
            TopLevelVerb(Box<source::TopLevelVerb>),
        }

        /// Returns the command with this name.
        fn subcommand(name: &str) -> Option<clap::Command> {
            match name {
                $($name => Some(<$args as clap::Args>::augment_args(clap::Command::new($name))),)*
                _ => None,
            }
        }
    };
}

commands! {
    Check(check::CheckArgs) = "check",
    Fmt(fmt::FmtArgs) = "fmt",
    Explain(explain::ExplainArgs) = "explain",
    Team(team::TeamArgs) = "team",
    Access(access::AccessArgs) = "access",
    Context(context::ContextArgs) = "context",
    Compose(compose::ComposeArgs) = "compose",
    Render(render::RenderArgs) = "render",
    Clean(clean::CleanArgs) = "clean",
    Fleet(fleet::FleetArgs) = "fleet",
    Source(source::SourceArgs) = "source",
    Prompt(prompt::PromptArgs) = "prompt",
    Init(init::InitArgs) = "init",
    Schema(schema::SchemaArgs) = "schema",
    Task(task::TaskArgs) = "task",
    Tool(tool::ToolArgs) = "tool",
    Files(files::FilesArgs) = "files",
    Problems(problems::ProblemsArgs) = "problems",
    Manual(manual::ManualArgs) = "manual",
    Mcp(mcp::McpArgs) = "mcp",
    Gateway(gateway::GatewayArgs) = "gateway",
    Hook(hook::HookArgs) = "hook",
    Completions(completions::CompletionsArgs) = "completions",
    Man(man::ManArgs) = "man",
    Help(help::HelpArgs) = "help",
}

impl Args {
    pub(crate) fn verbosity(&self) -> Verbosity {
        match (self.options.quiet, self.options.verbose) {
            (true, _) => Verbosity::Quiet,
            (false, true) => Verbosity::Verbose,
            (false, false) => Verbosity::Normal,
        }
    }

    /// Applies options that were given before the command to the verb of sources that follows.
    ///
    /// # Errors
    ///
    /// Returns a message if the command does not accept these options.
    pub(crate) fn adopt(&mut self) -> Result<(), String> {
        match (&mut self.command, self.options.early.source_only()) {
            (Command::Source(args), _) => args.adopt(self.options.early),
            (Command::TopLevelVerb(verb), _) => verb.0.adopt(self.options.early),
            (_, None) => {}
            (_, Some(flag)) => {
                return Err(format!(
                    "only the verbs of `minds source` accept `{flag}`, as in `minds source search {flag}`; \
                     `minds COMMAND --help` lists the options of other commands"
                ));
            }
        }
        if self.wants_ascii() {
            self.options.color = Color::Never;
        }
        Ok(())
    }

    /// Returns whether the layout may use only ASCII characters.
    pub(crate) fn wants_ascii(&self) -> bool {
        match &self.command {
            Command::Source(args) => args.wants_ascii(),
            Command::TopLevelVerb(verb) => verb.0.wants_ascii(),
            _ => false,
        }
    }
}

/// Rejects values of positional arguments that look like options, unless they follow `--`.
///
/// # Errors
///
/// Returns a message that names the value.
pub(crate) fn reject_option_as_text(
    command: &clap::Command,
    matches: &ArgMatches,
    args: &[OsString],
) -> Result<(), String> {
    let (mut command, mut matches) = (command, matches);
    while let Some((name, inner)) = matches.subcommand() {
        let Some(subcommand) = command.find_subcommand(name) else { return Ok(()) };
        (command, matches) = (subcommand, inner);
    }
    for arg in command.get_positionals().filter(|arg| arg.is_allow_hyphen_values_set() && !arg.is_last_set())
    {
        let values = matches.try_get_raw(arg.get_id().as_str()).ok().flatten().into_iter().flatten();
        for value in values.filter_map(|value| value.to_str()).filter(|value| looks_like_option(value)) {
            if args.iter().take_while(|arg| *arg != "--").any(|arg| arg == value) {
                return Err(format!("unknown option `{value}`; to pass it as text, write `-- {value}`"));
            }
        }
    }
    Ok(())
}

/// Returns whether a word looks like an option: `-x`, or `--` and a name, without whitespace.
fn looks_like_option(word: &str) -> bool {
    let name = word.strip_prefix("--").or_else(|| word.strip_prefix('-').filter(|name| name.len() == 1));
    name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
        && !word.contains(char::is_whitespace)
}

/// Returns whether arguments that could not be parsed request JSON output.
pub(crate) fn requests_json(args: &[OsString]) -> bool {
    let mut previous = None;
    for arg in args.iter().take_while(|arg| *arg != "--") {
        if arg == "--format=json"
            || arg == "--json"
            || (arg == "json" && previous.is_some_and(|previous: &OsString| previous == "--format"))
        {
            return true;
        }
        previous = Some(arg);
    }
    false
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::{command, narrow_command};

    fn arguments(subcommand: &clap::Command) -> Vec<String> {
        let own = subcommand.get_arguments().map(|arg| format!("{arg:?}"));
        let inner = subcommand.get_subcommands().flat_map(|inner| {
            arguments(inner).into_iter().map(|arg| format!("{} {arg}", inner.get_name())).collect::<Vec<_>>()
        });
        own.chain(inner).collect()
    }

    #[test]
    fn a_narrow_command_has_the_arguments_of_the_whole_one() {
        let mut whole = command();
        // Only the help of the program knows that these are for the verbs of sources.
        whole = whole.mut_subcommand("source", |source| {
            ["json", "yes", "ascii"]
                .into_iter()
                .fold(source, |source, id| source.mut_arg(id, |arg| arg.hide(true)))
        });
        let mut narrow_names = Vec::new();
        whole.build();
        for expected in whole.get_subcommands() {
            let args = ["minds", expected.get_name()].map(OsString::from);
            let Some(mut narrow) = narrow_command(&args) else { continue };
            narrow.build();
            let name = expected.get_name();
            let found = narrow.find_subcommand(name).map(arguments);
            assert_eq!(found, Some(arguments(expected)), "{name}");
            narrow_names.push(name.to_owned());
        }
        let listed = super::listed_command();
        let listed: Vec<&str> = listed.get_subcommands().map(clap::Command::get_name).collect();
        assert_eq!(narrow_names.iter().filter(|name| listed.contains(&name.as_str())).count(), listed.len());
    }
}
