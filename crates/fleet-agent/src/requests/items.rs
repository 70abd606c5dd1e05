//! Methods about the queue.

use minds_fleet_protocol::limits::MAX_MESSAGE_BYTES;
use minds_fleet_protocol::methods::{Done, Input, InputValue, QueueClearValue, QueueListValue, True};
use minds_fleet_protocol::{
    Caller, ContentHash, ErrorCode, Failure, Item, ItemId, ItemState, Json, QueueRecord, Request, Timestamp,
    TraceId,
};
use minds_process::random;

use super::{Answer, Requests};
use crate::clock::timestamp;
use crate::running::{Command, Shared};

impl Requests<'_> {
    /// Adds an item to the queue.
    pub(super) fn input(&mut self, request: &Request, input: &Input) -> Result<Answer, Failure> {
        let (qid, ts) = append(self.shared, request, input)?;
        item_answer(&InputValue { queued: True, qid: qid.clone() }, qid, ts)
    }

    /// Makes a parked item pending again.
    pub(super) fn retry(&mut self, request: &Request, qid: ItemId) -> Result<Answer, Failure> {
        let record = QueueRecord::Retry { retry: qid, ts: timestamp(), caller: request.caller.clone() };
        self.decide_parked(record)
    }

    /// Ends a parked item.
    pub(super) fn drop_item(&mut self, request: &Request, qid: ItemId) -> Result<Answer, Failure> {
        let record = QueueRecord::Drop { drop: qid, ts: timestamp(), caller: request.caller.clone() };
        self.decide_parked(record)
    }

    fn decide_parked(&mut self, record: QueueRecord) -> Result<Answer, Failure> {
        let qid = record.item_id().clone();
        let mut store = self.shared.store();
        match store.queue().state(&qid) {
            Some(ItemState::Parked) => {}
            Some(_) => return Err(invalid(format!("the item `{qid}` is not parked"))),
            None => return Err(invalid(format!("the queue has no item `{qid}`"))),
        }
        store.append_queue(&[record])?;
        store.sync_queue()?;
        drop(store);
        self.shared.command(Command::Look);
        super::value::<minds_fleet_protocol::methods::QueueRetry>(&Done::default())
    }

    /// Removes the pending items.
    pub(super) fn clear_queue(&mut self, request: &Request) -> Result<QueueClearValue, Failure> {
        clear(self.shared, &request.caller)
    }

    /// Lists the items.
    pub(super) fn list_queue(&self) -> QueueListValue {
        list(self.shared)
    }
}

/// Adds the item of an input to the queue. It is durable after the next sync of the queue.
pub(crate) fn append(
    shared: &Shared,
    request: &Request,
    input: &Input,
) -> Result<(ItemId, Timestamp), Failure> {
    let ts = timestamp();
    let trace_id =
        match &input.meta.trace_id {
            Some(trace) => trace.clone(),
            None => TraceId::new(u32::from_ne_bytes(random::<4>().map_err(|error| {
                Failure::new(ErrorCode::HandlerError, format!("no random number: {error}"))
            })?)),
        };
    let mut store = shared.store();
    let item = Item {
        id: store.next_item_id(ts),
        ts,
        source: input.meta.source.clone(),
        text: input.text.clone(),
        caller: request.caller.clone(),
        req_id: request.req_id.clone(),
        hash: ContentHash::of(request),
        trace_id,
    };
    let qid = item.id.clone();
    store.append_queue(&[QueueRecord::Item(item)])?;
    Ok((qid, ts))
}

/// Removes the pending items.
pub(crate) fn clear(shared: &Shared, caller: &Caller) -> Result<QueueClearValue, Failure> {
    let ts = timestamp();
    let mut store = shared.store();
    let current = shared.status().current.clone();
    let pending = store
        .queue()
        .items()
        .filter(|(item, state)| *state == ItemState::Pending && Some(&item.id) != current.as_ref());
    let records: Vec<QueueRecord> = pending
        .map(|(item, _)| QueueRecord::Drop { drop: item.id.clone(), ts, caller: caller.clone() })
        .collect();
    store.append_queue(&records)?;
    store.sync_queue()?;
    drop(store);
    let items = records.iter().map(|record| record.item_id().clone());
    shared.status().done.extend(items);
    Ok(QueueClearValue { removed: u64::try_from(records.len()).unwrap_or(u64::MAX) })
}

/// Lists the items, with secrets replaced.
pub(crate) fn list(shared: &Shared) -> QueueListValue {
    let all = shared.store().queue().list();
    let tail = shared.tail();
    let (count, mut size, mut items) = (all.len(), 0, Vec::new());
    for mut item in all {
        item.text = tail.redactor().redact(&item.text).into_owned();
        size += serde_json::to_vec(&item).map_or(MAX_MESSAGE_BYTES, |text| text.len() + 1);
        if size > MAX_MESSAGE_BYTES / 2 && !items.is_empty() {
            break;
        }
        items.push(item);
    }
    let left_out = u64::try_from(count - items.len()).unwrap_or(u64::MAX);
    QueueListValue { items, left_out }
}

fn item_answer(value: &InputValue, item: ItemId, ts: Timestamp) -> Result<Answer, Failure> {
    let json = Json::from_value(value);
    let json = json.map_err(|error| Failure::new(ErrorCode::HandlerError, error.to_string()))?;
    Ok(Answer::Item(json, item, ts))
}

fn invalid(message: String) -> Failure {
    Failure::new(ErrorCode::ArgsInvalid, message)
}
