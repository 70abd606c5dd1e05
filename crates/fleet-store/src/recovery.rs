//! What a start found in the files.

use std::time::Duration;

use minds_fleet_protocol::methods::{InputValue, True};
use minds_fleet_protocol::{Failure, Item, ItemId, ItemState, Json, Now, Outcome, RequestRecords, Timestamp};

use crate::call_file::CallFile;
use crate::failure::storage;
use crate::queue_file::QueueFile;

/// What a start found in the files, for `task.recover` and for the duplicates of earlier requests.
#[derive(Clone, Debug)]
pub struct Recovery {
    /// The items that wait for a decision: those that an earlier start has parked, and those that this one has parked because
    /// the agent ended after they had called a tool with an effect.
    pub parked: Vec<ItemId>,
    /// The item that was running and had called no such tool: it is the next item, with its next attempt.
    pub resumed: Option<ItemId>,
    /// What was repaired or skipped, one line each.
    pub warnings: Vec<String>,
    /// The requests whose duplicates get the recorded answer: those answered in the last 60 seconds, and the inputs that are
    /// not done.
    pub records: RequestRecords,
    /// The number of summaries.
    pub summaries_loaded: u64,
    /// The number of lines of the history that are not part of a summary.
    pub raw_turns_loaded: u64,
}

/// Returns the answers of the earlier processes.
pub(crate) fn restore_records(
    queue: &QueueFile,
    calls: &CallFile,
    now: Now,
) -> Result<RequestRecords, Failure> {
    let mut records = RequestRecords::default();
    for (item, state) in queue.queue().items() {
        let age = age(item.ts, now);
        let is_done = state == ItemState::Done;
        if is_done && age >= minds_fleet_protocol::limits::RECORD_LIFETIME {
            continue;
        }
        let kept = (!is_done).then(|| item.id.clone());
        records.restore(item.key(), item.hash.clone(), answer(item)?, kept, age, now.clock);
    }
    for call in calls.iter(now.time) {
        if let Some(answer) = call.answer() {
            let key =
                minds_fleet_protocol::RequestKey { caller: call.caller.clone(), req_id: call.req_id.clone() };
            records.restore(key, call.hash.clone(), answer, None, age(call.ts, now), now.clock);
        }
    }
    Ok(records)
}

/// Returns the answer to the input that added an item.
fn answer(item: &Item) -> Result<Outcome, Failure> {
    let value = InputValue { queued: True, qid: item.id.clone() };
    Ok(Outcome::Success { value: Json::from_value(&value).map_err(storage)?, ts: item.ts })
}

/// Returns the time since an answer; nothing after a clock that was set back.
fn age(ts: Timestamp, now: Now) -> Duration {
    let seconds = now.time.as_seconds() - ts.as_seconds();
    if seconds <= 0.0 {
        Duration::ZERO
    } else {
        Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
    }
}
