//! Records, times and folders of the tests.

use std::path::{Path, PathBuf};
use std::time::Duration;

use minds_fleet_protocol::{
    CallRecord, Caller, ContentHash, ErrorCode, Failure, HistoryCall, HistoryRecord, Item, ItemId, Json, Now,
    Outcome, QueueRecord, Request, RequestId, RequestKey, Role, SummaryRecord, Timestamp, TraceId,
};
use minds_fleet_store::{AgentStore, Recovery, StoreSettings};

/// The time at which tests begin, in seconds.
pub(crate) const START: f64 = 1_790_000_000.0;

/// Returns a time after the start, in seconds.
pub(crate) fn at(seconds: f64) -> Now {
    Now {
        clock: Duration::try_from_secs_f64(seconds.max(0.0)).unwrap(),
        time: Timestamp::from_seconds(START + seconds).unwrap(),
    }
}

/// A state folder.
pub(crate) struct World {
    /// None if another process owns the folder.
    _folder: Option<tempfile::TempDir>,
    pub(crate) state: PathBuf,
}

impl World {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { state: folder.path().join("state"), _folder: Some(folder) }
    }

    /// Returns a state folder of another process.
    pub(crate) fn at(state: &str) -> Self {
        Self { _folder: None, state: state.into() }
    }

    #[track_caller]
    pub(crate) fn open(&self) -> (AgentStore, Recovery) {
        self.open_at(0.0)
    }

    #[track_caller]
    pub(crate) fn open_at(&self, seconds: f64) -> (AgentStore, Recovery) {
        self.try_open(&StoreSettings::default(), seconds).unwrap()
    }

    pub(crate) fn try_open(
        &self,
        settings: &StoreSettings,
        seconds: f64,
    ) -> Result<(AgentStore, Recovery), Failure> {
        AgentStore::open(&self.state, settings.clone(), at(seconds))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.state.join(name)
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    /// Appends bytes as another program would.
    pub(crate) fn damage(&self, name: &str, bytes: &[u8]) {
        let mut content = std::fs::read(self.path(name)).unwrap_or_default();
        content.extend_from_slice(bytes);
        std::fs::write(self.path(name), content).unwrap();
    }

    /// Returns another folder with the same files.
    pub(crate) fn copy(&self) -> Self {
        let world = Self::new();
        copy_folder(&self.state, &world.state);
        world
    }
}

fn copy_folder(from: &Path, to: &Path) {
    use std::os::unix::fs::DirBuilderExt as _;
    std::fs::DirBuilder::new().mode(0o700).create(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

/// Returns an input whose request has the number.
pub(crate) fn item(id: &ItemId, number: usize, seconds: f64) -> Item {
    Item {
        id: id.clone(),
        ts: at(seconds).time,
        source: "console".to_owned(),
        text: format!("input {number}"),
        caller: caller(),
        req_id: RequestId::parse(&format!("r-{number}")).unwrap(),
        hash: hash(number),
        trace_id: TraceId::new(1),
    }
}

/// Appends an input, and makes it durable.
#[track_caller]
pub(crate) fn add(store: &mut AgentStore, number: usize, seconds: f64) -> ItemId {
    let id = store.next_item_id(at(seconds).time);
    store.append_queue(&[QueueRecord::Item(item(&id, number, seconds))]).unwrap();
    store.sync_queue().unwrap();
    id
}

pub(crate) fn caller() -> Caller {
    Caller::parse("console:s-1").unwrap()
}

/// Returns the hash of the request with the number.
pub(crate) fn hash(number: usize) -> ContentHash {
    let request = format!(
        r#"{{"req_id":"r-1","method":"input","params":{{"text":"{number}"}},"ts":1,"caller":"console:s-1"}}"#
    );
    ContentHash::of(&Request::decode(request.as_bytes()).unwrap())
}

pub(crate) fn key(number: usize) -> RequestKey {
    RequestKey { caller: caller(), req_id: RequestId::parse(&format!("r-{number}")).unwrap() }
}

pub(crate) fn start(id: &ItemId, attempt: u32, seconds: f64) -> QueueRecord {
    QueueRecord::Start { start: id.clone(), ts: at(seconds).time, attempt }
}

pub(crate) fn done(id: &ItemId, seconds: f64) -> QueueRecord {
    QueueRecord::Done { done: id.clone(), ts: at(seconds).time, ok: true, reason: None }
}

/// Returns the answer to the request with the number.
pub(crate) fn call(number: usize, seconds: f64) -> CallRecord {
    let value = Json::parse(&format!(r#"{{"n":{number}}}"#)).unwrap();
    let answer = Outcome::Success { value, ts: at(seconds).time };
    CallRecord::new(key(number), hash(number), &answer, at(seconds).time).unwrap()
}

/// Returns a line of the history.
pub(crate) fn line(seq: u64, qid: &ItemId, content: &str) -> HistoryRecord {
    HistoryRecord {
        seq,
        ts: at(0.0).time,
        role: Role::User,
        source: "console".to_owned(),
        content: content.to_owned(),
        tokens_in: 0,
        tokens_out: 0,
        qid: qid.clone(),
        tool_calls: Vec::new(),
        call_id: None,
        ok: None,
        partial: None,
    }
}

/// Returns a line of the model with a tool call that has an effect.
pub(crate) fn effect(seq: u64, qid: &ItemId) -> HistoryRecord {
    let call = HistoryCall {
        id: "c-1".to_owned(),
        name: "fs.write".to_owned(),
        args: Json::parse("{}").unwrap(),
        effect: Some(format!("{qid}/1/1")),
    };
    HistoryRecord { role: Role::Assistant, tool_calls: vec![call], ..line(seq, qid, "") }
}

pub(crate) fn summary(first: u64, last: u64) -> SummaryRecord {
    SummaryRecord { ts: at(0.0).time, summary: format!("{first} to {last}"), window: (first, last) }
}

/// Checks that a call failed because of a file.
#[track_caller]
pub(crate) fn expect_storage<T: std::fmt::Debug>(result: Result<T, Failure>) -> Failure {
    let failure = result.unwrap_err();
    assert_eq!(failure.code(), Some(ErrorCode::HandlerError), "{failure:?}");
    let detail = failure.detail.as_ref().map(Json::as_str);
    assert_eq!(detail, Some(r#"{"reason":"storage"}"#), "{failure:?}");
    failure
}
