//! What two policies both permit.

use std::collections::{BTreeMap, BTreeSet};

use super::folders::intersect;
use super::{EnginePolicy, ExecPolicy, Policy, ServerPolicy, is_listed};

impl Policy {
    /// Returns what both policies permit: the policy of a step is that of the accepted policy and of the files.
    ///
    /// A right is in the result if it is in both; a duty, as a confirmation, if it is in one of them. The working folder is that
    /// of `files`; if the result does not contain it, commands have no place to start.
    #[must_use]
    pub fn effective(accepted: &Self, files: &Self) -> Self {
        Self {
            tools: intersect_names(&accepted.tools, &files.tools),
            confirm: accepted.confirm.union(&files.confirm).cloned().collect(),
            denied: accepted.denied.union(&files.denied).cloned().collect(),
            servers: intersect_servers(&accepted.servers, &files.servers),
            members: accepted.members.union(&files.members).cloned().collect(),
            cwd: files.cwd.clone(),
            folders: intersect(&accepted.folders, &files.folders),
            exec: ExecPolicy {
                inherit_env: accepted.exec.inherit_env && files.exec.inherit_env,
                env: accepted.exec.env.intersection(&files.exec.env).cloned().collect(),
                // What may be written may also be read, and what may be read need not be writable.
                read: intersect(&accepted.readable(), &files.readable()),
                write: intersect(&accepted.writable(), &files.writable()),
                require_sandbox: accepted.exec.require_sandbox || files.exec.require_sandbox,
            },
            r#unsafe: accepted.r#unsafe && files.r#unsafe,
            engine: accepted.engine.as_ref().zip(files.engine.as_ref()).and_then(effective_engine),
        }
    }
}

/// Returns the tools that both lists contain. An entry for a server contains its tools.
fn intersect_names(one: &BTreeSet<String>, other: &BTreeSet<String>) -> BTreeSet<String> {
    let in_both = one.iter().chain(other).filter(|name| is_listed(one, name) && is_listed(other, name));
    in_both.cloned().collect()
}

/// Returns the servers that are the same in both.
fn intersect_servers(
    accepted: &BTreeMap<String, ServerPolicy>,
    files: &BTreeMap<String, ServerPolicy>,
) -> BTreeMap<String, ServerPolicy> {
    let is_same = |(id, server): &(&String, &ServerPolicy)| {
        accepted.get(*id).is_some_and(|accepted| accepted.hash == server.hash)
    };
    files.iter().filter(is_same).map(|(id, server)| (id.clone(), server.clone())).collect()
}

/// Returns the engine of the files if its program is the accepted one, with the permissions that both give.
fn effective_engine((accepted, files): (&EnginePolicy, &EnginePolicy)) -> Option<EnginePolicy> {
    let is_same =
        (&accepted.kind, &accepted.command, &accepted.env) == (&files.kind, &files.command, &files.env);
    let strictest = |kind: &String| {
        let permissions = [accepted.permissions.get(kind), files.permissions.get(kind)];
        // A kind without an entry is denied.
        let rank =
            permissions.map(|one| one.map_or(0, |one| rank(one))).into_iter().min().unwrap_or_default();
        ["deny", "ask", "allow"].get(rank).copied().unwrap_or("deny").to_owned()
    };
    let kinds: BTreeSet<&String> = accepted.permissions.keys().chain(files.permissions.keys()).collect();
    let permissions = kinds.into_iter().map(|kind| (kind.clone(), strictest(kind))).collect();
    is_same.then(|| EnginePolicy { permissions, ..files.clone() })
}

/// Returns how much a permission permits.
fn rank(permission: &str) -> usize {
    match permission {
        "allow" => 2,
        "ask" => 1,
        _ => 0,
    }
}
