//! What the README shows is what the command prints.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test reads what it needs, and may stop at once"
)]

use std::path::{Path, PathBuf};
use std::process::Command;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the commands of the README's console blocks, each with the lines that it shows.
fn commands() -> Vec<(String, String)> {
    let readme = std::fs::read_to_string(repository().join("README.md")).unwrap();
    let mut commands: Vec<(String, String)> = Vec::new();
    for block in readme.split("```console\n").skip(1) {
        for line in block.split("```").next().unwrap_or_default().lines() {
            match (line.strip_prefix("$ "), commands.last_mut()) {
                (Some(command), _) => commands.push((command.to_owned(), String::new())),
                (None, Some((_, shown))) => {
                    shown.push_str(line);
                    shown.push('\n');
                }
                (None, None) => panic!("{line} belongs to no command"),
            }
        }
    }
    commands
}

fn run(directory: &Path, args: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_minds"))
        .args(args.split_whitespace())
        .current_dir(directory)
        .env_remove("CLICOLOR_FORCE")
        .output()
        .expect("the command starts");
    String::from_utf8(output.stdout).expect("the command prints UTF-8")
}

#[test]
fn what_the_readme_shows_is_true() {
    let own = tempfile::tempdir().unwrap();
    let mut checked = 0;
    for (command, shown) in commands() {
        let printed = if let Some(args) = command.strip_prefix("cargo run --quiet -- ") {
            run(&repository(), args)
        } else if let Some(args) = command.strip_prefix("minds ") {
            run(own.path(), args)
        } else {
            assert!(shown.is_empty(), "`{command}` is not run here, so nothing may be shown of it");
            continue;
        };
        // Of a long answer the beginning may be enough.
        assert!(!shown.is_empty() && printed.starts_with(&shown), "`{command}` prints\n{printed}");
        checked += 1;
    }
    assert!(checked >= 4, "only {checked} commands were run");
}
