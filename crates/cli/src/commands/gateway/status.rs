//! `minds gateway status`

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use minds_diagnostics::emit::printable;
use minds_mcp_gateway::documents::{GatewayStatusDocument, ServerStatus};
use minds_mcp_gateway::report::{self, ReportError};
use minds_mcp_gateway::{Options, running_gateways};
use minds_operations::OperationError;
use minds_toolset::ServerState;
use unicode_width::UnicodeWidthStr as _;

use minds_output::exit_codes::REFUSED;
use minds_output::format::{Format, FormatArgs};
use minds_output::paint::{Style, paint};
use minds_output::{Failure, Output, count};

use super::failure;

/// Show the MCP servers and the gateways that run
///
/// Without a running gateway this shows the servers of `.minds/mcp.yaml`. With `--start`, each server is started once and
/// stopped again.
///
/// Exits with 1 if a server fails with `--start`, and with 2 if the server does not exist or the file is not valid.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds gateway status          Show all servers
  minds gateway status --start  Start each server once, and report
  minds gateway status files --json
                                Show one server as JSON, with its log")]
pub(super) struct StatusArgs {
    /// Show only this server, with its log
    #[arg(value_name = "SERVER")]
    server: Option<String>,
    /// Start each server once, report and stop
    #[arg(long)]
    start: bool,
    #[command(flatten)]
    format: FormatArgs,
}

pub(super) fn run(directory: &Path, args: &StatusArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let options = super::options(directory)?;
    if let Some(server) = &args.server {
        super::expect_server(&options, server)?;
    }
    let mut document = if args.start {
        // Fails for a file that is not valid, before anything is started.
        report::read_config(&options).map_err(failure)?;
        let link = super::start(&Options { is_lazy: false, ..options })?;
        let state = report::wait_for_starts(&link).map_err(ReportError::Gateway).map_err(failure)?;
        report::of_gateway(state)
    } else {
        let gateways = running_gateways(&options.state).map_err(OperationError::from)?;
        report::status(&options, &gateways).map_err(failure)?
    };
    if let Some(server) = &args.server {
        document.servers.retain(|status| status.id == *server);
        let prefix = minds_mcp_gateway::server_problem_prefix(server);
        document.problems.retain(|problem| problem.id.starts_with(&prefix));
    }
    let is_failed =
        |server: &ServerStatus| matches!(server.state, ServerState::Failing | ServerState::Invalid);
    let has_failed = args.start && document.servers.iter().any(is_failed);
    match args.format.chosen(out) {
        Format::Json => out.document(&document),
        Format::Human => print(&document, args, out),
    }
    Ok(if has_failed { ExitCode::from(REFUSED) } else { ExitCode::SUCCESS })
}

fn print(document: &GatewayStatusDocument, args: &StatusArgs, out: &mut Output) {
    let is_colored = out.is_colored();
    if document.servers.is_empty() {
        out.trailing_remark("there are no MCP servers: `.minds/mcp.yaml` does not exist or has none");
    }
    let width = document.servers.iter().map(|server| printable(&server.id).width()).max().unwrap_or_default();
    for server in &document.servers {
        out.push_styled(&row(server, width, is_colored));
        if args.server.is_some() {
            for line in &server.log {
                out.push_styled(&format!("  log: {}\n", printable(line)));
            }
        }
    }
    if !args.start {
        for gateway in &document.gateways {
            let conversations = count(gateway.conversations, "conversation");
            out.push_styled(&format!(
                "gateway {} of {} since {}, {conversations}\n",
                gateway.pid,
                printable(&gateway.caller),
                printable(&gateway.started_at)
            ));
        }
        if document.gateways.is_empty() && !document.servers.is_empty() {
            out.trailing_remark("no gateway runs; `minds mcp` starts one, and `--start` tries the servers");
        }
    }
}

fn row(server: &ServerStatus, width: usize, is_colored: bool) -> String {
    let (style, state) = match server.state {
        ServerState::Ready => (Style::Green, "ready"),
        ServerState::Failing => (Style::Red, "failing"),
        ServerState::Invalid => (Style::Red, "invalid"),
        ServerState::Starting => (Style::Yellow, "starting"),
        ServerState::Stopping => (Style::Yellow, "stopping"),
        ServerState::NotStarted => (Style::Cyan, "not started"),
        ServerState::Disabled => (Style::Cyan, "disabled"),
    };
    let mut facts = vec![count(server.tools, "tool")];
    if server.skipped > 0 {
        facts.push(format!("{} left out", server.skipped));
    }
    if server.from_memory {
        facts.push("remembered".to_owned());
    }
    if server.leases > 0 {
        facts.push(count(server.leases, "connection"));
    }
    if server.in_flight > 0 {
        facts.push(count(server.in_flight, "call"));
    }
    if server.restarts > 0 {
        facts.push(count(usize::try_from(server.restarts).unwrap_or(usize::MAX), "restart"));
    }
    let id = printable(&server.id);
    let padding = " ".repeat(width.saturating_sub(id.width()));
    let id = paint(&id, Style::Bold, is_colored);
    let state = paint(&format!("{state:<11}"), style, is_colored);
    let mut row = format!("{id}{padding}  {state}  {}\n", facts.join(", "));
    if let Some(error) = &server.last_error {
        // Writing to a string cannot fail.
        let _ = writeln!(row, "  {}", printable(error));
    }
    row
}
