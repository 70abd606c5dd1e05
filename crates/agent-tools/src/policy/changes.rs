//! How the files go beyond what was accepted.

use std::collections::BTreeSet;
use std::fmt;

use minds_text::secrets::{self, TextKind};

use super::folders::find_outside;
use super::{EnginePolicy, Policy, is_listed};

/// A right that the files give and that was not accepted, or a duty that was accepted and that the files do not demand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyChange {
    /// The key in the files.
    pub key: &'static str,
    /// The entry, as it is shown to a person; secrets are not in it.
    pub entry: String,
    /// Whether the files add the entry; otherwise they remove it.
    pub is_added: bool,
}

/// Writes the change like a line of a diff.
impl fmt::Display for PolicyChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.is_added { '+' } else { '-' };
        write!(f, "{sign} {}: {}", self.key, self.entry.escape_debug())
    }
}

impl Policy {
    /// Returns what `self`, the policy of the files, gives beyond `accepted`: nothing exactly if it is not wider.
    pub fn find_widenings(&self, accepted: &Self) -> Vec<PolicyChange> {
        let added = |key, entry: &str| PolicyChange { key, entry: entry.to_owned(), is_added: true };
        let removed = |key, entry: &str| PolicyChange { key, entry: entry.to_owned(), is_added: false };
        let mut changes = Vec::new();
        let tools = self.tools.iter().filter(|tool| self.gives(tool) && !is_listed(&accepted.tools, tool));
        changes.extend(tools.map(|tool| added("tools.allow", tool)));
        let denied = accepted.denied.iter().filter(|tool| self.gives(tool));
        changes.extend(denied.map(|tool| removed("tools.deny", tool)));
        for (id, server) in &self.servers {
            let before = accepted.servers.get(id);
            if before.is_some_and(|before| before.hash == server.hash) {
                continue;
            }
            changes.extend(before.map(|before| removed("servers", &format!("{id}: {}", before.shown))));
            changes.push(added("servers", &format!("{id}: {}", server.shown)));
        }
        let confirm = accepted.confirm.iter().filter(|tool| !is_listed(&self.confirm, tool));
        changes.extend(confirm.map(|tool| removed("tools.confirm", tool)));
        changes.extend(accepted.members.difference(&self.members).map(|member| removed("member", member)));
        let folders = find_outside(&self.folders, &accepted.folders);
        changes.extend(
            folders.map(|folder| added(if *folder == self.cwd { "cwd" } else { "fs.whitelist" }, folder)),
        );
        let (write, read) = (accepted.writable(), accepted.readable());
        changes.extend(find_outside(&self.exec.write, &write).map(|folder| added("exec.write", folder)));
        changes.extend(find_outside(&self.exec.read, &read).map(|folder| added("exec.read", folder)));
        let variables: BTreeSet<&String> = self.exec.env.difference(&accepted.exec.env).collect();
        changes.extend(variables.into_iter().map(|name| added("exec.env", name)));
        for (key, is_wider, is_added) in [
            ("exec.inherit_env", self.exec.inherit_env && !accepted.exec.inherit_env, true),
            ("exec.require_sandbox", accepted.exec.require_sandbox && !self.exec.require_sandbox, false),
            ("tools.unsafe", self.r#unsafe && !accepted.r#unsafe, true),
        ] {
            if is_wider {
                changes.push(PolicyChange { key, entry: "true".to_owned(), is_added });
            }
        }
        self.add_engine_changes(accepted, &mut changes);
        changes
    }

    fn add_engine_changes(&self, accepted: &Self, changes: &mut Vec<PolicyChange>) {
        let Some(files) = &self.engine else { return };
        let change = |entry: String, is_added| PolicyChange { key: "engine", entry, is_added };
        let Some(combined) = Self::effective(accepted, self).engine else {
            changes.extend(accepted.engine.iter().map(|engine| change(describe(engine), false)));
            changes.push(change(describe(files), true));
            return;
        };
        for (kind, permission) in &files.permissions {
            if combined.permissions.get(kind) != Some(permission) {
                changes.push(change(format!("permissions: {kind}: {permission}"), true));
            }
        }
    }
}

/// Describes an engine. The values of its variables may be secrets.
fn describe(engine: &EnginePolicy) -> String {
    let variables = engine.env.keys().map(|name| format!("{name}=…"));
    let words: Vec<String> =
        [engine.kind.clone()].into_iter().chain(variables).chain(engine.command.iter().cloned()).collect();
    secrets::mask_secrets(&words.join(" "), TextKind::Settings).into_owned()
}
