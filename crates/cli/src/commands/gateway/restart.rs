//! `minds gateway restart`

use std::path::Path;
use std::process::ExitCode;

use minds_diagnostics::emit::printable;
use minds_mcp_gateway::documents::GatewayRestartDocument;
use minds_mcp_gateway::{report, running_gateways};
use minds_operations::OperationError;

use minds_output::exit_codes::REFUSED;
use minds_output::format::{Format, FormatArgs};
use minds_output::{Failure, Output, count};

/// Restart an MCP server in all running gateways
///
/// Calls that run are completed, for at most three seconds. What worked before stays if the server does not start.
///
/// Exits with 1 if no gateway runs or the server does not start in one of them, and with 2 if the server does not exist.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds gateway restart files   Restart the server `files`")]
pub(super) struct RestartArgs {
    /// The id of the server in `.minds/mcp.yaml`
    #[arg(value_name = "SERVER")]
    server: String,
    #[command(flatten)]
    format: FormatArgs,
}

pub(super) fn run(directory: &Path, args: &RestartArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let options = super::options(directory)?;
    super::expect_server(&options, &args.server)?;
    let running = running_gateways(&options.state).map_err(OperationError::from)?;
    let gateways = report::restart(&running, &args.server);
    let has_failed = gateways.is_empty() || gateways.iter().any(|gateway| !gateway.ok);
    let document = GatewayRestartDocument { server: args.server.clone(), gateways };
    match args.format.chosen(out) {
        Format::Json => out.document(&document),
        Format::Human => print(&document, out),
    }
    Ok(if has_failed { ExitCode::from(REFUSED) } else { ExitCode::SUCCESS })
}

fn print(document: &GatewayRestartDocument, out: &mut Output) {
    if document.gateways.is_empty() {
        out.trailing_error("refused", "no gateway runs in this workspace; `minds mcp` starts one");
    }
    for gateway in &document.gateways {
        let outcome = match &gateway.error {
            None => format!("restarted, {}", count(gateway.tools, "tool")),
            Some(error) => format!("not restarted: {}", printable(error)),
        };
        out.push_styled(&format!("gateway {}: {outcome}\n", gateway.pid));
    }
}
