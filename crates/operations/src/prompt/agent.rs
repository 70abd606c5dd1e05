//! Which agent is meant.

use minds_document::SnapshotEntry;
use minds_fleet::{DEFAULT_AGENT_FILE, FOLDER, FleetFamily, Layer};
use minds_paths::{Location, MountId, WorkspacePath};

use super::unusable;
use crate::OperationError;
use crate::fleet::{Stack, unknown_agent};

/// How many names of agents a message lists at most.
const MAX_LISTED: usize = 8;

/// Returns the name of the agent that is meant: the given one, or else that of the highest layer that says one, or else the
/// only one there is.
///
/// # Errors
///
/// Fails if there is no such agent, or what cannot be read may say that it is another one.
pub(super) fn find(
    stack: &Stack,
    family: &FleetFamily,
    given: Option<&str>,
) -> Result<String, OperationError> {
    let agents = family.agents();
    let agent = match given {
        Some(agent) => agent.to_owned(),
        None => match by_default(stack, family)? {
            Some(agent) => agent,
            None => only(family, agents.keys().copied())?,
        },
    };
    refuse_hidden(family, &agent)?;
    if !agents.contains_key(agent.as_str()) {
        return Err(unknown_agent(&agent, agents.into_keys()));
    }
    Ok(agent)
}

/// Returns the name that the highest layer says which says one; none if none does.
fn by_default(stack: &Stack, family: &FleetFamily) -> Result<Option<String>, OperationError> {
    for layer in &family.layers {
        if let Some(closed) = closed_folder(stack, layer) {
            return Err(unusable(&format!(
                "`{closed}` cannot be looked into, and may say which agent is meant; name one with `--agent`"
            )));
        }
        let Some(default) = &layer.default_agent else { continue };
        let file = location(&layer.mount, DEFAULT_AGENT_FILE)?;
        return match (&default.source, default.name.as_str()) {
            (None, _) => Err(unusable(&format!(
                "`{file}` cannot be read, so it is not known which agent is meant; see `minds check`, or name one with \
                 `--agent`"
            ))),
            (Some(_), "") => Err(unusable(&format!("`{file}` names no agent; name one with `--agent`"))),
            (Some(_), name) => Ok(Some(name.to_owned())),
        };
    }
    Ok(None)
}

/// Returns the directory of a layer that would hold the name of an agent and cannot be looked into.
fn closed_folder(stack: &Stack, layer: &Layer) -> Option<Location> {
    if layer.is_closed {
        return location(&layer.mount, FOLDER).ok();
    }
    let path = WorkspacePath::parse(DEFAULT_AGENT_FILE).ok()?.parent()?;
    let folder = Location::new(layer.mount.clone(), path);
    let is_closed = !matches!(stack.snapshot.get(&folder), None | Some(SnapshotEntry::Directory));
    is_closed.then_some(folder)
}

/// Returns the name of the only agent.
fn only<'n>(
    family: &FleetFamily,
    names: impl ExactSizeIterator<Item = &'n str>,
) -> Result<String, OperationError> {
    if let Some(layer) = family.layers.iter().find(|layer| !layer.has_all_agents) {
        return Err(unusable(&format!(
            "not all agents of {} can be read, so it is not known which one is meant; see `minds check`, or name one with \
             `--agent`",
            named(&layer.mount)
        )));
    }
    let count = names.len();
    let mut listed: Vec<String> = names.take(MAX_LISTED).map(str::to_owned).collect();
    match (count, listed.pop()) {
        (1, Some(only)) => Ok(only),
        (_, None) => Err(unusable("the fleet has no agent; `minds init --fleet` writes a first one")),
        (_, Some(last)) => {
            listed.push(last);
            let mut listed: Vec<String> = listed.iter().map(|name| format!("`{name}`")).collect();
            if count > MAX_LISTED {
                listed.push("…".to_owned());
            }
            let listed = listed.join(", ");
            Err(unusable(&format!(
                "there are several agents: {listed}; name one with `--agent`, or in `{DEFAULT_AGENT_FILE}`"
            )))
        }
    }
}

/// Refuses an agent that one of a layer which cannot be read whole may hide: it would be another one that is told or
/// changed something.
fn refuse_hidden(family: &FleetFamily, agent: &str) -> Result<(), OperationError> {
    let mut above = family.layers.iter().take_while(|layer| !layer.agents.contains_key(agent));
    match above.find(|layer| !layer.has_all_agents) {
        None => Ok(()),
        Some(layer) => Err(unusable(&format!(
            "not all agents of {} can be read, and one of them may be `{agent}`; see `minds check`",
            named(&layer.mount)
        ))),
    }
}

/// Returns what a layer is called in a message.
fn named(mount: &MountId) -> String {
    if *mount == MountId::WORKSPACE { "the workspace".to_owned() } else { format!("`{}`", mount.as_str()) }
}

fn location(mount: &MountId, path: &str) -> Result<Location, OperationError> {
    let path = WorkspacePath::parse(path).map_err(|_| unusable(&format!("`{path}` is no path")))?;
    Ok(Location::new(mount.clone(), path))
}
