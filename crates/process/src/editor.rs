//! Opening a file in the user's editor.

use std::io::IsTerminal as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::SystemError;
use crate::environment::variable;
use crate::interrupts::InterruptGuard;

/// Returns the editor named by the environment, `VISUAL` or else `EDITOR`; none if neither is set to a
/// non-empty value.
pub fn editor() -> Option<String> {
    ["VISUAL", "EDITOR"]
        .into_iter()
        .filter_map(|name| variable(name).ok().flatten())
        .find(|editor| !editor.trim().is_empty())
}

/// Opens a file in an editor and waits until the editor exits; returns whether it exited successfully.
/// `editor` is a shell command, so it may contain arguments; the file is appended as the last one. The editor
/// has the terminal, and Ctrl-C and Ctrl-\ affect only the editor. If stdout is not a terminal, the editor's
/// output goes to stderr.
///
/// # Errors
///
/// Fails if there is no shell, or signal handlers cannot be installed.
pub fn edit_file(editor: &str, file: &Path) -> Result<bool, SystemError> {
    let output = if std::io::stdout().is_terminal() { Stdio::inherit() } else { std::io::stderr().into() };
    let failed = |error| SystemError::new("start", Path::new("sh"), error);
    let _guard = InterruptGuard::install().map_err(failed)?;
    let status = Command::new("sh")
        .arg("-c")
        // The shell waits for the editor despite signals; child processes do not inherit this trap.
        .arg(format!("trap : INT QUIT; {editor} \"$@\""))
        // The name that the shell uses for itself in messages.
        .arg(editor)
        .arg(file)
        .stdout(output)
        .status();
    status.map(|status| status.success()).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_editor_command_has_arguments_and_gets_the_file_last() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("it's a $file \"x\".md");
        std::fs::write(&file, "one\n").unwrap();
        assert!(edit_file("sh -c 'echo two >> \"$1\"' ed", &file).unwrap());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "one\ntwo\n");
        assert!(!edit_file("false", &file).unwrap());
        assert!(!edit_file("no-such-editor 2>/dev/null", &file).unwrap());
    }
}
