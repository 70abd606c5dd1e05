//! Changes to files as values.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Bound;

use crate::{Location, WorkspacePath};
use sha2::{Digest as _, Sha256};

use crate::{ContentHash, FileMode};

/// What must exist at a location before it is changed, so that no concurrent change is overwritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Nothing.
    Absent,
    /// A file with this content.
    Content(ContentHash),
    /// Anything, or nothing.
    Any,
}

/// A change at one location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Writes a file; missing directories are created.
    Write {
        /// The complete new content.
        bytes: Vec<u8>,
        /// The new permissions.
        mode: FileMode,
        /// What must exist before.
        expected: Expected,
    },
    /// Creates a directory and its missing parents.
    MakeDirectory,
    /// Moves the entry to another location of the same mount, where nothing exists.
    Move {
        /// The new location.
        to: Location,
    },
    /// Creates a symbolic link where nothing exists.
    Link {
        /// The target, as stored in the link.
        target: String,
    },
    /// Removes a file or link.
    Remove {
        /// What must exist before.
        expected: Expected,
    },
}

/// A plan of changes that are applied together or not at all.
///
/// No two changes affect the same location, and none affects a location inside one that another change turns into
/// something else than a directory. The order in which the changes were added therefore never affects the result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeSet {
    changes: BTreeMap<Location, Change>,
    /// How many of the changes are moves, which affect two locations.
    moves: usize,
}

/// Two changes that exclude each other.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{first}` and `{second}` cannot both be changed")]
pub struct ChangeSetError {
    first: Location,
    second: Location,
}

/// The id of a change set: equal sets have equal ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChangeSetId(u64);

impl ChangeSet {
    /// Returns an empty plan.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a change.
    ///
    /// # Errors
    ///
    /// Returns the location that is already changed, or the change at a parent or child that excludes this one.
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
        let is_move = matches!(change, Change::Move { .. });
        let excluded = if self.moves == 0 && !is_move {
            self.find_conflict_nearby(&location, &change).map(|other| (other, &location))
        } else {
            self.find_conflict(&location, &change)
        };
        if let Some((other, place)) = excluded {
            return conflict(other, place);
        }
        self.moves += usize::from(is_move);
        self.changes.insert(location, change);
        Ok(())
    }

    /// Returns the first change that excludes one that is not a move, for a set without moves: only changes at the
    /// same location, at its parents and inside it count.
    fn find_conflict_nearby(&self, location: &Location, change: &Change) -> Option<&Location> {
        let at =
            |path: WorkspacePath| self.changes.get_key_value(&Location::new(location.mount.clone(), path));
        let mut above: Vec<WorkspacePath> =
            std::iter::successors(location.path.parent(), WorkspacePath::parent).collect();
        above.reverse();
        let mut above = above.into_iter().filter_map(at);
        let is_no_directory = |(_, earlier): &(&Location, &Change)| !matches!(earlier, Change::MakeDirectory);
        if let Some((other, _)) = above.find(is_no_directory) {
            return Some(other);
        }
        if let Some((same, _)) = self.changes.get_key_value(location) {
            return Some(same);
        }
        if matches!(change, Change::MakeDirectory) {
            return None;
        }
        // Locations inside this one follow it closely; only names with the same prefix are in between.
        let behind =
            self.changes.range((Bound::Excluded(location), Bound::Unbounded)).map(|(other, _)| other);
        let mut near = behind.take_while(|other| {
            other.mount == location.mount && other.path.as_str().starts_with(location.path.as_str())
        });
        near.find(|other| other.path.is_at_or_below(&location.path))
    }

    /// Returns the first change that excludes another one, and the location of the latter that is affected.
    fn find_conflict<'c>(
        &'c self,
        location: &'c Location,
        change: &'c Change,
    ) -> Option<(&'c Location, &'c Location)> {
        let mut touched = vec![location];
        if let Change::Move { to } = change {
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
                        return Some((other, place));
                    }
                }
            }
        }
        None
    }

    /// Returns the locations that change, in order, with their changes.
    pub fn iter(&self) -> impl Iterator<Item = (&Location, &Change)> {
        self.changes.iter()
    }

    /// Returns the number of changes.
    pub fn len(&self) -> usize {
        self.changes.len()
    }

    /// Returns whether the plan is empty.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Returns the id of the set, by which an interrupted run is recognized.
    pub fn id(&self) -> ChangeSetId {
        let mut hash = Sha256::new();
        for (location, change) in &self.changes {
            // Lengths separate neighboring values, so two different sets never produce the same bytes.
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
    use crate::{MountId, WorkspacePath};
    use proptest::prelude::*;

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
    fn only_equal_sets_have_equal_ids() {
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

    fn changes() -> impl Strategy<Value = Vec<(String, u8)>> {
        let path = prop::sample::select(vec![
            "a", "a/b", "a/b/c", "a/b/d", "a-b", "a.b", "ab", "a/b-c", "b", "b/a", "b/a/b", "c",
        ]);
        prop::collection::vec((path.prop_map(str::to_owned), 0..4_u8), 0..8)
    }

    proptest! {
        /// Searching only nearby finds the same conflict as searching all changes.
        #[test]
        fn a_conflict_is_always_nearby(changes in changes()) {
            let mut set = ChangeSet::new();
            for (path, kind) in changes {
                let change = match kind {
                    0 => Change::MakeDirectory,
                    1 => Change::Remove { expected: Expected::Any },
                    2 if path == "c" => Change::Move { to: at("d") },
                    _ => write("1"),
                };
                let place = at(&path);
                if set.moves == 0 && kind != 2 {
                    let slowly = set.find_conflict(&place, &change).map(|(other, _)| other);
                    prop_assert_eq!(set.find_conflict_nearby(&place, &change), slowly);
                }
                let _ = set.add(place, change);
            }
        }
    }
}
