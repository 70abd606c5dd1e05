//! The transaction that applies a plan: all changes happen, or none.

use std::collections::BTreeSet;
use std::path::PathBuf;

use minds_fs::install::{InstallError, InstallErrorKind, PlaceState, Transaction, inspect};
use minds_inventory::plan::{InstallStep, InventoryContext, Occupant, Plan, RemoveStep, Unlink};
use minds_inventory::{
    AbsolutePath, INSTALLED_FILE, InstalledItem, InstalledItems, Inventory, LOCK_FILE, LobeMode, Placement,
    REGISTRY_FILE, Registry,
};
use minds_sources::{ItemContent, ItemFile, ItemKey};
use minds_vfs::{ContentHash, FileMode, WorkspacePath};

use crate::home::{Home, path, std_path};
use crate::learn::context;
use crate::{SourceError, SourceErrorKind};

/// Items and state files that change together.
pub(crate) struct Staging<'h> {
    home: &'h Home,
    pub(crate) transaction: Transaction<'h>,
    count: usize,
}

impl<'h> Staging<'h> {
    /// Begins a transaction. Staged files are removed unless it is committed.
    pub(crate) fn begin(home: &'h Home) -> Result<Self, SourceError> {
        Ok(Self { home, transaction: Transaction::begin(home.root()?)?, count: 0 })
    }

    /// Returns a new path for staged files.
    pub(crate) fn new_path(&mut self, name: &str) -> Result<WorkspacePath, SourceError> {
        self.count += 1;
        let place = self.transaction.folder().join(&format!("{name}-{}", self.count));
        place.map_err(|error| SourceError::new(SourceErrorKind::System, error.to_string()))
    }

    /// Stages content at a path, and returns its absolute path.
    pub(crate) fn write(
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

    /// Returns the absolute path of a path in the data directory.
    pub(crate) fn on_this_machine(&self, at: &WorkspacePath) -> PathBuf {
        std_path(&self.home.place.join(at))
    }

    /// Stages the installation of an item in the store and in the agent homes.
    pub(crate) fn install(&mut self, step: &InstallStep) -> Result<(), SourceError> {
        let at = self.new_path("item")?;
        self.write(&at, &step.content)?;
        let store = step.record.store_path();
        self.transaction.put(at, store.clone());
        for link in &step.links {
            let (lobe, inside) = split_home(&link.at)?;
            let found = expected_occupant(&lobe, &inside, &link.found)?;
            match link.mode {
                LobeMode::Link => self.transaction.link(&lobe, inside, link.target.as_str(), found),
                LobeMode::Copy => self.transaction.copy(&lobe, inside, store.clone(), found),
            }
        }
        self.unlink(&step.unlinks)
    }

    /// Stages the removal of an item from the store and from the agent homes.
    pub(crate) fn remove(&mut self, step: &RemoveStep) -> Result<(), SourceError> {
        self.transaction.remove(step.store.clone());
        self.unlink(&step.unlinks)
    }

    /// Stages the removal of links and copies in agent homes.
    pub(crate) fn unlink(&mut self, unlinks: &[Unlink]) -> Result<(), SourceError> {
        for unlink in unlinks {
            let (lobe, inside) = split_home(&unlink.at)?;
            let found = expected_occupant(&lobe, &inside, &unlink.found)?;
            self.transaction.unlink(&lobe, inside, found);
        }
        Ok(())
    }

    /// Stages a whole plan, and returns the installed items after it.
    pub(crate) fn stage_plan(
        &mut self,
        plan: &Plan,
        installed: &InstalledItems,
    ) -> Result<InstalledItems, SourceError> {
        let mut installed = installed.clone();
        let put: BTreeSet<&ItemKey> = plan.installs.iter().map(|step| &step.record.key).collect();
        for step in &plan.removals {
            // A name that another item takes over is not removed: the installation replaces its files.
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

    /// Commits all staged changes, together with the new state.
    ///
    /// # Errors
    ///
    /// Fails without any change, unless the error states otherwise.
    pub(crate) fn commit(
        mut self,
        registry: Option<&Registry>,
        installed: Option<&InstalledItems>,
    ) -> Result<(), SourceError> {
        if let Some(registry) = registry {
            self.transaction.state(path(REGISTRY_FILE), registry.write().as_bytes(), FileMode::Private)?;
        }
        if let Some(installed) = installed {
            self.home.record_homes(installed)?;
            self.transaction.state(path(INSTALLED_FILE), installed.write().as_bytes(), FileMode::Private)?;
        }
        let lock = self.lock(registry, installed);
        self.transaction.state(path(LOCK_FILE), lock.as_bytes(), FileMode::Private)?;
        self.transaction.commit()?;
        Ok(())
    }

    /// Returns the lock for the new state.
    fn lock(&self, registry: Option<&Registry>, installed: Option<&InstalledItems>) -> String {
        // Items that are offered but not installed are not locked.
        let inventory = Inventory::default();
        let context = InventoryContext {
            registry: registry.unwrap_or(&self.home.registry),
            installed: installed.unwrap_or(&self.home.installed),
            ..context(self.home, &inventory)
        };
        minds_inventory::lock(&context, false).write()
    }
}

/// Splits a path into the agent home and the path in it, which always has two names.
pub(crate) fn split_home(at: &AbsolutePath) -> Result<(PathBuf, WorkspacePath), SourceError> {
    let unusable =
        || SourceError::new(SourceErrorKind::InvalidHome, format!("`{at}` is not a path in an agent home"));
    let (folder, name) = at.as_str().rsplit_once('/').ok_or_else(unusable)?;
    let (home, folder) = folder.rsplit_once('/').ok_or_else(unusable)?;
    let inside = WorkspacePath::parse(&format!("{folder}/{name}")).map_err(|_| unusable())?;
    if home.is_empty() {
        return Err(unusable());
    }
    Ok((PathBuf::from(home), inside))
}

/// Returns the occupant that the plan expects, in the form that the transaction compares. Content is read
/// again, because the transaction uses another hash.
fn expected_occupant(
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
    Err(changed_since_plan(&lobe.join(inside.as_str()).to_string_lossy()))
}

/// Creates the error for a path that changed after the plan was made.
pub(crate) fn changed_since_plan(place: &str) -> SourceError {
    let message = format!("`{place}` has changed since the plan was made; try again");
    SourceError::new(SourceErrorKind::System, message)
}

/// Replaces the content of a step by the result of its build.
pub(crate) fn replace_content(step: &mut InstallStep, content: ItemContent) {
    let hash = content.hash();
    step.content = content;
    set_stored(&mut step.record, hash);
}

/// Records the hash of the stored content, and of its copies.
pub(crate) fn set_stored(record: &mut InstalledItem, hash: ContentHash) {
    let copies = record.placed.values_mut().filter(|placed| matches!(placed, Placement::Copy(_)));
    copies.for_each(|placed| *placed = Placement::Copy(hash));
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
