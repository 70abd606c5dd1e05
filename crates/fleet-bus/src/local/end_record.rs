//! When a reader noticed that the process of an agent was gone.
//!
//! A killed process leaves no trace of its end, so the first reader that finds its lock free notes the time in the runtime folder
//! of the agent. Later readers, each of them a short command, count from there.

use minds_fleet_protocol::limits::DISCONNECTED_LIFETIME;
use minds_fleet_protocol::{Presence, Timestamp};
use minds_fs::Root;
use serde::{Deserialize, Serialize};

use super::MAX_ENTRY_BYTES;
use crate::state_record::{path, replace};

/// The name of the file.
const NAME: &str = "ended.json";

/// The end of one process.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct EndRecord {
    /// The epoch of the process, so that the record of an earlier process has no effect.
    epoch: u64,
    /// When a reader noticed the end first.
    noticed_at: Timestamp,
}

/// Returns how an agent is displayed whose process is gone without having left, and the record to keep if it is another one.
pub(super) fn decide(epoch: u64, record: Option<EndRecord>, now: Timestamp) -> (Presence, Option<EndRecord>) {
    // A record from the future was written before the clock was set back.
    let known = record.filter(|record| record.epoch == epoch && record.noticed_at <= now);
    let Some(EndRecord { noticed_at, .. }) = known else {
        return (Presence::Disconnected, Some(EndRecord { epoch, noticed_at: now }));
    };
    let age = now.as_seconds() - noticed_at.as_seconds();
    let is_recent = age < DISCONNECTED_LIFETIME.as_secs_f64();
    (if is_recent { Presence::Disconnected } else { Presence::Forgotten }, None)
}

/// Returns how an agent is displayed whose process is gone, and notes the time if this is the first reader.
///
/// If the time cannot be noted, the agent is displayed as disconnected until another reader can.
pub(super) fn note(runtime: &Root, epoch: u64, now: Timestamp) -> Presence {
    let (presence, changed) = decide(epoch, read(runtime), now);
    if let Some(text) = changed.and_then(|record| serde_json::to_vec(&record).ok()) {
        let _ = replace(runtime, NAME, &text);
    }
    presence
}

/// Reads the record; a file that is not one counts as none, and is replaced.
fn read(runtime: &Root) -> Option<EndRecord> {
    let file = runtime.no_follow().read(&path(NAME).ok()?, MAX_ENTRY_BYTES).ok()?;
    serde_json::from_slice(&file.bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: f64) -> Timestamp {
        Timestamp::from_seconds(seconds).unwrap()
    }

    #[test]
    fn a_killed_agent_is_disconnected_for_two_minutes() {
        use Presence::{Disconnected, Forgotten};
        let record = |epoch, noticed_at| Some(EndRecord { epoch, noticed_at: at(noticed_at) });
        for (found, now, expected, written) in [
            (None, 1000.0, Disconnected, record(7, 1000.0)),
            (record(7, 1000.0), 1000.0, Disconnected, None),
            (record(7, 1000.0), 1119.9, Disconnected, None),
            (record(7, 1000.0), 1120.0, Forgotten, None),
            (record(7, 1000.0), 9e9, Forgotten, None),
            // The record of an earlier process.
            (record(6, 10.0), 1000.0, Disconnected, record(7, 1000.0)),
            // The clock was set back.
            (record(7, 2000.0), 1000.0, Disconnected, record(7, 1000.0)),
        ] {
            assert_eq!(decide(7, found, at(now)), (expected, written), "{found:?} at {now}");
        }
    }
}
