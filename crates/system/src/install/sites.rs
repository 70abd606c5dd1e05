//! The home and the agent homes, opened.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use minds_paths::{MountId, WorkspacePath};

use super::error::{InstallError, InstallErrorKind};
use super::lobe::{Made, open_or_make};
use crate::Root;
use crate::files::{FileErrorKind, Place, Refusal};
use crate::syscalls::{self, Handle, Stat, Wanted};

/// How many directories stay open for the next step.
const MAX_OPEN: usize = 16;

/// Where a path begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    /// In the home.
    Home,
    /// In the agent home with this number.
    Lobe(usize),
}

/// Everything in which something changes. What lies below a folder of an agent home is reached without any link; the folder
/// itself may be one of the user's.
pub(super) struct Sites<'h> {
    pub(super) home: &'h Root,
    lobes: Vec<Lobe>,
    /// What had to be made to open them.
    pub(super) made: Vec<Made>,
    /// The directories in which something was looked for last, the latest first: thousands of steps are in a few of them.
    open: RefCell<Vec<(Base, String, Rc<Handle>)>>,
}

/// A name in a directory that is open.
#[derive(Clone)]
pub(super) struct Spot {
    pub(super) directory: Rc<Handle>,
    pub(super) name: String,
}

impl Spot {
    /// Returns what stands there; none if there is nothing.
    pub(super) fn stat(&self) -> Result<Option<Stat>, Refusal> {
        match syscalls::stat_entry(&self.directory, &self.name) {
            Ok(stat) => Ok(Some(stat)),
            Err(error) if syscalls::is_absent(&error) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the directory and the name, as calls take them.
    pub(super) fn entry(&self) -> (&Handle, &str) {
        (&self.directory, &self.name)
    }
}

impl From<Place<'_>> for Spot {
    fn from(place: Place<'_>) -> Self {
        Self { directory: Rc::new(place.directory), name: place.name }
    }
}

struct Lobe {
    path: PathBuf,
    folders: BTreeMap<String, Root>,
}

impl<'h> Sites<'h> {
    /// Opens what the paths need, and makes what is not there.
    pub(super) fn open<'p>(
        home: &'h Root,
        lobes: &[PathBuf],
        used: impl Iterator<Item = (Base, &'p WorkspacePath)>,
    ) -> Result<Self, InstallError> {
        let lobes = lobes.iter().map(|path| Lobe { path: path.clone(), folders: BTreeMap::new() });
        let mut sites = Self { home, lobes: lobes.collect(), made: Vec::new(), open: RefCell::default() };
        for (base, path) in used {
            let Base::Lobe(number) = base else { continue };
            let folder = path.segments().next().unwrap_or_default();
            let Some(lobe) = sites.lobes.get_mut(number) else { continue };
            if path.segments().count() < 2 {
                let path = lobe.path.join(path.as_str());
                sites.unmake();
                return Err(InstallError::new(&path, InstallErrorKind::Place));
            }
            if lobe.folders.contains_key(folder) {
                continue;
            }
            let place = lobe.path.join(folder);
            match open_or_make(&place, &mut sites.made) {
                Ok(root) => {
                    lobe.folders.insert(folder.to_owned(), root);
                }
                Err(refusal) => {
                    sites.unmake();
                    return Err(InstallError::of(place, refusal));
                }
            }
        }
        Ok(sites)
    }

    /// Removes again what was made, as far as nobody put anything into it.
    pub(super) fn unmake(&mut self) {
        while let Some(made) = self.made.pop() {
            made.remove();
        }
    }

    /// Returns the place with this name. Its directory is opened once for many places; whoever moves it away meanwhile takes
    /// what happens in it along.
    pub(super) fn place(&self, base: Base, path: &WorkspacePath) -> Result<Spot, Refusal> {
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
            return directory.map(|directory| Spot { directory, name }).ok_or(FileErrorKind::NotFound.into());
        }
        let directory = Rc::new(self.open_directory(base, above)?);
        open.truncate(MAX_OPEN - 1);
        open.insert(0, (base, above.to_owned(), Rc::clone(&directory)));
        Ok(Spot { directory, name })
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
        root.open_exactly(&inside.map_err(|_| FileErrorKind::Unnamed)?, Wanted::Directory)
    }

    /// Forgets the directories that a step at this place may have given another name.
    pub(super) fn forget(&self, base: Base, path: &WorkspacePath) {
        let is_inside = |other: &str| {
            other.strip_prefix(path.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.open.borrow_mut().retain(|(of, other, _)| *of != base || !is_inside(other));
    }

    /// Returns how a place is called in a message.
    pub(super) fn shown(&self, base: Base, path: &WorkspacePath) -> PathBuf {
        match base {
            Base::Home => PathBuf::from(path.as_str()),
            Base::Lobe(number) => {
                let lobe = self.lobes.get(number).map_or(Path::new(""), |lobe| &lobe.path);
                lobe.join(path.as_str())
            }
        }
    }
}

/// Returns the mount of a folder of an agent home, which nobody sees.
pub(super) fn lobe_mount() -> MountId {
    MountId::new("agents")
}
