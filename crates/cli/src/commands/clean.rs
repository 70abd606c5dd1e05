//! `minds clean`

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use minds_diagnostics::emit::printable;
use minds_operations::documents::CleanDocument;
use minds_operations::{CleanOutcome, ClientServers};

use super::allow_nothing_to_do;
use minds_output::format::{Format, FormatArgs};
use minds_output::{Failure, Output};

/// Remove generated files
///
/// Removes the files that `minds render` generated, for all targets, and its servers in the configuration files of MCP
/// clients, without confirmation. Files and servers that were changed since then are kept, and so is everything else.
/// Directories that become empty are removed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds clean --root .team --dry-run    Show what would be removed
  minds clean --root .team              Remove it")]
pub(crate) struct CleanArgs {
    /// The compose root (the directory with `team-compose.yaml`), the `.ateam` directory of a fleet, or a workspace; by
    /// default it is found as for `minds render`
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Show what would be removed, without removing it
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(directory: &Path, args: &CleanArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let outcome = minds_operations::clean(directory, args.root.as_deref(), !args.dry_run);
    let Some(outcome) = allow_nothing_to_do(outcome, out)? else {
        if args.format.chosen(out) == Format::Json {
            out.document(&CleanDocument::from(&CleanOutcome {
                root: ".".to_owned(),
                ..CleanOutcome::default()
            }));
        }
        return Ok(ExitCode::SUCCESS);
    };
    if args.format.chosen(out) == Format::Json {
        out.document(&CleanDocument::from(&outcome));
        return Ok(ExitCode::SUCCESS);
    }
    let removed = if args.dry_run { "would remove" } else { "removed" };
    for path in &outcome.removed {
        out.data(&format!("{removed} {}\n", printable(path)));
    }
    for ClientServers { path, servers } in &outcome.changed {
        out.data(&format!("{removed} {} from {}\n", server_names(servers), printable(path)));
    }
    for path in &outcome.changed_parts {
        out.data(&format!("{removed} the parts of the team from {}\n", printable(path)));
    }
    for ClientServers { path, servers } in &outcome.kept_servers {
        let (names, are) = (server_names(servers), verb(servers));
        out.trailing_warning(&format!(
            "`{path}` was changed since it was generated, so {names} in it {are} kept"
        ));
    }
    for (ClientServers { path, servers }, reason) in &outcome.blocked_servers {
        let (names, are) = (server_names(servers), verb(servers));
        out.trailing_warning(&format!("cannot change `{path}`: {reason}; {names} in it {are} kept"));
    }
    for path in &outcome.kept {
        out.trailing_warning(&format!("`{path}` was changed since it was generated, so it is kept"));
    }
    for (path, reason) in &outcome.unremovable {
        out.trailing_warning(&format!("cannot remove `{path}`: {reason}"));
    }
    if outcome.removed.is_empty() && outcome.changed.is_empty() && outcome.changed_parts.is_empty() {
        Output::remark("nothing to remove");
    }
    Ok(ExitCode::SUCCESS)
}

fn verb(servers: &[String]) -> &'static str {
    if servers.len() == 1 { "is" } else { "are" }
}

fn server_names(servers: &[String]) -> String {
    let names: Vec<String> = servers.iter().map(|server| format!("`{}`", printable(server))).collect();
    let servers = if names.len() == 1 { "the server" } else { "the servers" };
    format!("{servers} {}", names.join(", "))
}
