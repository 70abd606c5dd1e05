//! Files as values.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Location, MountId, WorkspacePath};
use minds_diagnostics::{Contents, Diagnostic, Problems, SourceFile, Span};

use crate::{ContentHash, rules};

/// The permissions of a file, reduced to what is portable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileMode {
    /// Readable by every user who can read its directory.
    #[default]
    Regular,
    /// Readable as above, and executable.
    Executable,
    /// Readable and writable by its owner only, for state that may hold private text.
    Private,
}

/// What exists at a location.
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
    /// A symbolic link, not followed.
    Link {
        /// The target of the link, as stored in it.
        target: String,
    },
    /// A socket, a pipe or a device, which is never read.
    Special,
    /// A regular file with several hard links. It is not read, because the other links may be outside of the
    /// workspace.
    HardLinked,
    /// A regular file whose content was not requested.
    Unread,
    /// A file with more bytes, or a directory with more entries, than the limit. Nothing else about it is known.
    TooLarge {
        /// The limit, in bytes or entries.
        limit: u64,
    },
    /// A file that another file refers to and that is outside of the area in which such files may be read. It was not
    /// opened; whether it exists is not known.
    Outside {
        /// The reason, as a clause for a message.
        reason: String,
    },
    /// A directory that belongs to another user, or that other users can write. Nothing in it was read.
    Untrusted {
        /// The reason, as a clause for a message.
        reason: String,
    },
    /// Something that exists and could not be read.
    Unreadable {
        /// The reason, as a clause for a message.
        reason: String,
    },
}

/// The reason why a file with several hard links is not read, as a clause for a message.
pub const HARD_LINKED: &str =
    "it has several hard links, and the other links may be outside of the workspace";

impl SnapshotEntry {
    /// Returns this entry, marked so that no finding may quote the content of the file. See
    /// [`Contents::into_withheld`].
    #[must_use]
    pub fn into_withheld(self) -> Self {
        match self {
            Self::File { bytes, mode } => Self::File { bytes: bytes.into_withheld(), mode },
            other => other,
        }
    }

    /// Returns this entry, marked as not readable by some users. See [`Contents::into_restricted`].
    #[must_use]
    pub fn into_restricted(self) -> Self {
        match self {
            Self::File { bytes, mode } => Self::File { bytes: bytes.into_restricted(), mode },
            other => other,
        }
    }

    /// Returns the content of the file.
    ///
    /// # Errors
    ///
    /// Returns the reason, as a clause for a message, if the entry is not a file that was read.
    pub fn bytes(&self) -> Result<&Contents, &str> {
        match self {
            Self::File { bytes, .. } => Ok(bytes),
            Self::Directory => Err("it is a directory"),
            Self::Link { .. } => Err("it is a symbolic link"),
            Self::Special => Err("it is not a regular file"),
            Self::HardLinked => Err(HARD_LINKED),
            Self::Unread => Err("its content was not requested"),
            Self::TooLarge { .. } => Err("it is too large"),
            Self::Outside { reason } | Self::Untrusted { reason } | Self::Unreadable { reason } => {
                Err(reason)
            }
        }
    }
}

/// The result of reading: locations, and what exists there. A location that is absent was not read or does not exist.
///
/// Input and output of all checks are plain values of this kind: tests construct them, and an editor overlays them
/// with unsaved text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    entries: BTreeMap<Location, SnapshotEntry>,
    /// Directories whose names cannot be paths: the parent directory, and the name in printable form.
    unnamed: BTreeSet<(Location, String)>,
}

impl Snapshot {
    /// Returns an empty snapshot.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the entry at `location`.
    pub fn insert(&mut self, location: Location, entry: SnapshotEntry) {
        self.entries.insert(location, entry);
    }

    /// Adds a child of `directory` whose name cannot be part of a path because it is not UTF-8 or has characters that
    /// are not displayed. `shown` is the name in printable form.
    pub fn insert_unnamed(&mut self, directory: Location, shown: String) {
        self.unnamed.insert((directory, shown));
    }

    /// Returns the directories whose names cannot be part of a path, in order, each with its parent directory and its
    /// name in printable form. Nothing in them is in the snapshot.
    pub fn invalid_names(&self) -> impl Iterator<Item = (&Location, &str)> {
        self.unnamed.iter().map(|(directory, shown)| (directory, shown.as_str()))
    }

    /// Adds all entries of another snapshot; where both have one at a location, that of `other` wins.
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

    /// Replaces the text of a regular file of the workspace and keeps its permissions.
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

    /// Returns the entry at `location`.
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

    /// Returns all locations with their entries, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&Location, &SnapshotEntry)> {
        self.entries.iter()
    }

    /// Returns whether nothing was read.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.unnamed.is_empty()
    }
}

impl Snapshot {
    /// Returns the file at `location` as a source file named after the location.
    ///
    /// An entry that is not a readable file is reported to `problems`.
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

    /// Reports the directory at `location` if it exists and could not be listed.
    ///
    /// Returns whether it was reported: then nothing is known about its contents.
    pub fn is_closed(&self, location: &Location, problems: &mut Problems) -> bool {
        match self.get(location) {
            Some(SnapshotEntry::Unreadable { reason }) => {
                report_unreadable(location, reason, "make it a readable directory", problems);
            }
            Some(SnapshotEntry::Untrusted { reason }) => {
                problems.push(diagnose_untrusted(&location.to_string(), reason));
            }
            _ => return false,
        }
        true
    }
}

/// Returns the finding about a file or directory at `place` that is not read because other users control its
/// contents.
pub fn diagnose_untrusted(place: &str, reason: &str) -> Diagnostic {
    let source = SourceFile::new(place, "");
    Diagnostic::new(&rules::UNTRUSTED, format!("`{place}` is not trusted: {reason}"))
        .primary(source.label(Span::at(0)))
        .note("its owner, and every user who can write to it, controls what agents may do and which programs are started")
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
