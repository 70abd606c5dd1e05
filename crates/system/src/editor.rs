//! Letting the user edit a file.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use minds_document::{Expected, FileMode};
use minds_paths::{MountId, WorkspacePath};

use crate::environment::variable;
use crate::interrupts::Uninterrupted;
use crate::state::program_folder;
use crate::{Root, SystemError, random};

/// Returns the editor that the environment names: `VISUAL`, or else `EDITOR`; none if neither says anything.
pub fn editor() -> Option<String> {
    ["VISUAL", "EDITOR"]
        .into_iter()
        .filter_map(|name| variable(name).ok().flatten())
        .find(|editor| !editor.trim().is_empty())
}

/// Opens a file in an editor, and waits until it ends; returns whether it ended well. The editor is a line for the shell, so
/// it may have arguments, and gets the file as its last one. It has the terminal, and Ctrl-C and Ctrl-\ are about it alone;
/// what it prints where there is no terminal goes to standard error.
///
/// # Errors
///
/// Fails if there is no shell, or the system takes no handlers of signals.
pub fn edit_file(editor: &str, file: &Path) -> Result<bool, SystemError> {
    let output = if std::io::stdout().is_terminal() { Stdio::inherit() } else { std::io::stderr().into() };
    let failed = |error| SystemError::new("start", Path::new("sh"), error);
    let _uninterrupted = Uninterrupted::begin().map_err(failed)?;
    let ended = Command::new("sh")
        .arg("-c")
        // The shell waits for the editor whatever is typed; what it starts knows nothing of its trap.
        .arg(format!("trap : INT QUIT; {editor} \"$@\""))
        // What the shell calls itself in messages.
        .arg(editor)
        .arg(file)
        .stdout(output)
        .status();
    ended.map(|status| status.success()).map_err(failed)
}

/// A copy of a text for an editor, in a folder into which only its owner can look.
#[derive(Debug)]
pub struct PrivateFile {
    root: Root,
    name: WorkspacePath,
    path: PathBuf,
}

impl PrivateFile {
    /// Writes the copy to a file with a name of its own that ends with `name`, which is no path.
    ///
    /// # Errors
    ///
    /// Fails if the environment names no folder, or it cannot be written.
    pub fn new(name: &str, text: &[u8]) -> Result<Self, SystemError> {
        let folder = program_folder()?.join("edits");
        let failed = |error: String| SystemError::new("write", &folder, std::io::Error::other(error));
        let digits = random::<8>().map_err(|error| failed(error.to_string()))?;
        let name = format!("{:016x}-{name}", u64::from_be_bytes(digits));
        let place = WorkspacePath::parse(&name).map_err(|error| failed(error.to_string()))?;
        let root = Root::open_private(&folder, MountId::WORKSPACE)?;
        root.scoped().create(&place, text, FileMode::Private).map_err(|error| failed(error.to_string()))?;
        Ok(Self { root, name: place, path: folder.join(name) })
    }

    /// Returns where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes it. What stays hurts nobody but the disk.
    pub fn remove(&self) {
        let _ = self.root.scoped().remove_file(&self.name, Expected::Any);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_editor_has_arguments_and_gets_the_file_last() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("it's a $file \"x\".md");
        std::fs::write(&file, "one\n").unwrap();
        assert!(edit_file("sh -c 'echo two >> \"$1\"' ed", &file).unwrap());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "one\ntwo\n");
        assert!(!edit_file("false", &file).unwrap());
        assert!(!edit_file("no-such-editor-is-there 2>/dev/null", &file).unwrap());
    }
}
