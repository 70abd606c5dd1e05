//! Rendering the members of a team for clients.

use std::collections::BTreeSet;

use minds_client_agents::{Compiled, MemberText, Request, Team, compile};
use minds_clients::ClientId;
use minds_core::TEAM_FILE;
use minds_diagnostics::{Diagnostic, Severity};
use minds_fs::Root;
use minds_render::clients::{ClientPlan, ClientRecord, TeamSettings};
use minds_render::parts::{FilePart, PartRecord, plan_parts, scope_of_parts};
use minds_render::{Aspect, TeamTarget};
use minds_vfs::{Location, MountId, Scope, Snapshot, WorkspacePath};
use minds_workspace::MemberFiles;

use crate::OperationError;

/// The directory of the team in other letters, which exists only where letter case is ignored.
const FOLDED_TEAM_FILE: &str = ".MINDS/TEAM.YAML";

/// The parts of files for clients, and the findings about the team.
pub(crate) struct TeamParts {
    pub(crate) parts: Vec<FilePart>,
    /// The file of the team.
    pub(crate) file: String,
    pub(crate) found: Vec<Diagnostic>,
}

/// Renders the members of the team of a workspace.
///
/// # Errors
///
/// Fails if there is no team, or a setting names a member that it does not have.
pub(crate) fn render(
    workspace: &Root,
    targets: &[TeamTarget],
    settings: &TeamSettings,
    records: &[PartRecord],
) -> Result<TeamParts, OperationError> {
    let snapshot = workspace.snapshot(&minds_workspace::team_scope());
    if !has(&snapshot, TEAM_FILE) {
        return Err(OperationError::NoTeam { place: "in the workspace".to_owned() });
    }
    let checked = minds_workspace::check(&snapshot);
    let mut found = checked.diagnostics;
    found.retain(|found| found.severity == Severity::Error);
    let mut made = TeamParts { parts: Vec::new(), file: TEAM_FILE.to_owned(), found };
    if !made.found.is_empty() {
        return Ok(made);
    }
    let files = MemberFiles::of(&snapshot);
    let texts = |id: &str| {
        let files = files.of_member(id).into_iter();
        files.filter_map(|file| Some(MemberText { kind: file.kind, text: file.text.ok()? })).collect()
    };
    let Some(team) = Team::read(&checked.family, &texts) else { return Ok(made) };
    for id in settings.allow_wider.iter().chain(&settings.main_member) {
        if !team.has_member(id) {
            let near =
                minds_diagnostics::find_nearest(id, team.ids(), 3).into_iter().map(str::to_owned).collect();
            return Err(OperationError::UnknownMember { id: id.clone(), near });
        }
    }
    let recorded = records.iter().map(|record| record.target);
    let hooks: BTreeSet<ClientId> = recorded
        .chain(targets.iter().copied())
        .filter(|target| target.aspect == Aspect::Hooks)
        .map(|target| target.client)
        .collect();
    let request = Request {
        team: &team,
        targets,
        hooks: &hooks,
        allow_wider: &settings.allow_wider,
        main_member: settings.main_member.as_deref(),
        folds_case: folds_case(workspace),
    };
    let Compiled { parts, problems } = compile(&request);
    made.parts = parts;
    made.found.extend(minds_workspace::redact_problems(problems));
    Ok(made)
}

/// Adds the parts of files to the plan for client files.
pub(crate) fn add_to_plan(
    plan: &mut ClientPlan,
    workspace: &Root,
    parts: &[FilePart],
    targets: &[TeamTarget],
    settings: &TeamSettings,
) {
    if targets.is_empty() {
        return;
    }
    let records = std::mem::take(&mut plan.manifest.parts);
    let found = workspace.snapshot(&scope_of_parts(parts, &records));
    plan.manifest.parts = plan_parts(plan, parts, targets, &records, &found);
    plan.manifest.settings = settings.clone();
}

/// Returns what was rendered before.
pub(crate) fn recorded_parts(record: &ClientRecord) -> &[PartRecord] {
    record.manifest().map(|manifest| manifest.parts.as_slice()).unwrap_or_default()
}

/// Returns whether the file system of a workspace ignores letter case.
fn folds_case(workspace: &Root) -> bool {
    let path = WorkspacePath::parse(FOLDED_TEAM_FILE).map(|path| Location::new(MountId::WORKSPACE, path));
    path.is_ok_and(|location| {
        workspace.snapshot(&Scope::of_files([location.clone()])).get(&location).is_some()
    })
}

fn has(snapshot: &Snapshot, file: &str) -> bool {
    WorkspacePath::parse(file)
        .is_ok_and(|path| snapshot.get(&Location::new(MountId::WORKSPACE, path)).is_some())
}
