//! The programs that tests start and that Rust does not bring.

use std::path::PathBuf;
use std::process::Command;

/// The programs of which one is needed, and the package that has the first one.
const SERVERS: [&str; 2] = ["redis-server", "valkey-server"];
const PACKAGE: &str = "redis-server";

/// Installs what is missing with the package manager of Debian and its derivatives; returns whether nothing is missing.
pub fn run() -> bool {
    if let Some(found) = find(&SERVERS) {
        println!("found {}", found.display());
        return true;
    }
    println!("installing the package `{PACKAGE}`");
    // A service that uses the usual port is not wanted: tests start servers of their own.
    let apt = |words: &[&str]| {
        let mut command = Command::new("apt-get");
        command.args(words).env("RUNLEVEL", "1").env("DEBIAN_FRONTEND", "noninteractive");
        command.status().is_ok_and(|status| status.success())
    };
    // The list of packages may be missing or old.
    let _ = apt(&["update", "-qq"]);
    let is_installed = apt(&["install", "-y", "-qq", "--no-install-recommends", PACKAGE]);
    if !is_installed || find(&SERVERS).is_none() {
        println!(
            "the tests of `minds-fleet-bus` need one of {SERVERS:?}, version 6.2 or later: install a package with it"
        );
        return false;
    }
    true
}

fn find(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|file| file.is_file())
}
