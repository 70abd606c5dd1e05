//! `minds clean`

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use minds_diagnostics::emit::printable;
use minds_operations::{CleanOutcome, ClientServers};
use serde::Serialize;

use super::unless_nothing;
use crate::format::{Format, FormatArgs};
use crate::output::{Failure, Output};

/// Remove what was rendered
///
/// Removes, without asking, the files that `minds render` wrote and that are as it wrote them, for whatever target, and takes
/// the servers that it wrote out of the files of MCP clients, with the files that it began for them. Files and servers that
/// were changed since stay, and so does everything else. Directories that are empty afterwards go too.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds clean --root .team --dry-run    Show what would be removed
  minds clean --root .team              Remove it")]
pub(crate) struct CleanArgs {
    /// The compose root: the directory that holds `team-compose.yaml`; the `.ateam` directory of a fleet; or a workspace.
    /// Found as for `minds render` if none is named
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Show what would be removed, and remove nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(directory: &Path, args: &CleanArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let outcome = minds_operations::clean(directory, args.root.as_deref(), !args.dry_run);
    let Some(outcome) = unless_nothing(outcome, out)? else {
        if args.format.chosen(out) == Format::Json {
            out.json(&document(&CleanOutcome { root: ".".to_owned(), ..CleanOutcome::default() }));
        }
        return Ok(ExitCode::SUCCESS);
    };
    if args.format.chosen(out) == Format::Json {
        out.json(&document(&outcome));
        return Ok(ExitCode::SUCCESS);
    }
    let removed = if args.dry_run { "would remove" } else { "removed" };
    for path in &outcome.removed {
        out.data(&format!("{removed} {}\n", printable(path)));
    }
    for ClientServers { path, servers } in &outcome.changed {
        out.data(&format!("{removed} {} from {}\n", named(servers), printable(path)));
    }
    for ClientServers { path, servers } in &outcome.kept_servers {
        let (named, stay) = (named(servers), stay(servers));
        out.warning_behind(&format!("`{path}` was changed since it was rendered, so {named} in it {stay}"));
    }
    for (ClientServers { path, servers }, reason) in &outcome.blocked_servers {
        let (named, stay) = (named(servers), stay(servers));
        out.warning_behind(&format!("`{path}` cannot be changed: {reason}; so {named} in it {stay}"));
    }
    for path in &outcome.kept {
        out.warning_behind(&format!("`{path}` was changed since it was rendered, so it stays"));
    }
    for (path, reason) in &outcome.unremovable {
        out.warning_behind(&format!("`{path}` cannot be removed, so it stays: {reason}"));
    }
    if outcome.removed.is_empty() && outcome.changed.is_empty() {
        Output::remark("nothing to remove");
    }
    Ok(ExitCode::SUCCESS)
}

#[derive(Serialize)]
struct Document<'a> {
    root: &'a str,
    removed: &'a [String],
    changed: Vec<&'a str>,
    kept: Vec<&'a str>,
    removed_servers: Vec<InFile<'a>>,
    kept_servers: Vec<InFile<'a>>,
}

/// Servers in the file of a client.
#[derive(Serialize)]
struct InFile<'a> {
    path: &'a str,
    servers: &'a [String],
    /// Why they stay, if it is not that they were changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

fn document(outcome: &CleanOutcome) -> Document<'_> {
    fn path(servers: &ClientServers) -> &str {
        &servers.path
    }
    fn servers<'a>(found: &'a ClientServers, reason: Option<&'a str>) -> InFile<'a> {
        InFile { path: &found.path, servers: &found.servers, reason }
    }
    let blocked = outcome.blocked_servers.iter();
    let unremovable = outcome.unremovable.iter().map(|(path, _)| path);
    let kept = outcome.kept.iter().chain(unremovable).map(String::as_str);
    let kept = kept.chain(outcome.kept_servers.iter().map(path));
    let kept_servers = outcome.kept_servers.iter().map(|found| servers(found, None));
    Document {
        root: &outcome.root,
        removed: &outcome.removed,
        changed: outcome.changed.iter().map(path).collect(),
        kept: kept.chain(blocked.clone().map(|(found, _)| path(found))).collect(),
        removed_servers: outcome.changed.iter().map(|found| servers(found, None)).collect(),
        kept_servers: kept_servers
            .chain(blocked.map(|(found, reason)| servers(found, Some(reason))))
            .collect(),
    }
}

fn stay(servers: &[String]) -> &'static str {
    if servers.len() == 1 { "stays" } else { "stay" }
}

/// Returns how to call servers.
fn named(servers: &[String]) -> String {
    let names: Vec<String> = servers.iter().map(|server| format!("`{}`", printable(server))).collect();
    let servers = if names.len() == 1 { "the server" } else { "the servers" };
    format!("{servers} {}", names.join(", "))
}
