//! Fault injection is never a part of the command.

use std::process::Command;

use super::architecture::packages;

/// Fault injection is for tests: no crate of the command enables it.
#[test]
fn the_command_does_not_enable_faults() {
    for package in packages() {
        let name = package["name"].as_str().unwrap();
        for dependency in package["dependencies"].as_array().unwrap() {
            let features = dependency["features"].as_array().unwrap();
            let has_faults = dependency["name"] == "minds-fs" && features.iter().any(|one| one == "faults");
            let is_allowed = name == "xtask" || dependency["kind"] == "dev";
            assert!(!has_faults || is_allowed, "`{name}` enables `faults`");
        }
        let default = package["features"].get("default");
        assert_eq!(default.filter(|_| name == "minds-fs"), None, "`faults` must not be a default feature");
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
    const FAULTS: &str = r#"minds-fs feature "faults""#;
    assert!(features("xtask").contains(FAULTS), "otherwise the next check is meaningless");
    assert!(!features("minds-cli").contains(FAULTS));
}
