//! A feature compiles only the crates that it needs.

use std::collections::BTreeSet;
use std::process::Command;

/// The crates that are compiled only if a feature needs them.
const OPTIONAL: [&str; 19] = [
    "minds-cli",
    "minds-client-agents",
    "minds-client-import",
    "minds-clients",
    "minds-compose",
    "minds-fleet",
    "minds-fs",
    "minds-git",
    "minds-installer",
    "minds-inventory",
    "minds-operations",
    "minds-process",
    "minds-render",
    "minds-server",
    "minds-sources",
    "minds-task-store",
    "minds-taskdoc",
    "minds-toolset",
    "minds-trust",
];

/// Returns the optional crates that are compiled with the given feature only.
fn compiled_crates(feature: &str) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--package", "minds", "--no-default-features", "--features", feature])
        .args(["--edges", "normal", "--prefix", "none", "--format", "{p}", "--offline", "--locked"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let tree = String::from_utf8(output.stdout).expect("cargo prints text");
    let names = tree.lines().filter_map(|line| line.split(' ').next());
    names.filter(|name| OPTIONAL.contains(name)).map(str::to_owned).collect()
}

#[track_caller]
fn check(feature: &str, expected: &[&str]) {
    let expected: BTreeSet<String> = expected.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(compiled_crates(feature), expected, "{feature}");
}

#[test]
fn a_feature_compiles_only_its_family() {
    check("team", &[]);
    check("clients", &["minds-client-import", "minds-clients"]);
    check("compose", &["minds-compose"]);
    check("fleet", &["minds-fleet"]);
    check("sources", &["minds-inventory", "minds-sources"]);
    check("tasks", &["minds-taskdoc"]);
    check(
        "render",
        &["minds-client-agents", "minds-clients", "minds-compose", "minds-fleet", "minds-render"],
    );
}

#[test]
fn no_crate_accesses_files_by_default() {
    let families = [
        "minds-client-agents",
        "minds-client-import",
        "minds-clients",
        "minds-compose",
        "minds-fleet",
        "minds-inventory",
        "minds-render",
        "minds-sources",
        "minds-taskdoc",
    ];
    check("default", &families);
    check(
        "fs",
        &[
            families.as_slice(),
            &[
                "minds-fs",
                "minds-git",
                "minds-installer",
                "minds-operations",
                "minds-process",
                "minds-task-store",
                "minds-trust",
            ],
        ]
        .concat(),
    );
}
