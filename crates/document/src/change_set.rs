//! Effects as a value.

use std::collections::BTreeMap;
use std::fmt;

use minds_paths::Location;
use sha2::{Digest as _, Sha256};

use crate::{ContentHash, FileMode};

/// What must be at a place before it is changed, so that nobody's work is overwritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Nothing.
    Absent,
    /// A file with this content.
    Content(ContentHash),
    /// Anything, or nothing.
    Any,
}

/// What is to happen at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A file gets this content; missing directories are made.
    Write {
        /// The whole new content.
        bytes: Vec<u8>,
        /// The new permissions.
        mode: FileMode,
        /// What must be there before.
        expected: Expected,
    },
    /// A directory is made, with those that hold it.
    MakeDirectory,
    /// What stands here moves to a place in the same mount where nothing is.
    Move {
        /// The new place.
        to: Location,
    },
    /// A symbolic link is made where nothing is.
    Link {
        /// Where it leads, as it will say.
        target: String,
    },
    /// A file or link is removed.
    Remove {
        /// What must be there before.
        expected: Expected,
    },
}

/// A plan of changes that are applied together or not at all.
///
/// No two changes touch the same place, and none touches a place below one that a change turns into something else
/// than a directory: the order in which they were added never matters to the outcome.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeSet {
    changes: BTreeMap<Location, Change>,
}

/// Two changes that cannot both happen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{first}` and `{second}` cannot both be changed")]
pub struct ChangeSetError {
    first: Location,
    second: Location,
}

/// The name of a change set: equal sets have equal names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChangeSetId(u64);

impl ChangeSet {
    /// Returns a plan that changes nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a change.
    ///
    /// # Errors
    ///
    /// Returns the place that is changed already, or the change above or below that excludes this one.
    pub fn add(&mut self, location: Location, change: Change) -> Result<(), ChangeSetError> {
        let conflict = |first: &Location, second: &Location| {
            Err(ChangeSetError { first: first.clone(), second: second.clone() })
        };
        if let Change::Move { to } = &change
            && (to.mount != location.mount
                || to.path.is_at_or_below(&location.path)
                || location.path.is_at_or_below(&to.path))
        {
            return conflict(&location, to);
        }
        let mut touched = vec![&location];
        if let Change::Move { to } = &change {
            touched.push(to);
        }
        for (other, earlier) in &self.changes {
            let mut others = vec![(other, matches!(earlier, Change::MakeDirectory))];
            if let Change::Move { to } = earlier {
                others.push((to, false));
            }
            for place in &touched {
                for (other, is_directory) in &others {
                    if place.mount != other.mount {
                        continue;
                    }
                    let below = place.path.is_at_or_below(&other.path);
                    let above = other.path.is_at_or_below(&place.path);
                    let nests = (below && *is_directory && !above)
                        || (above && matches!(change, Change::MakeDirectory) && !below);
                    if (below || above) && !nests {
                        return conflict(other, place);
                    }
                }
            }
        }
        self.changes.insert(location, change);
        Ok(())
    }

    /// Returns the places that change, in order, and how.
    pub fn iter(&self) -> impl Iterator<Item = (&Location, &Change)> {
        self.changes.iter()
    }

    /// Returns the number of changes.
    pub fn len(&self) -> usize {
        self.changes.len()
    }

    /// Returns whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Returns the name of the set, by which a run that was interrupted is recognised.
    pub fn id(&self) -> ChangeSetId {
        let mut hash = Sha256::new();
        for (location, change) in &self.changes {
            // Lengths keep neighbours apart: two different sets never feed the same bytes.
            let (kind, parts): (u8, Vec<Vec<u8>>) = match change {
                Change::Write { bytes, mode, expected } => {
                    (0, vec![bytes.clone(), format!("{mode:?} {expected:?}").into_bytes()])
                }
                Change::MakeDirectory => (1, vec![]),
                Change::Move { to } => (2, vec![to.mount.as_str().into(), to.path.as_str().into()]),
                Change::Link { target } => (3, vec![target.clone().into_bytes()]),
                Change::Remove { expected } => (4, vec![format!("{expected:?}").into_bytes()]),
            };
            hash.update([kind]);
            let places: [&[u8]; 2] = [location.mount.as_str().as_bytes(), location.path.as_str().as_bytes()];
            for part in places.into_iter().chain(parts.iter().map(Vec::as_slice)) {
                hash.update((part.len() as u64).to_le_bytes());
                hash.update(part);
            }
        }
        let digest: [u8; 32] = hash.finalize().into();
        let (first, _) = digest.split_first_chunk::<8>().unwrap_or((&[0; 8], &[]));
        ChangeSetId(u64::from_be_bytes(*first))
    }
}

impl fmt::Display for ChangeSetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use minds_paths::{MountId, WorkspacePath};

    use super::*;

    fn at(path: &str) -> Location {
        Location::new(MountId::WORKSPACE, WorkspacePath::parse(path).unwrap())
    }

    fn write(text: &str) -> Change {
        Change::Write { bytes: text.into(), mode: FileMode::Regular, expected: Expected::Absent }
    }

    #[track_caller]
    fn check(changes: &[(&str, Change)], fits: bool) {
        for order in [false, true] {
            let mut set = ChangeSet::new();
            let mut changes = changes.to_vec();
            if order {
                changes.reverse();
            }
            let added = changes.into_iter().try_for_each(|(path, change)| set.add(at(path), change));
            assert_eq!(added.is_ok(), fits, "{set:?}");
        }
    }

    #[test]
    fn changes_of_different_places_fit() {
        check(&[("a/b", write("1")), ("a/c", write("2")), ("d", Change::MakeDirectory)], true);
        check(&[("a", Change::MakeDirectory), ("a/b", write("1"))], true);
        check(&[("ab", write("1")), ("a", write("2"))], true);
        check(&[("x", Change::Move { to: at("y") }), ("z", write("1"))], true);
    }

    #[test]
    fn changes_that_exclude_each_other_do_not() {
        check(&[("a", write("1")), ("a", write("2"))], false);
        check(&[("a", write("1")), ("a/b", write("2"))], false);
        check(&[("a", Change::Remove { expected: Expected::Any }), ("a/b", write("2"))], false);
        check(&[("x", Change::Move { to: at("y") }), ("y", write("1"))], false);
        check(&[("x", Change::Move { to: at("y") }), ("x/z", write("1"))], false);
        check(&[("x", Change::Move { to: at("x/y") })], false);
        check(&[("a", Change::Link { target: "b".into() }), ("a", Change::MakeDirectory)], false);
    }

    #[test]
    fn equal_sets_have_equal_ids_and_others_do_not() {
        let set = |changes: &[(&str, &str)]| {
            let mut set = ChangeSet::new();
            for (path, text) in changes {
                set.add(at(path), write(text)).unwrap();
            }
            set.id()
        };
        assert_eq!(set(&[("a", "1"), ("b", "2")]), set(&[("b", "2"), ("a", "1")]));
        assert_ne!(set(&[("a", "1"), ("b", "2")]), set(&[("a", "1"), ("b", "3")]));
        assert_ne!(set(&[("a", "b")]), set(&[("ab", "")]));
    }
}
