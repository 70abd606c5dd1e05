//! Crates depend on each other only as described in `docs/architecture.md`.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::format_collect,
    clippy::format_push_string,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test reads what it needs, and may stop at once"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

/// Each crate, and the crates of the workspace that it may depend on, in tests too.
const ALLOWED: &[(&str, &[&str])] = &[
    // characters and base
    ("minds-text", &[]),
    ("minds-diagnostics", &["minds-text"]),
    ("minds-paths", &["minds-text"]),
    // documents
    ("minds-document", &["minds-diagnostics", "minds-paths", "minds-text"]),
    ("minds-access-control", &["minds-paths"]),
    // families
    ("minds-core", &["minds-access-control", "minds-diagnostics", "minds-document", "minds-paths"]),
    ("minds-taskdoc", &["minds-diagnostics", "minds-document", "minds-paths"]),
    ("minds-compose", &["minds-diagnostics", "minds-document", "minds-paths"]),
    ("minds-fleet", &["minds-diagnostics", "minds-document", "minds-paths"]),
    ("minds-sources", &["minds-diagnostics", "minds-document", "minds-paths", "minds-text"]),
    // rendering and workspace
    (
        "minds-render",
        &["minds-compose", "minds-core", "minds-diagnostics", "minds-document", "minds-fleet", "minds-paths"],
    ),
    (
        "minds-workspace",
        &[
            "minds-access-control",
            "minds-compose",
            "minds-core",
            "minds-diagnostics",
            "minds-document",
            "minds-fleet",
            "minds-paths",
            "minds-render",
            "minds-sources",
            "minds-taskdoc",
        ],
    ),
    // files, processes, the environment
    ("minds-system", &["minds-document", "minds-paths"]),
    // shared code of both servers
    ("minds-serve", &["minds-system"]),
    // use cases and tools
    (
        "minds-operations",
        &[
            "minds-compose",
            "minds-core",
            "minds-diagnostics",
            "minds-document",
            "minds-fleet",
            "minds-paths",
            "minds-render",
            "minds-sources",
            "minds-system",
            "minds-taskdoc",
            "minds-workspace",
        ],
    ),
    (
        "minds-toolset",
        &[
            "minds-access-control",
            "minds-core",
            "minds-diagnostics",
            "minds-document",
            "minds-operations",
            "minds-paths",
            "minds-system",
            "minds-taskdoc",
            "minds-workspace",
        ],
    ),
    // front ends
    (
        "minds-mcp",
        &[
            "minds-diagnostics",
            "minds-document",
            "minds-serve",
            "minds-system",
            "minds-toolset",
            "minds-workspace",
        ],
    ),
    (
        "minds-view",
        &[
            "minds-diagnostics",
            "minds-document",
            "minds-operations",
            "minds-serve",
            "minds-taskdoc",
            "minds-toolset",
        ],
    ),
    (
        "minds-cli",
        &[
            "minds-diagnostics",
            "minds-mcp",
            "minds-operations",
            "minds-render",
            "minds-sources",
            "minds-system",
            "minds-taskdoc",
            "minds-toolset",
            "minds-view",
            "minds-workspace",
        ],
    ),
    // about the repository
    (
        "xtask",
        &[
            "minds-access-control",
            "minds-cli",
            "minds-compose",
            "minds-core",
            "minds-diagnostics",
            "minds-document",
            "minds-fleet",
            "minds-operations",
            "minds-paths",
            "minds-render",
            "minds-system",
            "minds-taskdoc",
            "minds-toolset",
            "minds-workspace",
        ],
    ),
];

/// Libraries that only one crate may know, so that nothing else can depend on what they are.
const OWNED: &[(&str, &[&str])] = &[
    ("clap", &["minds-cli", "xtask"]),
    ("annotate-snippets", &["minds-diagnostics"]),
    // Tests read rendered files with an independent reader.
    ("saphyr-parser", &["minds-document", "minds-render", "minds-workspace", "xtask"]),
    ("toml", &["minds-document", "minds-render", "minds-workspace", "xtask"]),
    ("toml_datetime", &["minds-document"]),
    ("toml_parser", &["minds-document"]),
    ("landlock", &["minds-system"]),
    ("rmcp", &["minds-mcp"]),
    ("tokio", &["minds-mcp", "minds-serve", "minds-view"]),
    ("hyper", &["minds-mcp", "minds-serve", "minds-view"]),
    ("hyper-util", &["minds-serve"]),
    ("http-body-util", &["minds-mcp", "minds-serve", "minds-view"]),
    ("getrandom", &["minds-system"]),
    ("signal-hook", &["minds-system"]),
    ("rustix", &["minds-system", "xtask"]),
    ("nix", &["minds-system", "xtask"]),
    ("jsonc-parser", &["minds-document", "minds-operations"]),
    ("ignore", &["minds-operations"]),
    ("uuid", &["minds-render"]),
    ("fuser", &["xtask"]),
];

fn packages() -> Vec<Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline", "--locked"])
        .current_dir(xtask::files::root())
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    metadata["packages"].as_array().expect("there are packages").clone()
}

fn dependencies(package: &Value) -> Vec<&str> {
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
        "xtask" => name.to_owned(),
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
fn libraries_are_used_only_by_their_owners() {
    for package in packages() {
        let name = package["name"].as_str().unwrap();
        for dependency in dependencies(&package) {
            if let Some((_, owners)) = OWNED.iter().find(|(library, _)| *library == dependency) {
                assert!(owners.contains(&name), "`{name}` must not depend on `{dependency}`");
            }
        }
    }
}

/// The library of the protocol changes often, so only one module uses it, and only that module awaits several
/// tasks. In a server, one module handles the transport, and the other ones requests and responses.
#[test]
fn only_one_module_uses_the_protocol_library() {
    let mut outside = Vec::new();
    let sources = ["crates/mcp/src", "crates/view/src"].map(|folder| xtask::files::root().join(folder));
    for entry in sources.into_iter().flat_map(|folder| std::fs::read_dir(folder).unwrap()) {
        let path = entry.unwrap().path();
        if path.is_file() {
            let text = std::fs::read_to_string(&path).unwrap();
            for library in ["rmcp::", "tokio::", "hyper::", ".await", "async "] {
                if text.contains(library) {
                    outside.push(format!("{}: {library}", path.display()));
                }
            }
        }
    }
    assert!(outside.is_empty(), "{outside:?}");
}

/// Fault injection is for tests: no crate of the command enables it.
#[test]
fn the_command_does_not_enable_faults() {
    for package in packages() {
        let name = package["name"].as_str().unwrap();
        for dependency in package["dependencies"].as_array().unwrap() {
            let features = dependency["features"].as_array().unwrap();
            let has_faults =
                dependency["name"] == "minds-system" && features.iter().any(|one| one == "faults");
            let is_allowed = name == "xtask" || dependency["kind"] == "dev";
            assert!(!has_faults || is_allowed, "`{name}` enables `faults`");
        }
        let default = package["features"].get("default");
        assert_eq!(
            default.filter(|_| name == "minds-system"),
            None,
            "`faults` must not be a default feature"
        );
    }
}

/// Returns the features that a package enables when it is built alone.
fn features(package: &str) -> String {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--package", package, "--edges", "features,no-dev", "--prefix", "none"])
        .args(["--offline", "--locked"])
        .current_dir(xtask::files::root())
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("cargo prints text")
}

#[test]
fn the_command_is_built_without_fault_injection() {
    const FAULTS: &str = r#"minds-system feature "faults""#;
    assert!(features("xtask").contains(FAULTS), "otherwise the next check is meaningless");
    assert!(!features("minds-cli").contains(FAULTS));
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

#[test]
fn packages_inherit_what_all_share() {
    for package in packages() {
        let name = package["name"].as_str().unwrap();
        assert_eq!(package["license"], "MIT OR Apache-2.0", "{name}");
        assert_eq!(package["edition"], "2024", "{name}");
        let manifest = std::fs::read_to_string(package["manifest_path"].as_str().unwrap()).unwrap();
        for inherited in
            ["version", "edition", "rust-version", "license", "authors", "keywords", "categories"]
        {
            assert!(
                manifest.contains(&format!("{inherited}.workspace = true")),
                "{name} sets its own {inherited}"
            );
        }
        assert!(manifest.contains("[lints]\nworkspace = true"), "{name} has its own lints");
        let own = manifest.lines().find(|line| line.contains("version = "));
        assert_eq!(own, None, "{name} sets a version that belongs in the workspace manifest");
    }
}

/// Benchmarks outside of the workspace use the same optimizations and versions as releases.
#[test]
fn benchmarks_use_the_profile_and_versions_of_releases() {
    let read = |path: &str| std::fs::read_to_string(xtask::files::root().join(path)).unwrap();
    let (ours, other) = (read("Cargo.toml"), read("benches/compose/Cargo.toml"));
    let profile = |manifest: &str| {
        let part = manifest.split("\n\n").find(|part| part.contains("[profile.release]"));
        part.unwrap().split("[profile.release]").nth(1).unwrap().trim().to_owned()
    };
    assert_eq!(profile(&ours), profile(&other));
    let (ours, other) = (read("Cargo.lock"), read("benches/compose/Cargo.lock"));
    for library in ["rustix", "saphyr-parser", "serde_json", "sha2", "similar"] {
        let (_, behind) = other.split_once(&format!("name = \"{library}\"\n")).unwrap();
        let version = behind.lines().next().unwrap();
        let locked = format!("name = \"{library}\"\n{version}\n");
        assert!(ours.contains(&locked), "{library}: {version} is not the version of the workspace");
    }
}
