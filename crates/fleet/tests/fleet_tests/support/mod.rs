//! Files of several layers.

use minds_diagnostics::Problems;
use minds_fleet::{FleetFamily, check};
use minds_vfs::{FileMode, Location, MountId, Snapshot, SnapshotEntry, WorkspacePath};

pub(crate) const WORKSPACE: MountId = MountId::WORKSPACE;

pub(crate) const AGENT: &str = "{name: zeus, model: m, prompt: {base: base.md}}\n";

pub(crate) fn layer_snapshot(files: &[(MountId, &str, &str)]) -> Snapshot {
    let mut snapshot = Snapshot::new();
    for (mount, path, text) in files {
        let path = WorkspacePath::parse(&format!(".ateam/{path}")).unwrap();
        let entry = SnapshotEntry::File { bytes: (*text).into(), mode: FileMode::Regular };
        snapshot.insert(Location::new(mount.clone(), path), entry);
    }
    snapshot
}

/// Returns what is found, each as `place: code: message`.
pub(crate) fn find_codes(snapshot: &Snapshot) -> Vec<String> {
    let mut problems = Problems::new();
    let family = FleetFamily::load(snapshot).take(&mut problems);
    problems.append(check(&family));
    let shown = problems.into_sorted().into_iter().map(|found| {
        let label = found.primary.unwrap();
        let start = label.source.range(label.span).start;
        format!("{}:{}: {}: {}", label.source.name(), start.line, found.rule.code, found.message)
    });
    shown.collect()
}
