//! `minds mcp`

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use minds_fs::state_folder;
use minds_mcp_gateway::{Link, Options};
use minds_operations::{OperationError, locate};
use minds_process::{user_name, variable};
use minds_server::mcp::{HttpOptions, HttpServer, Server, serve_http, serve_stdio};
use minds_server::{ServeError, Token};
use minds_toolset::{Caller, Clock, Code, FLEET_TOOLSET, ToolContext, ToolSource};

use super::gateway;
use minds_output::{Failure, Output};

/// The environment variable that holds the token.
const TOKEN: &str = "MINDS_MCP_TOKEN";

/// Serve the tools of agents over the Model Context Protocol
///
/// Serves on stdin and stdout for the client that started the command, until stdin is closed. The identity and the rights
/// of the client follow from the options and the files of the team; messages of the client cannot change them.
///
/// Exits with 2 if the directory, member or toolset does not exist, or if the address cannot be used.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds mcp --member coder        Serve the tools of a member on stdio
  minds mcp --member lead --toolset team-mgmt
                                  Serve only the tools for managing the team
  minds mcp --http 127.0.0.1:0    Serve over HTTP, and print URL and token")]
pub(crate) struct McpArgs {
    /// The workspace [default: the workspace of the current directory]
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Serve with the tools and paths of this member of the team, instead of those of the operator
    #[arg(long, value_name = "MEMBER")]
    member: Option<String>,
    /// Serve only the granted tools of these toolsets, separated by commas; can be repeated
    #[arg(long = "toolset", value_name = "TOOLSET", value_delimiter = ',')]
    toolsets: Vec<String>,
    /// The task package of calls that do not name one
    #[arg(long, value_name = "NAME")]
    task: Option<String>,
    /// Serve over HTTP at this local address, such as 127.0.0.1:8333; port 0 selects a free port
    ///
    /// Requests need the header `Authorization: Bearer TOKEN`. The token is the value of the environment variable
    /// `MINDS_MCP_TOKEN`, of at least 16 characters, or a random token that is printed.
    #[arg(long, value_name = "ADDRESS")]
    http: Option<SocketAddr>,
    /// Accept requests without a token, from every user of this machine
    #[arg(long, requires = "http")]
    no_token: bool,
    /// Do not start the MCP servers of `.minds/mcp.yaml`, and not the program of the toolset `fleet`
    #[arg(long)]
    no_gateway: bool,
}

pub(crate) fn run(directory: &Path, args: &McpArgs) -> Result<ExitCode, Failure> {
    let (server, gateway) = server(directory, args)?;
    if let Err(refusal) = server.admit() {
        if refusal.code == Code::UnknownMember {
            return Err(Failure::usage(refusal.message).with_code(Code::UnknownMember));
        }
        Output::warning(&format!("{}: there are no tools to serve", refusal.message));
    }
    if let Some(names) = server.toolsets_without_tools() {
        Output::remark(&format!("granted toolsets without tools here: {names}"));
    }
    // The sandbox of the kernel is an additional protection, so the server also runs on systems without it.
    if let Err(error) = server.confine() {
        Output::warning(&format!("this process is not confined: {error}"));
    }
    if let Some(gateway) = &gateway {
        gateway.follow().map_err(ServeError::system("start a thread")).map_err(failure)?;
    }
    let outcome = serve(server, args);
    if let Some(gateway) = gateway {
        gateway.end();
    }
    outcome.map(|()| ExitCode::SUCCESS)
}

/// Serves until the client or the user ends it.
fn serve(server: Server, args: &McpArgs) -> Result<(), Failure> {
    match args.http {
        None => serve_stdio(server).map_err(failure),
        Some(address) => {
            let (token, is_new) = token(args.no_token)?;
            let new_token = token.clone().filter(|_| is_new);
            serve_http(server, HttpOptions { address, token }, |listening| {
                announce(listening, new_token.as_ref());
            })
            .map_err(failure)
        }
    }
}

fn server(directory: &Path, args: &McpArgs) -> Result<(Server, Option<Arc<Link>>), Failure> {
    let root = match &args.root {
        // The given directory is used even if a directory above it is a workspace.
        Some(root) => {
            let root = directory.join(root);
            minds_operations::ensure_trusted(&root)?;
            root
        }
        None => locate(directory, &[])?.directory.unwrap_or_else(|| directory.to_owned()),
    };
    let state = state_folder(&root).map_err(OperationError::from)?;
    let context = ToolContext::open(&root, &state, Clock::System).map_err(OperationError::from)?;
    let context = context.for_task(args.task.clone());
    let name = minds_fs::directory_name(&root).map_err(OperationError::from)?;
    let caller = match &args.member {
        Some(id) => Caller::member(id.clone()),
        None => Caller::operator(user_name()),
    };
    // Without its toolset, the program of the fleet is not started.
    let has_fleet = args.toolsets.is_empty() || args.toolsets.iter().any(|name| name == FLEET_TOOLSET);
    let fleet = has_fleet.then(|| caller.clone());
    let gateway = if args.no_gateway { None } else { launch_gateway(&root, state, &caller, fleet)? };
    let mut server = Server::new(context, name.unwrap_or_else(|| "workspace".to_owned()), caller);
    if let Some(gateway) = &gateway {
        server = server.with_source(Arc::clone(gateway) as Arc<dyn ToolSource>);
    }
    let server =
        server.restricted_to(args.toolsets.clone()).map_err(|error| Failure::usage(error.to_string()))?;
    Ok((server, gateway))
}

/// Starts the gateway, before this process is confined. Without one the other tools are served.
fn launch_gateway(
    root: &Path,
    state: PathBuf,
    caller: &Caller,
    fleet: Option<Caller>,
) -> Result<Option<Arc<Link>>, Failure> {
    let workspace = minds_fs::real_directory(root).map_err(OperationError::from)?;
    let caller = caller.label();
    let options = Options {
        workspace,
        state,
        caller,
        fleet,
        is_lazy: false,
        is_recorded: true,
        is_relayed: true,
        accepted: None,
    };
    match gateway::launch(&options) {
        Ok(link) => Ok(Some(Arc::new(link))),
        Err(error) => {
            let cause = minds_process::describe_io_error(&error);
            Output::warning(&format!(
                "there are no tools of MCP servers, because the gateway cannot be started: {cause}"
            ));
            Ok(None)
        }
    }
}

/// Returns the token that requests need, and whether it was just generated.
fn token(none: bool) -> Result<(Option<Token>, bool), Failure> {
    match variable(TOKEN).map_err(OperationError::from)? {
        _ if none => Ok((None, false)),
        Some(value) => match Token::parse(&value) {
            Some(token) => Ok((Some(token), false)),
            None => Err(Failure::usage(format!("`{TOKEN}` must have at least 16 characters and no spaces"))),
        },
        None => Ok((Some(Token::random().map_err(failure)?), true)),
    }
}

/// Prints the URL of the server for the program that started it.
fn announce(listening: &HttpServer, token: Option<&Token>) {
    Output::print_generated_secret(&listening.announcement(token));
}

/// Returns the failure of the command for an error of the server.
#[expect(clippy::needless_pass_by_value, reason = "it is used as a conversion in `map_err`")]
pub(super) fn failure(error: ServeError) -> Failure {
    Failure::environment(error.to_string())
}
