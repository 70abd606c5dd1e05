//! Node and npm packages below `target/`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::manifest;

/// An installation of packages, and the Node that runs them.
pub(crate) struct Node {
    folder: PathBuf,
}

impl Node {
    /// Installs packages in exactly these versions, if they are not installed yet.
    ///
    /// # Errors
    ///
    /// Returns why that is not possible.
    pub(crate) fn install(folder: &Path, packages: &[(&str, &str)]) -> Result<Self, String> {
        std::fs::create_dir_all(folder).expect("the folder can be made");
        let (wanted, file) = (manifest(packages).to_string(), folder.join("package.json"));
        let is_there = |(name, _): &(&str, &str)| folder.join("node_modules").join(name).is_dir();
        let is_installed = std::fs::read_to_string(&file).is_ok_and(|text| text == wanted);
        if !is_installed || !packages.iter().all(is_there) {
            std::fs::write(&file, wanted).expect("the file can be written");
            let npm = Command::new("npm")
                .args(["install", "--no-audit", "--no-fund", "--silent"])
                .args(["--fetch-retries=1", "--fetch-timeout=20000"])
                .current_dir(folder)
                .stdout(Stdio::null())
                .status();
            if !npm.is_ok_and(|status| status.success()) {
                // A partial installation must not be mistaken for a complete one.
                let _ = std::fs::remove_file(&file);
                return Err("npm cannot install what is needed".to_owned());
            }
        }
        let node = Self { folder: folder.to_owned() };
        let version = node.command("node").arg("--version").stdout(Stdio::null()).status();
        version
            .is_ok_and(|status| status.success())
            .then_some(node)
            .ok_or_else(|| "node does not start".to_owned())
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns a program of the packages, which runs with the Node of the packages if there is one.
    pub(crate) fn command(&self, program: &str) -> Command {
        let bin = self.folder.join("node_modules/.bin");
        let own = bin.join(program);
        let mut command = if own.exists() { Command::new(own) } else { Command::new(program) };
        let path = std::env::var("PATH").unwrap_or_default();
        command
            .env("PATH", format!("{}:{path}", bin.display()))
            .current_dir(&self.folder)
            .stdin(Stdio::null());
        command
    }
}
