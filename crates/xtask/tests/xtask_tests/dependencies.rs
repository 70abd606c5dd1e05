//! Every dependency is used, and has a reason in `docs/contributing/dependencies.md`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn packages() -> Vec<Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline", "--locked"])
        .current_dir(xtask::files::root())
        .output()
        .expect("cargo starts");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    metadata["packages"].as_array().unwrap().clone()
}

/// Adds the Rust files below a folder.
fn add_sources(folder: &Path, sources: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            add_sources(&entry, sources);
        } else if entry.extension().is_some_and(|ending| ending == "rs") {
            sources.push(entry);
        }
    }
}

/// Returns the sources of the Rust files below folders of a package, and of files elsewhere that they include
/// by path.
fn read_sources(package: &Path, folders: &[&str]) -> Vec<String> {
    let mut sources = Vec::new();
    for folder in folders {
        add_sources(&package.join(folder), &mut sources);
    }
    let own: Vec<(PathBuf, String)> = sources
        .drain(..)
        .map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            (path, text)
        })
        .collect();
    for (path, text) in &own {
        let taken_in = text.lines().filter_map(|line| line.strip_prefix("#[path = \"")?.strip_suffix("\"]"));
        for other in taken_in.map(|other| path.parent().unwrap().join(other)) {
            match other.file_name() {
                Some(name) if name == "mod.rs" => add_sources(other.parent().unwrap(), &mut sources),
                _ => sources.push(other),
            }
        }
    }
    let others = sources.into_iter().map(|path| fs::read_to_string(path).unwrap());
    own.into_iter().map(|(_, text)| text).chain(others).collect()
}

fn mentions(text: &str, name: &str) -> bool {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).any(|word| word == name)
}

#[test]
fn every_dependency_is_used_by_its_crate() {
    let mut unused = Vec::new();
    for package in packages() {
        let folder = Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap();
        let shipped = read_sources(folder, &["src"]);
        let all = read_sources(folder, &["src", "tests", "benches"]);
        for dependency in package["dependencies"].as_array().unwrap() {
            let name = dependency["name"].as_str().unwrap();
            let texts = if dependency["kind"] == "dev" { &all } else { &shipped };
            // A crate that depends on itself enables a feature for its tests.
            let is_itself = dependency["name"] == package["name"];
            if !is_itself && !texts.iter().any(|text| mentions(text, &name.replace('-', "_"))) {
                unused.push(format!("{}: {name}", package["name"]));
            }
        }
    }
    assert_eq!(unused, Vec::<String>::new());
}

#[test]
fn every_library_has_a_documented_reason() {
    let has_path = |dependency: &&Value| dependency["path"].is_string();
    let packages = packages();
    let libraries: BTreeSet<&str> = packages
        .iter()
        .flat_map(|package| package["dependencies"].as_array().unwrap())
        .filter(|dependency| !has_path(dependency))
        .map(|dependency| dependency["name"].as_str().unwrap())
        .collect();
    let page = fs::read_to_string(xtask::files::root().join("docs/contributing/dependencies.md")).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let mut listed: Vec<&str> =
        rows.flat_map(|row| row.split('|').nth(1).unwrap().split('`').skip(1).step_by(2)).collect();
    listed.sort_unstable();
    assert_eq!(listed, libraries.into_iter().collect::<Vec<&str>>());
}
