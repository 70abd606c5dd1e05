//! Rendering a compose root.

use std::path::{Path, PathBuf};

use minds_diagnostics::Report;
use minds_paths::MountId;
use minds_render::{Artifact, Item, Plan, Record, Refused, Setting, State, Target, artifacts};
use minds_system::{ApplyError, Root, variable};

use crate::OperationError;
use crate::compose_root::{self, CheckedRoot};
use crate::diff::{removal_diff, unified_diff};

/// The variable that names the command which serves the tools of the team, and the command where nobody does.
const MCP_VARIABLE: &str = "TEAMCTL_TEAM_MCP";
const MCP_COMMAND: &str = "team-mcp";

/// How often everything is looked at anew because files changed between looking and writing.
const MOST_ATTEMPTS: usize = 4;

/// What is to be rendered, and how.
#[derive(Clone, Copy, Debug, Default)]
pub struct RenderRequest<'r> {
    /// The compose root; found as for every command if none is named.
    pub root: Option<&'r Path>,
    /// What is rendered; the artifacts of the agents if nothing is named.
    pub targets: &'r [Target],
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

/// What is rendered, as values.
#[derive(Clone, Debug)]
pub struct Rendering {
    /// What was found in the files. With an error among it nothing is rendered.
    pub report: Report,
    /// The files, sorted by path, without the manifest.
    pub artifacts: Vec<Artifact>,
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

/// Renders a compose root, and with `write` writes what changes: all of it or nothing, and nothing if the files have an
/// error. A run that was interrupted is finished or taken back first.
///
/// # Errors
///
/// Fails if there is no compose root, its path cannot be written into files, or files changed meanwhile or cannot be
/// written; then nothing is.
pub fn render(base: &Path, request: &RenderRequest<'_>) -> Result<RenderOutcome, OperationError> {
    // Whoever renders at the same time mostly writes the same: then nothing is left to be written.
    for _ in 1..MOST_ATTEMPTS {
        match render_once(base, request) {
            Err(OperationError::Apply(ApplyError::Unexpected { .. })) => {}
            done => return done,
        }
    }
    render_once(base, request)
}

fn render_once(base: &Path, request: &RenderRequest<'_>) -> Result<RenderOutcome, OperationError> {
    let (directory, Rendering { report, artifacts: made }) = rendered(base, request)?;
    let mut outcome = RenderOutcome { report, files: Vec::new(), would_change: false, refused: None };
    if outcome.report.summary().errors > 0 {
        return Ok(outcome);
    }
    let targets = if request.targets.is_empty() { &[Target::Artifacts] } else { request.targets };
    let disk = Root::open(&directory, MountId::WORKSPACE)?.without_links();
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
    Ok(outcome)
}

/// Renders a compose root in memory: what is on disk in the places of the files is not looked at.
///
/// # Errors
///
/// Fails if there is no compose root, or its path cannot be written into files.
pub fn render_in_memory(base: &Path, request: &RenderRequest<'_>) -> Result<Rendering, OperationError> {
    rendered(base, request).map(|(_, rendering)| rendering)
}

/// Returns where the compose root lies, and what is rendered of it.
fn rendered(base: &Path, request: &RenderRequest<'_>) -> Result<(PathBuf, Rendering), OperationError> {
    let CheckedRoot { directory, shown, files, family, found } = compose_root::read(base, request.root)?;
    let root = usable(&directory)?;
    let report = Report { root: shown, files, diagnostics: found, ..Report::default() };
    if report.summary().errors > 0 {
        return Ok((directory, Rendering { report, artifacts: Vec::new() }));
    }
    let from_environment = variable(MCP_VARIABLE).filter(|command| !command.is_empty());
    let mcp_command = request.mcp_command.or(from_environment.as_deref()).unwrap_or(MCP_COMMAND);
    let artifacts = artifacts(&family, &Setting { root, mcp_command })?;
    Ok((directory, Rendering { report, artifacts }))
}

/// Returns a path as a text that stays in its line.
fn usable(directory: &Path) -> Result<&str, OperationError> {
    let reason = match directory.to_str() {
        Some(path) if !path.contains(char::is_control) => return Ok(path),
        Some(_) => "it has a control character, which could add lines to what is rendered",
        None => "it is not UTF-8",
    };
    Err(OperationError::UnusableRoot { reason })
}

fn shown_file(item: &Item) -> RenderedFile {
    let path = item.path.to_string();
    if item.state == State::Unchanged && item.is_too_open {
        // As git shows it: the text stays.
        let diff = format!("diff --git a/{path} b/{path}\nold mode 100644\nnew mode 100600\n");
        return RenderedFile { path, state: State::Changed, diff };
    }
    if item.state == State::Unchanged {
        return RenderedFile { path, state: item.state, diff: String::new() };
    }
    let before = item.before.as_ref().map(|bytes| String::from_utf8_lossy(bytes));
    let diff = match &item.after {
        Some(after) => unified_diff(&path, before.as_deref(), &String::from_utf8_lossy(after)),
        None => removal_diff(&path, &before.unwrap_or_default()),
    };
    RenderedFile { path, state: item.state, diff }
}
