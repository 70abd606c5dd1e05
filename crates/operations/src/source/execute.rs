//! Doing what was planned: in one step, of which all or nothing happens.

use std::collections::BTreeSet;
use std::path::PathBuf;

use minds_document::{ContentHash, FileMode};
use minds_paths::WorkspacePath;
use minds_sources::plan::{InstallStep, Occupant, Plan, RemoveStep, Unlink, World};
use minds_sources::{
    AbsolutePath, INSTALLED_FILE, Installed, InstalledItem, Inventory, ItemContent, ItemFile, ItemKey,
    LOCK_FILE, LobeMode, Placed, REGISTRY_FILE, Registry,
};
use minds_system::install::{InstallError, InstallErrorKind, PlaceState, Transaction, inspect};

use super::home::{Home, path, std_path};
use super::learn::world;
use super::{SourceError, SourceErrorKind};

/// Items and files that change together.
pub(super) struct Execution<'h> {
    home: &'h Home,
    pub(super) transaction: Transaction<'h>,
    count: usize,
}

impl<'h> Execution<'h> {
    /// Begins, with nothing to be done yet. What is staged is removed if nothing comes of it.
    pub(super) fn begin(home: &'h Home) -> Result<Self, SourceError> {
        Ok(Self { home, transaction: Transaction::begin(home.root()?)?, count: 0 })
    }

    /// Returns a new place for what is to be written.
    pub(super) fn place(&mut self, name: &str) -> Result<WorkspacePath, SourceError> {
        self.count += 1;
        let place = self.transaction.folder().join(&format!("{name}-{}", self.count));
        place.map_err(|error| SourceError::new(SourceErrorKind::System, error.to_string()))
    }

    /// Writes a content to a place, and returns the place on this machine.
    pub(super) fn write(
        &mut self,
        at: &WorkspacePath,
        content: &ItemContent,
    ) -> Result<PathBuf, SourceError> {
        let mode =
            |file: &ItemFile| if file.is_executable { FileMode::Executable } else { FileMode::Regular };
        match content {
            ItemContent::File(file) => self.transaction.write(at, &file.bytes, mode(file))?,
            ItemContent::Folder(files) => {
                self.transaction.make_directory(at)?;
                for (inside, file) in files {
                    let place = at
                        .join(inside.as_str())
                        .map_err(|error| SourceError::new(SourceErrorKind::System, error.to_string()))?;
                    self.transaction.write(&place, &file.bytes, mode(file))?;
                }
            }
        }
        Ok(self.on_this_machine(at))
    }

    /// Returns where a place in the folder of the program is on this machine.
    pub(super) fn on_this_machine(&self, at: &WorkspacePath) -> PathBuf {
        std_path(&self.home.place.join(at))
    }

    /// Plans that an item gets its place in the store and in the agent homes.
    pub(super) fn install(&mut self, step: &InstallStep) -> Result<(), SourceError> {
        let at = self.place("item")?;
        self.write(&at, &step.content)?;
        let store = step.record.stored_at();
        self.transaction.put(at, store.clone());
        for link in &step.links {
            let (lobe, inside) = split(&link.at)?;
            let found = found(&lobe, &inside, &link.found)?;
            match link.mode {
                LobeMode::Link => self.transaction.link(&lobe, inside, link.target.as_str(), found),
                LobeMode::Copy => self.transaction.copy(&lobe, inside, store.clone(), found),
            }
        }
        self.unlink(&step.unlinks)
    }

    /// Plans that an item goes from the store and the agent homes.
    pub(super) fn remove(&mut self, step: &RemoveStep) -> Result<(), SourceError> {
        self.transaction.remove(step.store.clone());
        self.unlink(&step.unlinks)
    }

    /// Plans that places of agent homes are cleared.
    pub(super) fn unlink(&mut self, unlinks: &[Unlink]) -> Result<(), SourceError> {
        for unlink in unlinks {
            let (lobe, inside) = split(&unlink.at)?;
            let found = found(&lobe, &inside, &unlink.found)?;
            self.transaction.unlink(&lobe, inside, found);
        }
        Ok(())
    }

    /// Plans all of a plan, and returns what is installed then.
    pub(super) fn all(&mut self, plan: &Plan, installed: &Installed) -> Result<Installed, SourceError> {
        let mut installed = installed.clone();
        let put: BTreeSet<&ItemKey> = plan.installs.iter().map(|step| &step.record.key).collect();
        for step in &plan.removals {
            // One that is renamed to what another had is put where that was: what is put comes first.
            if !put.contains(&step.record.key) {
                self.remove(step)?;
                installed.items.remove(&step.record.key);
            }
        }
        for step in &plan.installs {
            self.install(step)?;
            installed.items.insert(step.record.key.clone(), step.record.clone());
        }
        Ok(installed)
    }

    /// Does everything, with what is to be remembered then.
    ///
    /// # Errors
    ///
    /// Fails with everything as it was, unless the error says otherwise.
    pub(super) fn commit(
        mut self,
        registry: Option<&Registry>,
        installed: Option<&Installed>,
    ) -> Result<(), SourceError> {
        if let Some(registry) = registry {
            self.transaction.state(path(REGISTRY_FILE), registry.write().as_bytes(), FileMode::Private)?;
        }
        if let Some(installed) = installed {
            self.home.know_homes(installed)?;
            self.transaction.state(path(INSTALLED_FILE), installed.write().as_bytes(), FileMode::Private)?;
        }
        let lock = self.lock(registry, installed);
        self.transaction.state(path(LOCK_FILE), lock.as_bytes(), FileMode::Private)?;
        self.transaction.commit()?;
        Ok(())
    }

    /// Returns the lock of what is registered and installed then.
    fn lock(&self, registry: Option<&Registry>, installed: Option<&Installed>) -> String {
        // What sources offer beyond what is installed of them is not locked.
        let inventory = Inventory::default();
        let world = World {
            registry: registry.unwrap_or(&self.home.registry),
            installed: installed.unwrap_or(&self.home.installed),
            ..world(self.home, &inventory)
        };
        minds_sources::lock(&world, false).write()
    }
}

/// Returns the agent home in which an item is placed, and where in it: items are placed two names deep.
pub(super) fn split(at: &AbsolutePath) -> Result<(PathBuf, WorkspacePath), SourceError> {
    let unusable =
        || SourceError::new(SourceErrorKind::InvalidHome, format!("`{at}` is no place in an agent home"));
    let (folder, name) = at.as_str().rsplit_once('/').ok_or_else(unusable)?;
    let (home, folder) = folder.rsplit_once('/').ok_or_else(unusable)?;
    let inside = WorkspacePath::parse(&format!("{folder}/{name}")).map_err(|_| unusable())?;
    if home.is_empty() {
        return Err(unusable());
    }
    Ok((PathBuf::from(home), inside))
}

/// Returns what a plan found, in the words in which it is compared before it changes. A content is looked at once more, because
/// it is known by another hash there.
fn found(
    lobe: &std::path::Path,
    inside: &WorkspacePath,
    planned: &Occupant,
) -> Result<PlaceState, SourceError> {
    match planned {
        Occupant::Nothing => return Ok(PlaceState::Nothing),
        Occupant::Link(target) => return Ok(PlaceState::Link(target.clone())),
        Occupant::Content(_) | Occupant::Other => {}
    }
    let found = inspect(lobe, inside)?;
    if matches!((planned, &found), (Occupant::Content(_), PlaceState::Content(_))) {
        return Ok(found);
    }
    Err(no_longer_planned(&lobe.join(inside.as_str()).to_string_lossy()))
}

/// Refuses to go on because something changed since it was planned for.
pub(super) fn no_longer_planned(place: &str) -> SourceError {
    let message = format!("what stands at `{place}` is no longer what was planned for; try again");
    SourceError::new(SourceErrorKind::System, message)
}

/// Makes the content of a step another one: what was built.
pub(super) fn replace_content(step: &mut InstallStep, content: ItemContent) {
    let hash = content.hash();
    step.content = content;
    set_stored(&mut step.record, hash);
}

/// Notes what stands in the store, and what was copied from there.
pub(super) fn set_stored(record: &mut InstalledItem, hash: ContentHash) {
    let copies = record.placed.values_mut().filter(|placed| matches!(placed, Placed::Copy(_)));
    copies.for_each(|placed| *placed = Placed::Copy(hash));
    record.stored = hash;
}

impl From<InstallError> for SourceError {
    fn from(error: InstallError) -> Self {
        let kind = match error.kind() {
            InstallErrorKind::Foreign => SourceErrorKind::InvalidState,
            _ => SourceErrorKind::System,
        };
        Self::new(kind, error.to_string())
    }
}
