//! Manifests inherit what all crates share, also in packages outside of the workspace.

use crate::architecture::packages;

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
        let lines = part.unwrap().split("[profile.release]").nth(1).unwrap().trim().lines();
        // The level is chosen for each crate.
        let of_all = lines.filter(|line| !line.starts_with("opt-level") && !line.starts_with('#'));
        of_all.map(str::to_owned).collect::<Vec<_>>()
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
