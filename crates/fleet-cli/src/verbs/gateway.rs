//! The processes with the MCP servers of an agent.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use minds_mcp_gateway::{Link, Options, supervise, work};
use minds_process::SystemError;

use crate::command_error::CommandError;

/// The name of the command.
const NAME: &str = "gateway";

/// The options of a gateway. Its standard input is a socket to the program that started it.
#[derive(Debug, clap::Args)]
pub(crate) struct GatewayArgs {
    /// The workspace, an absolute path
    #[arg(long, value_name = "DIR")]
    root: PathBuf,
    /// The state folder of the workspace
    #[arg(long, value_name = "DIR")]
    state: PathBuf,
    /// Who uses the gateway
    #[arg(long, value_name = "NAME")]
    caller: String,
    /// Start servers with remembered tools only when they are called
    #[arg(long)]
    lazy: bool,
    /// Remember problems in the state folder
    #[arg(long)]
    record: bool,
    /// A server that may be started, with the hash of its entry
    #[arg(long, value_name = "ID=HASH")]
    accepted: Vec<String>,
    /// Be the process with the servers, not the one that supervises it
    #[arg(long)]
    worker: bool,
}

/// Starts a gateway: this program, with this command.
pub(crate) fn launch(options: &Options) -> io::Result<Link> {
    minds_mcp_gateway::launch(&minds_process::this_program()?, &arguments(options), options.is_relayed)
}

/// Runs the gateway until the program that started it ends.
pub(super) fn run(args: &GatewayArgs) -> Result<ExitCode, CommandError> {
    // An entry of another form names no server.
    let accepted = args.accepted.iter().filter_map(|entry| entry.split_once('='));
    let options = Options {
        workspace: args.root.clone(),
        state: args.state.clone(),
        caller: args.caller.clone(),
        is_lazy: args.lazy,
        is_recorded: args.record,
        is_relayed: false,
        fleet: None,
        accepted: Some(accepted.map(|(id, hash)| (id.to_owned(), hash.to_owned())).collect()),
    };
    if args.worker {
        work(options)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut arguments = arguments(&options);
    arguments.push("--worker".into());
    let failed = |error| SystemError::new("start the gateway of", &args.root, error);
    supervise(&arguments).map_err(failed)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the arguments of this command.
fn arguments(options: &Options) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = vec![NAME.into()];
    arguments.extend(["--root".into(), options.workspace.clone().into_os_string()]);
    arguments.extend(["--state".into(), options.state.clone().into_os_string()]);
    arguments.extend(["--caller".into(), OsString::from(&options.caller)]);
    let flags = [("--lazy", options.is_lazy), ("--record", options.is_recorded)];
    arguments.extend(flags.into_iter().filter(|(_, is_given)| *is_given).map(|(flag, _)| flag.into()));
    for (id, hash) in options.accepted.iter().flatten() {
        arguments.extend(["--accepted".into(), OsString::from(format!("{id}={hash}"))]);
    }
    arguments
}
