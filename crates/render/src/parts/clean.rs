//! Removing rendered parts.

use std::collections::BTreeSet;

use minds_diagnostics::Problems;
use minds_vfs::{Snapshot, WorkspacePath};

use super::plan::plan_parts;
use super::record::PartRecord;
use crate::clients::{Cleanup, ClientManifest, ClientPlan};
use crate::plan::{Plan, State};
use crate::team_target::TeamTarget;

/// The parts of a file that are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptPart {
    /// The file.
    pub path: WorkspacePath,
    /// Why they cannot be removed; none if they were changed since they were rendered.
    pub obstacle: Option<String>,
}

/// The effects of removing rendered parts.
#[derive(Clone, Debug, Default)]
pub struct PartsCleanup {
    /// The files that keep what other programs wrote.
    pub changed: Vec<WorkspacePath>,
    /// The files with parts that are kept.
    pub kept: Vec<KeptPart>,
}

/// Adds the removal of all unchanged parts to a plan. Files with a part that was changed since are kept as they are.
pub fn plan_parts_cleanup(cleanup: &mut Cleanup, found: &Snapshot) -> PartsCleanup {
    let records = std::mem::take(&mut cleanup.manifest.parts);
    let paths: BTreeSet<&WorkspacePath> = records.iter().map(|record| &record.path).collect();
    let targets: Vec<TeamTarget> = TeamTarget::all().collect();
    let mut result = PartsCleanup::default();
    let mut kept = Vec::new();
    for path in paths {
        let own: Vec<PartRecord> = records.iter().filter(|record| record.path == *path).cloned().collect();
        let earlier = cleanup.plan.items.iter().filter(|item| item.path == *path).cloned();
        let mut plan = ClientPlan {
            plan: Plan { items: earlier.collect() },
            problems: Problems::new(),
            details: std::collections::BTreeMap::new(),
            manifest: ClientManifest { files: cleanup.manifest.files.clone(), ..ClientManifest::default() },
        };
        let rest = plan_parts(&mut plan, &[], &targets, &own, found);
        let blocked = plan.problems.into_sorted().into_iter().next().map(|problem| problem.message);
        let is_drifted = plan.plan.items.iter().any(|item| item.state == State::Drifted);
        if is_drifted || blocked.is_some() || !rest.is_empty() {
            result.kept.push(KeptPart { path: path.clone(), obstacle: blocked });
            kept.extend(own);
            continue;
        }
        if plan.plan.items.iter().any(|item| item.state == State::Changed) {
            result.changed.push(path.clone());
        }
        cleanup.plan.items.retain(|item| item.path != *path);
        cleanup.plan.items.extend(plan.plan.items);
    }
    cleanup.plan.items.sort_by(|a, b| a.path.cmp(&b.path));
    cleanup.manifest.parts = kept;
    result
}
