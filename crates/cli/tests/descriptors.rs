//! Servers with few file descriptors: they serve, or say why they do not.
#![cfg(unix)]
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test reads what it needs, and may stop at once"
)]

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};

/// Starts a server with so many descriptors; it is asked to end as soon as it serves.
fn check(args: &str, count: u32) -> bool {
    let (folder, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::create_dir_all(folder.path().join(".git")).unwrap();
    let program = env!("CARGO_BIN_EXE_minds");
    let minds = |line: String| {
        let mut command = Command::new("sh");
        command.args(["-c", &line]).current_dir(folder.path()).env("MINDS_HOME", home.path());
        command.env_remove("XDG_RUNTIME_DIR").env_remove("MINDS_MCP_TOKEN").stdin(Stdio::null());
        command
    };
    assert!(minds(format!("'{program}' task new demo")).output().unwrap().status.success());
    // Both streams are one: the first line says that it serves, or why it does not.
    let line = format!("exec 2>&1; ulimit -n {count} || exit 9; exec '{program}' {args}");
    let mut child = minds(line).stdout(Stdio::piped()).spawn().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut said = String::new();
    // Some things are said before it serves.
    while !said.contains("\"url\":") && output.read_line(&mut said).unwrap() > 0 {}
    let serves = said.contains("\"url\":");
    if serves {
        assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    }
    output.read_to_string(&mut said).unwrap();
    let code = child.wait().unwrap().code();
    assert!(!said.contains("panicked"), "{args} with {count}: {said}");
    // With hardly any descriptor the workspace cannot be read, which is a refusal.
    let is_refused = said.contains("error[TASKDOC_INVALID]: ");
    let expected = if serves { 0 } else { 2 - i32::from(is_refused) };
    assert_eq!(code, Some(expected), "{args} with {count}: {said}");
    serves
}

#[test]
fn a_server_with_few_descriptors_serves_or_says_why_it_does_not() {
    for args in ["mcp --http 127.0.0.1:0", "task view --no-open"] {
        let served = (4..48)
            .step_by(2)
            .chain([5, 7, 9])
            .map(|count| check(args, count))
            .filter(|serves| *serves)
            .count();
        assert!(served > 0, "{args}");
    }
}
