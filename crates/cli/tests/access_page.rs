//! The page about access shows the actual output of the command.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test reads what it needs, and may stop at once"
)]

use std::path::Path;
use std::process::Stdio;

use support::{command, exit_and_output};

mod support;

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
