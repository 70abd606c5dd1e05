//! What an acknowledged input costs beyond an append and `fdatasync` of the same bytes, and what the start of an agent with a
//! long history costs beyond reading the file, each in the same run.
//!
//! `cargo bench -p minds-fleet-store --bench store` prints medians of alternating runs and their ratios. Fault injection
//! is compiled in, so releases are slightly faster.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    reason = "a benchmark measures time, and may stop at once"
)]
#![allow(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::fs::{self, File, OpenOptions};
use std::hint::black_box;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use minds_fleet_protocol::{
    Caller, ContentHash, HistoryRecord, Item, ItemId, Now, QueueRecord, Request, RequestId, Role, Timestamp,
    TraceId,
};
use minds_fleet_store::{AgentStore, StoreSettings};

const INPUTS: usize = 400;
const BATCH: u32 = 64;
const STARTS: usize = 40;
const HISTORY_BYTES: u64 = 50 << 20;
const TEXT: &str = "Run the tests of the crate, and explain each failure in one sentence.";

/// A timed operation, how many times it does its work, and the target ratio to the first one.
type Run<'r> = (&'static str, u32, Option<f64>, Box<dyn FnMut() + 'r>);

fn main() {
    let on_disk = tempfile::tempdir().expect("a folder can be made");
    inputs("on disk, in the folder for temporary files", on_disk.path(), true);
    if let Ok(in_memory) = tempfile::tempdir_in("/dev/shm") {
        // Only the other calls are measured here; durable writes go to a disk.
        inputs("in memory, where a disk costs nothing", in_memory.path(), false);
    }
    starts(on_disk.path());
}

fn now() -> Now {
    let time = Timestamp::from_seconds(1_790_000_000.25).expect("the time is finite");
    Now { clock: Duration::ZERO, time }
}

fn open(folder: &Path) -> AgentStore {
    let opened = AgentStore::open(folder, StoreSettings::default(), now());
    opened.expect("the files can be opened").0
}

fn record(store: &mut AgentStore, hash: &ContentHash) -> QueueRecord {
    QueueRecord::Item(Item {
        id: store.next_item_id(now().time),
        ts: now().time,
        source: "console".to_owned(),
        text: TEXT.to_owned(),
        caller: Caller::parse("console:s-0f3a5c7e9b1d2468").expect("the caller is valid"),
        req_id: RequestId::new(1),
        hash: hash.clone(),
        trace_id: TraceId::new(1),
    })
}

/// Compares inputs with the same lines, appended and brought to disk by bare calls.
fn inputs(place: &str, folder: &Path, has_goals: bool) {
    let request = br#"{"req_id":"r-1","method":"input","params":{},"ts":1,"caller":"console:s-1"}"#;
    let hash = ContentHash::of(&Request::decode(request).expect("the request is valid"));
    let (mut one, mut many) = (open(&folder.join("one")), open(&folder.join("many")));
    let mut line = serde_json::to_vec(&record(&mut one, &hash)).expect("it has a JSON form");
    line.push(b'\n');
    let mut bare = append_to(&folder.join("bare.jsonl"));
    let goal = |goal: f64| has_goals.then_some(goal);
    let mut runs: [Run<'_>; 3] = [
        (
            "append and fdatasync",
            1,
            None,
            Box::new(|| {
                bare.write_all(&line).expect("it can be written");
                bare.sync_data().expect("it can be brought to disk");
            }),
        ),
        (
            "input",
            1,
            goal(1.3),
            Box::new(|| {
                let record = record(&mut one, &hash);
                one.append_queue(&[record]).expect("it can be written");
                one.sync_queue().expect("it can be brought to disk");
            }),
        ),
        (
            "one of 64 at once",
            BATCH,
            goal(0.1),
            Box::new(|| {
                for _ in 0..BATCH {
                    let record = record(&mut many, &hash);
                    many.append_queue(&[record]).expect("it can be written");
                }
                many.sync_queue().expect("it can be brought to disk");
            }),
        ),
    ];
    println!("acknowledging inputs {place}, {INPUTS} alternating runs");
    measure(INPUTS, &mut runs);
}

fn append_to(path: &Path) -> File {
    OpenOptions::new().append(true).create(true).open(path).expect("the file can be created")
}

/// Compares the start with a history of 50 MiB and a torn end with reading that file.
fn starts(folder: &Path) {
    let state = folder.join("state");
    let mut store = open(&state);
    let qid = ItemId::new(1_790_000_000_250, 0);
    let mut size = 0;
    while size < HISTORY_BYTES {
        let first = store.next_seq();
        let lines: Vec<HistoryRecord> = (first..first + 500).map(|seq| line(seq, &qid)).collect();
        store.append_history(&lines).expect("it can be written");
        size = fs::metadata(state.join("history.jsonl")).expect("the file exists").len();
    }
    drop(store);
    let history = state.join("history.jsonl");
    let mut file = append_to(&history);
    let mut runs: [Run<'_>; 2] = [
        ("std::fs::read", 1, None, Box::new(|| drop(black_box(fs::read(&history).expect("it can be read"))))),
        (
            "start and repair",
            1,
            Some(3.0),
            Box::new(|| {
                file.write_all(b"{\"seq\":1,\"ts\":17900").expect("it can be written");
                drop(black_box(open(&state)));
            }),
        ),
    ];
    println!("starting with a history of 50 MiB and a torn end, {STARTS} alternating runs");
    measure(STARTS, &mut runs);
}

fn line(seq: u64, qid: &ItemId) -> HistoryRecord {
    HistoryRecord {
        seq,
        ts: now().time,
        role: Role::Assistant,
        source: "local".to_owned(),
        content: TEXT.repeat(8),
        tokens_in: 120,
        tokens_out: 60,
        qid: qid.clone(),
        tool_calls: Vec::new(),
        call_id: None,
        ok: None,
        partial: None,
    }
}

fn measure(rounds: usize, runs: &mut [Run<'_>]) {
    let mut times = vec![Vec::with_capacity(rounds); runs.len()];
    for _ in 0..rounds {
        for ((_, count, _, run), times) in runs.iter_mut().zip(&mut times) {
            let start = Instant::now();
            run();
            times.push(start.elapsed() / *count);
        }
    }
    let mut base = None;
    for ((name, _, goal, _), times) in runs.iter().zip(&mut times) {
        times.sort_unstable();
        let at = |share: usize| {
            let time = times.get(times.len() * share / 100).copied().unwrap_or(Duration::ZERO);
            time.as_secs_f64() * 1e6
        };
        let (median, late) = (at(50), at(99));
        let ratio = median / *base.get_or_insert(median);
        let goal = goal.map_or(String::new(), |goal| format!("  (goal: at most {goal:.1})"));
        println!("{name:20} {median:9.1} us, 99 of 100 within {late:9.1} us  {ratio:5.3} x{goal}");
    }
    println!();
}
