//! Measures requests and frames over Redis, compared with bare commands over the same server in the same run.
//!
//! Run it with `cargo xtask bench redis`. It needs `redis-server` or `valkey-server`.
#![expect(
    clippy::cast_precision_loss,
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a benchmark measures time, and may stop at once"
)]
#![expect(clippy::print_stdout, reason = "a benchmark prints its measurements")]

use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use minds_fleet_bus::{
    AgentPort, Announced, Bus, ClientPort, Publisher, RedisBus, RedisSettings, Served, request,
};
use minds_fleet_protocol::{
    AgentId, AgentInfo, Caller, Event, Frame, Json, Now, Outcome, Request, RequestId, Response, Timestamp,
    Token,
};
use tempfile::TempDir;

/// The number of timed requests of each kind, after some untimed ones.
const REQUESTS: usize = 5_000;
const WARMING: usize = 500;
/// The frames of one batch, and the number of timed batches of each kind.
const BATCHES: [(u64, usize); 3] = [(1, 4_000), (64, 400), (512, 60)];

const STATUS: &str = r#"{"state":"idle","ctx_pct":0.25,"tokens_in_ctx":32000,"model":"gpt-5-nano","cwd":"/shop","pid":4242,
"host":"laptop","engine":"llm","epoch":1,"owner":null,"queue":{"pending":0,"parked":0},"last_error":null}"#;
/// The number of agents, and of heartbeats of each.
const AGENTS: usize = 1_000;
const BEATS: usize = 20;
/// What a heartbeat does with the lock.
const REFRESH: &str = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('EXPIRE', KEYS[1], ARGV[2]) end return 0";
/// An entry of the registry.
const ENTRY: &str = r#"{"id":"shop/agent1","name":"agent1","project":"shop","model":null,"cwd":"/shop","host":"laptop","pid":1,
"started_at":"2026-09-21T13:33:20Z","state":"registered","ctx_pct":0.0,"tools":[],"engine":"llm","epoch":1,"version":"0.1.0",
"sandbox":"none","queue":{"pending":0,"parked":0},"server_capabilities":[]}"#;
/// A request that ends the agent.
const STOP: &str = "agent.stop";

fn main() {
    let server = Server::start();
    let bus = RedisBus::new(&RedisSettings::new(server.url())).expect("the settings are valid");
    let Announced { agent, mut publisher } = bus.announce(info(), now()).expect("the agent starts");
    let caller = Caller::parse("cli:s-0f3a5c7e9b1d2468").unwrap();
    let mut client = bus.connect(&info().id, &caller, now()).expect("the agent runs");
    std::thread::scope(|scope| {
        scope.spawn(|| serve(agent));
        requests(&server, client.as_mut(), &caller);
        frames(&server, publisher.as_mut());
        ask(client.as_mut(), &caller, usize::MAX, STOP);
    });
    many_agents(&server);
}

/// Compares the heartbeats of many agents, and their list, with the same commands.
fn many_agents(server: &Server) {
    let settings = RedisSettings { prefix: "many:".to_owned(), ..RedisSettings::new(server.url()) };
    let bus = RedisBus::new(&settings).expect("the settings are valid");
    let entry = |number: usize| {
        let name = format!("agent{number}");
        let id = AgentId::parse(&format!("shop/{name}")).expect("the id is valid");
        AgentInfo { id, name, ..info() }
    };
    let mut agents: Vec<Announced> =
        (0..AGENTS).map(|number| bus.announce(entry(number), now()).expect("the agent starts")).collect();
    let mut bare: Vec<redis::Connection> = (0..AGENTS).map(|_| server.connect()).collect();
    let refresh = redis::Script::new(REFRESH);
    refresh.prepare_invoke().load(&mut bare[0]).expect("the server answers");
    let mut times = [Vec::new(), Vec::new()];
    let mut clock = now();
    for round in 0..=BEATS {
        clock.clock += Duration::from_secs(4);
        let start = Instant::now();
        for (number, connection) in bare.iter_mut().enumerate() {
            let text = serde_json::to_string(&agents[number].agent.epoch()).expect("it is JSON");
            let mut pipe = redis::pipe();
            pipe.cmd("SET").arg(format!("bare:{number}")).arg(ENTRY).arg("EX").arg(10).ignore();
            pipe.cmd("EVALSHA")
                .arg(refresh.get_hash())
                .arg(1)
                .arg(format!("bare:lock:{number}"))
                .arg(text)
                .arg(10);
            pipe.ignore();
            // The owner, which every heartbeat reads.
            pipe.cmd("MGET").arg(&[format!("bare:owner:{number}"), format!("bare:lock:{number}")]).ignore();
            pipe.query::<()>(connection).expect("the server answers");
        }
        let one = start.elapsed();
        let start = Instant::now();
        for Announced { agent, .. } in &mut agents {
            agent.serve(clock, Duration::from_nanos(1)).expect("the agent runs");
        }
        let other = start.elapsed();
        if round > 0 {
            times[0].push(one);
            times[1].push(other);
        }
    }
    let [one, other] = times.each_mut().map(|times| quantile(times, 0.5) / 1e3);
    println!("{AGENTS} agents on one server, from one thread");
    println!("{:24} {:>12} {:>12} {:>8}", "", "bare", "minds", "ratio");
    println!("{:24} {one:>9.1} ms {other:>9.1} ms {:>6.2} x  (goal 1.2)", "heartbeats of all", other / one);
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..BEATS {
        let start = Instant::now();
        let keys: Vec<String> = redis::cmd("SCAN")
            .arg(&["0", "MATCH", "many:agents:*", "COUNT", "100000"])
            .query::<(u64, Vec<String>)>(&mut bare[0])
            .expect("the server answers")
            .1;
        let found: Vec<Option<String>> =
            redis::cmd("MGET").arg(&keys).query(&mut bare[0]).expect("the server answers");
        assert_eq!(found.len(), AGENTS);
        times[0].push(start.elapsed());
        let start = Instant::now();
        assert_eq!(bus.list(now()).expect("the server answers").len(), AGENTS);
        times[1].push(start.elapsed());
    }
    let [one, other] = times.each_mut().map(|times| quantile(times, 0.5) / 1e3);
    println!("{:24} {one:>9.1} ms {other:>9.1} ms {:>6.2} x  (goal 20 ms)", "list", other / one);
}

/// Compares requests with bare messages of the same content, in alternating turns.
fn requests(server: &Server, client: &mut dyn ClientPort, caller: &Caller) {
    let mut bare = Bare::start(server);
    let mut times = [Vec::new(), Vec::new()];
    for number in 0..WARMING + REQUESTS {
        let start = Instant::now();
        bare.ask(number, caller);
        let one = start.elapsed();
        let start = Instant::now();
        ask(client, caller, number, "status");
        let other = start.elapsed();
        if number >= WARMING {
            times[0].push(one);
            times[1].push(other);
        }
    }
    bare.stop();
    println!(
        "`status` over TCP, {REQUESTS} of each kind, alternating turns; goal: median at most 1.4 x bare"
    );
    println!("{:24} {:>12} {:>12} {:>8}", "", "bare PUBLISH", "minds", "ratio");
    for (part, name) in [(0.5, "median"), (0.9, "90 in 100"), (0.99, "99 in 100")] {
        let [one, other] = times.each_mut().map(|times| quantile(times, part));
        println!("{name:24} {one:>9.1} us {other:>9.1} us {:>6.2} x", other / one);
    }
}

/// Compares publishing with bare pipelined `XADD`, in alternating turns.
fn frames(server: &Server, publisher: &mut dyn Publisher) {
    println!(
        "tail over TCP, batches in alternating turns; goal: at least 0.5 x the rate of pipelined `XADD`"
    );
    println!("{:24} {:>12} {:>12} {:>8}", "frames in a batch", "XADD", "minds", "ratio");
    let mut connection = server.connect();
    for (count, rounds) in BATCHES {
        let mut times = [Duration::ZERO; 2];
        for round in 0..rounds {
            let events: Vec<Event> = (0..count).map(event).collect();
            let frames: Vec<String> = events.iter().cloned().zip(0..).map(encode).collect();
            let start = Instant::now();
            let mut pipe = redis::pipe();
            for frame in &frames {
                pipe.cmd("XADD").arg(&["bare", "MAXLEN", "~", "2048", "*", "f", frame]).ignore();
            }
            pipe.query::<()>(&mut connection).expect("the server answers");
            let one = start.elapsed();
            let start = Instant::now();
            publisher.publish(events, now()).expect("the server answers");
            let other = start.elapsed();
            if round >= rounds / 10 {
                times[0] += one;
                times[1] += other;
            }
        }
        let frames = count as f64 * (rounds - rounds / 10) as f64;
        let [one, other] = times.map(|time| frames / time.as_secs_f64());
        println!("{count:<24} {one:>10.0}/s {other:>10.0}/s {:>6.2} x", other / one);
    }
}

fn event(number: u64) -> Event {
    Event::new(Token { text: format!("token {number} "), model: "gpt-5-nano".to_owned(), stream: None })
}

fn encode((event, offset): (Event, u64)) -> String {
    serde_json::to_string(&Frame { offset, epoch: 1, ts: now().time, event }).expect("a frame is JSON")
}

/// Answers requests until one ends the agent.
fn serve(mut agent: Box<dyn AgentPort>) {
    loop {
        let served = agent.serve(now(), Duration::from_mins(1)).expect("the agent runs");
        let Some(Served::Message { ticket, message }) = served else { continue };
        let request = Request::decode(&message).expect("the request is valid");
        let outcome = Outcome::Success { value: Json::parse(STATUS).unwrap(), ts: now().time };
        let response = Response { req_id: request.req_id, outcome, epoch: Some(agent.epoch()) };
        agent.answer(ticket, response, now()).expect("the server answers");
        if request.method == STOP {
            return;
        }
    }
}

fn new_request(number: usize, caller: &Caller, method: &str) -> Request {
    let params = Json::parse("{}").unwrap();
    let req_id = RequestId::new(number as u64);
    Request {
        req_id,
        method: method.to_owned(),
        params,
        ts: now().time,
        caller: caller.clone(),
        timeout: None,
    }
}

fn ask(client: &mut dyn ClientPort, caller: &Caller, number: usize, method: &str) {
    let asked = new_request(number, caller, method);
    let response = request(client, asked, &mut now, &mut |_| {}).expect("the agent answers");
    assert!(matches!(response.outcome, Outcome::Success { .. }), "{response:?}");
}

/// The same messages without anything around them: two channels, and a connection for each direction.
struct Bare {
    publisher: redis::Connection,
    subscriber: redis::Connection,
    responder: std::thread::JoinHandle<()>,
}

impl Bare {
    fn start(server: &Server) -> Self {
        let (publisher, mut subscriber) = (server.connect(), server.connect());
        let (mut input, mut output) = (server.connect(), server.connect());
        subscribe(&mut input, "bare:req");
        subscribe(&mut subscriber, "bare:res");
        let responder = std::thread::spawn(move || {
            loop {
                let message = receive(&mut input);
                let Ok(request) = Request::decode(&message) else { return };
                let outcome = Outcome::Success { value: Json::parse(STATUS).unwrap(), ts: now().time };
                let response = Response { req_id: request.req_id, outcome, epoch: Some(1) }.encode().unwrap();
                redis::cmd("PUBLISH").arg("bare:res").arg(response).query::<u64>(&mut output).unwrap();
            }
        });
        Self { publisher, subscriber, responder }
    }

    fn ask(&mut self, number: usize, caller: &Caller) {
        let text = new_request(number, caller, "status").encode().unwrap();
        redis::cmd("PUBLISH").arg("bare:req").arg(text).query::<u64>(&mut self.publisher).unwrap();
        Response::decode(&receive(&mut self.subscriber)).expect("the response is valid");
    }

    fn stop(mut self) {
        redis::cmd("PUBLISH").arg("bare:req").arg("stop").query::<u64>(&mut self.publisher).unwrap();
        self.responder.join().unwrap();
    }
}

fn subscribe(connection: &mut redis::Connection, channel: &str) {
    connection.send_packed_command(&redis::cmd("SUBSCRIBE").arg(channel).get_packed_command()).unwrap();
    connection.recv_response().unwrap();
}

fn receive(connection: &mut redis::Connection) -> Vec<u8> {
    let value = connection.recv_response().unwrap();
    redis::Msg::from_value(&value).expect("it is a message").get_payload_bytes().to_vec()
}

/// A server that keeps nothing on disk, and ends with the value.
struct Server {
    _folder: TempDir,
    child: Child,
    port: u16,
}

impl Server {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let start = |program: &str| {
            let mut command = Command::new(program);
            command
                .args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--port"])
                .arg(port.to_string());
            command.arg("--dir").arg(folder.path()).stdout(Stdio::null()).spawn()
        };
        let child = start("redis-server").or_else(|_| start("valkey-server"));
        let child = child.expect("there is `redis-server` or `valkey-server`: run `cargo xtask setup`");
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            std::thread::yield_now();
        }
        Self { _folder: folder, child, port }
    }

    fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    fn connect(&self) -> redis::Connection {
        redis::Client::open(self.url()).unwrap().get_connection().expect("the server runs")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn now() -> Now {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    Now { clock: since, time: Timestamp::from_seconds(since.as_secs_f64()).unwrap() }
}

fn info() -> AgentInfo {
    let text = r#"{"id":"shop/coder","name":"coder","project":"shop","cwd":"/shop","host":"laptop","pid":1,
        "started_at":"2026-09-21T13:33:20Z","state":"registered"}"#;
    let info: AgentInfo = serde_json::from_str(text).expect("the entry is valid");
    assert_eq!(info.id, AgentId::parse("shop/coder").unwrap());
    info
}

fn quantile(times: &mut [Duration], part: f64) -> f64 {
    times.sort_unstable();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is an index of the list")]
    let at = ((times.len() - 1) as f64 * part) as usize;
    times[at].as_secs_f64() * 1e6
}
