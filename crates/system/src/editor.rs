//! Letting the user edit a file.

use std::io::IsTerminal as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::SystemError;
use crate::environment::variable;
use crate::interrupts::Uninterrupted;

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
