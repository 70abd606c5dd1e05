//! Crates depend on each other only as described in `docs/architecture.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

use crate::plan::ALLOWED;

pub(crate) fn packages() -> Vec<Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline", "--locked"])
        .current_dir(xtask::files::root())
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    metadata["packages"].as_array().expect("there are packages").clone()
}

pub(crate) fn dependencies(package: &Value) -> Vec<&str> {
    package["dependencies"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect()
}

#[test]
fn crates_depend_only_on_what_the_plan_allows() {
    let packages = packages();
    for package in &packages {
        let name = package["name"].as_str().unwrap();
        let allowed = ALLOWED.iter().find(|(known, _)| *known == name);
        let (_, allowed) = allowed.unwrap_or_else(|| panic!("`{name}` is not in the plan"));
        for dependency in dependencies(package) {
            // A crate may test itself with more features.
            let ours = dependency != name && ALLOWED.iter().any(|(known, _)| *known == dependency);
            assert!(!ours || allowed.contains(&dependency), "`{name}` must not depend on `{dependency}`");
        }
    }
    assert_eq!(packages.len(), ALLOWED.len(), "the plan contains crates that do not exist");
}

/// Returns the rows of the table of crates in `docs/architecture.md`: each crate, and the crates that it depends on.
fn documented_dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let full = |name: &str| match name {
        "minds" | "xtask" => name.to_owned(),
        _ => format!("minds-{}", name.trim_start_matches("minds-")),
    };
    let page = xtask::files::read("docs/architecture.md");
    let (_, table) = page.split_once("| crate | responsibility | depends on |").expect("a table of crates");
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let dependencies = cells[3].split(", ").filter(|name| !name.is_empty()).map(full).collect();
        (full(cells[1].trim_matches('`')), dependencies)
    })
    .collect()
}

#[test]
fn the_architecture_page_shows_the_dependencies() {
    let mut actual = BTreeMap::new();
    for package in packages() {
        let ours = package["dependencies"].as_array().unwrap().iter().filter(|one| {
            let is_ours = ALLOWED.iter().any(|(known, _)| one["name"] == *known);
            is_ours && one["kind"] != "dev"
        });
        let names: BTreeSet<String> = ours.map(|one| one["name"].as_str().unwrap().to_owned()).collect();
        actual.insert(package["name"].as_str().unwrap().to_owned(), names);
    }
    let mut documented = documented_dependencies();
    // xtask uses nearly everything, so its row does not list dependencies.
    assert_eq!(actual.remove("xtask").is_some(), documented.remove("xtask").is_some());
    assert_eq!(documented, actual);
}

/// An allowed dependency that does not exist would let the page and the plan diverge.
#[test]
fn every_allowed_dependency_exists() {
    let packages = packages();
    for (name, allowed) in ALLOWED {
        let package = packages.iter().find(|package| package["name"] == *name).expect("the package exists");
        let actual = dependencies(package);
        for dependency in *allowed {
            assert!(actual.contains(dependency), "`{name}` does not depend on `{dependency}`: remove it");
        }
    }
}

#[test]
fn the_plan_has_no_cycles() {
    // A crate may depend only on crates earlier in the list.
    for (at, (name, allowed)) in ALLOWED.iter().enumerate() {
        for dependency in *allowed {
            let earlier = ALLOWED.iter().take(at).any(|(known, _)| known == dependency);
            assert!(earlier, "`{name}` → `{dependency}` is against the order");
        }
    }
}
