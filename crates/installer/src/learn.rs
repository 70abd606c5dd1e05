//! Installing items of registered sources.

use std::collections::BTreeSet;
use std::path::Path;

use minds_git::Git;
use minds_inventory::plan::{InstallRequest, InventoryContext, Reason, install};
use minds_inventory::{Inventory, Reference, RegisteredSource};
use minds_sources::{Identity, ItemKind, ItemName, SourceItems};

use crate::apply::apply_plan;
use crate::consent::{Answer, ask_consent};
use crate::home::{Access, Home};
use crate::hooks::{self, Hooks};
use crate::registration::refusals;
use crate::scan::scan_plan;
use crate::staging::Staging;
use crate::{
    Action, Consent, Interaction, LearnRequest, NO_SOURCE, Outcome, OutcomeKind, SourceError, files, preview,
};

/// Installs items of registered sources, with their dependencies.
///
/// # Errors
///
/// Fails if no item matches, several match and the reference is not a pattern, or nothing could be installed.
pub fn learn(
    directory: &Path,
    request: &LearnRequest,
    consent: &Consent,
    interaction: &mut dyn Interaction,
) -> Result<Outcome, SourceError> {
    let home = Home::open(directory, Access::Write)?;
    let mut outcome = Outcome::new(Action::Learn, request.item.clone());
    if home.registry.sources.is_empty() {
        outcome.notes.push(NO_SOURCE.to_owned());
    }
    let mut git = None;
    let inventory = inventory(&home, &mut git, &mut outcome.failures);
    let context = context(&home, &inventory);
    let selected = if let Some(item) = &request.item {
        let reference = Reference::parse(item)?;
        let found = InstallRequest::by_reference(&context, &reference, consent.force);
        // The item may belong to a source that could not be read.
        match (found, outcome.failures.first()) {
            (Err(refusal), Some(failure)) if inventory.sources().is_empty() => {
                return Err(SourceError::new(failure.kind(), format!("{refusal}; {failure}")));
            }
            (found, _) => found?,
        }
    } else {
        let all: Vec<_> = inventory.iter().map(|(at, ..)| (at, Reason::Selected)).collect();
        InstallRequest::of(&context, &all, consent.force)
    };
    // An unreadable source that was not requested is not a failure.
    let unread = std::mem::take(&mut outcome.failures);
    outcome.notes.extend(unread.iter().map(|failure| format!("a source could not be read: {failure}")));
    let places = home.occupants(&selected.places(&context))?;
    let mut plan = install(&context, &selected, &places);
    let warnings = scan_plan(&mut plan, &inventory);
    let is_named = |_: &Identity| names_source(request.item.as_deref());
    let decide = Hooks::new(consent, interaction, &home.registry.sources);
    outcome.preview = preview::preview(Vec::new(), &plan, &decide, &is_named, &[]);
    outcome.preview.warnings.extend(warnings);
    let unchanged = plan.unchanged.clone();
    let is_free = !selected.has_dependencies() || !installs_dependencies(&plan);
    finish(
        &home,
        plan,
        consent,
        is_free,
        "install this?",
        interaction,
        &mut outcome,
        OutcomeKind::Installed,
    )?;
    if outcome.outcome == OutcomeKind::NoOp && outcome.failures.is_empty() {
        let several = || format!("{} items are already installed and up to date", unchanged.len());
        outcome.notes.extend(match unchanged.as_slice() {
            [] => None,
            [only] => Some(format!("{only} is already installed and up to date")),
            _ => Some(several()),
        });
    }
    if outcome.outcome == OutcomeKind::Cancelled && !interaction.is_interactive() {
        outcome
            .notes
            .push("it depends on items that were not selected; use `--yes` to install them too".to_owned());
    }
    Ok(outcome)
}

/// Returns whether a reference names a source or a single item, instead of any items.
pub(crate) fn names_source(item: Option<&str>) -> bool {
    item.is_some_and(|item| item.contains('#') || !item.contains(['*', '?', '[']))
}

/// Returns whether a plan installs dependencies.
fn installs_dependencies(plan: &minds_inventory::plan::Plan) -> bool {
    plan.installs.iter().any(|step| step.reason == Reason::Needed)
}

/// Asks for consent to a plan for items, and applies it.
#[expect(clippy::too_many_arguments, reason = "each is independent input of a verb")]
pub(crate) fn finish(
    home: &Home,
    plan: minds_inventory::plan::Plan,
    consent: &Consent,
    is_free: bool,
    question: &str,
    interaction: &mut dyn Interaction,
    outcome: &mut Outcome,
    done: OutcomeKind,
) -> Result<(), SourceError> {
    if plan.is_empty() {
        refusals(plan, outcome);
        if consent.dry_run {
            outcome.outcome = OutcomeKind::DryRun;
        }
        return Ok(());
    }
    match ask_consent(consent, is_free, &outcome.preview, question, interaction) {
        Answer::Planned => {
            outcome.outcome = OutcomeKind::DryRun;
            refusals(plan, outcome);
        }
        Answer::No => outcome.outcome = OutcomeKind::Cancelled,
        Answer::Yes => {
            let mut steps = outcome.preview.hooks.clone();
            hooks::ask(&mut steps, interaction);
            let staging = Staging::begin(home)?;
            apply_plan(home, staging, plan, None, &steps, outcome)?;
            let has_done = !outcome.installed.is_empty() || !outcome.removed.is_empty();
            outcome.outcome = if has_done { done } else { OutcomeKind::NoOp };
        }
    }
    Ok(())
}

/// Reads what all registered sources offer. Failures are collected, and other sources are still read.
pub(crate) fn inventory(home: &Home, git: &mut Option<Git>, failures: &mut Vec<SourceError>) -> Inventory {
    let all: BTreeSet<&Identity> = home.registry.sources.iter().map(|source| &source.identity).collect();
    inventory_of(home, git, &all, failures)
}

/// Reads what some registered sources offer.
pub(crate) fn inventory_of(
    home: &Home,
    git: &mut Option<Git>,
    wanted: &BTreeSet<&Identity>,
    failures: &mut Vec<SourceError>,
) -> Inventory {
    let sources = home.registry.sources.iter().filter(|source| wanted.contains(&source.identity));
    read_all(home, git, sources, failures, files::ReadSource::items)
}

/// Reads what all registered sources offer, with content only for installed items, which is enough to
/// determine whether these are up to date.
pub(crate) fn inventory_of_installed(
    home: &Home,
    git: &mut Option<Git>,
    failures: &mut Vec<SourceError>,
) -> Inventory {
    let installed = home.installed.items.values();
    let installed: BTreeSet<(&Identity, ItemKind, &ItemName)> =
        installed.map(|item| (&item.source, item.key.kind, &item.bare_name)).collect();
    read_all(home, git, home.registry.sources.iter(), failures, |source| {
        let identity = &source.registered.identity;
        source.selected_items(|item| installed.contains(&(identity, item.kind, &item.name)))
    })
}

fn read_all<'s>(
    home: &Home,
    git: &mut Option<Git>,
    registered: impl Iterator<Item = &'s RegisteredSource>,
    failures: &mut Vec<SourceError>,
    items: impl Fn(&files::ReadSource) -> Result<SourceItems, SourceError>,
) -> Inventory {
    let mut sources = Vec::new();
    for source in registered {
        let read = files::read(home, git, source);
        match read.and_then(|read| items(&read).map_err(|error| error.with_target(&source.identity))) {
            Ok(items) => sources.push(items),
            Err(error) => failures.push(error),
        }
    }
    Inventory::new(sources)
}

/// Creates the input of planning.
pub(crate) fn context<'w>(home: &'w Home, inventory: &'w Inventory) -> InventoryContext<'w> {
    InventoryContext {
        inventory,
        registry: &home.registry,
        installed: &home.installed,
        lobes: &home.lobes,
        home: &home.place,
        user_home: home.user.as_ref(),
    }
}
