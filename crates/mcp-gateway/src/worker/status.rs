//! What the gateway tells about its servers.

use std::collections::{BTreeMap, BTreeSet};

use minds_taskdoc::rfc3339;

use super::lease::SHARED;
use super::server_set::ServerSet;
use super::slot::Slot;
use super::tracked::Tracked;
use crate::documents::{
    GatewayState, ProblemEntry, ServerStatus, ServerTools, SkippedEntry, ToolEntry, UnmatchedFilterEntry,
};
use crate::listing::Listing;

/// Returns the state of all servers. `direct` has the numbers of direct calls, by their relays.
pub(super) fn state(server_set: &ServerSet, direct: &BTreeMap<u64, usize>) -> GatewayState {
    let (slots, listing) = (server_set.slots(), server_set.listing());
    let conversations: BTreeSet<String> = slots
        .iter()
        .flat_map(|slot| slot.state().leases.keys().filter(|key| *key != SHARED).cloned().collect::<Vec<_>>())
        .collect();
    GatewayState {
        pid: std::process::id(),
        started_at: rfc3339(server_set.started_at),
        caller: server_set.options.caller.clone(),
        conversations: conversations.len(),
        servers: slots.iter().map(|slot| server(slot, &listing, direct)).collect(),
        problems: server_set.problems().into_iter().map(ProblemEntry::from).collect(),
    }
}

fn server(slot: &Slot, listing: &Listing, direct: &BTreeMap<u64, usize>) -> ServerStatus {
    let state = slot.state();
    let entry = state.entry.as_ref().and_then(|entry| entry.server.as_ref().ok());
    let good = state.good.as_ref();
    ServerStatus {
        id: slot.id.clone(),
        transport: entry.map(|server| server.transport.name().to_owned()),
        enabled: entry.is_none_or(|server| server.is_enabled),
        state: state.server_state(),
        since: (state.since > 0).then(|| rfc3339(state.since)),
        fingerprint: good.map(|good| good.fingerprint.to_string()),
        protocol: good.map(|good| good.protocol.clone()).filter(|protocol| !protocol.is_empty()),
        tools: listing.tools.iter().filter(|tool| tool.server == slot.id).count(),
        skipped: listing.skipped.iter().filter(|tool| tool.server == slot.id).count(),
        leases: state.leases.len(),
        in_flight: state.connections().map(|connection| count_calls(connection, direct)).sum(),
        restarts: state.restarts,
        from_memory: good.is_some_and(|good| good.is_from_memory),
        last_error: state.error(),
        log: slot.log_lines(),
    }
}

fn count_calls(tracked: &Tracked, direct: &BTreeMap<u64, usize>) -> usize {
    let direct = tracked.connection.relay().and_then(|relay| direct.get(&relay));
    tracked.in_flight() + direct.copied().unwrap_or_default()
}

/// Returns the tools of all servers.
pub(super) fn tools(server_set: &ServerSet) -> Vec<ServerTools> {
    let listing = server_set.listing();
    server_set.slots().iter().map(|slot| server_tools(slot, &listing)).collect()
}

fn server_tools(slot: &Slot, listing: &Listing) -> ServerTools {
    let state = slot.state();
    let id = &slot.id;
    let tools = listing.tools.iter().filter(|tool| tool.server == *id).map(|tool| ToolEntry {
        name: tool.name.clone(),
        original: tool.original.clone(),
        description: tool.description.clone(),
        input_schema: tool.input_schema.clone(),
        output_schema: tool.output_schema.clone(),
        annotations: tool.annotations.clone(),
    });
    let skipped = listing.skipped.iter().filter(|tool| tool.server == *id).map(|tool| SkippedEntry {
        original: tool.original.clone(),
        r#final: tool.reason.final_name().map(str::to_owned),
        reason: tool.reason.code().to_owned(),
        detail: tool.reason.to_string(),
    });
    let unmatched = listing.unmatched.iter().filter(|unmatched| unmatched.server == *id);
    let unmatched = unmatched.map(|unmatched| UnmatchedFilterEntry {
        list: unmatched.list.into(),
        entry: unmatched.entry.clone(),
    });
    ServerTools {
        id: id.clone(),
        state: state.server_state(),
        last_error: state.error(),
        tools: tools.collect(),
        skipped: skipped.collect(),
        unmatched: unmatched.collect(),
    }
}
