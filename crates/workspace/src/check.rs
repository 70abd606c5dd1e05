//! Checks a workspace.

use std::collections::BTreeMap;
use std::sync::Arc;

use minds_compose::ComposeFamily;
use minds_core::{Host, TeamFamily};
use minds_diagnostics::{Diagnostic, Parsed, Problems, Rule};
use minds_document::{Snapshot, SnapshotEntry, check_hidden_text};
use minds_fleet::FleetFamily;
use minds_paths::{Location, MountId};
use minds_sources::ManifestFile;

use crate::{fleet_provider, redact_findings, scope, suppression};

/// The result of a check.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// The existing files that were checked, sorted.
    pub files: Vec<String>,
    /// Whether `.minds/minds.toml` makes warnings count as errors.
    pub strict: bool,
    /// The findings in display order.
    pub diagnostics: Vec<Diagnostic>,
    /// The number of suppressed findings by file, without files that have none.
    pub allowed: BTreeMap<String, usize>,
    /// The team family that was loaded, for further queries.
    pub family: Arc<TeamFamily>,
}

/// Checks all families in the snapshot, and their suppressions.
///
/// Secrets in the files are redacted with `*` in the result.
pub fn check(snapshot: &Snapshot) -> Checked {
    check_on(None, snapshot)
}

/// Like [`check`], and also checks the requirements on the machine on which the team runs if `host` is given.
pub fn check_on(host: Option<&Host>, snapshot: &Snapshot) -> Checked {
    check_read(host, snapshot, ComposeFamily::load(snapshot))
}

/// Like [`check_on`], with a compose root that has already been read.
pub fn check_read(host: Option<&Host>, snapshot: &Snapshot, compose: Parsed<ComposeFamily>) -> Checked {
    let mut checked = run_checks(host, snapshot, compose);
    redact_findings(&mut checked.diagnostics);
    checked
}

/// Like [`check_on`] without redaction, for fixes.
pub(crate) fn check_unredacted(host: Option<&Host>, snapshot: &Snapshot) -> Checked {
    run_checks(host, snapshot, ComposeFamily::load(snapshot))
}

fn run_checks(host: Option<&Host>, snapshot: &Snapshot, compose: Parsed<ComposeFamily>) -> Checked {
    let mut problems = Problems::new();
    let family = TeamFamily::load(snapshot).take(&mut problems);
    problems.append(minds_core::check(&family));
    problems.append(check_hidden_text(&family.sources));
    let compose = compose.take(&mut problems);
    problems.append(minds_compose::check(&compose));
    problems.append(minds_core::check_secrets(&compose.sources));
    problems.append(check_hidden_text(&compose.sources));
    let fleet = FleetFamily::load(snapshot).take(&mut problems);
    problems.append(minds_fleet::check(&fleet));
    problems.append(fleet_provider::check(&family, &fleet));
    problems.append(minds_core::check_secrets(&fleet.sources));
    problems.append(check_hidden_text(&fleet.sources));
    problems.append(check_source(snapshot));
    if let Some(host) = host {
        problems.append(minds_core::check_host(&family, host));
    }
    suppression::check(&mut problems, &skipped_rules(host));
    // Task packages have no suppressions, and no other file refers to them.
    problems.append(check_tasks(&family, snapshot));
    let allowed = problems.suppressed_counts();
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

/// Returns the rules that a check does not evaluate: those about the machine, unless requested; those about rendered files,
/// because the target programs are not known; and those of source reviews.
fn skipped_rules(host: Option<&Host>) -> Vec<&'static Rule> {
    let on_host = if host.is_none() { minds_core::rules::ON_HOST } else { &[] };
    let on_render = minds_render::clients::rules::ALL.iter().chain(minds_render::services::rules::ALL);
    let is_reviewed = |rule: &&&Rule| minds_sources::review::is_found_by_review(rule);
    let on_review = minds_sources::rules::ALL.iter().filter(is_reviewed);
    on_host.iter().chain(on_render).chain(on_review).copied().collect()
}

/// Returns problems as diagnostics in display order, with secrets redacted.
pub fn redact_problems(problems: Problems) -> Vec<Diagnostic> {
    let mut found = problems.into_sorted();
    redact_findings(&mut found);
    found
}

/// Checks the manifest of the workspace as a source, if there is one.
fn check_source(snapshot: &Snapshot) -> Problems {
    let mut problems = Problems::new();
    for place in minds_sources::scope(&MountId::WORKSPACE).files {
        let file = ManifestFile::load(snapshot, &place).take(&mut problems);
        let text = file.as_ref().and_then(ManifestFile::text);
        let texts = text.map(std::slice::from_ref).unwrap_or_default();
        problems.append(minds_core::check_secrets(texts));
        problems.append(check_hidden_text(texts));
    }
    problems
}

/// Checks the task packages in the snapshot.
fn check_tasks(family: &TeamFamily, snapshot: &Snapshot) -> Problems {
    let home = family.task_home();
    let is_chosen =
        family.readable_settings().is_some_and(|settings| settings.task_home.as_given().is_some());
    let home = home.as_ref().map(|path| minds_taskdoc::Home { path, is_chosen });
    minds_taskdoc::check(snapshot, home.as_ref())
}

/// Checks a compose root that was read on its own, and its suppressions. Returns the compose family and the findings in
/// display order, with secrets redacted.
pub fn check_compose(read: Parsed<ComposeFamily>) -> (ComposeFamily, Vec<Diagnostic>) {
    let mut problems = Problems::new();
    let family = read.take(&mut problems);
    problems.append(minds_compose::check(&family));
    problems.append(minds_core::check_secrets(&family.sources));
    problems.append(check_hidden_text(&family.sources));
    suppression::check(&mut problems, &skipped_rules(None));
    (family, redact_problems(problems))
}

/// Checks the layers of a fleet that were read on their own, like [`check_compose`].
pub fn check_fleet(snapshot: &Snapshot) -> (FleetFamily, Vec<Diagnostic>) {
    let mut problems = Problems::new();
    let family = FleetFamily::load(snapshot).take(&mut problems);
    problems.append(minds_fleet::check(&family));
    problems.append(minds_core::check_secrets(&family.sources));
    problems.append(check_hidden_text(&family.sources));
    // `llm.yaml` is not read here, so the providers are not known.
    let skipped = [minds_core::rules::ON_HOST, fleet_provider::RULES].concat();
    suppression::check(&mut problems, &skipped);
    let mut found = problems.into_sorted();
    redact_findings(&mut found);
    (family, found)
}
