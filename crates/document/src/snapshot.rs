//! Files as a value.

use std::collections::{BTreeMap, BTreeSet};

use minds_diagnostics::{Contents, Diagnostic, Problems, SourceFile, Span};
use minds_paths::{Location, MountId, WorkspacePath};

use crate::{ContentHash, rules};

/// The permission bits of a file, of which only one means the same everywhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileMode {
    /// Readable by those who may read its directory.
    #[default]
    Regular,
    /// Executable as well.
    Executable,
    /// Readable and writable by its owner only, for state that may hold private text.
    Private,
}

/// What stands at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SnapshotEntry {
    /// A regular file.
    File {
        /// Its content.
        bytes: Contents,
        /// Its permissions.
        mode: FileMode,
    },
    /// A directory.
    Directory,
    /// A symbolic link, as it is.
    Link {
        /// Where it leads, as it says.
        target: String,
    },
    /// A socket, a pipe, a device: nothing that is ever read.
    Special,
    /// A regular file with several names (hard links). It is not read, because the others may lie outside.
    SeveralNames,
    /// A regular file whose content nobody asked for.
    Unread,
    /// A file of more bytes, or a directory of more entries, than are looked at. Nothing else is known of it.
    TooLarge {
        /// How many are looked at.
        most: u64,
    },
    /// A file that another file names and that is outside the area in which such files may be read. It was not opened, and
    /// whether it exists is not known.
    Outside {
        /// Why it is outside, in words for a message.
        reason: String,
    },
    /// A directory that belongs to another user, or that other users can write. Nothing of it was read.
    Untrusted {
        /// Why it is not trusted, in words for a message.
        reason: String,
    },
    /// Something that is there and could not be read.
    Unreadable {
        /// Why, in words for a message.
        reason: String,
    },
}

/// Why a file with several names is not read, in words for a message.
pub const SEVERAL_NAMES: &str =
    "it is a file with several names (hard links), and the others may lie outside of the workspace";

impl SnapshotEntry {
    /// Returns the same entry; if it is a file, no finding may quote anything of it. See [`Contents::withheld`].
    #[must_use]
    pub fn withheld(self) -> Self {
        match self {
            Self::File { bytes, mode } => Self::File { bytes: bytes.withheld(), mode },
            other => other,
        }
    }

    /// Returns the same entry; if it is a file, some users may not read it. See [`Contents::restricted`].
    #[must_use]
    pub fn restricted(self) -> Self {
        match self {
            Self::File { bytes, mode } => Self::File { bytes: bytes.restricted(), mode },
            other => other,
        }
    }

    /// Returns what a file holds.
    ///
    /// # Errors
    ///
    /// Returns why it is no file that was read, in words for a message.
    pub fn bytes(&self) -> Result<&Contents, &str> {
        match self {
            Self::File { bytes, .. } => Ok(bytes),
            Self::Directory => Err("it is a directory"),
            Self::Link { .. } => Err("it is a symbolic link"),
            Self::Special => Err("it is not a regular file"),
            Self::SeveralNames => Err(SEVERAL_NAMES),
            Self::Unread => Err("its content was not asked for"),
            Self::TooLarge { .. } => Err("it is too large"),
            Self::Outside { reason } | Self::Untrusted { reason } | Self::Unreadable { reason } => {
                Err(reason)
            }
        }
    }
}

/// What was read: places, and what stands there. A place that is not in it was not looked at, or does not exist.
///
/// Both ends of everything are such plain values: tests write them down, and an editor lays unsaved text over them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    entries: BTreeMap<Location, SnapshotEntry>,
    /// Directories without a path: those that hold them, and their names as they are shown.
    unnamed: BTreeSet<(Location, String)>,
}

impl Snapshot {
    /// Returns a snapshot of nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets what stands at `location`.
    pub fn insert(&mut self, location: Location, entry: SnapshotEntry) {
        self.entries.insert(location, entry);
    }

    /// Adds a directory in `directory` whose name no path can have: it is no UTF-8, or has characters that cannot be seen.
    /// `shown` is the name in a form that can be shown.
    pub fn insert_unnamed(&mut self, directory: Location, shown: String) {
        self.unnamed.insert((directory, shown));
    }

    /// Returns the directories whose names no path can have, each with the directory that holds it and its name in a form
    /// that can be shown, in order. Nothing that they hold is in the snapshot.
    pub fn unnamed(&self) -> impl Iterator<Item = (&Location, &str)> {
        self.unnamed.iter().map(|(directory, shown)| (directory, shown.as_str()))
    }

    /// Adds all that another snapshot has; where both have something at one place, that of the other one stays.
    pub fn absorb(&mut self, other: &Self) {
        let entries = other.entries.iter();
        self.entries.extend(entries.map(|(location, entry)| (location.clone(), entry.clone())));
        self.unnamed.extend(other.unnamed.iter().cloned());
    }

    /// Adds a regular file of the workspace, and returns the snapshot.
    #[must_use]
    pub fn with_file(mut self, path: WorkspacePath, contents: impl AsRef<[u8]>) -> Self {
        let bytes = Contents::from(contents.as_ref());
        let location = Location::new(MountId::WORKSPACE, path);
        self.insert(location, SnapshotEntry::File { bytes, mode: FileMode::Regular });
        self
    }

    /// Replaces the text of a regular file of the workspace, and keeps its permissions.
    #[must_use]
    pub fn with_text(mut self, path: WorkspacePath, text: &str) -> Self {
        let location = Location::new(MountId::WORKSPACE, path);
        let mode = match self.get(&location) {
            Some(SnapshotEntry::File { mode, .. }) => *mode,
            _ => FileMode::Regular,
        };
        self.insert(location, SnapshotEntry::File { bytes: Contents::from(text), mode });
        self
    }

    /// Returns what stands at `location`.
    pub fn get(&self, location: &Location) -> Option<&SnapshotEntry> {
        self.entries.get(location)
    }

    /// Returns the hash of the file at `location`; none if there is no readable file.
    pub fn hash(&self, location: &Location) -> Option<ContentHash> {
        match self.get(location)? {
            SnapshotEntry::File { bytes, .. } => Some(ContentHash::of(bytes)),
            _ => None,
        }
    }

    /// Returns all places in order, and what stands there.
    pub fn iter(&self) -> impl Iterator<Item = (&Location, &SnapshotEntry)> {
        self.entries.iter()
    }

    /// Returns whether nothing was read.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.unnamed.is_empty()
    }
}

impl Snapshot {
    /// Returns the file at `location` as a text to be parsed, named by its place.
    ///
    /// Something that is there and is no readable file is reported to `problems`.
    pub fn source(&self, location: &Location, problems: &mut Problems) -> Option<SourceFile> {
        let entry = self.get(location)?;
        match entry.bytes() {
            Ok(bytes) => Some(SourceFile::new(location.to_string(), bytes.clone())),
            Err(reason) => {
                let help = match entry {
                    SnapshotEntry::TooLarge { .. } => "shorten the file",
                    SnapshotEntry::Unreadable { .. } => "check its type and permissions",
                    _ => "put a regular file in its place",
                };
                report_unreadable(location, reason, help, problems);
                None
            }
        }
    }

    /// Reports the directory at `location` if it is there and could not be looked into.
    ///
    /// Returns whether it was reported: then nothing is known about what it holds.
    pub fn is_closed(&self, location: &Location, problems: &mut Problems) -> bool {
        match self.get(location) {
            Some(SnapshotEntry::Unreadable { reason }) => {
                report_unreadable(location, reason, "make it a readable directory", problems);
            }
            Some(SnapshotEntry::Untrusted { reason }) => {
                problems.push(untrusted(&location.to_string(), reason));
            }
            _ => return false,
        }
        true
    }
}

/// Returns the finding about a file or directory at `place` that is not read, because other users decide what it says.
pub fn untrusted(place: &str, reason: &str) -> Diagnostic {
    let source = SourceFile::new(place, "");
    Diagnostic::new(&rules::UNTRUSTED, format!("`{place}` is not trusted: {reason}"))
        .primary(source.label(Span::at(0)))
        .note("its owner, and every user who can write it, decides what agents may do and which programs are started")
        .help(
            "change its owner or permissions, or add its directory to `safe_directories` in your own `config.toml` or to \
             the variable `MINDS_SAFE_DIRECTORIES`",
        )
}

fn report_unreadable(location: &Location, reason: &str, help: &str, problems: &mut Problems) {
    let source = SourceFile::new(location.to_string(), "");
    problems.push(
        Diagnostic::new(&rules::UNREADABLE, format!("`{location}` cannot be read: {reason}"))
            .primary(source.label(Span::at(0)))
            .help(help),
    );
}
