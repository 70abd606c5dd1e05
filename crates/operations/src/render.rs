//! Rendering a compose root, or a fleet.

use std::path::Path;

use minds_diagnostics::Report;
use minds_paths::MountId;
use minds_render::{Artifact, Item, Plan, Record, Refused, Setting, State, Target, artifacts};
use minds_system::{Root, variable};

use crate::OperationError;
use crate::compose_root::{self, CheckedRoot};
use crate::diff::{removal_diff, unified_diff};
use crate::services;

/// The variable that names the command which serves the tools of the team, and the command where nobody does.
const MCP_VARIABLE: &str = "TEAMCTL_TEAM_MCP";
const MCP_COMMAND: &str = "team-mcp";

/// What is to be rendered, and how.
#[derive(Clone, Copy, Debug, Default)]
pub struct RenderRequest<'r> {
    /// The compose root, or the `.ateam` directory of a fleet; found as for every command if none is named.
    pub root: Option<&'r Path>,
    /// What is rendered; the artifacts of the agents if nothing is named.
    pub targets: &'r [Target],
    /// The command that runs an agent, the program first, for targets that keep agents running; that of `teamctl` for a
    /// compose root if none is named.
    pub command: &'r [String],
    /// The command that serves the tools of the team; that of the environment, else `team-mcp`, if none is named.
    pub mcp_command: Option<&'r str>,
    /// Whether to write; else it is only said what would be written.
    pub write: bool,
    /// Whether to overwrite files that were not rendered here, or changed since.
    pub force: bool,
}

/// What rendering did, or would do.
#[derive(Clone, Debug)]
pub struct RenderOutcome {
    /// What was found in the files. With an error among it nothing is rendered.
    pub report: Report,
    /// The files, sorted by path, the manifest last; none if nothing is rendered.
    pub files: Vec<RenderedFile>,
    /// Whether writing changes anything.
    pub would_change: bool,
    /// Why nothing was written although it was to be.
    pub refused: Option<Refused>,
}

/// A file that is rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedFile {
    /// Where it stands, from the compose root.
    pub path: String,
    /// What it is to what is there.
    pub state: State,
    /// How it changes, as a unified diff; empty if it does not. Secrets are shown as `*`.
    pub diff: String,
}

/// Renders a compose root, or a fleet where there is none, and with `write` writes what changes: all of it or nothing, and nothing if the files have an
/// error. A run that was interrupted is finished or taken back first.
///
/// # Errors
///
/// Fails if there is neither, the command cannot be used, the path cannot be written into files, or files changed meanwhile or cannot be
/// written; then nothing is.
pub fn render(base: &Path, request: &RenderRequest<'_>) -> Result<RenderOutcome, OperationError> {
    if let Some(workspace) = services::fleet_meant(base, request)? {
        return services::render_fleet(&workspace, request);
    }
    let CheckedRoot { directory, shown, files, family, found } = compose_root::read(base, request.root)?;
    let root = usable(&directory)?;
    let report = Report { root: shown, files, diagnostics: found, ..Report::default() };
    let mut outcome = RenderOutcome { report, files: Vec::new(), would_change: false, refused: None };
    if outcome.report.summary().errors > 0 {
        return Ok(outcome);
    }
    let from_environment = variable(MCP_VARIABLE).filter(|command| !command.is_empty());
    let mcp_command = request.mcp_command.or(from_environment.as_deref()).unwrap_or(MCP_COMMAND);
    let targets = services::targets_of(&family, request.targets);
    let made = artifacts(&family, &Setting { root, mcp_command })?;
    let (made, found) = services::with_services(made, &family, root, &targets, request.command)?;
    outcome.report.diagnostics.extend(found);
    if outcome.report.summary().errors > 0 {
        return Ok(outcome);
    }
    carry_out(&directory, made, &targets, request, &mut outcome)?;
    Ok(outcome)
}

/// Compares what was made with what is below a directory, and writes what changes, if that is asked for.
pub(crate) fn carry_out(
    directory: &Path,
    made: Vec<Artifact>,
    targets: &[Target],
    request: &RenderRequest<'_>,
    outcome: &mut RenderOutcome,
) -> Result<(), OperationError> {
    let disk = Root::open(directory, MountId::WORKSPACE)?.without_links();
    disk.settle()?;
    let record = Record::of(&disk.snapshot(&Record::scope()));
    let there = disk.snapshot(&Plan::scope(&made, &record));
    let plan = Plan::new(made, targets, &record, &there);
    outcome.files = plan.items().iter().map(shown_file).collect();
    outcome.would_change = plan.would_change();
    if request.write {
        match plan.changes(request.force) {
            Ok(changes) => disk.apply(&changes)?,
            Err(refused) => outcome.refused = Some(refused),
        }
    }
    Ok(())
}

/// Returns a path as a text that stays in its line.
pub(crate) fn usable(directory: &Path) -> Result<&str, OperationError> {
    let reason = match directory.to_str() {
        Some(path) if !path.contains(char::is_control) => return Ok(path),
        Some(_) => "it has a control character, which could add lines to what is rendered",
        None => "it is not UTF-8",
    };
    Err(OperationError::UnusableRoot { reason })
}

fn shown_file(item: &Item) -> RenderedFile {
    let path = item.path.to_string();
    let text = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).into_owned();
    let before = item.before.as_ref().map(text);
    let diff = match &item.after {
        _ if item.state == State::Unchanged => String::new(),
        Some(after) => unified_diff(&path, before.as_deref(), &text(after)),
        None => removal_diff(&path, &before.unwrap_or_default()),
    };
    RenderedFile { path, state: item.state, diff }
}
