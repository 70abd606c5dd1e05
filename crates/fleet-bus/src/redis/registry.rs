//! The list of agents.

use std::collections::BTreeMap;

use minds_fleet_protocol::{
    AgentId, AgentInfo, AgentState, ErrorCode, Failure, Liveness, Now, Presence, RegistryChange,
    RegistryEvent,
};
use redis::{Value, cmd};

use super::Core;
use super::link::{Batch, Link, bytes, text};

/// The number of keys that one step of a search examines.
pub(super) const STEP: usize = 1_000;

/// What one reader has seen of the registry.
#[derive(Default)]
pub(super) struct Registry {
    link: Option<Link>,
    seen: BTreeMap<AgentId, (AgentInfo, Liveness)>,
}

/// The state of one entry on the server.
struct Entry {
    info: AgentInfo,
    is_locked: bool,
    is_restarting: bool,
}

impl Registry {
    /// Lists the agents that have an entry, and those whose entry has disappeared not long ago.
    pub(super) fn list(&mut self, core: &Core, now: Now) -> Result<Vec<crate::Listed>, Failure> {
        // A connection that was lost since the last call is noticed now.
        let had_link = self.link.is_some();
        let entries = match self.read(core, now) {
            Err(failure) if had_link && failure.code() == Some(ErrorCode::RedisUnavailable) => {
                self.link = None;
                self.read(core, now)
            }
            entries => entries,
        };
        if entries.is_err() {
            self.link = None;
        }
        let entries = entries?;
        let mut listed: BTreeMap<AgentId, crate::Listed> = BTreeMap::new();
        for Entry { info, is_locked, is_restarting } in entries {
            let presence = match info.state {
                _ if is_locked => Presence::Alive,
                AgentState::Shutdown => Presence::Left,
                _ if is_restarting => Presence::Restarting,
                _ => Presence::Disconnected,
            };
            let (last, liveness) =
                self.seen.entry(info.id.clone()).or_insert_with(|| (info.clone(), Liveness::new(now.clock)));
            if is_locked {
                liveness.beat(now.clock);
            }
            last.clone_from(&info);
            listed.insert(info.id.clone(), crate::Listed { info, presence });
        }
        self.seen.retain(|_, (_, liveness)| liveness.presence(now.clock) != Presence::Forgotten);
        for (id, (info, liveness)) in &self.seen {
            let presence = match liveness.presence(now.clock) {
                // The entry has disappeared, whatever the last heartbeat was.
                Presence::Alive => Presence::Disconnected,
                presence => presence,
            };
            listed.entry(id.clone()).or_insert_with(|| crate::Listed { info: info.clone(), presence });
        }
        Ok(listed.into_values().collect())
    }

    fn read(&mut self, core: &Core, now: Now) -> Result<Vec<Entry>, Failure> {
        let link = if let Some(link) = &mut self.link {
            link
        } else {
            let mut link = core.open("minds-list")?;
            link.call(Batch::default().subscribe(&core.keys.registry()))?;
            self.link.insert(link)
        };
        let agents = scan(core, link)?;
        let mut entries = Vec::new();
        if !agents.is_empty() {
            let mut batch = Batch::default();
            let names: [Vec<String>; 3] = [
                agents.iter().map(|id| core.keys.entry(id)).collect(),
                agents.iter().map(|id| core.keys.lock(id)).collect(),
                agents.iter().map(|id| core.keys.grace(id)).collect(),
            ];
            for names in &names {
                batch.add(cmd("MGET").arg(names));
            }
            let replies = link.call(&batch)?;
            let [Value::Array(infos), Value::Array(locks), Value::Array(graces)] = replies.as_slice() else {
                return Err(Failure::new(ErrorCode::HandlerError, "the registry cannot be read"));
            };
            for (((id, info), lock), grace) in agents.iter().zip(infos).zip(locks).zip(graces) {
                // An entry may have expired meanwhile, and one that cannot be read is none.
                let info = bytes(info).and_then(|bytes| serde_json::from_slice::<AgentInfo>(bytes).ok());
                if let Some(info) = info.filter(|info| info.id == *id) {
                    let (is_locked, is_restarting) = (*lock != Value::Nil, *grace != Value::Nil);
                    entries.push(Entry { info, is_locked, is_restarting });
                }
            }
        }
        while let Some(message) = link.take_message()? {
            if let Ok(change) = serde_json::from_slice::<RegistryChange>(&message.payload)
                && change.event == RegistryEvent::Leave
                && let Some((_, liveness)) = self.seen.get_mut(&change.id)
            {
                liveness.leave(now.clock);
            }
        }
        Ok(entries)
    }
}

/// Returns the agents that have an entry, in their order.
fn scan(core: &Core, link: &mut Link) -> Result<Vec<AgentId>, Failure> {
    let names = scan_names(link, &core.keys.entries())?;
    let mut agents: Vec<AgentId> = names.iter().filter_map(|name| core.keys.agent_of(name)).collect();
    agents.sort();
    Ok(agents)
}

/// Returns the names of the keys that match a pattern, each once, in their order.
pub(super) fn scan_names(link: &mut Link, pattern: &str) -> Result<Vec<String>, Failure> {
    let (mut found, mut cursor) = (Vec::new(), "0".to_owned());
    loop {
        let mut command = cmd("SCAN");
        command.arg(&cursor).arg("MATCH").arg(pattern).arg("COUNT").arg(STEP);
        let reply = link.call(Batch::default().add(&command))?.pop();
        let Some(Value::Array(parts)) = reply else { break };
        let [next, Value::Array(names)] = parts.as_slice() else { break };
        found.extend(names.iter().filter_map(|name| Some(text(name)?.to_owned())));
        text(next).unwrap_or("0").clone_into(&mut cursor);
        if cursor == "0" {
            break;
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}
