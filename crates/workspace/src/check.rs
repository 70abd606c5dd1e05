//! Checks a workspace.

use std::collections::BTreeMap;
use std::sync::Arc;

#[cfg(feature = "clients")]
use minds_clients::ClientsFamily;
#[cfg(feature = "compose")]
use minds_compose::ComposeFamily;
use minds_core::{Host, TeamFamily};
#[cfg(feature = "compose")]
use minds_diagnostics::Parsed;
use minds_diagnostics::{Diagnostic, Problems, Rule};
use minds_document::check_hidden_text;
#[cfg(feature = "fleet")]
use minds_fleet::FleetFamily;
#[cfg(feature = "sources")]
use minds_sources::ManifestFile;
#[cfg(any(feature = "clients", feature = "sources"))]
use minds_vfs::MountId;
use minds_vfs::{Location, Snapshot, SnapshotEntry};

#[cfg(feature = "fleet")]
use crate::fleet_member;
#[cfg(feature = "fleet")]
use crate::fleet_provider;
use crate::{redact_findings, scope, suppression};

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
    let mut checked = check_unredacted(host, snapshot);
    redact_findings(&mut checked.diagnostics);
    checked
}

/// Like [`check_on`], with a compose root that has already been read.
#[cfg(feature = "compose")]
pub fn check_read(host: Option<&Host>, snapshot: &Snapshot, compose: Parsed<ComposeFamily>) -> Checked {
    let mut checked = run_checks(host, snapshot, compose);
    redact_findings(&mut checked.diagnostics);
    checked
}

/// Like [`check_on`] without redaction, for fixes.
pub(crate) fn check_unredacted(host: Option<&Host>, snapshot: &Snapshot) -> Checked {
    run_checks(
        host,
        snapshot,
        #[cfg(feature = "compose")]
        ComposeFamily::load(snapshot),
    )
}

fn run_checks(
    host: Option<&Host>,
    snapshot: &Snapshot,
    #[cfg(feature = "compose")] compose: Parsed<ComposeFamily>,
) -> Checked {
    let mut problems = Problems::new();
    let family = TeamFamily::load(snapshot).take(&mut problems);
    problems.append(minds_core::check(&family));
    problems.append(check_hidden_text(&family.sources));
    #[cfg(feature = "compose")]
    let compose = check_compose_family(compose, &mut problems);
    #[cfg(feature = "fleet")]
    {
        let fleet = check_fleet_family(snapshot, &mut problems);
        problems.append(fleet_provider::check(&family, &fleet));
        problems.append(fleet_member::check(&family, &fleet));
    }
    #[cfg(feature = "sources")]
    problems.append(check_source(snapshot));
    #[cfg(feature = "clients")]
    let clients = check_clients_family(snapshot, &mut problems);
    if let Some(host) = host {
        problems.append(minds_core::check_host(&family, host));
    }
    suppression::check(&mut problems, &skipped_rules(host));
    // Task packages have no suppressions, and no other file refers to them.
    #[cfg(feature = "tasks")]
    problems.append(check_tasks(&family, snapshot));
    let allowed = problems.suppressed_counts();
    let scope = scope();
    #[cfg(feature = "fleet")]
    let is_in_layer = |location: &Location| minds_fleet::scope(&location.mount).has(location);
    #[cfg(not(feature = "fleet"))]
    let is_in_layer = |_: &Location| false;
    #[cfg(feature = "clients")]
    let is_of_client =
        |location: &Location| location.mount == MountId::WORKSPACE && clients.has(&location.path);
    #[cfg(not(feature = "clients"))]
    let is_of_client = |_: &Location| false;
    let is_ours =
        |location: &Location| scope.has(location) || is_in_layer(location) || is_of_client(location);
    #[cfg(feature = "compose")]
    let name_of = |location: &Location| minds_compose::name_of(location, &compose.root);
    #[cfg(not(feature = "compose"))]
    let name_of = Location::to_string;
    let is_file = |location: &Location, entry: &SnapshotEntry| match entry {
        SnapshotEntry::Directory => is_ours(location),
        SnapshotEntry::Unread
        | SnapshotEntry::Outside { .. }
        | SnapshotEntry::Untrusted { .. }
        | SnapshotEntry::TooLarge { .. } => false,
        _ => true,
    };
    let files = snapshot.iter().filter(|(location, entry)| is_file(location, entry));
    let files = files.map(|(location, _)| name_of(location)).collect();
    let strict = family.readable_settings().is_some_and(minds_core::settings::Settings::is_strict);
    Checked { files, strict, diagnostics: problems.into_sorted(), allowed, family: Arc::new(family) }
}

/// Returns the rules that a check does not evaluate: those about the machine, unless requested; those about rendered files,
/// because the target programs are not known; those of imports; and those of source reviews.
fn skipped_rules(host: Option<&Host>) -> Vec<&'static Rule> {
    let mut skipped = Vec::new();
    if host.is_none() {
        skipped.extend(minds_core::rules::ON_HOST);
    }
    #[cfg(feature = "clients")]
    skipped.extend(minds_client_import::rules::ALL);
    #[cfg(feature = "render")]
    {
        skipped.extend(minds_client_agents::rules::ALL);
        skipped.extend(minds_render::clients::rules::ALL);
        skipped.extend(minds_render::services::rules::ALL);
    }
    #[cfg(feature = "sources")]
    {
        let is_reviewed = |rule: &&Rule| minds_sources::review::is_found_by_review(rule);
        skipped.extend(minds_sources::rules::all().filter(is_reviewed));
    }
    skipped
}

/// Returns problems as diagnostics in display order, with secrets redacted.
pub fn redact_problems(problems: Problems) -> Vec<Diagnostic> {
    let mut found = problems.into_sorted();
    redact_findings(&mut found);
    found
}

/// Checks the manifest of the workspace as a source, if there is one.
#[cfg(feature = "sources")]
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
#[cfg(feature = "tasks")]
fn check_tasks(family: &TeamFamily, snapshot: &Snapshot) -> Problems {
    let home = family.task_home();
    let is_chosen =
        family.readable_settings().is_some_and(|settings| settings.task_home.as_given().is_some());
    let home = home.as_ref().map(|path| minds_taskdoc::Home { path, is_chosen });
    minds_taskdoc::check(snapshot, home.as_ref())
}

/// Checks a compose root that was read on its own, and its suppressions. Returns the compose family and the findings in
/// display order, with secrets redacted.
#[cfg(feature = "compose")]
pub fn check_compose(read: Parsed<ComposeFamily>) -> (ComposeFamily, Vec<Diagnostic>) {
    let mut problems = Problems::new();
    let family = check_compose_family(read, &mut problems);
    suppression::check(&mut problems, &skipped_rules(None));
    (family, redact_problems(problems))
}

/// Checks the files of a compose root except their suppressions, and returns the family.
#[cfg(feature = "compose")]
fn check_compose_family(read: Parsed<ComposeFamily>, problems: &mut Problems) -> ComposeFamily {
    let family = read.take(problems);
    problems.append(minds_compose::check(&family));
    problems.append(minds_core::check_secrets(&family.sources));
    problems.append(check_hidden_text(&family.sources));
    family
}

/// Checks the files of clients except their suppressions, and returns the family.
#[cfg(feature = "clients")]
fn check_clients_family(snapshot: &Snapshot, problems: &mut Problems) -> ClientsFamily {
    let family = ClientsFamily::load(snapshot).take(problems);
    problems.append(minds_clients::check(&family));
    problems.append(minds_core::check_secrets(&family.sources));
    problems.append(check_hidden_text(&family.sources));
    family
}

/// Checks the layers of a fleet that were read on their own, like [`check_compose`].
#[cfg(feature = "fleet")]
pub fn check_fleet(snapshot: &Snapshot) -> (FleetFamily, Vec<Diagnostic>) {
    let mut problems = Problems::new();
    let family = check_fleet_family(snapshot, &mut problems);
    // `llm.yaml` and `team.yaml` are not read here, so the providers and members are not known.
    let skipped = [minds_core::rules::ON_HOST, fleet_provider::RULES, fleet_member::RULES].concat();
    suppression::check(&mut problems, &skipped);
    let mut found = problems.into_sorted();
    redact_findings(&mut found);
    (family, found)
}

/// Checks the layers of a fleet except their suppressions and providers, and returns the family.
#[cfg(feature = "fleet")]
fn check_fleet_family(snapshot: &Snapshot, problems: &mut Problems) -> FleetFamily {
    let family = FleetFamily::load(snapshot).take(problems);
    problems.append(minds_fleet::check(&family));
    problems.append(minds_core::check_secrets(&family.sources));
    problems.append(check_hidden_text(&family.sources));
    family
}
