//! The home and the agent homes, opened.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use minds_paths::{MountId, WorkspacePath};

use super::error::{InstallError, InstallErrorKind};
use super::lobe::{Made, open_or_make};
use crate::Root;
use crate::files::{FileErrorKind, Place, Refusal};

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
        let mut sites = Self { home, lobes: lobes.collect(), made: Vec::new() };
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

    /// Returns the place with this name.
    pub(super) fn place(&self, base: Base, path: &WorkspacePath) -> Result<Place<'_>, Refusal> {
        let Base::Lobe(number) = base else { return self.home.scoped().entry_at(path) };
        let (folder, rest) = path.as_str().split_once('/').ok_or(FileErrorKind::Root)?;
        let lobe = self.lobes.get(number);
        let root = lobe.and_then(|lobe| lobe.folders.get(folder)).ok_or(FileErrorKind::NotFound)?;
        root.scoped().entry_at(&WorkspacePath::parse(rest).map_err(|_| FileErrorKind::Unnamed)?)
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
