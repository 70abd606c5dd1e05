//! The files in the inbox of an agent.

use std::path::Path;

use minds_fs::{FileErrorKind, Kind, Root};
use minds_vfs::{MountId, WorkspacePath};

/// The folder with the files, in the folder of the agent.
const INBOX: &str = "inbox";
/// The folder of accepted files.
const PROCESSED: &str = "inbox/processed";
/// The end of the names of files that are inputs.
const SUFFIX: &str = ".txt";
/// The most entries of an inbox.
const MAX_ENTRIES: usize = 10_000;
/// The most bytes of a file; no longer text is an input.
const MAX_BYTES: u64 = 262_144;
/// The most accepted files with one name.
const MAX_COPIES: usize = 1_000;

/// The inbox of an agent.
pub(super) struct Inbox {
    folder: Root,
}

/// A file of the inbox: its name, and its text or why that is not an input.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct InboxFile {
    pub(super) name: String,
    pub(super) text: Result<String, String>,
}

impl Inbox {
    /// Opens the inbox in the folder of an agent.
    pub(super) fn open(folder: &Path) -> Result<Self, String> {
        let folder = Root::open(folder, MountId::WORKSPACE).map_err(|error| error.to_string())?;
        Ok(Self { folder })
    }

    /// Returns the files, by name. Links are not followed.
    pub(super) fn files(&self) -> Result<Vec<InboxFile>, String> {
        let view = self.folder.no_follow();
        let listing = match view.list(&path(INBOX)?, MAX_ENTRIES) {
            Err(error) if error.kind() == FileErrorKind::NotFound => return Ok(Vec::new()),
            listing => listing.map_err(|error| error.to_string())?,
        };
        let mut files = Vec::new();
        for entry in listing.entries {
            let Some(name) = entry.real.file_name().filter(|name| name.ends_with(SUFFIX)) else { continue };
            let text = match entry.kind {
                Kind::File => self.read(&entry.real),
                _ => Err("it is not a regular file".to_owned()),
            };
            files.push(InboxFile { name: name.to_owned(), text });
        }
        Ok(files)
    }

    fn read(&self, path: &WorkspacePath) -> Result<String, String> {
        let file = self.folder.no_follow().read(path, MAX_BYTES).map_err(|error| error.to_string())?;
        let text = String::from_utf8(file.bytes).map_err(|_| "it is not valid UTF-8".to_owned())?;
        if text.trim().is_empty() { Err("it is empty".to_owned()) } else { Ok(text) }
    }

    /// Makes the folder of accepted files, before anything is accepted.
    pub(super) fn prepare(&self) -> Result<(), String> {
        match self.folder.no_follow().make_directory(&path(PROCESSED)?) {
            Err(error) if error.kind() == FileErrorKind::AlreadyExists => Ok(()),
            made => made.map_err(|error| error.to_string()),
        }
    }

    /// Moves an accepted file, and returns where to. Files that were accepted earlier are kept.
    pub(super) fn accept(&self, name: &str) -> Result<String, String> {
        let from = path(&format!("{INBOX}/{name}"))?;
        for copy in 1..=MAX_COPIES {
            let to = format!("{PROCESSED}/{}", file_name_of_copy(name, copy));
            match self.folder.no_follow().rename(&from, &path(&to)?) {
                Err(error) if error.kind() == FileErrorKind::AlreadyExists => {}
                moved => return moved.map(|()| to).map_err(|error| error.to_string()),
            }
        }
        Err(format!("`{PROCESSED}` has too many files with this name"))
    }
}

/// Returns the name of a copy: `a.txt`, `a-2.txt`, and so on.
fn file_name_of_copy(name: &str, copy: usize) -> String {
    let stem = name.strip_suffix(SUFFIX).unwrap_or(name);
    if copy == 1 { name.to_owned() } else { format!("{stem}-{copy}{SUFFIX}") }
}

fn path(name: &str) -> Result<WorkspacePath, String> {
    WorkspacePath::parse(name).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::file_name_of_copy;

    #[test]
    fn copies_have_numbers() {
        for (name, copy, expected) in [
            ("a.txt", 1, "a.txt"),
            ("a.txt", 2, "a-2.txt"),
            (".txt", 3, "-3.txt"),
            ("a-2.txt", 2, "a-2-2.txt"),
        ] {
            assert_eq!(file_name_of_copy(name, copy), expected);
        }
    }
}
