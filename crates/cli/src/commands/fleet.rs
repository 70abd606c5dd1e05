//! `minds fleet`

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::process::ExitCode;

use clap::builder::PossibleValue;
use clap::{Subcommand, ValueEnum as _};
use minds_diagnostics::did_you_mean;
use minds_diagnostics::emit::printable;
use minds_operations::documents::FleetDocument;
use minds_process::{describe_io_error, find_program, replace_program};
use minds_workspace::{FleetAgentView, FleetField, FleetTool};

use super::fields::{add_block, report_errors, show};
use crate::args::{Options, requests_json};
use minds_output::exit_codes::UNUSABLE;
use minds_output::format::{Format, FormatArgs};
use minds_output::{Color, Failure, Output};

/// The program that runs fleets.
pub(super) const PROGRAM: &str = "minds-fleet";

/// The verb that is built in.
const OWN_VERB: &str = "show";

/// The verbs of the program, each with its summary. A test compares them with the program, which does not run for the help.
const VERBS: &[(&str, &str)] = &[
    ("up", "Start configured agents in the background"),
    ("down", "Stop agents"),
    ("stop", "Stop one agent"),
    ("ps", "List the agents that run"),
    ("who", "Show the owner of agents: the client that may change them"),
    ("send", "Give an agent some work"),
    ("tail", "Print what an agent reports"),
    ("interrupt", "Interrupt what an agent does"),
    ("cancel", "Cancel the current work or tool of an agent"),
    ("queue", "List the items in the queue of an agent, or remove those that wait"),
    ("retry", "Let an agent perform a parked item again"),
    ("drop", "Give up a parked item"),
    ("token", "Print a token with which an agent joins for the first time"),
    ("agent", "Run one agent in the foreground, without a terminal"),
    ("acp", "Serve an agent to an editor, over the Agent Client Protocol"),
    ("models", "List the models of the workspace"),
    ("tools", "List the tools of a running agent"),
    ("doctor", "Check whether agents can run here"),
];

/// Show, start and use the agents of a fleet
///
/// Agents run in the program `minds-fleet`, which has all verbs but `show`.
#[derive(Debug, clap::Args)]
#[command(after_help = verbs_and_examples())]
pub(crate) struct FleetArgs {
    #[command(subcommand)]
    command: FleetCommand,
}

#[derive(Debug, Subcommand)]
enum FleetCommand {
    Show(ShowArgs),
    #[command(external_subcommand)]
    Other(Vec<OsString>),
}

/// Returns the end of the help.
fn verbs_and_examples() -> String {
    let mut text = format!("Commands of the program `{PROGRAM}`:\n");
    for (verb, summary) in VERBS {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {verb:<9}  {summary}");
    }
    text.push_str(
        "
Examples:
  minds fleet show                 Show all agents after merging all layers
  minds fleet show zeus            Show one agent
  minds fleet up                   Start the agents of the workspace
  minds fleet send zeus \"run it\"   Give one of them some work",
    );
    text
}

/// Show agents after merging all layers, with the source of each value
///
/// Layers are the `.ateam/` directories of the workspace, of its parent directories and of your home directory; the nearest
/// one takes precedence. A value without a place is built in. The values are followed by the tools, and the reasons why
/// tools are not granted.
///
/// Exits with 1 if the files have errors, because values may be missing then, and with 2 if AGENT does not exist.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds fleet show                  Show all agents
  minds fleet show zeus             Show one agent
  minds fleet show zeus --format json | jq '.agents[0].fields.model.value'
                                    Print one value as JSON")]
struct ShowArgs {
    /// The name of an agent
    #[arg(value_name = "AGENT")]
    agent: Option<String>,
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(options: &Options, args: &FleetArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let args = match &args.command {
        FleetCommand::Show(args) => args,
        FleetCommand::Other(words) => return Ok(run_program(options, words)),
    };
    let directory = options.directory.as_path();
    let outcome = minds_operations::show_fleet(directory, args.agent.as_deref())?;
    match args.format.chosen(out) {
        Format::Human => out.data(&human(&outcome.agents)),
        Format::Json => out.document(&FleetDocument { agents: &outcome.agents }),
    }
    // Files with errors may define agents.
    if outcome.agents.is_empty() && outcome.errors == 0 && args.format.chosen(out) == Format::Human {
        Output::remark("the fleet has no agents; `minds init --fleet` creates one");
    }
    Ok(report_errors("the files of the fleet", outcome.errors))
}

/// Lets the program `minds-fleet` print the help of one of its verbs; none if the command is one of this program.
///
/// # Errors
///
/// Returns a usage error if neither program has the verb.
pub(crate) fn run_help(options: &Options, command: &[String]) -> Result<Option<ExitCode>, Failure> {
    let [first, verb, rest @ ..] = command else { return Ok(None) };
    if first != "fleet" || verb == OWN_VERB {
        return Ok(None);
    }
    if !VERBS.iter().any(|(known, _)| known == verb) {
        let known = VERBS.iter().map(|(known, _)| *known).chain([OWN_VERB]);
        let near = did_you_mean(verb, known).map(|near| format!("; {near}")).unwrap_or_default();
        return Err(Failure::usage(format!("no such command: `fleet {verb}`{near}")));
    }
    let words = std::iter::once(verb).chain(rest).map(OsString::from).chain(["--help".into()]);
    Ok(Some(run_program(options, &words.collect::<Vec<_>>())))
}

/// Replaces this program by `minds-fleet`, and returns only if that fails.
fn run_program(options: &Options, words: &[OsString]) -> ExitCode {
    let verb = words.first().map(|verb| verb.to_string_lossy()).unwrap_or_default();
    let message = if let Some(program) = find_program(PROGRAM) {
        let color = options.color.to_possible_value();
        let color = color.as_ref().map_or("auto", PossibleValue::get_name);
        let args =
            [OsStr::new("-C"), options.directory.as_os_str(), OsStr::new("--color"), OsStr::new(color)];
        let args: Vec<&OsStr> = args.into_iter().chain(words.iter().map(OsString::as_os_str)).collect();
        let error = describe_io_error(&replace_program(&program, &args));
        format!("`{}` cannot be started: {error}", program.display())
    } else {
        let near = did_you_mean(&verb, [OWN_VERB]).map(|near| format!("{near} ")).unwrap_or_default();
        format!(
            "{near}`minds fleet {verb}` needs the program `{PROGRAM}`, which is not installed: run `cargo install --path crates/fleet-cli`"
        )
    };
    if requests_json(words) {
        let mut out = Output::new(Color::Never, true);
        let code = out.failure(&Failure::environment(message));
        return out.finish(code);
    }
    Output::warning(&message);
    ExitCode::from(UNUSABLE)
}

fn human(agents: &[FleetAgentView]) -> String {
    let mut text = String::new();
    for agent in agents {
        let fields = agent.fields.iter();
        let fields = fields
            .map(|(name, field)| [printable(name).into_owned(), show(&field.value), render_source(field)]);
        let rows: Vec<[String; 3]> = fields.chain(agent.tools.iter().map(tool)).collect();
        add_block(&mut text, &printable(&agent.id), &rows);
    }
    text
}

fn tool(tool: &FleetTool) -> [String; 3] {
    let place = tool.from.as_ref().map(|place| {
        let start = place.range.start;
        format!(" ({}:{}:{})", printable(&place.file), start.line, start.column)
    });
    let reason = tool.reason.map(|reason| format!("{reason}{}", place.unwrap_or_default()));
    let grant = if tool.given { "granted" } else { "withheld" };
    [format!("tool {}", tool.name), grant.to_owned(), reason.unwrap_or_default()]
        .map(|cell| cell.trim_end().to_owned())
}

/// Renders where a value comes from: the first place, and the number of further files.
fn render_source(field: &FleetField) -> String {
    let Some(first) = field.from.first() else { return "built in".to_owned() };
    let mut files: Vec<&str> = field.from.iter().map(|place| place.file.as_str()).collect();
    files.sort_unstable();
    files.dedup();
    let start = first.range.start;
    let more = if files.len() > 1 { format!(" and {} more", files.len() - 1) } else { String::new() };
    format!("{}:{}:{}{more}", printable(&first.file), start.line, start.column)
}
