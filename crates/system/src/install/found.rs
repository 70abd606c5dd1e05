//! What stands at a place in an agent home.

use std::path::Path;

use minds_document::ContentHash;
use minds_paths::WorkspacePath;

use super::error::{InstallError, InstallErrorKind};
use super::sites::{Spot, lobe_mount};
use crate::files::{FileErrorKind, Refusal, content};
use crate::syscalls::{self, Handle, Kind, Wanted};
use crate::{Root, SystemError};

/// How much is compared: of more it is not known what it is.
const MAX_ENTRIES: usize = 20_000;
const MAX_BYTES: u64 = 256 << 20;

/// What stands at a place in an agent home. Whoever plans keeps it, and it is compared before anything changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// Nothing.
    Nothing,
    /// A symbolic link, and where it says that it leads.
    Link(String),
    /// A file, or a directory with all that it holds, known by this hash. It is good for being compared with another that was
    /// found, and nothing else.
    Content(ContentHash),
    /// Something that cannot be compared, so it is never replaced or removed: a device, very much, or names that are no text.
    Other,
}

/// Returns what stands at `path` in the agent home `lobe`. The folder that the path begins with may be a link of the user's;
/// below it no link is followed.
///
/// # Errors
///
/// Fails if the path has less than two segments, or the system does not say what is there.
pub fn look(lobe: &Path, path: &WorkspacePath) -> Result<Found, InstallError> {
    let shown = lobe.join(path.as_str());
    let split = path.as_str().split_once('/').filter(|_| lobe.is_absolute());
    let Some((folder, rest)) = split else {
        return Err(InstallError::new(&shown, InstallErrorKind::Place));
    };
    let rest = WorkspacePath::parse(rest).map_err(|_| InstallError::new(&shown, InstallErrorKind::Place))?;
    let root = match Root::open(&lobe.join(folder), lobe_mount()) {
        Ok(root) => root,
        Err(SystemError::Io { source, .. }) => return Err(InstallError::of(shown, source.into())),
        Err(_) => return Ok(Found::Nothing),
    };
    let looked = match root.scoped().entry_at(&rest) {
        Ok(place) => found(&place.into()),
        Err(Refusal { kind: FileErrorKind::NotFound, .. }) => Ok(Found::Nothing),
        Err(refusal) => Err(refusal),
    };
    looked.map_err(|refusal| InstallError::of(shown, refusal))
}

/// Returns what stands at a place.
pub(super) fn found(place: &Spot) -> Result<Found, Refusal> {
    let Some(stat) = place.stat()? else { return Ok(Found::Nothing) };
    match stat.kind {
        Kind::Link => {
            let target = syscalls::read_link(&place.directory, &place.name)?;
            Ok(String::from_utf8(target).map_or(Found::Other, Found::Link))
        }
        Kind::Special => Ok(Found::Other),
        Kind::File | Kind::Directory => {
            let mut sum = Sum { text: Vec::new(), entries: 0, bytes_left: MAX_BYTES };
            match sum.add(&place.directory, &place.name, stat.kind) {
                Ok(true) => Ok(Found::Content(ContentHash::of(&sum.text))),
                Ok(false) | Err(Refusal { kind: FileErrorKind::TooLarge, .. }) => Ok(Found::Other),
                Err(refusal) => Err(refusal),
            }
        }
    }
}

/// A text that is the same only for the same content: each part has its length before it.
struct Sum {
    text: Vec<u8>,
    entries: usize,
    bytes_left: u64,
}

impl Sum {
    /// Adds an entry and all below it; returns whether all of it can be compared.
    fn add(&mut self, directory: &Handle, name: &str, kind: Kind) -> Result<bool, Refusal> {
        self.entries += 1;
        if self.entries > MAX_ENTRIES {
            return Ok(false);
        }
        match kind {
            Kind::File => {
                let handle = syscalls::open_entry(directory, name, Wanted::Read)?;
                let stat = syscalls::stat(&handle)?;
                if stat.kind != Kind::File {
                    return Ok(false);
                }
                let bytes = content(&handle, &stat, self.bytes_left)?;
                self.bytes_left -= (bytes.len() as u64).min(self.bytes_left);
                let is_program = stat.bits & 0o111 != 0;
                let word = if is_program { "program" } else { "file" };
                self.part(word, name, ContentHash::of(&bytes).to_string().as_bytes());
            }
            Kind::Link => {
                let target = syscalls::read_link(directory, name)?;
                self.part("link", name, &target);
            }
            Kind::Special => return Ok(false),
            Kind::Directory => {
                let inner = syscalls::open_entry(directory, name, Wanted::Directory)?;
                let entries = syscalls::entries(&inner, MAX_ENTRIES)?.ok_or(FileErrorKind::TooLarge)?;
                let mut named = Vec::with_capacity(entries.len());
                for (name, kind) in entries {
                    let Ok(name) = String::from_utf8(name) else { return Ok(false) };
                    named.push((name, kind));
                }
                named.sort();
                self.part("directory", name, named.len().to_string().as_bytes());
                for (name, kind) in named {
                    if !self.add(&inner, &name, kind)? {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    fn part(&mut self, word: &str, name: &str, content: &[u8]) {
        // What the topmost thing is called does not matter.
        let name = if self.entries == 1 { "" } else { name };
        self.text.extend_from_slice(format!("{word} {} {} ", name.len(), content.len()).as_bytes());
        self.text.extend_from_slice(name.as_bytes());
        self.text.extend_from_slice(content);
    }
}
