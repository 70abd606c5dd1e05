//! What the local transport costs, compared with bare calls in the same run: a request and its answer with a line over a Unix
//! socket and back, and publishing frames with appending the same bytes.
//!
//! `cargo bench -p minds-fleet-bus --bench local` prints medians of alternating runs and their ratios.
#![allow(
    clippy::cast_precision_loss,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark measures time, prints it, and may stop at once"
)]

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use minds_fleet_bus::{
    AgentPort, Announced, Bus as _, ClientPort, LocalBus, Publisher, Served, Start, request,
};
use minds_fleet_protocol::{
    AgentId, AgentInfo, Caller, Event, Json, Now, Outcome, Request, RequestId, Response, Timestamp, Token,
};

const REQUESTS: usize = 5_000;
const EVENTS: usize = 20_000;
const ROUNDS: usize = 15;
const WAIT: Duration = Duration::from_secs(10);
const STATUS: &str = r#"{"state":"idle","ctx_pct":0.1,"tokens_in_ctx":1200,"model":"m","cwd":"/work","pid":1,"host":"h","engine":"llm","epoch":1,"owner":null,"queue":{"pending":0,"parked":0},"last_error":null}"#;

fn now() -> Now {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let clock = START.get_or_init(Instant::now).elapsed();
    Now { clock, time: Timestamp::from_seconds(1_790_000_000.0 + clock.as_secs_f64()).expect("it is finite") }
}

fn main() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let bus = LocalBus::at(folder.path().join("run"), "bench").expect("the id is valid");
    let state = folder.path().join("state");
    let private = std::fs::DirBuilder::new().mode(0o700).create(&state);
    private.expect("a folder can be made");
    let info = serde_json::json!({
        "id": "app/zeus", "name": "zeus", "project": "app", "cwd": "/", "host": "h", "pid": 1,
        "started_at": "2026-01-01T00:00:00Z", "state": "idle", "state_dir": state,
    });
    let info: AgentInfo = serde_json::from_value(info).expect("it is an entry");
    let Announced { agent, mut publisher } = bus.announce(info, now()).expect("the agent starts");
    tail(publisher.as_mut(), &bus, folder.path());
    requests(agent, publisher.as_ref(), &bus, folder.path());
}

/// Compares requests.
fn requests(mut agent: Box<dyn AgentPort>, publisher: &dyn Publisher, bus: &LocalBus, folder: &Path) {
    let has_ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !has_ended.load(Ordering::SeqCst) {
                let Some(Served::Message { ticket, message }) = agent.serve(now(), WAIT).expect("it serves")
                else {
                    continue;
                };
                let request = Request::decode(&message).expect("it is a request");
                let value = Json::parse(STATUS).expect("it is JSON");
                let outcome = Outcome::Success { value, ts: now().time };
                let response = Response { req_id: request.req_id, outcome, epoch: Some(agent.epoch()) };
                agent.answer(ticket, response, now()).expect("it answers");
            }
        });
        let mut bare = bare_socket(folder);
        let id = AgentId::parse("app/zeus").expect("it is valid");
        let caller = Caller::parse("cli:s-0f3a5c7e9b1d2468").expect("it is valid");
        let mut client = bus.connect(&id, &caller, now()).expect("the agent runs");
        let (mut of_bare, mut of_bus) = (Vec::new(), Vec::new());
        for number in 0..REQUESTS {
            of_bare.push(bare_exchange(&mut bare));
            of_bus.push(exchange(client.as_mut(), number, &caller));
        }
        has_ended.store(true, Ordering::SeqCst);
        publisher.wake();
        for (name, part, goal) in [("median", 50, 4.0), ("p99", 99, 6.0)] {
            let [bare, own] = [&mut of_bare, &mut of_bus].map(|times| {
                times.sort_unstable();
                times[times.len() * part / 100].as_nanos() as f64 / 1000.0
            });
            println!(
                "a request and its answer, {name:6} {bare:7.1} µs bare {own:7.1} µs  {:5.2} times (goal {goal})",
                own / bare
            );
        }
    });
}

fn exchange(client: &mut dyn ClientPort, number: usize, caller: &Caller) -> Duration {
    let sent = Request {
        req_id: RequestId::new(number as u64),
        method: "status".to_owned(),
        params: Json::parse("{}").expect("it is JSON"),
        ts: now().time,
        caller: caller.clone(),
        timeout: None,
    };
    let start = Instant::now();
    let response = request(client, sent, &mut now, &mut |_| {}).expect("it is answered");
    let time = start.elapsed();
    assert!(matches!(response.outcome, Outcome::Success { .. }));
    time
}

/// Starts a server that answers each line with a line of the same length as a status.
fn bare_socket(folder: &Path) -> BufReader<UnixStream> {
    let path = folder.join("bare");
    let listener = UnixListener::bind(&path).expect("a socket can be made");
    std::thread::spawn(move || {
        let (stream, _) = listener.accept().expect("a client connects");
        let mut lines = BufReader::new(stream);
        let (mut line, answer) = (String::new(), format!("{STATUS}\n"));
        while lines.read_line(&mut line).is_ok_and(|length| length > 0) {
            lines.get_mut().write_all(answer.as_bytes()).expect("it can be written");
            line.clear();
        }
    });
    BufReader::new(UnixStream::connect(path).expect("the server runs"))
}

fn bare_exchange(stream: &mut BufReader<UnixStream>) -> Duration {
    let line = r#"{"req_id":"r-000000000000000a","method":"status","params":{},"ts":1790000000.25,"caller":"cli:s-0f3a5c7e9b1d2468"}"#;
    let mut answer = String::new();
    let start = Instant::now();
    stream.get_mut().write_all(format!("{line}\n").as_bytes()).expect("it can be written");
    stream.read_line(&mut answer).expect("it is answered");
    let time = start.elapsed();
    assert!(answer.ends_with('\n'));
    time
}

/// Compares publishing frames with appending lines of the same length: one at a time, and 64 at once as when the text of a
/// model arrives quickly.
fn tail(publisher: &mut dyn Publisher, bus: &LocalBus, folder: &Path) {
    let event = Event::new(Token { text: "token ".to_owned(), model: "m".to_owned(), stream: None });
    let line = format!(
        r#"{{"offset":100000,"epoch":1,"ts":1790000000.25,"event":{}}}"#,
        serde_json::to_string(&event).expect("it is JSON")
    );
    let mut file = std::fs::File::create(folder.join("bare-tail")).expect("a file can be made");
    for count in [1, 64] {
        let batch = format!("{line}\n").repeat(count);
        let events = vec![event.clone(); count];
        let (mut of_bare, mut of_bus) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let start = Instant::now();
            for _ in 0..EVENTS / count {
                file.write_all(batch.as_bytes()).expect("it can be written");
            }
            of_bare.push(start.elapsed());
            let start = Instant::now();
            for _ in 0..EVENTS / count {
                publisher.publish(events.clone(), now()).expect("it can be published");
            }
            of_bus.push(start.elapsed());
        }
        let [bare, own] = [of_bare, of_bus].map(|mut times| {
            times.sort_unstable();
            times[ROUNDS / 2].as_secs_f64()
        });
        let rate = (EVENTS / count * count) as f64 / own;
        println!(
            "frames, {count:2} at once         {rate:8.0} events/s (goal 200000), {:5.2} times appending (goal 5)",
            own / bare
        );
    }
    let id = AgentId::parse("app/zeus").expect("it is valid");
    let mut follower = bus.follow(&id, Start::Offset(0)).expect("there are frames");
    let (start, mut count) = (Instant::now(), 0);
    loop {
        let frames = follower.read(Duration::ZERO).expect("they can be read");
        if frames.is_empty() {
            break;
        }
        count += frames.len();
    }
    println!("frames, followed           {:7.0} events/s", count as f64 / start.elapsed().as_secs_f64());
}
