//! Servers with few file descriptors serve, or report an error.
#![cfg(unix)]

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};

/// Starts a server with a limited number of descriptors, and stops it as soon as it serves.
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
    // The first line on either stream reports that it serves, or an error.
    let line = format!("exec 2>&1; ulimit -n {count} || exit 9; exec '{program}' {args}");
    let mut child = minds(line).stdout(Stdio::piped()).spawn().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut printed = String::new();
    // Some notices are printed before it serves.
    while !printed.contains("\"url\":") && output.read_line(&mut printed).unwrap() > 0 {}
    let serves = printed.contains("\"url\":");
    if serves {
        assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    }
    output.read_to_string(&mut printed).unwrap();
    let code = child.wait().unwrap().code();
    assert!(!printed.contains("panicked"), "{args} with {count}: {printed}");
    assert_eq!(code, Some(if serves { 0 } else { 2 }), "{args} with {count}: {printed}");
    assert!(!printed.contains("error[TASKDOC_INVALID]"), "{args} with {count}: {printed}");
    assert!(!printed.contains("uncategorized"), "{args} with {count}: {printed}");
    serves
}

#[test]
fn a_server_with_few_descriptors_serves_or_reports_an_error() {
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
