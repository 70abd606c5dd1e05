//! The open directories of an installation: the home and the agent homes.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use minds_vfs::{MountId, WorkspacePath};

use super::error::{InstallError, InstallErrorKind};
use super::lobe::{CreatedDirectory, open_or_create};
use crate::Root;
use crate::files::{FileErrorKind, Place, Refusal};
use crate::syscalls::{self, Access, Handle, Stat};

/// The maximum number of directories kept open for following steps.
const MAX_OPEN: usize = 16;

/// The base directory of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    Home,
    /// The agent home with this index.
    Lobe(usize),
}

/// All directories in which entries change. Below a folder of an agent home, symbolic links are not followed;
/// the folder itself may be a link made by the user.
pub(super) struct OpenDirectories<'h> {
    pub(super) home: &'h Root,
    lobes: Vec<Lobe>,
    /// The directories that had to be created.
    pub(super) created: Vec<CreatedDirectory>,
    /// The directories used last, the most recent first: thousands of steps apply to a few of them.
    open: RefCell<Vec<(Base, String, Rc<Handle>)>>,
}

/// A name in an open directory.
#[derive(Clone)]
pub(super) struct EntryRef {
    pub(super) directory: Rc<Handle>,
    pub(super) name: String,
}

impl EntryRef {
    /// Returns the metadata of the entry; none if it does not exist.
    pub(super) fn stat(&self) -> Result<Option<Stat>, Refusal> {
        match syscalls::stat_entry(&self.directory, &self.name) {
            Ok(stat) => Ok(Some(stat)),
            Err(error) if syscalls::is_absent(&error) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the directory and the name, as system calls take them.
    pub(super) fn entry(&self) -> (&Handle, &str) {
        (&self.directory, &self.name)
    }
}

impl From<Place<'_>> for EntryRef {
    fn from(place: Place<'_>) -> Self {
        Self { directory: Rc::new(place.directory), name: place.name }
    }
}

struct Lobe {
    path: PathBuf,
    folders: BTreeMap<String, Root>,
}

impl<'h> OpenDirectories<'h> {
    /// Opens the directories that the paths need, and creates missing ones.
    pub(super) fn open<'p>(
        home: &'h Root,
        lobes: &[PathBuf],
        used: impl Iterator<Item = (Base, &'p WorkspacePath)>,
    ) -> Result<Self, InstallError> {
        let lobes = lobes.iter().map(|path| Lobe { path: path.clone(), folders: BTreeMap::new() });
        let mut directories =
            Self { home, lobes: lobes.collect(), created: Vec::new(), open: RefCell::default() };
        for (base, path) in used {
            let Base::Lobe(number) = base else { continue };
            let folder = path.segments().next().unwrap_or_default();
            let Some(lobe) = directories.lobes.get_mut(number) else { continue };
            if path.segments().count() < 2 {
                let path = lobe.path.join(path.as_str());
                directories.remove_created();
                return Err(InstallError::new(&path, InstallErrorKind::Place));
            }
            if lobe.folders.contains_key(folder) {
                continue;
            }
            let place = lobe.path.join(folder);
            match open_or_create(&place, &mut directories.created) {
                Ok(root) => {
                    lobe.folders.insert(folder.to_owned(), root);
                }
                Err(refusal) => {
                    directories.remove_created();
                    return Err(InstallError::of(place, refusal));
                }
            }
        }
        Ok(directories)
    }

    /// Removes the created directories that are still empty.
    pub(super) fn remove_created(&mut self) {
        while let Some(directory) = self.created.pop() {
            directory.remove();
        }
    }

    /// Returns the entry with this path. Its directory is opened once for many entries; if the directory is
    /// moved meanwhile, the operations apply to the moved directory.
    pub(super) fn place(&self, base: Base, path: &WorkspacePath) -> Result<EntryRef, Refusal> {
        let (above, name) = match path.as_str().rsplit_once('/') {
            Some(split) => split,
            None if base == Base::Home && !path.is_root() => ("", path.as_str()),
            None => return Err(FileErrorKind::Root.into()),
        };
        let name = name.to_owned();
        let mut open = self.open.borrow_mut();
        if let Some(at) = open.iter().position(|(of, path, _)| *of == base && path == above) {
            open.get_mut(..=at).unwrap_or_default().rotate_right(1);
            let directory = open.first().map(|(_, _, handle)| Rc::clone(handle));
            return directory
                .map(|directory| EntryRef { directory, name })
                .ok_or(FileErrorKind::NotFound.into());
        }
        let directory = Rc::new(self.open_directory(base, above)?);
        open.truncate(MAX_OPEN - 1);
        open.insert(0, (base, above.to_owned(), Rc::clone(&directory)));
        Ok(EntryRef { directory, name })
    }

    fn open_directory(&self, base: Base, path: &str) -> Result<Handle, Refusal> {
        let (root, inside) = match base {
            Base::Home => (self.home, path),
            Base::Lobe(number) => {
                let (folder, inside) = path.split_once('/').unwrap_or((path, ""));
                let root = self.lobes.get(number).and_then(|lobe| lobe.folders.get(folder));
                (root.ok_or(FileErrorKind::NotFound)?, inside)
            }
        };
        let inside = if inside.is_empty() { Ok(WorkspacePath::root()) } else { WorkspacePath::parse(inside) };
        root.open_without_links(&inside.map_err(|_| FileErrorKind::Unnamed)?, Access::Directory)
    }

    /// Closes the directories that a step at this place may have renamed.
    pub(super) fn forget(&self, base: Base, path: &WorkspacePath) {
        let is_inside = |other: &str| {
            other.strip_prefix(path.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.open.borrow_mut().retain(|(of, other, _)| *of != base || !is_inside(other));
    }

    /// Returns the path of a place for messages.
    pub(super) fn display_path(&self, base: Base, path: &WorkspacePath) -> PathBuf {
        match base {
            Base::Home => PathBuf::from(path.as_str()),
            Base::Lobe(number) => {
                let lobe = self.lobes.get(number).map_or(Path::new(""), |lobe| &lobe.path);
                lobe.join(path.as_str())
            }
        }
    }
}

/// Returns the mount of folders of agent homes, which is only used internally.
pub(super) fn lobe_mount() -> MountId {
    MountId::new("agents")
}
