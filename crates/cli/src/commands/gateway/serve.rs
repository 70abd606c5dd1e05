//! `minds gateway serve`, which is hidden

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use minds_mcp_gateway::{Link, Options, supervise, work};
use minds_operations::OperationError;

use super::serve_arguments;
use minds_output::Failure;
use minds_toolset::Caller;

/// Run the servers of a gateway for the program that started this one
///
/// Stdin is a socket to that program.
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
#[derive(Debug, clap::Args)]
#[command(
    hide = true,
    after_help = "\
Examples:
  minds gateway serve --root /work --state /state --caller coder
                                Run a gateway for the program at the other end of stdin"
)]
pub(super) struct ServeArgs {
    /// The workspace, an absolute path
    #[arg(long, value_name = "DIR")]
    root: PathBuf,
    /// The state folder of the workspace
    #[arg(long, value_name = "DIR")]
    state: PathBuf,
    /// Who uses the gateway
    #[arg(long, value_name = "NAME")]
    caller: String,
    /// Serve the toolset `fleet` for this member of the team
    #[arg(long, value_name = "MEMBER", conflicts_with = "fleet_user")]
    fleet_member: Option<String>,
    /// Serve the toolset `fleet` for this user, who has all toolsets
    #[arg(long, value_name = "NAME")]
    fleet_user: Option<String>,
    /// Start servers with remembered tools only when they are called
    #[arg(long)]
    lazy: bool,
    /// Remember problems in the state folder
    #[arg(long)]
    record: bool,
    /// Let the program that started this one pass the messages of servers on
    #[arg(long)]
    relay: bool,
    /// Be the process with the servers, not the one that supervises it
    #[arg(long)]
    worker: bool,
}

/// Starts a gateway in processes of its own, before this process is confined.
pub(crate) fn launch(options: &Options) -> io::Result<Link> {
    minds_mcp_gateway::launch(&minds_process::this_program()?, &serve_arguments(options), options.is_relayed)
}

pub(super) fn run(args: &ServeArgs) -> Result<ExitCode, Failure> {
    let user = args.fleet_user.as_deref().map(Caller::operator);
    let options = Options {
        workspace: args.root.clone(),
        state: args.state.clone(),
        caller: args.caller.clone(),
        fleet: args.fleet_member.as_deref().map(Caller::member).or(user),
        is_lazy: args.lazy,
        is_recorded: args.record,
        is_relayed: args.relay,
        accepted: None,
    };
    if args.worker {
        work(options).map_err(OperationError::from)?;
    } else {
        let mut arguments = serve_arguments(&options);
        arguments.push("--worker".into());
        supervise(&arguments).map_err(|error| {
            Failure::environment(format!(
                "the gateway cannot be started: {}",
                minds_process::describe_io_error(&error)
            ))
        })?;
    }
    Ok(ExitCode::SUCCESS)
}
