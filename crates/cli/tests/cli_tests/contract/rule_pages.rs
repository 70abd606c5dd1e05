//! The links from findings to the pages of their rules.

use std::path::Path;

use serde_json::Value;

use crate::contract::world::World;

const MAIN: &str = "https://github.com/minds-toolchain/minds/blob/main/";

fn document(world: &World, args: &[&str]) -> Value {
    serde_json::from_str(&world.run("broken", args).stdout).unwrap()
}

#[test]
fn a_check_names_the_command_that_explains_a_code() {
    let world = World::new();
    let done = world.run("broken", &["check"]);
    let last = done.stdout.lines().last().unwrap();
    assert_eq!(last, "for details, run `minds explain team/unknown-member`");
    assert_eq!(world.run("broken", &["explain", "team/unknown-member"]).code, 0);
    assert!(!world.run("broken", &["check", "--format", "concise"]).stdout.contains("minds explain"));
    assert!(!world.run("app", &["check"]).stdout.contains("minds explain"));
}

#[test]
fn every_rule_has_a_page_in_the_repository_that_documents_name() {
    let world = World::new();
    let page = format!("{MAIN}docs/rules/team/unknown-member.md");
    assert_eq!(document(&world, &["check", "--json"])["diagnostics"][0]["url"], page.as_str());
    let log = document(&world, &["check", "--format", "sarif"]);
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for rule in rules {
        let file = rule["helpUri"].as_str().unwrap().strip_prefix(MAIN).unwrap();
        assert!(repository.join(file).is_file(), "{file}");
        assert!(rule["help"]["text"].is_string() && rule["help"]["markdown"].is_string(), "{rule}");
    }
    let codes = document(&world, &["explain", "--json"])["rules"].as_array().unwrap().len();
    assert_eq!(rules.len(), codes);
}
