//! What is wrong in a workspace.

use std::collections::BTreeMap;
use std::sync::Arc;

use minds_compose::ComposeFamily;
use minds_core::{Host, TeamFamily};
use minds_diagnostics::{Diagnostic, Parsed, Problems, Rule};
use minds_document::{Snapshot, SnapshotEntry, check_hidden_text};
use minds_fleet::FleetFamily;
use minds_paths::{Location, MountId};
use minds_sources::ManifestFile;

use crate::{allow, fleet_provider, scope, veil};

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
    check_read(host, snapshot, ComposeFamily::load(snapshot))
}

/// Does the same where the compose root of the snapshot was read already.
pub fn check_read(host: Option<&Host>, snapshot: &Snapshot, compose: Parsed<ComposeFamily>) -> Checked {
    let mut checked = checked(host, snapshot, compose);
    veil::cover(&mut checked.diagnostics);
    checked
}

/// Does the same with the texts as they are, for fixes.
pub(crate) fn check_unveiled(host: Option<&Host>, snapshot: &Snapshot) -> Checked {
    checked(host, snapshot, ComposeFamily::load(snapshot))
}

fn checked(host: Option<&Host>, snapshot: &Snapshot, compose: Parsed<ComposeFamily>) -> Checked {
    let mut problems = Problems::new();
    let family = TeamFamily::load(snapshot).take(&mut problems);
    problems.append(minds_core::check(&family));
    problems.append(check_hidden_text(&family.texts));
    let compose = compose.take(&mut problems);
    problems.append(minds_compose::check(&compose));
    problems.append(minds_core::check_texts(&compose.sources));
    problems.append(check_hidden_text(&compose.sources));
    let fleet = FleetFamily::load(snapshot).take(&mut problems);
    problems.append(minds_fleet::check(&fleet));
    problems.append(fleet_provider::check(&family, &fleet));
    problems.append(minds_core::check_texts(&fleet.texts));
    problems.append(check_hidden_text(&fleet.texts));
    problems.append(check_source(snapshot));
    if let Some(host) = host {
        problems.append(minds_core::check_host(&family, host));
    }
    allow::check(&mut problems, &skipped(host));
    // Packages have no comments that could allow anything, and say nothing about other files.
    problems.append(check_tasks(&family, snapshot));
    let allowed = problems.allowed();
    let scope = scope();
    let is_ours =
        |location: &Location| scope.has(location) || minds_fleet::scope(&location.mount).has(location);
    let is_file = |location: &Location, entry: &SnapshotEntry| match entry {
        SnapshotEntry::Directory => is_ours(location),
        SnapshotEntry::Unread
        | SnapshotEntry::Outside { .. }
        | SnapshotEntry::Untrusted { .. }
        | SnapshotEntry::TooLarge { .. } => false,
        _ => true,
    };
    let files = snapshot.iter().filter(|(location, entry)| is_file(location, entry));
    let files = files.map(|(location, _)| minds_compose::name_of(location, &compose.root)).collect();
    let strict = family.readable_settings().is_some_and(minds_core::settings::Settings::is_strict);
    Checked { files, strict, diagnostics: problems.into_sorted(), allowed, family: Arc::new(family) }
}

/// Returns the rules of which a check does not know what they would find: those about the machine, if nobody asked for
/// that, those about what is rendered, because it is not known for which readers that is, and those that only a review of a
/// source asks about.
fn skipped(host: Option<&Host>) -> Vec<&'static Rule> {
    let on_host = if host.is_none() { minds_core::rules::ON_HOST } else { &[] };
    let on_render = minds_render::clients::rules::ALL.iter().chain(minds_render::services::rules::ALL);
    let is_reviewed = |rule: &&&Rule| minds_sources::review::is_found_by_review(rule);
    let on_review = minds_sources::rules::ALL.iter().filter(is_reviewed);
    on_host.iter().chain(on_render).chain(on_review).copied().collect()
}

/// Returns what was found while files were rendered, in the order in which it is shown; none of it holds a secret of the
/// files.
pub fn shown(problems: Problems) -> Vec<Diagnostic> {
    let mut found = problems.into_sorted();
    veil::cover(&mut found);
    found
}

/// Checks what the workspace says about itself as a source, where it says something.
fn check_source(snapshot: &Snapshot) -> Problems {
    let mut problems = Problems::new();
    for place in minds_sources::scope(&MountId::WORKSPACE).files {
        let file = ManifestFile::load(snapshot, &place).take(&mut problems);
        let text = file.as_ref().and_then(ManifestFile::text);
        let texts = text.map(std::slice::from_ref).unwrap_or_default();
        problems.append(minds_core::check_texts(texts));
        problems.append(check_hidden_text(texts));
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
    problems.append(minds_core::check_texts(&family.sources));
    problems.append(check_hidden_text(&family.sources));
    allow::check(&mut problems, &skipped(None));
    (family, shown(problems))
}

/// Checks the layers of a fleet that were read by themselves, as [`check_compose`] does a compose root.
pub fn check_fleet(snapshot: &Snapshot) -> (FleetFamily, Vec<Diagnostic>) {
    let mut problems = Problems::new();
    let family = FleetFamily::load(snapshot).take(&mut problems);
    problems.append(minds_fleet::check(&family));
    problems.append(minds_core::check_texts(&family.texts));
    problems.append(check_hidden_text(&family.texts));
    // `llm.yaml` is not read here, so its providers are not known.
    let skipped = [minds_core::rules::ON_HOST, fleet_provider::RULES].concat();
    allow::check(&mut problems, &skipped);
    let mut found = problems.into_sorted();
    veil::cover(&mut found);
    (family, found)
}
