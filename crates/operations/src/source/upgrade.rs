//! Bringing what is installed up to date.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use minds_sources::plan::{InstallRequest, Reason, Staleness, install, staleness};
use minds_sources::{Identity, Inventory, ItemKey, Position, Reference, RefusalKind};

use super::consent::count;
use super::home::{Home, Use};
use super::hooks::Hooks;
use super::learn::{finish, inventory, world};
use super::scan::scan_plan;
use super::{Consent, Desk, Outcome, SourceError, SourceErrorKind, UpgradeRequest, shown};

/// Installs again what differs from what its source says now, or is not where it belongs.
///
/// # Errors
///
/// Fails if nothing is meant by the reference, or it needs a consent that nobody gave.
pub fn upgrade(
    directory: &Path,
    request: &UpgradeRequest,
    consent: &Consent,
    desk: &mut dyn Desk,
) -> Result<Outcome, SourceError> {
    let home = Home::open(directory, Use::Change)?;
    let mut outcome = Outcome::new("upgrade", request.item.clone());
    let reference = request.item.as_deref().map(Reference::parse).transpose()?;
    run(&home, reference.as_ref(), consent, desk, &mut outcome)?;
    if outcome.outcome == "no-op" && outcome.failures.is_empty() {
        outcome.outcome = "up-to-date";
    }
    Ok(outcome)
}

/// Brings items up to date.
pub(super) fn run(
    home: &Home,
    reference: Option<&Reference>,
    consent: &Consent,
    desk: &mut dyn Desk,
    outcome: &mut Outcome,
) -> Result<(), SourceError> {
    let meant =
        |source: &Identity, key: &ItemKey| reference.is_none_or(|reference| reference.matches(source, key));
    let is_any = home.installed.items.values().any(|item| meant(&item.source, &item.key));
    if let Some(reference) = reference.filter(|_| !is_any) {
        let message = format!("no installed item matches `{}`", reference.as_str());
        return Err(SourceError::new(SourceErrorKind::Refused(RefusalKind::NotFound), message));
    }
    let mut git = None;
    let inventory: Inventory = inventory(home, &mut git, outcome);
    let world = world(home, &inventory);
    let stale = staleness(&world);
    // Those that are current are planned too: a link of theirs may be missing, or an agent home new.
    let mut wanted: Vec<(Position, Reason)> = Vec::new();
    for (key, item) in &home.installed.items {
        if !meant(&item.source, key) {
            continue;
        }
        match stale.get(key) {
            Some(Staleness::Outdated(at) | Staleness::Renamed(at, _)) => wanted.push((*at, Reason::Outdated)),
            Some(Staleness::Current) => {
                wanted.extend(inventory.of(&item.source, key).map(|(at, _)| (at, Reason::Outdated)));
            }
            Some(Staleness::Dropped) => {
                outcome
                    .notes
                    .push(format!("{key} is no longer offered by {}; it stays as it is", item.source));
            }
            Some(Staleness::Unknown) | None => {}
        }
    }
    let selected = InstallRequest::of(&world, &wanted, consent.force);
    let places = home.occupants(&selected.places(&world))?;
    let mut plan = install(&world, &selected, &places);
    let warnings = scan_plan(&mut plan, &inventory);
    let current = current(&stale);
    let mut edited = Vec::new();
    plan.refusals.retain(|(key, refusal)| {
        let is_edited = refusal.kind == RefusalKind::Drifted && current.contains(key);
        if is_edited {
            edited.push(refusal.message.clone());
        }
        !is_edited
    });
    // Its source says the same as before, so there is nothing to upgrade: that it was edited is only told.
    outcome.notes.extend(edited);
    let is_named = |_: &Identity| reference.is_some();
    outcome.preview = shown::preview(Vec::new(), &plan, &Hooks::new(consent, desk), &is_named, &[]);
    outcome.preview.warnings.extend(warnings);
    if !plan.is_empty() && !consent.yes && !consent.dry_run && !desk.is_attended() {
        desk.show(&outcome.preview);
        let message = format!("upgrading {} needs consent; `--yes` gives it", count(plan.installs.len()));
        return Err(SourceError::new(SourceErrorKind::ConsentRequired, message));
    }
    finish(home, plan, consent, false, "upgrade this?", desk, outcome, "upgraded")
}

fn current(stale: &BTreeMap<ItemKey, Staleness>) -> BTreeSet<&ItemKey> {
    stale
        .iter()
        .filter(|(_, staleness)| matches!(staleness, Staleness::Current))
        .map(|(key, _)| key)
        .collect()
}
