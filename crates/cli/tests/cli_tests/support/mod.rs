//! Running the command.

pub(crate) mod gateway;
pub(crate) mod shell_server;
pub(crate) mod terminal;

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Returns the command without stdin, and without settings of the environment for colors.
pub(crate) fn command(directory: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_minds"));
    command.args(args).current_dir(directory).env_remove("CLICOLOR_FORCE").stdin(Stdio::null());
    command.env_remove("TEAMCTL_ROOT").env_remove("TEAMCTL_TEAM_MCP");
    command
}

/// Runs the command, and returns its exit code, stdout and stderr.
pub(crate) fn minds(directory: &Path, args: &[&str]) -> (i32, String, String) {
    exit_and_output(&command(directory, args).output().expect("the command starts"))
}

/// Returns the exit code, stdout and stderr.
pub(crate) fn exit_and_output(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("the command prints UTF-8");
    (output.status.code().expect("it ends by itself"), text(&output.stdout), text(&output.stderr))
}

/// Copies a directory with everything in it.
pub(crate) fn copy_directory(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_directory(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
