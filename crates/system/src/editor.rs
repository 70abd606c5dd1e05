//! Letting somebody edit a text.

use std::path::{Path, PathBuf};
use std::process::Command;

use minds_document::{Expected, FileMode};
use minds_paths::{MountId, WorkspacePath};

use crate::{Root, SystemError, random};

/// A text that somebody edits, in a private directory of its own.
///
/// The directory goes with it, unless it is [kept](Self::keep).
#[derive(Debug)]
pub struct EditedText {
    directory: PathBuf,
    file: PathBuf,
    root: Root,
    name: WorkspacePath,
    is_kept: bool,
}

impl EditedText {
    /// Writes `text` into a new file with a name, which only the user can read.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written, or `name` is no name of a file.
    pub fn new(name: &str, text: &str) -> Result<Self, SystemError> {
        let parent = std::env::temp_dir();
        let failed = |error: std::io::Error| SystemError::new("write", &parent, error);
        let suffix = u64::from_le_bytes(random().map_err(failed)?);
        let directory = parent.join(format!("minds-{suffix:016x}"));
        let name = WorkspacePath::parse(name).map_err(|error| failed(std::io::Error::other(error)))?;
        let root = Root::open_private(&directory, MountId::new("edit"))?;
        let file = directory.join(name.as_str());
        let written = root.scoped().create(&name, text.as_bytes(), FileMode::Private);
        let edited = Self { directory, file, root, name, is_kept: false };
        written.map_err(|error| SystemError::new("write", &edited.file, std::io::Error::other(error)))?;
        Ok(edited)
    }

    /// Runs a command with the path of the file behind it, as a shell does, and waits for its end. Returns the text then;
    /// none if the command says that it failed.
    ///
    /// # Errors
    ///
    /// Fails if the command cannot be started, or what it leaves has more than `most` bytes or cannot be read.
    pub fn edit(&self, command: &str, most: u64) -> Result<Option<Vec<u8>>, SystemError> {
        let failed = |error: std::io::Error| SystemError::new("edit", &self.file, error);
        // The command may have arguments of its own; the path is given beside it, so nothing in it is read by the shell.
        let status = Command::new("sh")
            .arg("-c")
            .arg(format!("{command} \"$@\""))
            .arg(command)
            .arg(&self.file)
            .status()
            .map_err(failed)?;
        if !status.success() {
            return Ok(None);
        }
        let read = self.root.scoped().read(&self.name, most);
        read.map(|read| Some(read.bytes)).map_err(|error| failed(std::io::Error::other(error)))
    }

    /// Keeps the file, and returns its path.
    pub fn keep(mut self) -> PathBuf {
        self.is_kept = true;
        self.file.clone()
    }
}

impl Drop for EditedText {
    fn drop(&mut self) {
        if !self.is_kept {
            // Nobody can be told that something is left.
            let _ = self.root.scoped().remove_file(&self.name, Expected::Any);
            let _ = std::fs::remove_dir(Path::new(&self.directory));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(command: &str) -> (Option<String>, PathBuf) {
        let text = EditedText::new("overlay.md", "one\n").unwrap();
        let file = text.file.clone();
        let edited = text.edit(command, 1 << 20).unwrap();
        (edited.map(|bytes| String::from_utf8(bytes).unwrap()), file)
    }

    #[test]
    fn a_text_is_edited_and_goes() {
        let (edited, file) = edit("printf 'two\\n' >>");
        assert_eq!(edited.as_deref(), Some("one\ntwo\n"));
        assert!(!file.exists() && !file.parent().unwrap().exists());
        assert_eq!(edit("true").0.as_deref(), Some("one\n"));
        assert_eq!(edit("false").0, None);
        assert_eq!(edit("no-such-editor-here 2>/dev/null").0, None);
        // As editors do that put a new file in the place of the old one.
        assert_eq!(
            edit("sh -c 'cp \"$1\" \"$1.new\" && mv \"$1.new\" \"$1\"' -").0.as_deref(),
            Some("one\n")
        );
    }

    #[test]
    fn a_text_can_be_kept() {
        let text = EditedText::new("overlay.md", "one\n").unwrap();
        let file = text.keep();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "one\n");
        std::fs::remove_dir_all(file.parent().unwrap()).unwrap();
    }
}
