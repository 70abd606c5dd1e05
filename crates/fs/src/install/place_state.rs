//! The state of a place in an agent home.

use std::path::Path;

use minds_process::SystemError;
use minds_vfs::{ContentHash, WorkspacePath};

use super::error::{InstallError, InstallErrorKind};
use super::open_directories::{EntryRef, lobe_mount};
use crate::Root;
use crate::files::{FileErrorKind, Refusal, read_all};
use crate::syscalls::{self, Access, Handle, Kind};

/// The maximum amount that is hashed; the state of larger trees is [`PlaceState::Other`].
const MAX_ENTRIES: usize = 20_000;
const MAX_BYTES: u64 = 256 << 20;

/// The state of a place in an agent home. The planner records it, and it is compared again before anything
/// changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlaceState {
    /// Nothing exists.
    Nothing,
    /// A symbolic link with its target.
    Link(String),
    /// A file or directory tree, identified by a hash. The hash is only meaningful in comparison with another
    /// state.
    Content(ContentHash),
    /// An entry that cannot be compared, so it is never replaced or removed: a device, a very large tree, or
    /// names that are not valid UTF-8.
    Other,
}

/// Returns the state of `path` in the agent home `lobe`. The first segment of the path may be a symbolic link
/// made by the user; below it, links are not followed.
///
/// # Errors
///
/// Fails if the path has fewer than two segments, or the entry cannot be examined.
pub fn inspect(lobe: &Path, path: &WorkspacePath) -> Result<PlaceState, InstallError> {
    let full_path = lobe.join(path.as_str());
    let split = path.as_str().split_once('/').filter(|_| lobe.is_absolute());
    let Some((folder, rest)) = split else {
        return Err(InstallError::new(&full_path, InstallErrorKind::Place));
    };
    let rest =
        WorkspacePath::parse(rest).map_err(|_| InstallError::new(&full_path, InstallErrorKind::Place))?;
    let root = match Root::open(&lobe.join(folder), lobe_mount()) {
        Ok(root) => root,
        Err(SystemError::Io { source, .. }) => return Err(InstallError::of(full_path, source.into())),
        Err(_) => return Ok(PlaceState::Nothing),
    };
    let state = match root.no_follow().entry_at(&rest) {
        Ok(place) => read_state(&place.into()),
        Err(Refusal { kind: FileErrorKind::NotFound, .. }) => Ok(PlaceState::Nothing),
        Err(refusal) => Err(refusal),
    };
    state.map_err(|refusal| InstallError::of(full_path, refusal))
}

/// Returns the state of a place.
pub(super) fn read_state(place: &EntryRef) -> Result<PlaceState, Refusal> {
    let Some(stat) = place.stat()? else { return Ok(PlaceState::Nothing) };
    match stat.kind {
        Kind::Link => {
            let target = syscalls::read_link(&place.directory, &place.name)?;
            Ok(String::from_utf8(target).map_or(PlaceState::Other, PlaceState::Link))
        }
        Kind::Special => Ok(PlaceState::Other),
        Kind::File | Kind::Directory => {
            let mut sum = Fingerprint { text: Vec::new(), entries: 0, bytes_left: MAX_BYTES };
            match sum.add(&place.directory, &place.name, stat.kind) {
                Ok(true) => Ok(PlaceState::Content(ContentHash::of(&sum.text))),
                Ok(false) | Err(Refusal { kind: FileErrorKind::TooLarge, .. }) => Ok(PlaceState::Other),
                Err(refusal) => Err(refusal),
            }
        }
    }
}

/// The bytes that identify a tree: equal only for equal trees, because each part is preceded by its length.
struct Fingerprint {
    text: Vec<u8>,
    entries: usize,
    bytes_left: u64,
}

impl Fingerprint {
    /// Adds an entry with its subtree; returns whether all of it can be compared.
    fn add(&mut self, directory: &Handle, name: &str, kind: Kind) -> Result<bool, Refusal> {
        self.entries += 1;
        if self.entries > MAX_ENTRIES {
            return Ok(false);
        }
        match kind {
            Kind::File => {
                let handle = syscalls::open_entry(directory, name, Access::Read)?;
                let stat = syscalls::stat(&handle)?;
                if stat.kind != Kind::File {
                    return Ok(false);
                }
                let bytes = read_all(&handle, &stat, self.bytes_left)?;
                self.bytes_left -= (bytes.len() as u64).min(self.bytes_left);
                let is_program = stat.bits & 0o111 != 0;
                let word = if is_program { "program" } else { "file" };
                self.add_part(word, name, ContentHash::of(&bytes).to_string().as_bytes());
            }
            Kind::Link => {
                let target = syscalls::read_link(directory, name)?;
                self.add_part("link", name, &target);
            }
            Kind::Special => return Ok(false),
            Kind::Directory => {
                let inner = syscalls::open_entry(directory, name, Access::Directory)?;
                let entries = syscalls::entries(&inner, MAX_ENTRIES)?.ok_or(FileErrorKind::TooLarge)?;
                let mut entries_by_name = Vec::with_capacity(entries.len());
                for (name, kind) in entries {
                    let Ok(name) = String::from_utf8(name) else { return Ok(false) };
                    entries_by_name.push((name, kind));
                }
                entries_by_name.sort();
                self.add_part("directory", name, entries_by_name.len().to_string().as_bytes());
                for (name, kind) in entries_by_name {
                    if !self.add(&inner, &name, kind)? {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    fn add_part(&mut self, word: &str, name: &str, content: &[u8]) {
        // The name of the topmost entry is not part of its identity.
        let name = if self.entries == 1 { "" } else { name };
        self.text.extend_from_slice(format!("{word} {} {} ", name.len(), content.len()).as_bytes());
        self.text.extend_from_slice(name.as_bytes());
        self.text.extend_from_slice(content);
    }
}
