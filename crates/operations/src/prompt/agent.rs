//! Finding the agent.

use minds_fleet::{DEFAULT_AGENT_FILE, FOLDER, FleetFamily, Layer};
use minds_vfs::{Location, MountId, SnapshotEntry, WorkspacePath};

use super::unusable;
use crate::OperationError;
use crate::fleet::{Stack, unknown_agent};

/// The maximum number of agent names in a message.
const MAX_LISTED: usize = 8;

/// Returns the name of the agent: the given one, or else the default agent of the first layer that has one,
/// or else the only agent.
///
/// # Errors
///
/// Fails if there is no such agent, or if an unreadable file may select another agent.
pub(super) fn find(
    stack: &Stack,
    family: &FleetFamily,
    given: Option<&str>,
) -> Result<String, OperationError> {
    let agents = family.agents();
    let agent = match given {
        Some(agent) => agent.to_owned(),
        None => match find_default(stack, family)? {
            Some(agent) => agent,
            None => find_only(family, agents.keys().copied())?,
        },
    };
    refuse_hidden(family, &agent)?;
    if !agents.contains_key(agent.as_str()) {
        return Err(unknown_agent(&agent, agents.into_keys()));
    }
    Ok(agent)
}

/// Returns the default agent of the first layer that has one.
fn find_default(stack: &Stack, family: &FleetFamily) -> Result<Option<String>, OperationError> {
    for layer in &family.layers {
        if let Some(closed) = unreadable_folder(stack, layer) {
            return Err(unusable(&format!(
                "`{closed}` cannot be read and may define the default agent; pass an agent with `--agent`"
            )));
        }
        let Some(default) = &layer.default_agent else { continue };
        let file = location(&layer.mount, DEFAULT_AGENT_FILE)?;
        return match (&default.source, default.name.as_str()) {
            (None, _) => Err(unusable(&format!(
                "`{file}` cannot be read, so the default agent is unknown; run `minds check`, or pass an agent with `--agent`"
            ))),
            (Some(_), "") => {
                Err(unusable(&format!("`{file}` does not name an agent; pass an agent with `--agent`")))
            }
            (Some(_), name) => Ok(Some(name.to_owned())),
        };
    }
    Ok(None)
}

/// Returns the directory that would contain the default agent of a layer, if it cannot be read.
fn unreadable_folder(stack: &Stack, layer: &Layer) -> Option<Location> {
    if layer.is_closed {
        return location(&layer.mount, FOLDER).ok();
    }
    let path = WorkspacePath::parse(DEFAULT_AGENT_FILE).ok()?.parent()?;
    let folder = Location::new(layer.mount.clone(), path);
    let is_closed = !matches!(stack.snapshot.get(&folder), None | Some(SnapshotEntry::Directory));
    is_closed.then_some(folder)
}

/// Returns the name of the only agent, if there is exactly one.
fn find_only<'n>(
    family: &FleetFamily,
    names: impl ExactSizeIterator<Item = &'n str>,
) -> Result<String, OperationError> {
    if let Some(layer) = family.layers.iter().find(|layer| !layer.has_all_agents) {
        return Err(unusable(&format!(
            "not all agents of {} can be read, so the default agent is unknown; run `minds check`, or pass an agent with `--agent`",
            layer_name(&layer.mount)
        )));
    }
    let count = names.len();
    let mut listed: Vec<String> = names.take(MAX_LISTED).map(str::to_owned).collect();
    match (count, listed.pop()) {
        (1, Some(only)) => Ok(only),
        (_, None) => Err(unusable("the fleet has no agents; `minds init --fleet` creates one")),
        (_, Some(last)) => {
            listed.push(last);
            let mut listed: Vec<String> = listed.iter().map(|name| format!("`{name}`")).collect();
            if count > MAX_LISTED {
                listed.push("…".to_owned());
            }
            let listed = listed.join(", ");
            Err(unusable(&format!(
                "there are several agents: {listed}; pass one with `--agent`, or name it in `{DEFAULT_AGENT_FILE}`"
            )))
        }
    }
}

/// Refuses an agent that may be overridden by an agent in a layer that could not be read completely.
fn refuse_hidden(family: &FleetFamily, agent: &str) -> Result<(), OperationError> {
    let mut above = family.layers.iter().take_while(|layer| !layer.agents.contains_key(agent));
    match above.find(|layer| !layer.has_all_agents) {
        None => Ok(()),
        Some(layer) => Err(unusable(&format!(
            "not all agents of {} can be read, and one of them may be `{agent}`; run `minds check`",
            layer_name(&layer.mount)
        ))),
    }
}

/// Returns the name of a layer for messages.
fn layer_name(mount: &MountId) -> String {
    if *mount == MountId::WORKSPACE { "the workspace".to_owned() } else { format!("`{}`", mount.as_str()) }
}

fn location(mount: &MountId, path: &str) -> Result<Location, OperationError> {
    let path = WorkspacePath::parse(path).map_err(|_| unusable(&format!("`{path}` is not a valid path")))?;
    Ok(Location::new(mount.clone(), path))
}
