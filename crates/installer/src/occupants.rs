//! The occupants of paths in agent homes and in the store.

use std::collections::{BTreeMap, BTreeSet};

use minds_fs::Root;
use minds_inventory::AbsolutePath;
use minds_inventory::plan::{Occupant, Places};
use minds_process::SystemError;
use minds_vfs::{MountId, SnapshotEntry, WorkspacePath};

use crate::home::{Home, std_path};
use crate::{SourceError, content};

impl Home {
    /// Reads the occupants of paths in agent homes and in the data directory. Links inside an agent home are
    /// not followed.
    ///
    /// # Errors
    ///
    /// Fails if an agent home cannot be read.
    pub(crate) fn occupants(&self, places: &BTreeSet<AbsolutePath>) -> Result<Places, SourceError> {
        let mut seen = Places::new();
        let mut by_folder: BTreeMap<&AbsolutePath, Vec<(WorkspacePath, &AbsolutePath)>> = BTreeMap::new();
        let lobes = self.lobes.iter().map(|lobe| &lobe.path);
        let folders: Vec<&AbsolutePath> = std::iter::once(&self.place).chain(lobes).collect();
        for place in places {
            // Agent homes can be nested; the innermost one is used.
            let holding = folders.iter().filter_map(|folder| Some((*folder, place.relative_to(folder)?)));
            match holding.max_by_key(|(folder, _)| folder.as_str().len()) {
                Some((folder, inside)) => by_folder.entry(folder).or_default().push((inside, place)),
                // A path in a home that is no longer configured is read on its own.
                None => {
                    seen.insert(place.clone(), occupant_of(place)?);
                }
            }
        }
        for (folder, places) in by_folder {
            let root = match Root::open(&std_path(folder), MountId::WORKSPACE) {
                Ok(root) => root.without_links(),
                Err(SystemError::NotFound { .. }) => {
                    seen.extend(places.into_iter().map(|(_, place)| (place.clone(), Occupant::Nothing)));
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            for (place, occupant) in read_occupants(&root, &places)? {
                seen.insert(place, occupant);
            }
        }
        Ok(seen)
    }
}

/// Reads the occupant of a single path.
fn occupant_of(place: &AbsolutePath) -> Result<Occupant, SourceError> {
    let path = std_path(place);
    let (Some(parent), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return Ok(Occupant::Other);
    };
    let root = match Root::open(parent, MountId::WORKSPACE) {
        Ok(root) => root.without_links(),
        Err(SystemError::NotFound { .. }) => return Ok(Occupant::Nothing),
        Err(error) => return Err(error.into()),
    };
    let Ok(name) = WorkspacePath::parse(name) else { return Ok(Occupant::Other) };
    Ok(read_occupants(&root, &[(name, place)])?.pop().map_or(Occupant::Other, |(_, occupant)| occupant))
}

/// Reads the occupants of paths below a root.
fn read_occupants(
    root: &Root,
    places: &[(WorkspacePath, &AbsolutePath)],
) -> Result<Vec<(AbsolutePath, Occupant)>, SourceError> {
    let mut seen = Vec::with_capacity(places.len());
    let mut contents = Vec::new();
    let standing = root.entries_at(places.iter().map(|(inside, _)| inside));
    for ((inside, place), entry) in places.iter().zip(standing) {
        let occupant = match entry {
            None => Occupant::Nothing,
            Some(SnapshotEntry::Link { target }) => Occupant::Link(target),
            Some(entry @ (SnapshotEntry::Directory | SnapshotEntry::Unread)) => {
                contents.push(((inside.clone(), entry == SnapshotEntry::Directory), *place));
                continue;
            }
            Some(_) => Occupant::Other,
        };
        seen.push(((*place).clone(), occupant));
    }
    let expected: Vec<content::Expected> = contents.iter().map(|(expected, _)| expected.clone()).collect();
    let found = content::read(&mut |survey| Ok(root.survey(survey)), &expected)?;
    for ((_, place), found) in contents.into_iter().zip(found) {
        let occupant = match found {
            Ok(Some(content)) => Occupant::Content(content.hash()),
            Ok(None) => Occupant::Nothing,
            Err(_) => Occupant::Other,
        };
        seen.push((place.clone(), occupant));
    }
    Ok(seen)
}
