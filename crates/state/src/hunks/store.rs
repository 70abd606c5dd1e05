//! The files that store hunks.

use std::collections::BTreeSet;

use minds_fs::{FileErrorKind, Kind, Lock, Root, Sharing};
use minds_vfs::{ContentHash, Expected, FileMode, WorkspacePath};
use serde::{Deserialize, Serialize};

use super::name::{Name, digits};
use super::{HunkError, HunkId, LIFETIME, Plan};

/// The name of the folder in the state folder.
const FOLDER: &str = "hunks";
/// The maximum number of hunks of an owner.
const MAX_OWNER_ENTRIES: usize = 256;
/// The maximum total size of the hunks of an owner, in bytes.
const MAX_OWNER_BYTES: u64 = 64 * 1024 * 1024;
/// The maximum size of a hunk, in bytes.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// The maximum number of files in the folder.
const MAX_FILES: usize = 16_384;
/// The maximum number of attempts to find an unused id.
const MAX_TRIES: usize = 64;
/// The version of the file format.
const VERSION: u32 = 1;

/// The content of a file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    version: u32,
    id: String,
    owner: String,
    expires_at_ms: u64,
    /// The hash of the text in the plan.
    base_sha256: Option<String>,
    plan: Plan,
}

/// The id of a planned change, with its expiry time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// The id.
    pub id: String,
    /// The expiry time, in milliseconds since 1970.
    pub expires_at_ms: u64,
}

/// The hunks of one owner.
#[derive(Debug)]
pub struct Store {
    root: Root,
    folder: WorkspacePath,
    now: u64,
    owner: String,
}

/// A planned change that is locked against concurrent use.
#[derive(Debug)]
pub struct Claimed<'s> {
    store: &'s Store,
    name: Name,
    stored: Stored,
    _lock: Lock,
}

impl Store {
    /// Opens the store of an owner in a state folder, and removes expired hunks. `now` is the time in milliseconds since
    /// 1970.
    ///
    /// # Errors
    ///
    /// Fails if the folder cannot be read.
    pub fn open(state: Root, now: u64, owner: String) -> Result<Self, HunkError> {
        let store = Self::new(state, now, owner)?;
        store.names()?;
        Ok(store)
    }

    /// Opens the store of an owner in a state folder, and creates its folder if necessary. `now` is the time in
    /// milliseconds since 1970.
    ///
    /// # Errors
    ///
    /// Fails if the folder cannot be created.
    pub fn create(state: Root, now: u64, owner: String) -> Result<Self, HunkError> {
        let store = Self::new(state, now, owner)?;
        match store.root.no_follow().make_directory(&store.folder) {
            Err(error) if error.kind() != FileErrorKind::AlreadyExists => Err(error.into()),
            _ => Ok(store),
        }
    }

    fn new(root: Root, now: u64, owner: String) -> Result<Self, HunkError> {
        let folder = WorkspacePath::parse(FOLDER).map_err(|_| HunkError::Unavailable("named"))?;
        Ok(Self { root, folder, now, owner })
    }

    /// Stores a plan with a new random id.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be written.
    pub fn add(&self, plan: Plan) -> Result<Ticket, HunkError> {
        for _ in 0..MAX_TRIES {
            let bytes = minds_process::random::<4>().map_err(|_| HunkError::Unavailable("given an id"))?;
            let id = HunkId(format!("{:08x}", u32::from_be_bytes(bytes)));
            let _lock = self.lock(&id)?;
            if self.names()?.iter().all(|name| name.id != id) {
                return self.write(id, plan);
            }
        }
        Err(HunkError::Unavailable("given an id"))
    }

    /// Locks a planned change, waiting for concurrent users.
    ///
    /// # Errors
    ///
    /// Refuses an unknown id, and a change of another owner.
    pub fn claim(&self, id: &HunkId) -> Result<Claimed<'_>, HunkError> {
        if self.names()?.iter().all(|name| name.id != *id) {
            return Err(HunkError::NotFound(id.clone()));
        }
        let lock = self.lock(id)?;
        let mut found = self.names()?.into_iter().filter(|name| name.id == *id);
        let name = found.next().ok_or_else(|| HunkError::NotFound(id.clone()))?;
        if found.next().is_some() {
            return Err(HunkError::IdConflict);
        }
        if name.owner != digits(&self.owner) {
            return Err(HunkError::WrongOwner);
        }
        let stored = self.read(&name)?.ok_or_else(|| HunkError::NotFound(id.clone()))?;
        if stored.owner != self.owner {
            return Err(HunkError::WrongOwner);
        }
        Ok(Claimed { store: self, name, stored, _lock: lock })
    }

    /// Returns the names of all valid hunks, the oldest first, and removes invalid ones.
    fn names(&self) -> Result<BTreeSet<Name>, HunkError> {
        let listing = match self.root.no_follow().list(&self.folder, MAX_FILES) {
            Ok(listing) => listing,
            Err(error) if error.kind() == FileErrorKind::NotFound => return Ok(BTreeSet::new()),
            Err(error) => return Err(error.into()),
        };
        let mut names = BTreeSet::new();
        for entry in listing.entries.into_iter().filter(|entry| entry.kind == Kind::File) {
            let Some(name) = entry.real.file_name().and_then(Name::parse) else { continue };
            if name.is_valid(self.now) {
                names.insert(name);
            } else {
                self.remove(&name)?;
            }
        }
        Ok(names)
    }

    /// Removes all hunks with an id, whose lock the caller holds.
    fn forget(&self, id: &HunkId) {
        for name in self.names().unwrap_or_default().into_iter().filter(|name| name.id == *id) {
            let _ = self.remove(&name);
        }
    }

    /// Reads a hunk; `None` if the file is not a hunk or does not match its name.
    fn read(&self, name: &Name) -> Result<Option<Stored>, HunkError> {
        let path = self.path(&name.file())?;
        let Ok(file) = self.root.no_follow().read(&path, MAX_BYTES) else { return Ok(None) };
        let Ok(stored) = serde_json::from_slice::<Stored>(&file.bytes) else { return Ok(None) };
        let is_it = stored.version == VERSION
            && stored.id == name.id.as_str()
            && stored.expires_at_ms == name.expires
            && stored.base_sha256 == hash(&stored.plan);
        Ok(is_it.then_some(stored))
    }

    /// Writes a hunk with a new expiry time. The caller holds the lock of the id.
    fn write(&self, id: HunkId, plan: Plan) -> Result<Ticket, HunkError> {
        let name = Name { expires: self.now.saturating_add(LIFETIME), owner: digits(&self.owner), id };
        let stored = Stored {
            version: VERSION,
            id: name.id.as_str().to_owned(),
            owner: self.owner.clone(),
            expires_at_ms: name.expires,
            base_sha256: hash(&plan),
            plan,
        };
        self.put(&name, &stored)?;
        Ok(Ticket { id: stored.id, expires_at_ms: name.expires })
    }

    fn put(&self, name: &Name, stored: &Stored) -> Result<(), HunkError> {
        let bytes = serde_json::to_vec(stored).map_err(|_| HunkError::Unavailable("written"))?;
        self.evict_oldest(bytes.len() as u64)?;
        let path = self.path(&name.file())?;
        self.root.no_follow().create(&path, &bytes, FileMode::Private).map_err(HunkError::from)
    }

    /// Removes the oldest hunks of the owner until one more fits.
    fn evict_oldest(&self, size: u64) -> Result<(), HunkError> {
        let own = digits(&self.owner);
        let mut hunks = Vec::new();
        for name in self.names()?.into_iter().filter(|name| name.owner == own) {
            let size =
                self.root.no_follow().metadata(&self.path(&name.file())?).map_or(0, |known| known.size);
            hunks.push((name, size));
        }
        let (mut count, mut bytes) = (hunks.len(), hunks.iter().map(|(_, size)| size).sum::<u64>());
        for (name, hunk) in hunks {
            if count < MAX_OWNER_ENTRIES && bytes.saturating_add(size) <= MAX_OWNER_BYTES {
                break;
            }
            self.remove(&name)?;
            (count, bytes) = (count - 1, bytes.saturating_sub(hunk));
        }
        Ok(())
    }

    /// Removes a hunk; returns whether it existed.
    fn remove(&self, name: &Name) -> Result<bool, HunkError> {
        match self.root.no_follow().remove_file(&self.path(&name.file())?, Expected::Any) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == FileErrorKind::NotFound => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    fn lock(&self, id: &HunkId) -> Result<Lock, HunkError> {
        let path = self.path(id.as_str())?;
        self.root.no_follow().lock(&path, Sharing::Exclusive).map_err(HunkError::from)
    }

    fn path(&self, file: &str) -> Result<WorkspacePath, HunkError> {
        self.folder.join(file).map_err(|_| HunkError::Unavailable("named"))
    }
}

impl Claimed<'_> {
    /// Returns the plan.
    pub fn plan(&self) -> &Plan {
        &self.stored.plan
    }

    /// Replaces the plan, with a new expiry time.
    ///
    /// # Errors
    ///
    /// Fails if the new plan cannot be written; the old one is put back then.
    pub fn revise(self, plan: Plan) -> Result<Ticket, HunkError> {
        let written = self.take().and_then(|()| self.store.write(self.name.id.clone(), plan));
        if written.is_err() {
            // The failed write may have taken effect.
            self.store.forget(&self.name.id);
            self.put_back();
        }
        written
    }

    /// Removes the change from the store, so that it cannot be applied again.
    ///
    /// # Errors
    ///
    /// Refuses a change that is already removed.
    pub fn take(&self) -> Result<(), HunkError> {
        if self.store.remove(&self.name)? { Ok(()) } else { Err(HunkError::NotFound(self.name.id.clone())) }
    }

    /// Puts back a change that was taken but not applied.
    pub fn put_back(&self) {
        // If this fails, the next call reports that the change has to be previewed again.
        let _ = self.store.put(&self.name, &self.stored);
    }
}

fn hash(plan: &Plan) -> Option<String> {
    plan.base.as_ref().map(|base| ContentHash::of(base.as_bytes()).to_string())
}
