//! Tests of the tools for tasks, and of the answers of all tools about task packages.
#![cfg(unix)]

mod descriptions;
mod escapes;
mod maintainers;
mod package_selection;
mod packages;
mod sections;

use minds_task_store::{Author, Tasks};
use serde_json::{Value, json};

use crate::files::fixture::Fixture;

/// The tools that change a section.
const CHANGING: [&str; 4] = ["change_mind", "do_mind", "mind_more", "never_mind"];
/// All tools for sections.
const ALL: [&str; 5] = ["change_mind", "do_mind", "mind_more", "never_mind", "recall_taskdoc"];

/// The tools for whole packages.
const PACKAGES: [&str; 4] = ["task_new", "task_migrate", "task_log", "task_undo"];

/// A workspace with the package `ship-it`, in which the operator calls.
fn fixture() -> Fixture {
    with_packages(Fixture::new(&[]), &["ship-it"])
}

fn with_packages(fixture: Fixture, names: &[&str]) -> Fixture {
    for name in names {
        Tasks::open(fixture.context.root()).unwrap().create(name, &Author::operator("ann", 0)).unwrap();
    }
    fixture
}

/// Returns arguments that a tool takes for a section.
fn arguments(tool: &str, selector: &str, category: &str) -> Value {
    let mut args = json!({"selector": selector, "category": category});
    if !["never_mind", "recall_taskdoc"].contains(&tool) {
        args["content"] = json!("written\n");
    }
    args
}
