//! The record of requests, by which duplicates are recognized.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use minds_fleet::ErrorCode;
use serde::{Deserialize, Serialize};

use crate::limits::{MAX_RECORDS, RECORD_LIFETIME};
use crate::{Caller, Failure, ItemId, Outcome, Request, RequestId};

/// What identifies a request: two callers may use the same id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RequestKey {
    /// The sender.
    pub caller: Caller,
    /// The id that the sender chose.
    pub req_id: RequestId,
}

/// The hash of the method and the parameters of a request: 32 hexadecimal digits.
///
/// It distinguishes requests of one caller with one id, so it needs to be stable, not secret: FNV-1a of 128 bits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ContentHash(String);

/// The requests that an agent performs or has performed.
///
/// A request that changes something is performed once. A duplicate of it, which is one with the same key and the same
/// content, gets the same answer, for [`RECORD_LIFETIME`] after the answer and as long as its item is not done.
#[derive(Clone, Debug, Default)]
pub struct RequestRecords {
    records: BTreeMap<RequestKey, Record>,
}

#[derive(Clone, Debug)]
struct Record {
    hash: ContentHash,
    answer: Option<Outcome>,
    /// The item that keeps the record, until it is done.
    item: Option<ItemId>,
    expires: Duration,
}

/// What a request is in relation to the recorded ones.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub enum Recorded {
    /// It is a new request.
    New,
    /// It is a duplicate of a request that is performed: its answer is also the answer to this one.
    Running,
    /// It is a duplicate: answer it with this.
    Answered(Outcome),
    /// The id was used for other content: `args.invalid`.
    Conflict(Failure),
}

impl RequestKey {
    /// Returns the key of a request.
    pub fn of(request: &Request) -> Self {
        Self { caller: request.caller.clone(), req_id: request.req_id.clone() }
    }
}

impl ContentHash {
    /// Computes the hash of a request. The time, the timeout and the id are not part of it.
    pub fn of(request: &Request) -> Self {
        const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
        const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
        let bytes = request.method.bytes().chain([0]).chain(request.params.as_str().bytes());
        let hash = bytes.fold(OFFSET, |hash, byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME));
        Self(format!("{hash:032x}"))
    }

    /// Returns the hash as a string.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl RequestRecords {
    /// Looks for a request.
    pub fn find(&self, key: &RequestKey, hash: &ContentHash, now: Duration) -> Recorded {
        match self.records.get(key).filter(|record| !record.has_expired(now)) {
            None => Recorded::New,
            Some(record) if record.hash != *hash => Recorded::Conflict(Failure::new(
                ErrorCode::ArgsInvalid,
                format!("the request id `{}` was used for another request", key.req_id),
            )),
            Some(Record { answer: Some(answer), .. }) => Recorded::Answered(answer.clone()),
            Some(_) => Recorded::Running,
        }
    }

    /// Notes that a new request is performed.
    ///
    /// # Errors
    ///
    /// Returns `busy` if [`MAX_RECORDS`] requests are recorded: a record is never given up before it expires.
    pub fn begin(&mut self, key: RequestKey, hash: ContentHash, now: Duration) -> Result<(), Failure> {
        if self.records.len() >= MAX_RECORDS {
            self.expire(now);
        }
        if self.records.len() >= MAX_RECORDS {
            let message = format!("the agent remembers {MAX_RECORDS} requests");
            return Err(Failure::new(ErrorCode::Busy, message));
        }
        let record = Record { hash, answer: None, item: None, expires: Duration::MAX };
        self.records.insert(key, record);
        Ok(())
    }

    /// Notes the answer to a request; `item` is the item that it added to the queue.
    ///
    /// A failure that has changed nothing, `handler.error` or `busy`, is not remembered: the client may send the
    /// request again.
    pub fn finish(&mut self, key: &RequestKey, answer: Outcome, item: Option<ItemId>, now: Duration) {
        if matches!(&answer, Outcome::Failure(failure) if !failure.is_remembered()) {
            self.records.remove(key);
            return;
        }
        if let Some(record) = self.records.get_mut(key) {
            record.answer = Some(answer);
            record.item = item;
            record.expires = now.saturating_add(RECORD_LIFETIME);
        }
    }

    /// Adds a record that was read from a file at the start of the agent. `age` is the time since the answer.
    pub fn restore(
        &mut self,
        key: RequestKey,
        hash: ContentHash,
        answer: Outcome,
        item: Option<ItemId>,
        age: Duration,
        now: Duration,
    ) {
        let expires = now.saturating_add(RECORD_LIFETIME.saturating_sub(age));
        self.records.insert(key, Record { hash, answer: Some(answer), item, expires });
    }

    /// Notes that an item is done. Its record expires as any other.
    pub fn finish_item(&mut self, item: &ItemId) {
        let records = self.records.values_mut().filter(|record| record.item.as_ref() == Some(item));
        records.for_each(|record| record.item = None);
    }

    /// Removes the expired records.
    pub fn expire(&mut self, now: Duration) {
        self.records.retain(|_, record| !record.has_expired(now));
    }

    /// Returns the number of records, expired ones included.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Returns whether nothing is recorded.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }
}

impl Record {
    fn has_expired(&self, now: Duration) -> bool {
        self.answer.is_some() && self.item.is_none() && now >= self.expires
    }
}
