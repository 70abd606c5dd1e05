//! `minds gateway`

mod call;
mod restart;
mod serve;
mod status;
mod tools;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Subcommand;
use minds_mcp_gateway::report::{ReportError, read_config};
use minds_mcp_gateway::{Link, Options};
use minds_operations::{OperationError, locate};
use minds_process::{find_program, user_name};
use minds_toolset::Caller;

use super::fleet::PROGRAM as FLEET_PROGRAM;
use minds_output::{Failure, Output};

pub(crate) use serve::launch;

/// Show, try and restart the MCP servers of a team
///
/// `minds mcp` starts the servers of `.minds/mcp.yaml`, and serves their tools to the members to whom `team.yaml` grants them.
/// Each `minds mcp` has servers of its own; these commands show all of them, or start servers for their own duration.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds gateway status --start  Start each server once, and report
  minds gateway tools --all     List all tools, and why some are left out
  minds gateway call read_file --args '{\"path\": \"README.md\"}' --as coder
                                Call a tool with the rights of a member
  minds gateway restart files   Restart a server in all running gateways")]
pub(crate) struct GatewayArgs {
    #[command(subcommand)]
    command: GatewayCommand,
}

#[derive(Debug, Subcommand)]
enum GatewayCommand {
    Status(status::StatusArgs),
    Tools(tools::ToolsArgs),
    Call(call::CallArgs),
    Restart(restart::RestartArgs),
    Serve(serve::ServeArgs),
}

pub(crate) fn run(directory: &Path, args: &GatewayArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    match &args.command {
        GatewayCommand::Status(args) => status::run(directory, args, out),
        GatewayCommand::Tools(args) => tools::run(directory, args, out),
        GatewayCommand::Call(args) => call::run(directory, args, out),
        GatewayCommand::Restart(args) => restart::run(directory, args, out),
        GatewayCommand::Serve(args) => serve::run(args),
    }
}

/// Returns the gateway of the workspace at or above a directory, for a command.
pub(super) fn options(directory: &Path) -> Result<Options, Failure> {
    let root = locate(directory, &[])?.directory.unwrap_or_else(|| directory.to_owned());
    let state = minds_fs::state_folder(&root).map_err(OperationError::from)?;
    let workspace = minds_fs::real_directory(&root).map_err(OperationError::from)?;
    let caller = "a command".to_owned();
    // A command does not fail because a program is missing that it may not need.
    let fleet = find_program(FLEET_PROGRAM).map(|_| Caller::operator(user_name()));
    Ok(Options {
        workspace,
        state,
        caller,
        fleet,
        is_lazy: true,
        is_recorded: false,
        is_relayed: false,
        accepted: None,
    })
}

/// Starts a gateway for the duration of a command.
fn start(options: &Options) -> Result<Link, Failure> {
    let failed = |error: std::io::Error| {
        Failure::environment(format!(
            "the gateway cannot be started: {}",
            minds_process::describe_io_error(&error)
        ))
    };
    let link = launch(options).map_err(failed)?;
    link.follow().map_err(failed)?;
    Ok(link)
}

/// Fails for a server that the file does not have.
fn expect_server(options: &Options, server: &str) -> Result<(), Failure> {
    let config = read_config(options).map_err(failure)?;
    if config.servers.iter().any(|entry| entry.id == server) {
        return Ok(());
    }
    let near =
        minds_diagnostics::find_nearest(server, config.servers.iter().map(|entry| entry.id.as_str()), 1);
    let near = near.first().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    Err(Failure::usage(format!("`.minds/mcp.yaml` has no server `{server}`{near}")))
}

/// Returns the failure of a command for an error about a gateway.
pub(super) fn failure(error: ReportError) -> Failure {
    match error {
        ReportError::System(error) => OperationError::from(error).into(),
        error => Failure::environment(error.to_string()),
    }
}

/// Returns the arguments of a hidden command that serves a gateway.
fn serve_arguments(options: &Options) -> Vec<OsString> {
    let flag = |name: &str, value: &PathBuf| [OsString::from(name), value.clone().into_os_string()];
    let mut arguments = vec!["gateway".into(), "serve".into()];
    arguments.extend(flag("--root", &options.workspace));
    arguments.extend(flag("--state", &options.state));
    arguments.extend(["--caller".into(), OsString::from(&options.caller)]);
    match &options.fleet {
        Some(Caller::Member { id }) => arguments.push(format!("--fleet-member={id}").into()),
        Some(Caller::Operator { name }) => arguments.push(format!("--fleet-user={name}").into()),
        None => {}
    }
    let flags =
        [("--lazy", options.is_lazy), ("--record", options.is_recorded), ("--relay", options.is_relayed)];
    for (flag, is_given) in flags {
        if is_given {
            arguments.push(flag.into());
        }
    }
    arguments
}
