//! `minds hook`

use std::path::Path;
use std::process::ExitCode;

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use minds_guard::{ClientId, ShellPolicy};
use minds_operations::{GuardRequest, guard};
use minds_process::standard_input;

use minds_output::Output;

/// Answer a hook event of a coding agent by the access lists of the team
///
/// Reads one event as JSON from stdin, and answers in the form of the client, which runs this command before each tool call.
/// The call is judged by the access lists of the member whose id is the name of the agent in the event; otherwise by those of
/// `--member`; otherwise it must be allowed for every member of the team. Whatever cannot be read is denied.
///
/// The workspace is that of the current directory, or of `-C`. `docs/hooks.md` has the settings of each client, and how it can
/// continue without an answer.
///
/// Exits as the client expects it: mostly with 0 to continue or to ask, and with 2 to deny.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds hook claude-code --member coder < event.json
                                  Answer an event as the member `coder`
  minds -C \"$CLAUDE_PROJECT_DIR\" hook claude-code || exit 2
                                  The command in the settings of Claude Code")]
pub(crate) struct HookArgs {
    /// The client that sends the event
    #[arg(value_name = "CLIENT", value_parser = client_parser())]
    client: ClientId,
    /// The member that calls tools if the event does not name one
    #[arg(long, value_name = "MEMBER")]
    member: Option<String>,
    /// What to answer about commands whose files are not known
    ///
    /// With `ask`, a client that cannot ask denies them if the member has any access list.
    #[arg(long, value_enum, value_name = "ANSWER", default_value_t = ShellAnswer::Ask)]
    shell: ShellAnswer,
    /// Let calls that are allowed skip the question of the client
    ///
    /// Only Claude Code, Copilot and Cursor support this.
    #[arg(long)]
    auto_allow: bool,
}

/// The answer about a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ShellAnswer {
    /// Continue
    Allow,
    /// Ask the user
    Ask,
    /// Deny
    Deny,
}

impl From<ShellAnswer> for ShellPolicy {
    fn from(answer: ShellAnswer) -> Self {
        match answer {
            ShellAnswer::Allow => Self::Allow,
            ShellAnswer::Ask => Self::Ask,
            ShellAnswer::Deny => Self::Deny,
        }
    }
}

/// Parses the name of a client.
fn client_parser() -> impl TypedValueParser<Value = ClientId> {
    let value = |client: ClientId| PossibleValue::new(client.as_str()).help(client.title());
    let unknown = |name: String| format!("`{name}` is not a client");
    PossibleValuesParser::new(ClientId::ALL.map(value))
        .try_map(move |name| ClientId::find(&name).ok_or_else(|| unknown(name)))
}

pub(crate) fn run(directory: &Path, args: &HookArgs, out: &mut Output) -> ExitCode {
    let client = args.client;
    let request = GuardRequest {
        base: directory,
        client,
        member: args.member.as_deref(),
        shell: args.shell.into(),
        auto_allow: args.auto_allow,
    };
    let answer = match standard_input() {
        Ok(input) => guard(&request, &input),
        Err(error) => minds_guard::refuse(client, &error.to_string()),
    };
    // A client that closed stdout has no answer, and must not take silence for permission.
    out.data(&answer.stdout);
    if !out.flush() {
        return ExitCode::from(2);
    }
    Output::remarks(&answer.stderr);
    ExitCode::from(answer.exit_code)
}
