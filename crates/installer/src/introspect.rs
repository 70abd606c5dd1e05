//! Checking the installed sources and items for problems.

use std::collections::BTreeSet;
use std::path::Path;

use minds_fs::Root;
use minds_inventory::plan::{InstallRequest, Reason, Staleness, install, staleness};
use minds_inventory::{Finding, FindingKind, LOCK_FILE, Lock, Position, verify_places};
use minds_sources::Remote;
use minds_vfs::MountId;
use schemars::JsonSchema;
use serde::Serialize;

use crate::home::{Access, Home, MAX_STATE, path};
use crate::hooks::Hooks;
use crate::listing::LoadedSources;
use crate::{
    Action, Consent, Interaction, Outcome, OutcomeKind, SourceError, SourceErrorKind, learn, preview,
};

/// A problem of the installation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Issue {
    /// The kind of problem.
    pub kind: IssueKind,
    /// The problem, for people.
    pub message: String,
    /// The source, or the item.
    pub subject: String,
}

minds_diagnostics::kinds! {
    /// The kind of problem of the installation: of a source that cannot be read, of files that differ from the record or
    /// from the lock file, or one of these.
    pub enum IssueKind {
        ..SourceErrorKind as Unreadable;
        ..FindingKind as Files;
        /// The source was never fetched.
        NeverSynced = "never-synced";
        /// The source has a newer version of the item, or the item is missing in an agent home.
        Outdated = "outdated";
        /// The item would now be installed under another name.
        NamespaceChanged = "namespace-changed";
        /// The source no longer offers the item.
        RemovedUpstream = "removed-upstream";
        /// There is no lock file.
        NoLock = "no-lock";
    }
}

/// Returns the problems of the installation: sources that cannot be read, items whose source changed, and
/// stored or placed files that were modified or are missing.
///
/// # Errors
///
/// Fails if the data directory or an agent home cannot be read.
pub fn introspect(directory: &Path) -> Result<Vec<Issue>, SourceError> {
    let loaded = LoadedSources::at_installed(directory)?;
    let mut issues: Vec<Issue> = Vec::new();
    for failure in &loaded.failures {
        let subject = failure.target().unwrap_or_default().to_owned();
        let source = loaded.home.registry.sources.iter().find(|source| source.identity.as_str() == subject);
        let is_unsynced = source
            .is_some_and(|source| source.commit.is_none() && matches!(source.remote, Remote::Repository(_)));
        let kind = if is_unsynced { IssueKind::NeverSynced } else { IssueKind::Unreadable(failure.kind()) };
        issues.push(Issue { kind, subject, message: failure.to_string() });
    }
    let context = loaded.context();
    for (key, change) in staleness(&context) {
        let (kind, message) = match change {
            Staleness::Current | Staleness::Unknown => continue,
            Staleness::Outdated(_) => (
                IssueKind::Outdated,
                "its source has a newer version, or it is missing in an agent home".to_owned(),
            ),
            Staleness::Renamed(_, to) => {
                (IssueKind::NamespaceChanged, format!("it would now be installed as {to}"))
            }
            Staleness::Dropped => (IssueKind::RemovedUpstream, "its source no longer offers it".to_owned()),
        };
        issues.push(Issue { kind, subject: key.to_string(), message });
    }
    let places = loaded.home.occupants(&verify_places(&context))?;
    issues.extend(minds_inventory::verify(&context, None, &places).into_iter().map(Issue::from));
    Ok(issues)
}

/// Restores missing files in the store and in agent homes. Modified files are kept, except with `--force`.
///
/// # Errors
///
/// Fails without any change.
pub fn repair(
    directory: &Path,
    consent: &Consent,
    interaction: &mut dyn Interaction,
) -> Result<Outcome, SourceError> {
    let loaded = LoadedSources::of(Home::open(directory, Access::Write)?);
    let mut outcome = Outcome::new(Action::Introspect, None);
    let context = loaded.context();
    let places = loaded.home.occupants(&verify_places(&context))?;
    let findings = minds_inventory::verify(&context, None, &places);
    let broken: BTreeSet<String> =
        findings.into_iter().filter(is_repairable).map(|found| found.subject).collect();
    let items = loaded.home.installed.items.values().filter(|item| broken.contains(&item.key.to_string()));
    let offered = items.filter_map(|item| loaded.inventory.of(&item.source, &item.key));
    let selected: Vec<(Position, Reason)> = offered.map(|(at, _)| (at, Reason::Outdated)).collect();
    let request = InstallRequest::of(&context, &selected, consent.force);
    let places = loaded.home.occupants(&request.places(&context))?;
    let plan = install(&context, &request, &places);
    outcome.preview = preview::preview(
        Vec::new(),
        &plan,
        &Hooks::new(consent, interaction, &loaded.home.registry.sources),
        &|_| false,
        &[],
    );
    learn::finish(
        &loaded.home,
        plan,
        consent,
        true,
        "restore this?",
        interaction,
        &mut outcome,
        OutcomeKind::Repaired,
    )?;
    Ok(outcome)
}

fn is_repairable(finding: &Finding) -> bool {
    matches!(finding.kind, FindingKind::MissingStore | FindingKind::MissingLink)
}

/// Returns the differences between the installed files, their records, and the lock file in the data
/// directory, or another given lock file.
///
/// # Errors
///
/// Fails if there is no lock file, or it, the data directory or an agent home cannot be read.
pub fn verify(directory: &Path, lock: Option<&Path>) -> Result<Vec<Issue>, SourceError> {
    let seen = LoadedSources::at_installed(directory)?;
    let locked = match lock {
        Some(file) => Some(read_lock(&directory.join(file))?),
        None => seen.home.lock_file()?,
    };
    let context = seen.context();
    let places = seen.home.occupants(&verify_places(&context))?;
    let findings = minds_inventory::verify(&context, locked.as_ref(), &places);
    let mut issues: Vec<Issue> = findings.into_iter().map(Issue::from).collect();
    if locked.is_none() && !seen.home.registry.sources.is_empty() {
        let message =
            "it does not exist although sources are registered; the next change creates it".to_owned();
        issues.insert(0, Issue { kind: IssueKind::NoLock, subject: LOCK_FILE.to_owned(), message });
    }
    Ok(issues)
}

/// Reads a given lock file.
fn read_lock(file: &Path) -> Result<Lock, SourceError> {
    let (Some(parent), Some(name)) = (file.parent(), file.file_name().and_then(|name| name.to_str())) else {
        let message = format!("`{}` is not a file", file.display());
        return Err(SourceError::new(SourceErrorKind::InvalidState, message));
    };
    let root = Root::open(parent, MountId::WORKSPACE)?.without_links();
    Ok(Lock::parse(root.no_follow().read(&path(name), MAX_STATE)?.bytes)?)
}

impl From<Finding> for Issue {
    fn from(finding: Finding) -> Self {
        Self { kind: IssueKind::Files(finding.kind), subject: finding.subject, message: finding.message }
    }
}
