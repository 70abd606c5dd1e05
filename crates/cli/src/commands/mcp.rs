//! `minds mcp`

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use minds_mcp::{HttpOptions, Listening, ServeError, Server, Token, serve_http, serve_stdio};
use minds_operations::{OperationError, locate};
use minds_system::{state_folder, user_name, variable};
use minds_toolset::{Caller, Clock, Code, ToolContext};
use serde_json::json;

use crate::output::{Failure, Output};

/// The environment variable that holds the token.
const TOKEN: &str = "MINDS_MCP_TOKEN";

/// Serve the tools of agents by the Model Context Protocol
///
/// Speaks the protocol over standard input and output, for a client that starts it, until the input ends. What a client may
/// do is fixed here and by the files of the team: no message of it changes who it is.
///
/// Exits with 2 if there is no such directory, member or toolset, or no such address to listen on.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds mcp --member coder        Serve the tools of a member over standard input and output
  minds mcp --member lead --toolset team-mgmt
                                  Serve only those that manage the team
  minds mcp --http 127.0.0.1:0    Serve the operator over HTTP; the address and the token go to standard error")]
pub(crate) struct McpArgs {
    /// The workspace; by default the one that you are in
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Serve this member of the team, with its tools and paths; by default the operator
    #[arg(long, value_name = "MEMBER")]
    member: Option<String>,
    /// Serve only the tools of this toolset, of those that the caller has; several with commas, or one by one
    #[arg(long = "toolset", value_name = "TOOLSET", value_delimiter = ',')]
    toolsets: Vec<String>,
    /// Fix the task package that tools are about where a call names none
    #[arg(long, value_name = "NAME")]
    task: Option<String>,
    /// Serve over HTTP at this address of this machine, such as 127.0.0.1:8333; port 0 picks one
    ///
    /// Requests must bring a token, `Authorization: Bearer …`: that in the environment variable `MINDS_MCP_TOKEN`, of at
    /// least 16 characters, or else one that is made and printed.
    #[arg(long, value_name = "ADDRESS")]
    http: Option<SocketAddr>,
    /// Let everybody on this machine in
    #[arg(long, requires = "http")]
    no_token: bool,
}

pub(crate) fn run(directory: &Path, args: &McpArgs) -> Result<ExitCode, Failure> {
    let server = server(directory, args)?;
    if let Err(refusal) = server.admit() {
        if refusal.code == Code::UnknownMember {
            return Err(Failure::usage(refusal.message).with_code(Code::UnknownMember.as_str()));
        }
        Output::warning(&format!("{}: there are no tools to serve", refusal.message));
    }
    if let Some(names) = server.toolsets_without_tools() {
        Output::remark(&format!("granted toolsets without tools here: {names}"));
    }
    // The wall of the kernel is one more than is needed, so a system without it is served as well.
    if let Err(error) = server.confine() {
        Output::warning(&format!("this process is not confined: {error}"));
    }
    match args.http {
        None => serve_stdio(server)?,
        Some(address) => {
            let (token, is_new) = token(args.no_token)?;
            let shown = token.clone().filter(|_| is_new);
            serve_http(server, HttpOptions { address, token }, |listening| {
                announce(listening, shown.as_ref());
            })?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn server(directory: &Path, args: &McpArgs) -> Result<Server, Failure> {
    let root = match &args.root {
        // What is named is meant, whatever lies above it.
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
    let name = minds_system::directory_name(&root).map_err(OperationError::from)?;
    let caller = match &args.member {
        Some(id) => Caller::member(id.clone()),
        None => Caller::operator(user_name()),
    };
    let server = Server::new(context, name.unwrap_or_else(|| "workspace".to_owned()), caller);
    let server = server.narrowed(args.toolsets.clone()).map_err(|error| Failure::usage(error.to_string()))?;
    Ok(server)
}

/// Returns the token that requests must bring, and whether it was just made.
fn token(none: bool) -> Result<(Option<Token>, bool), Failure> {
    match variable(TOKEN).map_err(OperationError::from)? {
        _ if none => Ok((None, false)),
        Some(word) => match Token::agreed(&word) {
            Some(token) => Ok((Some(token), false)),
            None => Err(Failure::usage(format!("`{TOKEN}` must hold at least 16 characters, and no spaces"))),
        },
        None => Ok((Some(Token::random()?), true)),
    }
}

/// Says where the server is, for the program that started it.
fn announce(listening: &Listening, token: Option<&Token>) {
    let mut line = json!({"url": listening.url});
    if let (Some(line), Some(token)) = (line.as_object_mut(), token) {
        line.insert("token".to_owned(), token.as_str().into());
    }
    Output::hand_over(&line);
}

impl From<ServeError> for Failure {
    fn from(error: ServeError) -> Self {
        Self::environment(error.to_string())
    }
}
