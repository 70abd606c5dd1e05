//! `minds gateway tools`

use std::path::Path;
use std::process::ExitCode;

use minds_diagnostics::emit::printable;
use minds_mcp_gateway::documents::{GatewayToolsDocument, ServerTools, SkippedEntry};
use minds_mcp_gateway::report::{self, ReportError};
use minds_process::user_name;
use minds_toolset::{Caller, ToolContext, Toolbox};

use super::failure;
use minds_output::exit_codes::REFUSED;
use minds_output::format::{Format, FormatArgs};
use minds_output::paint::{Style, paint};
use minds_output::{Failure, Output, count};

/// List the tools of the MCP servers
///
/// Servers are started for the duration of the command, but not those whose tools are remembered from an earlier start.
///
/// Exits with 1 if a server fails, and with 2 if the server or member does not exist or the file is not valid.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds gateway tools           List the tools of all servers
  minds gateway tools files --refresh
                                Start a server to list its tools
  minds gateway tools --all --as coder
                                Show why tools are left out for a member")]
pub(super) struct ToolsArgs {
    /// List only the tools of this server
    #[arg(value_name = "SERVER")]
    server: Option<String>,
    /// List only the tools that this member of the team has
    #[arg(long = "as", value_name = "MEMBER")]
    member: Option<String>,
    /// Also list the tools that are left out, each with the reason, and entries of filters that match no tool
    #[arg(long)]
    all: bool,
    /// Start the servers even if their tools are remembered
    #[arg(long)]
    refresh: bool,
    #[command(flatten)]
    format: FormatArgs,
}

pub(super) fn run(directory: &Path, args: &ToolsArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let mut options = super::options(directory)?;
    options.is_lazy = !args.refresh;
    if let Some(server) = &args.server {
        super::expect_server(&options, server)?;
    }
    let context = ToolContext::find(directory)?;
    let caller = match &args.member {
        Some(id) => Caller::member(id.clone()),
        None => Caller::operator(user_name()),
    };
    Toolbox::new()
        .admit(&context, &caller)
        .map_err(|refusal| Failure::usage(refusal.message).with_code(refusal.code))?;
    report::read_config(&options).map_err(failure)?;
    let link = super::start(&options)?;
    report::wait_for_starts(&link).map_err(ReportError::Gateway).map_err(failure)?;
    let mut servers = link.server_tools().map_err(ReportError::Gateway).map_err(failure)?;
    if let Some(server) = &args.server {
        servers.retain(|tools| tools.id == *server);
    }
    let toolbox = Toolbox::new().with_source(std::sync::Arc::new(link));
    if args.member.is_some() {
        withhold(&mut servers, &toolbox, &context, &caller);
    }
    if !args.all {
        for server in &mut servers {
            server.skipped.clear();
            server.unmatched.clear();
        }
    }
    let has_failed = servers.iter().any(|server| server.last_error.is_some());
    let document = GatewayToolsDocument { servers };
    match args.format.chosen(out) {
        Format::Json => out.document(&document),
        Format::Human => print(&document, out),
    }
    Ok(if has_failed { ExitCode::from(REFUSED) } else { ExitCode::SUCCESS })
}

/// Moves the tools that a caller does not have to those that are left out.
fn withhold(servers: &mut [ServerTools], toolbox: &Toolbox, context: &ToolContext, caller: &Caller) {
    let offered = toolbox.offered_tools(context, caller);
    for server in servers {
        let (granted, withheld) =
            std::mem::take(&mut server.tools).into_iter().partition(|tool| offered.has(&tool.name));
        server.tools = granted;
        server.skipped.extend(Vec::into_iter(withheld).map(
            |tool: minds_mcp_gateway::documents::ToolEntry| {
                let detail = format!(
                    "{} does not have it: grant `{}` in `toolsets`, or `{}` in `tools`",
                    caller.label(),
                    server.id,
                    tool.name
                );
                SkippedEntry {
                    original: tool.original,
                    r#final: Some(tool.name),
                    reason: "not-granted".to_owned(),
                    detail,
                }
            },
        ));
    }
}

fn print(document: &GatewayToolsDocument, out: &mut Output) {
    let is_colored = out.is_colored();
    if document.servers.is_empty() {
        out.trailing_remark("there are no MCP servers: `.minds/mcp.yaml` does not exist or has none");
    }
    for server in &document.servers {
        let heading = paint(&printable(&server.id), Style::Bold, is_colored);
        out.push_styled(&format!("{heading}  {}\n", count(server.tools.len(), "tool")));
        if let Some(error) = &server.last_error {
            out.push_styled(&format!("  {}\n", paint(&printable(error), Style::Red, is_colored)));
        }
        for tool in &server.tools {
            let text = tool.description.lines().next().unwrap_or_default();
            let text = text.split_once(". ").map_or(text, |(first, _)| first);
            out.push_styled(&format!(
                "  {}  {}\n",
                printable(&tool.name),
                printable(text.trim_end_matches('.'))
            ));
        }
        for tool in &server.skipped {
            let reason = paint(&printable(&tool.reason), Style::Yellow, is_colored);
            out.push_styled(&format!(
                "  {}  {reason}: {}\n",
                printable(&tool.original),
                printable(&tool.detail)
            ));
        }
        for unmatched in &server.unmatched {
            out.push_styled(&format!(
                "  `{}` of `{}` matches no tool\n",
                printable(&unmatched.entry),
                unmatched.list
            ));
        }
    }
}
