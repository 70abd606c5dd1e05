//! The data directory of this program.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use minds_fs::install::{is_interrupted, recover};
use minds_fs::{FileErrorKind, Lock, Root, Sharing};
use minds_inventory::plan::AgentHome;
use minds_inventory::{
    AbsolutePath, CONFIG_FILE, Config, INSTALLED_FILE, InstalledItems, Lobe, REGISTRY_FILE, Registry,
};
use minds_process::SystemError;
use minds_trust::find_untrusted_directory;
use minds_vfs::{ContentHash, Expected, FileMode, MountId, WorkspacePath};

use crate::{HomesOrigin, SourceError, SourceErrorKind};

/// The variable with the agent homes, separated by `:`.
pub(crate) const HOMES_VARIABLE: &str = "MIND_AGENT_HOMES";
/// The variable with the only agent home, if none are configured.
pub(crate) const HOME_VARIABLE: &str = "CLAUDE_HOME";
/// The default agent home.
const DEFAULT_HOME: &str = "~/.claude";
/// All agent homes in which an item was ever placed, one per line.
const HOMES_FILE: &str = "homes.txt";
/// The maximum size of a state file in bytes.
pub(crate) const MAX_STATE: u64 = 64 << 20;

/// How a verb uses the data directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Reading, concurrently with other readers.
    Read,
    /// Writing, exclusively.
    Write,
}

/// The locked data directory, with the recorded state.
#[derive(Debug)]
pub(crate) struct Home {
    /// Its path.
    pub(crate) place: AbsolutePath,
    /// The open directory; `None` if it does not exist yet and is only read.
    root: Option<Root>,
    /// The home directory of the user.
    pub(crate) user: Option<AbsolutePath>,
    /// The directory in which the verb runs.
    pub(crate) base: AbsolutePath,
    pub(crate) registry: Registry,
    pub(crate) installed: InstalledItems,
    pub(crate) config: Config,
    pub(crate) lobes: Vec<AgentHome>,
    /// The origin of the agent homes.
    pub(crate) lobes_from: HomesOrigin,
    lock: Option<Lock>,
}

impl Home {
    /// Opens the data directory, waits for its lock, completes or rolls back an interrupted transaction, and
    /// reads the state files.
    ///
    /// # Errors
    ///
    /// Fails if the directory does not exist or is not trusted, or a state file cannot be read.
    pub(crate) fn open(directory: &Path, access: Access) -> Result<Self, SourceError> {
        let base = base(directory)?;
        let user = user_home();
        let folder = minds_process::program_folder()?;
        let place = absolute(&folder, &base, user.as_ref())?;
        ensure_trusted(Path::new(place.as_str()))?;
        let (root, lock) = match access {
            Access::Write => {
                let root = Root::open_private(Path::new(place.as_str()), MountId::WORKSPACE)?.without_links();
                let lock = lock(&root, Sharing::Exclusive)?;
                (Some(root), Some(lock))
            }
            Access::Read => match Root::open(Path::new(place.as_str()), MountId::WORKSPACE) {
                Ok(root) => {
                    let root = root.without_links();
                    let lock = lock(&root, Sharing::Shared)?;
                    (Some(root), Some(lock))
                }
                Err(SystemError::NotFound { .. }) => (None, None),
                Err(error) => return Err(error.into()),
            },
        };
        let mut home = Self {
            place,
            root,
            user,
            base,
            registry: Registry::default(),
            installed: InstalledItems::default(),
            config: Config::default(),
            lobes: Vec::new(),
            lobes_from: HomesOrigin::Default,
            lock,
        };
        home.read_config()?;
        home.settle(access)?;
        home.read()?;
        Ok(home)
    }

    /// Returns the open directory.
    pub(crate) fn root(&self) -> Result<&Root, SourceError> {
        let missing =
            || SourceError::new(SourceErrorKind::System, format!("`{}` does not exist", self.place));
        self.root.as_ref().ok_or_else(missing)
    }

    /// Reads the state files.
    fn read(&mut self) -> Result<(), SourceError> {
        if let Some(bytes) = self.file(REGISTRY_FILE)? {
            self.registry = Registry::parse(&bytes)?;
        }
        if let Some(bytes) = self.file(INSTALLED_FILE)? {
            self.installed = InstalledItems::parse(&bytes)?;
        }
        Ok(())
    }

    /// Reads the configuration, which is written separately from other state.
    fn read_config(&mut self) -> Result<(), SourceError> {
        if let Some(bytes) = self.file(CONFIG_FILE)? {
            self.config = Config::parse(bytes)?;
        }
        let (lobes, from) = self.agent_homes()?;
        (self.lobes, self.lobes_from) = (lobes, from);
        Ok(())
    }

    /// Returns the lock; `None` if there is none.
    pub(crate) fn lock_file(&self) -> Result<Option<minds_inventory::Lock>, SourceError> {
        let Some(bytes) = self.file(minds_inventory::LOCK_FILE)? else { return Ok(None) };
        Ok(Some(minds_inventory::Lock::parse(bytes)?))
    }

    /// Reads a file of the directory; `None` if it does not exist.
    fn file(&self, name: &str) -> Result<Option<Vec<u8>>, SourceError> {
        let Some(root) = &self.root else { return Ok(None) };
        match root.no_follow().read(&path(name), MAX_STATE) {
            Ok(read) => Ok(Some(read.bytes)),
            Err(error) if error.kind() == FileErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the agent homes and their origin: the environment, the configuration, or the default.
    fn agent_homes(&self) -> Result<(Vec<AgentHome>, HomesOrigin), SourceError> {
        let variable_value = |variable| match minds_process::variable(variable) {
            Ok(value) => Ok(value.filter(|value| !value.is_empty())),
            Err(error) => Err(SourceError::new(SourceErrorKind::InvalidHome, error.to_string())),
        };
        let plain = |path: &str| Lobe { path: path.to_owned(), mode: None };
        let (lobes, from) = if let Some(homes) = variable_value(HOMES_VARIABLE)? {
            let homes = homes.split(':').filter(|home| !home.is_empty());
            (homes.map(plain).collect(), HomesOrigin::HomesVariable)
        } else if let Some(lobes) = &self.config.lobes {
            (lobes.clone(), HomesOrigin::File)
        } else if let Some(home) = variable_value(HOME_VARIABLE)? {
            (vec![plain(&home)], HomesOrigin::HomeVariable)
        } else {
            (vec![plain(DEFAULT_HOME)], HomesOrigin::Default)
        };
        let mut homes: Vec<AgentHome> = Vec::new();
        for lobe in lobes {
            let place = self.expand(&lobe.path)?;
            self.check_agent_home(&place)?;
            if homes.iter().all(|home| home.path != place) {
                homes.push(AgentHome { path: place, mode: lobe.mode.unwrap_or(self.config.mode) });
            }
        }
        Ok((homes, from))
    }

    /// Checks that an agent home and the data directory are not inside each other.
    pub(crate) fn check_agent_home(&self, place: &AbsolutePath) -> Result<(), SourceError> {
        let is_inside = *place == self.place || place.relative_to(&self.place).is_some();
        if is_inside || self.place.relative_to(place).is_some_and(|inside| is_item_folder(&inside)) {
            let message =
                format!("`{place}` cannot be an agent home: it overlaps with the data directory of minds");
            return Err(SourceError::new(SourceErrorKind::InvalidHome, message));
        }
        Ok(())
    }

    /// Expands a path of the user.
    pub(crate) fn expand(&self, path: &str) -> Result<AbsolutePath, SourceError> {
        AbsolutePath::expand(path, &self.base, self.user.as_ref()).map_err(|error| {
            SourceError::new(SourceErrorKind::InvalidHome, format!("invalid path `{path}`: {error}"))
        })
    }

    /// Completes or rolls back an interrupted transaction. Readers do so as well, because the partial state
    /// would give wrong results.
    fn settle(&mut self, access: Access) -> Result<(), SourceError> {
        let Some(root) = &self.root else { return Ok(()) };
        let homes = self.known_homes()?;
        let homes: Vec<PathBuf> = homes.iter().map(std_path).collect();
        if access == Access::Write {
            recover(root, &homes)?;
        } else if is_interrupted(root) {
            self.lock = None;
            self.lock = Some(lock(root, Sharing::Exclusive)?);
            recover(root, &homes)?;
        }
        Ok(())
    }

    /// Returns all agent homes in which an item was ever placed, and the configured ones.
    fn known_homes(&self) -> Result<BTreeSet<AbsolutePath>, SourceError> {
        let mut homes: BTreeSet<AbsolutePath> = self.lobes.iter().map(|lobe| lobe.path.clone()).collect();
        let Some(bytes) = self.file(HOMES_FILE)? else { return Ok(homes) };
        for line in String::from_utf8_lossy(&bytes).lines() {
            let home = AbsolutePath::parse(line).map_err(|error| {
                let message = format!("`{HOMES_FILE}`: `{line}`: {error}");
                SourceError::new(SourceErrorKind::InvalidState, message)
            })?;
            homes.insert(home);
        }
        Ok(homes)
    }

    /// Records the agent homes that are about to change, so that recovery trusts them.
    pub(crate) fn record_homes(&self, installed: &InstalledItems) -> Result<(), SourceError> {
        let known = self.known_homes()?;
        let mut all = known.clone();
        let placed = self.installed.items.values().chain(installed.items.values());
        for at in placed.flat_map(|item| item.placed.keys()) {
            let (home, _) = crate::staging::split_home(at)?;
            let home = text(&home)?;
            all.insert(AbsolutePath::parse(home).map_err(|error| invalid_path(home, &error))?);
        }
        let old = self.file(HOMES_FILE)?;
        let lines: Vec<&str> = all.iter().map(AbsolutePath::as_str).collect();
        let text = lines.join("\n") + "\n";
        let files = self.root()?.no_follow();
        match old {
            Some(old) if old == text.as_bytes() => {}
            Some(old) => {
                let expected = Expected::Content(ContentHash::of(&old));
                files.replace(&path(HOMES_FILE), text.as_bytes(), FileMode::Private, expected)?;
            }
            None => files.create(&path(HOMES_FILE), text.as_bytes(), FileMode::Private)?,
        }
        Ok(())
    }
}

/// Returns an error if the data directory belongs to another user, or another user can write to it.
fn ensure_trusted(directory: &Path) -> Result<(), SourceError> {
    let names = [CONFIG_FILE, REGISTRY_FILE, INSTALLED_FILE, minds_inventory::LOCK_FILE];
    let reason = match find_untrusted_directory(directory, &names) {
        // The directory is created when it is first needed.
        Ok(None) | Err(SystemError::NotFound { .. }) => return Ok(()),
        Ok(Some(found)) => found.to_string(),
        Err(error) => error.to_string(),
    };
    Err(SourceError::new(SourceErrorKind::InvalidHome, reason))
}

/// Returns whether items are linked at a path in an agent home.
fn is_item_folder(inside: &WorkspacePath) -> bool {
    let first = inside.segments().next();
    first.is_some_and(|first| minds_sources::ItemKind::ALL.iter().any(|kind| kind.folder() == first))
}

/// Returns the path of a valid name.
pub(crate) fn path(name: &str) -> WorkspacePath {
    WorkspacePath::parse(name).unwrap_or_default()
}

/// Waits for the lock of the directory.
fn lock(root: &Root, sharing: Sharing) -> Result<Lock, SourceError> {
    Ok(root.no_follow().lock(&path("home"), sharing)?)
}

/// Returns the working directory of a verb.
pub(crate) fn base(directory: &Path) -> Result<AbsolutePath, SourceError> {
    let real = minds_fs::real_directory(directory)?;
    text(&real).and_then(|text| AbsolutePath::parse(text).map_err(|error| invalid_path(text, &error)))
}

/// Returns the home directory of the user from the environment; `None` if it is not a valid path, so that
/// only paths that begin with `~` are refused.
pub(crate) fn user_home() -> Option<AbsolutePath> {
    let home = minds_process::variable("HOME").ok()??;
    AbsolutePath::parse(home.trim_end_matches('/')).ok()
}

fn absolute(
    folder: &Path,
    base: &AbsolutePath,
    user: Option<&AbsolutePath>,
) -> Result<AbsolutePath, SourceError> {
    let text = text(folder)?;
    AbsolutePath::expand(text, base, user).map_err(|error| invalid_path(text, &error))
}

fn text(path: &Path) -> Result<&str, SourceError> {
    let unreadable = || {
        let message = format!("the path `{}` is not valid UTF-8", path.display());
        SourceError::new(SourceErrorKind::InvalidHome, message)
    };
    path.to_str().ok_or_else(unreadable)
}

fn invalid_path(path: &str, error: &dyn std::fmt::Display) -> SourceError {
    SourceError::new(SourceErrorKind::InvalidHome, format!("invalid path `{path}`: {error}"))
}

/// Converts an absolute path.
pub(crate) fn std_path(place: &AbsolutePath) -> PathBuf {
    PathBuf::from(place.as_str())
}
