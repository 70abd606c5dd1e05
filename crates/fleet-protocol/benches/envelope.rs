//! What messages cost, compared with `serde_json` for the same structures, in the same run.
//!
//! `cargo bench -p minds-fleet-protocol --bench envelope` prints medians of alternating runs and their ratios.
#![allow(
    clippy::cast_precision_loss,
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a benchmark measures time, prints it, and may stop at once"
)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use minds_fleet_protocol::{Caller, Json, Request, RequestId, Response, Timestamp};
use serde::{Deserialize, Serialize};

const ROUNDS: usize = 200;
const MESSAGES: usize = 500;

/// A request as `serde_json` alone reads and writes it.
#[derive(Serialize, Deserialize)]
struct BareRequest {
    req_id: String,
    method: String,
    params: Box<serde_json::value::RawValue>,
    ts: f64,
    caller: String,
    timeout_sec: Option<f64>,
}

/// A response as `serde_json` alone reads and writes it.
#[derive(Serialize, Deserialize)]
struct BareResponse {
    req_id: String,
    ok: bool,
    value: Option<Box<serde_json::value::RawValue>>,
    error: Option<Box<serde_json::value::RawValue>>,
    ts: Option<f64>,
    epoch: Option<u64>,
}

fn main() {
    for (name, size) in [("short", 40), ("4 KiB", 4_096)] {
        let text = "run the tests ".repeat(size / 14);
        let params = serde_json::json!({"text": text, "meta": {"source": "console"}});
        let request = Request {
            req_id: RequestId::new(0x51c0_aa17),
            method: "input".to_owned(),
            params: Json::from_value(&params).expect("it is JSON"),
            ts: Timestamp::from_seconds(1_790_000_000.25).expect("it is finite"),
            caller: Caller::parse("console:s-0f3a5c7e9b1d2468").expect("it is valid"),
            timeout: None,
        };
        let line = request.encode().expect("it fits");
        let bare: BareRequest = serde_json::from_str(&line).expect("it is a request");
        compare(
            &format!("encode a request, {name}"),
            1.3,
            &|| drop(black_box(serde_json::to_string(black_box(&bare)))),
            &|| drop(black_box(black_box(&request).encode())),
        );
        compare(
            &format!("decode a request, {name}"),
            1.5,
            &|| drop(black_box(serde_json::from_slice::<BareRequest>(black_box(line.as_bytes())))),
            &|| drop(black_box(Request::decode(black_box(line.as_bytes())))),
        );
        let value = serde_json::json!({"queued": true, "qid": "q-1790000000260-000", "text": text});
        let line = format!(
            r#"{{"req_id":"r-51c0aa17","ok":true,"value":{value},"error":null,"ts":1790000000.27,"epoch":7}}"#
        );
        let response = Response::decode(line.as_bytes()).expect("it is a response");
        let bare: BareResponse = serde_json::from_str(&line).expect("it is a response");
        compare(
            &format!("encode a response, {name}"),
            1.3,
            &|| drop(black_box(serde_json::to_string(black_box(&bare)))),
            &|| drop(black_box(black_box(&response).encode())),
        );
        compare(
            &format!("decode a response, {name}"),
            1.5,
            &|| drop(black_box(serde_json::from_slice::<BareResponse>(black_box(line.as_bytes())))),
            &|| drop(black_box(Response::decode(black_box(line.as_bytes())))),
        );
    }
}

fn compare(name: &str, goal: f64, bare: &dyn Fn(), own: &dyn Fn()) {
    let time = |run: &dyn Fn()| {
        let start = Instant::now();
        (0..MESSAGES).for_each(|_| run());
        start.elapsed()
    };
    let mut times: [Vec<Duration>; 2] = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        times[0].push(time(bare));
        times[1].push(time(own));
    }
    let [bare, own] = times.map(|mut times| {
        times.sort_unstable();
        times[ROUNDS / 2].as_nanos() as f64 / MESSAGES as f64
    });
    println!("{name:28} {bare:8.0} ns bare {own:8.0} ns  {:5.2} times (goal {goal})", own / bare);
}
