//! The examples are short, and print what the snapshots contain.

use std::error::Error;
use std::path::Path;

macro_rules! example {
    ($name:ident, $path:literal) => {
        #[allow(dead_code, reason = "`main` prints what the test compares")]
        #[path = $path]
        mod $name;
    };
}

example!(access, "../../examples/access.rs");
example!(check, "../../examples/check.rs");
example!(render, "../../examples/render.rs");
example!(taskdoc, "../../examples/taskdoc.rs");

/// The maximum number of lines of an example.
const MAX_LINES: usize = 30;

#[track_caller]
fn compare(name: &str, output: Result<String, Box<dyn Error>>) {
    insta::assert_snapshot!(name, output.expect("the example succeeds"));
}

#[test]
fn examples_print_what_they_promise() {
    compare("access", access::run());
    compare("check", check::run());
    compare("render", render::run());
    compare("taskdoc", taskdoc::run());
}

#[test]
fn examples_are_short_and_complete() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(directory).expect("the directory exists") {
        let path = entry.expect("the entry can be read").path();
        let lines = std::fs::read_to_string(&path).expect("the file can be read").lines().count();
        assert!(lines <= MAX_LINES, "{} has {lines} lines", path.display());
        names.push(path.file_stem().expect("a file has a name").to_string_lossy().into_owned());
    }
    names.sort();
    assert_eq!(names, ["access", "check", "render", "taskdoc"]);
}
