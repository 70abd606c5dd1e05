//! Removing items.

use std::collections::BTreeSet;
use std::path::Path;

use minds_fs::install::PlaceState;
use minds_fs::{Kind, Root};
use minds_inventory::plan::{Plan, RemoveRequest, remove};
use minds_inventory::{AbsolutePath, Inventory, Reference};
use minds_process::SystemError;
use minds_sources::{Identity, ItemKey, ItemKind, ItemName};
use minds_vfs::MountId;

use crate::consent::{Answer, ask_consent, count};
use crate::home::{Access, Home, path, std_path};
use crate::hooks::Hooks;
use crate::learn::{context, finish};
use crate::staging::{Staging, split_home};
use crate::{
    Action, Consent, ForgetRequest, Interaction, ItemChange, ItemStep, Outcome, OutcomeKind, SourceError,
    SourceErrorKind, preview,
};

/// The maximum number of entries of a folder in an agent home.
const MAX_ENTRIES: usize = 100_000;

/// Removes installed items, or with `unmanaged` items in agent homes that were not installed by this program.
///
/// # Errors
///
/// Fails if no item matches, several match and the reference is not a pattern, or consent is missing.
pub fn forget(
    directory: &Path,
    request: &ForgetRequest,
    consent: &Consent,
    interaction: &mut dyn Interaction,
) -> Result<Outcome, SourceError> {
    let home = Home::open(directory, Access::Write)?;
    let mut outcome = Outcome::new(Action::Forget, request.item.clone());
    let reference = request.item.as_deref().map(Reference::parse).transpose()?;
    if request.unmanaged {
        forget_unmanaged(&home, reference.as_ref(), consent, interaction, &mut outcome)?;
        return Ok(outcome);
    }
    let Some(reference) = reference else {
        return Err(SourceError::new(SourceErrorKind::ConsentRequired, "no item is named"));
    };
    let wanted = RemoveRequest::by_reference(&home.installed, &reference, consent.force)?;
    let needed: Vec<ItemKey> = wanted.dependents(&home.installed).into_keys().collect();
    let plan = plan_removal(&home, &wanted)?;
    let is_named = |_: &Identity| true;
    outcome.preview = preview::preview(
        Vec::new(),
        &plan,
        &Hooks::new(consent, interaction, &home.registry.sources),
        &is_named,
        &[],
    );
    let names: Vec<String> = needed.iter().map(ToString::to_string).collect();
    if !needed.is_empty() {
        outcome.preview.warnings.push(format!("required by {}", names.join(", ")));
    }
    let is_free = wanted.items.len() <= 1 && (needed.is_empty() || consent.force);
    if !is_free && !consent.yes && !consent.dry_run && !interaction.is_interactive() {
        let message = if needed.is_empty() {
            format!("removing {} needs consent; confirm with `--yes`", count(wanted.items.len()))
        } else {
            let wanted: Vec<String> = wanted.items.iter().map(ToString::to_string).collect();
            let verb = if wanted.len() == 1 { "is" } else { "are" };
            let (wanted, needing) = (wanted.join(", "), names.join(", "));
            format!("{wanted} {verb} required by {needing}; use `--yes` to remove anyway")
        };
        return Err(SourceError::new(SourceErrorKind::ConsentRequired, message));
    }
    finish(&home, plan, consent, is_free, "remove this?", interaction, &mut outcome, OutcomeKind::Removed)?;
    Ok(outcome)
}

pub(crate) fn plan_removal(home: &Home, wanted: &RemoveRequest) -> Result<Plan, SourceError> {
    let inventory = Inventory::default();
    let context = context(home, &inventory);
    let places = home.occupants(&wanted.places(&context))?;
    Ok(remove(&context, wanted, &places))
}

/// An item in an agent home that was not installed by this program.
pub(crate) struct UnmanagedItem {
    pub(crate) key: ItemKey,
    pub(crate) at: AbsolutePath,
}

/// Returns the unmanaged items in agent homes, sorted by home, kind and name.
pub(crate) fn find_unmanaged(home: &Home) -> Result<Vec<UnmanagedItem>, SourceError> {
    let mut found = Vec::new();
    let placed: BTreeSet<&AbsolutePath> =
        home.installed.items.values().flat_map(|item| item.placed.keys()).collect();
    for lobe in &home.lobes {
        let root = match Root::open(&std_path(&lobe.path), MountId::WORKSPACE) {
            Ok(root) => root,
            Err(SystemError::NotFound { .. }) => continue,
            Err(error) => return Err(error.into()),
        };
        for kind in [ItemKind::Skill, ItemKind::Agent, ItemKind::Rule] {
            let Ok(listing) = root.resolving().list(&path(kind.folder()), MAX_ENTRIES) else { continue };
            for entry in listing.entries {
                let Some(file) = entry.real.file_name() else { continue };
                let name = match (kind.is_folder(), file.strip_suffix(".md")) {
                    // A file conflicts with a skill of its name like a folder.
                    (true, _) => file,
                    (false, Some(stem)) if matches!(entry.kind, Kind::File | Kind::Link) => stem,
                    _ => continue,
                };
                let Ok(name) = ItemName::parse(name) else { continue };
                let at = lobe.path.join(&path(&format!("{}/{file}", kind.folder())));
                if !placed.contains(&at) {
                    found.push(UnmanagedItem { key: ItemKey { kind, name }, at });
                }
            }
        }
    }
    Ok(found)
}

/// Removes unmanaged items. They belong to the user, so without a terminal this always needs `--yes`.
fn forget_unmanaged(
    home: &Home,
    reference: Option<&Reference>,
    consent: &Consent,
    interaction: &mut dyn Interaction,
    outcome: &mut Outcome,
) -> Result<(), SourceError> {
    let no_source = Identity::parse("local/home/unmanaged")
        .map_err(|error| SourceError::new(SourceErrorKind::System, error.to_string()))?;
    let mut found = find_unmanaged(home)?;
    found.retain(|item| reference.is_none_or(|reference| reference.matches(&no_source, &item.key)));
    if found.is_empty() {
        return Ok(());
    }
    // Only files that existed before the question are removed.
    let mut states = Vec::with_capacity(found.len());
    for item in &found {
        let (lobe, inside) = split_home(&item.at)?;
        let state = minds_fs::install::inspect(&lobe, &inside)?;
        states.push((lobe, inside, state));
    }
    let step = |item: &UnmanagedItem| ItemStep {
        key: item.key.clone(),
        source: "unmanaged".to_owned(),
        change: ItemChange::Remove,
        is_dependency: false,
        links: vec![item.at.to_string()],
        replaces: Vec::new(),
    };
    outcome.preview.items = found.iter().map(step).collect();
    if !consent.yes && !consent.dry_run && !interaction.is_interactive() {
        let message = format!(
            "removing {} that minds did not install needs consent; confirm with `--yes`",
            count(found.len())
        );
        return Err(SourceError::new(SourceErrorKind::ConsentRequired, message));
    }
    match ask_consent(
        consent,
        false,
        &outcome.preview,
        "remove this, which minds did not install?",
        interaction,
    ) {
        Answer::Planned => outcome.outcome = OutcomeKind::DryRun,
        Answer::No => outcome.outcome = OutcomeKind::Cancelled,
        Answer::Yes => {
            let mut staging = Staging::begin(home)?;
            for (item, (lobe, inside, state)) in found.iter().zip(states) {
                if matches!(state, PlaceState::Other) {
                    let message = format!("`{}` cannot be removed safely", item.at);
                    outcome.failures.push(SourceError::new(SourceErrorKind::System, message));
                    continue;
                }
                staging.transaction.unlink(&lobe, inside, state);
                outcome.removed.push(step(item));
            }
            staging.commit(None, Some(&home.installed))?;
            outcome.outcome = OutcomeKind::Removed;
        }
    }
    Ok(())
}
