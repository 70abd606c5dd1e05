//! What the file says about servers, which a person accepts before an agent that may change the file uses them.

use std::collections::BTreeMap;
use std::path::Path;

use minds_vfs::{ContentHash, Snapshot};

use crate::{Config, Server};

impl Server {
    /// Returns the hash of everything that decides what is started and which tools it has, of a [declared](Config::read_declared)
    /// server.
    pub fn definition(&self) -> String {
        // The debug format quotes strings, so different lists never look the same.
        let rules = (&self.whitelist, &self.blacklist, &self.transforms);
        ContentHash::of(format!("{:?} {rules:?}", self.fingerprint().0).as_bytes()).to_string()
    }
}

impl Config {
    /// Reads the servers with the names of environment variables in the place of their values; none if the file as a whole
    /// cannot be used.
    pub fn read_declared(snapshot: &Snapshot, workspace: &Path) -> Self {
        // No value contains the first character, so no literal value is taken for a variable.
        Self::read(snapshot, workspace, &|name| Some(format!("\0{name}"))).unwrap_or_default()
    }

    /// Keeps the servers that a person accepted and that are declared in the same way now, by their ids with their definitions.
    pub(crate) fn keep_accepted(&mut self, declared: &Self, accepted: &BTreeMap<String, String>) {
        let definition = |id: &str| {
            declared.servers.iter().find(|one| one.id == id)?.server.as_ref().map(Server::definition).ok()
        };
        self.servers
            .retain(|entry| definition(&entry.id).is_some_and(|hash| accepted.get(&entry.id) == Some(&hash)));
    }
}
