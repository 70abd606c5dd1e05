//! Upgrading installed items.

use std::collections::BTreeSet;
use std::path::Path;

use minds_inventory::Reference;
use minds_sources::RefusalKind;

use crate::clones::Clones;
use crate::files;
use crate::home::{Access, Home};
use crate::staging::Staging;
use crate::update::{SourceUpdate, UpdateScope};
use crate::{
    Action, Consent, Interaction, Outcome, OutcomeKind, SourceError, SourceErrorKind, UpgradeRequest,
};

/// Installs again all items that differ from their source or are missing in an agent home, and offers install
/// hooks that did not run at the current commit of their source.
///
/// # Errors
///
/// Fails if no installed item matches, or consent is missing.
pub fn upgrade(
    directory: &Path,
    request: &UpgradeRequest,
    consent: &Consent,
    interaction: &mut dyn Interaction,
) -> Result<Outcome, SourceError> {
    let home = Home::open(directory, Access::Write)?;
    let mut outcome = Outcome::new(Action::Upgrade, request.item.clone());
    let reference = request.item.as_deref().map(Reference::parse).transpose()?;
    if let Some(reference) = &reference {
        let mut items = home.installed.items.values();
        if !items.any(|item| reference.matches(&item.source, &item.key)) {
            let message = format!("no installed item matches `{}`", reference.as_str());
            return Err(SourceError::new(SourceErrorKind::Refused(RefusalKind::NotFound), message));
        }
    }
    let mut git = None;
    let mut known = Vec::new();
    for source in &home.registry.sources {
        match files::read(&home, &mut git, source) {
            Ok(read) => known.push(read),
            Err(error) => outcome.failures.push(error),
        }
    }
    let staging = Staging::begin(&home)?;
    let update = SourceUpdate {
        home: &home,
        consent,
        clones: Clones::new(staging.transaction.folder().clone()),
        staging,
        known,
        registry: home.registry.clone(),
        steps: Vec::new(),
        fetched: BTreeSet::new(),
        new: Vec::new(),
        items: reference.as_ref().map_or(UpdateScope::All, UpdateScope::MisspelledKeys),
        question: "upgrade this?",
    };
    update.finish(interaction, &mut outcome)?;
    if outcome.outcome == OutcomeKind::NoOp {
        if has_upgraded(&outcome) {
            outcome.outcome = OutcomeKind::Upgraded;
        } else if outcome.failures.is_empty() {
            outcome.outcome = OutcomeKind::UpToDate;
        }
    }
    Ok(outcome)
}

/// Returns whether items were changed, or hooks ran.
pub(crate) fn has_upgraded(outcome: &Outcome) -> bool {
    let has_run = outcome.ran.iter().any(|run| run.is_done);
    has_run || !outcome.installed.is_empty() || !outcome.removed.is_empty()
}
