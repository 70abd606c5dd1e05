//! The page about access shows the actual output of the command, and `access explain` takes arguments instead of options.

use std::path::Path;
use std::process::Stdio;

use support::{command, exit_and_output, minds};

use crate::support;

/// Returns the blocks of the page in a language.
fn blocks<'p>(page: &'p str, language: &str) -> Vec<&'p str> {
    let start = format!("```{language}\n");
    page.split(&start).skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

#[test]
fn the_page_about_access_shows_the_actual_output() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(repository.join("docs/concepts/access.md")).unwrap();
    let questions = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(questions.path(), blocks(&page, "json").first().expect("the page has questions")).unwrap();
    let shown = blocks(&page, "console");
    assert_eq!(shown.len(), 4);
    for block in shown {
        let (asked, answer) = block.split_once('\n').unwrap();
        let args: Vec<&str> = asked.strip_prefix("$ minds ").expect("it is our command").split(' ').collect();
        let (args, input) = match args.as_slice() {
            [args @ .., "<", "questions"] => (args, std::fs::File::open(questions.path()).unwrap().into()),
            args => (args, Stdio::null()),
        };
        let workspace = repository.join("fixtures/workspaces/newsroom");
        let (_, out, err) = exit_and_output(&command(&workspace, args).stdin(input).output().unwrap());
        assert_eq!((out.as_str(), err.as_str()), (answer, ""), "{asked}");
    }
}

#[test]
fn explain_takes_member_operation_and_path_as_arguments() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join(".minds")).unwrap();
    // Stops the search for a workspace in parent directories.
    std::fs::create_dir(folder.path().join(".git")).unwrap();
    let team = "member_defaults:\n  no_write_dirs: [src/gen]\nmembers:\n  coder:\n    write_dirs: [src]\n";
    std::fs::write(folder.path().join(".minds/team.yaml"), team).unwrap();
    let explain = |args: &[&str]| minds(folder.path(), &[&["access", "explain"], args].concat());
    let with_options = explain(&["--member", "coder", "--op", "write", "src/gen/b.rs"]);
    assert_eq!(with_options.0, 1, "{}", with_options.2);
    for args in [
        &["coder", "write", "src/gen/b.rs"][..],
        &["coder", "src/gen/b.rs", "--op", "write"],
        &["--member", "coder", "write", "src/gen/b.rs"],
    ] {
        assert_eq!(explain(args), with_options, "{args:?}");
    }
    let usage = "usage: `minds access explain MEMBER read|write PATH`";
    for (args, message) in [
        (&["coder"][..], "the operation is missing"),
        (&["coder", "write"], "PATH is missing"),
        (&["coder", "touch", "src"], "invalid operation `touch`: expected `read` or `write`"),
        (&["--op", "read", "coder"], "PATH is missing"),
        (&["--member", "coder", "--op", "read", "src", "docs"], "unexpected argument `docs`"),
    ] {
        let expected = format!("error[usage]: {message}; {usage}\n");
        assert_eq!(explain(args), (2, String::new(), expected), "{args:?}");
    }
    assert_eq!(explain(&["coder", "write", "src", "docs"]).0, 2);
    assert_eq!(
        explain(&["codr", "write", "src"]).2.lines().next().map(|line| line.contains("`coder`")),
        Some(true)
    );
}
