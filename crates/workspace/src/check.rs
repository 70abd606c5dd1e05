//! What is wrong in a workspace.

use std::collections::BTreeMap;
use std::sync::Arc;

use minds_compose::ComposeFamily;
use minds_core::{Host, TeamFamily};
use minds_diagnostics::{Diagnostic, Parsed, Problems};
use minds_document::{Snapshot, SnapshotEntry};
use minds_fleet::FleetFamily;
use minds_paths::{Location, MountId};
use minds_sources::ManifestFile;

use crate::{allow, scope, veil};

/// What was checked, and what was found.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// The files that were looked at, sorted; those that are not there are not among them.
    pub files: Vec<String>,
    /// Whether the workspace asks for warnings to count like errors, in `.minds/minds.toml`.
    pub strict: bool,
    /// The findings, in the order in which they are shown.
    pub diagnostics: Vec<Diagnostic>,
    /// How many findings comments allow, by file; files without any are not among them.
    pub allowed: BTreeMap<String, usize>,
    /// What was read, for whoever asks more of it, or is about to end and need not give it back.
    pub family: Arc<TeamFamily>,
}

/// Checks every family that the snapshot holds, and the comments that allow findings.
///
/// Nothing that comes out holds a secret of the files: each is shown as `*`.
pub fn check(snapshot: &Snapshot) -> Checked {
    check_on(None, snapshot)
}

/// Does the same, and checks what depends on the machine on which the team would run, if that is asked for.
pub fn check_on(host: Option<&Host>, snapshot: &Snapshot) -> Checked {
    let mut checked = check_unveiled(host, snapshot);
    veil::cover(&mut checked.diagnostics);
    checked
}

/// Does the same with the texts as they are, for fixes.
pub(crate) fn check_unveiled(host: Option<&Host>, snapshot: &Snapshot) -> Checked {
    let mut problems = Problems::new();
    let family = TeamFamily::load(snapshot).take(&mut problems);
    problems.append(minds_core::check(&family));
    let compose = ComposeFamily::load(snapshot).take(&mut problems);
    problems.append(minds_compose::check(&compose));
    let fleet = FleetFamily::load(snapshot).take(&mut problems);
    problems.append(minds_fleet::check(&fleet));
    problems.append(minds_core::check_texts(&fleet.texts));
    problems.append(check_source(snapshot));
    if let Some(host) = host {
        problems.append(minds_core::check_host(&family, host));
    }
    allow::check(&mut problems, if host.is_none() { minds_core::rules::ON_HOST } else { &[] });
    // Packages have no comments that could allow anything, and say nothing about other files.
    problems.append(check_tasks(&family, snapshot));
    let allowed = problems.allowed();
    let scope = scope();
    let is_ours =
        |location: &Location| scope.has(location) || minds_fleet::scope(&location.mount).has(location);
    let is_file = |location: &Location, entry: &SnapshotEntry| match entry {
        SnapshotEntry::Directory => is_ours(location),
        SnapshotEntry::Unread | SnapshotEntry::TooLarge { .. } => false,
        _ => true,
    };
    let files = snapshot.iter().filter(|(location, entry)| is_file(location, entry));
    let files = files.map(|(location, _)| minds_compose::name_of(location, &compose.root)).collect();
    let strict = family.readable_settings().is_some_and(minds_core::settings::Settings::is_strict);
    Checked { files, strict, diagnostics: problems.into_sorted(), allowed, family: Arc::new(family) }
}

/// Checks what the workspace says about itself as a source, where it says something.
fn check_source(snapshot: &Snapshot) -> Problems {
    let mut problems = Problems::new();
    for place in minds_sources::scope(&MountId::WORKSPACE).files {
        let file = ManifestFile::load(snapshot, &place).take(&mut problems);
        let text = file.as_ref().and_then(ManifestFile::text);
        problems.append(minds_core::check_texts(text.map(std::slice::from_ref).unwrap_or_default()));
    }
    problems
}

/// Checks the task packages that the snapshot holds.
fn check_tasks(family: &TeamFamily, snapshot: &Snapshot) -> Problems {
    let home = family.task_home();
    let is_chosen = family.readable_settings().is_some_and(|settings| settings.task_home.given().is_some());
    let home = home.as_ref().map(|path| minds_taskdoc::Home { path, is_chosen });
    minds_taskdoc::check(snapshot, home.as_ref())
}

/// Checks a compose root that was read by itself, and the comments that allow findings. Returns what was read, and the
/// findings in the order in which they are shown; none of them holds a secret of the files.
pub fn check_compose(read: Parsed<ComposeFamily>) -> (ComposeFamily, Vec<Diagnostic>) {
    let mut problems = Problems::new();
    let family = read.take(&mut problems);
    problems.append(minds_compose::check(&family));
    allow::check(&mut problems, minds_core::rules::ON_HOST);
    let mut found = problems.into_sorted();
    veil::cover(&mut found);
    (family, found)
}
