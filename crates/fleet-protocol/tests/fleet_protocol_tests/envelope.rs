//! Requests and responses: samples, limits, hostile input.

use minds_fleet_protocol::limits::MAX_MESSAGE_BYTES;
use minds_fleet_protocol::{
    Caller, ErrorCode, Failure, FailureCode, Json, Outcome, Request, RequestId, Response, Timeout, Timestamp,
};
use proptest::prelude::*;

/// The samples of the specification.
const REQUEST: &str = r#"{
  "req_id": "r-9f2f6c98",
  "method": "input",
  "params": { "text": "build", "meta": { "source": "console" } },
  "ts": 1724230001.112,
  "caller": "console:{session_id}",
  "timeout_sec": 15.0
}"#;
const SUCCESS: &str = r#"{
  "req_id": "r-9f2f6c98",
  "ok": true,
  "value": { "queued": true, "qid": "q-001" },
  "error": null,
  "ts": 1724230001.298
}"#;
const FAILURE: &str = r#"{
  "req_id": "r-9f2f6c98",
  "ok": false,
  "error": { "code": "ownership.denied", "message": "Write owner is another console." }
}"#;

/// Removes the whitespace outside of strings, independently of the crate.
fn on_one_line(text: &str) -> String {
    let mut parts = text.split('"');
    let mut line: String = parts.next().unwrap_or_default().split_whitespace().collect();
    for (index, part) in parts.enumerate() {
        line.push('"');
        let is_string = index % 2 == 0;
        if is_string {
            line.push_str(part);
        } else {
            line.extend(part.split_whitespace());
        }
    }
    line
}

#[test]
fn samples_of_the_specification_are_written_byte_for_byte() {
    for text in [REQUEST.to_owned(), on_one_line(REQUEST)] {
        assert_eq!(Request::decode(text.as_bytes()).unwrap().encode().unwrap(), on_one_line(REQUEST));
    }
    for sample in [SUCCESS, FAILURE] {
        for text in [sample.to_owned(), on_one_line(sample)] {
            assert_eq!(Response::decode(text.as_bytes()).unwrap().encode().unwrap(), on_one_line(sample));
        }
    }
    let response = Response::decode(SUCCESS.as_bytes()).unwrap();
    let Outcome::Success { value, ts } = response.outcome else { panic!("a success") };
    assert_eq!((value.as_str(), ts.as_seconds()), (r#"{"queued":true,"qid":"q-001"}"#, 1_724_230_001.298));
}

#[track_caller]
fn refuse_request(text: &str, message: &str) {
    let error = Request::decode(text.as_bytes()).unwrap_err();
    assert_eq!((error.code(), error.to_string().as_str()), (ErrorCode::ArgsInvalid, message), "{text}");
}

/// Replaces a part of the sample of a request.
fn request_with(from: &str, to: &str) -> String {
    let line = on_one_line(REQUEST);
    assert!(line.contains(from), "{from}");
    line.replacen(from, to, 1)
}

#[test]
fn invalid_requests_are_refused_with_the_reason() {
    for (from, to, message) in [
        (r#""req_id":"r-9f2f6c98","#, "", "missing member `req_id`"),
        (r#""method":"input","#, "", "missing member `method`"),
        (r#""ts":1724230001.112,"#, "", "missing member `ts`"),
        (r#","caller":"console:{session_id}""#, "", "missing member `caller`"),
        ("r-9f2f6c98", "r 9", "invalid `req_id`: expected 1 to 64 characters of `A-Za-z0-9._-`"),
        (r#""r-9f2f6c98""#, "7", "invalid `req_id`: expected 1 to 64 characters of `A-Za-z0-9._-`"),
        (r#""input""#, "null", "invalid `method`: expected a string"),
        (r#"{"text":"build","meta":{"source":"console"}}"#, "[]", "invalid `params`: expected an object"),
        (r#"{"text":"build","meta":{"source":"console"}}"#, "null", "invalid `params`: expected an object"),
        ("1724230001.112", r#""now""#, "invalid `ts`: expected seconds since 1970"),
        ("1724230001.112", "1e999", "invalid `ts`: expected seconds since 1970"),
        (
            "console:{session_id}",
            "a b",
            "invalid caller `a b`: expected 1 to 160 printable ASCII characters without a space",
        ),
        ("15.0", "0", "invalid `timeout_sec`: expected more than 0 and at most 3600 seconds"),
        ("15.0", "3600.5", "invalid `timeout_sec`: expected more than 0 and at most 3600 seconds"),
        ("15.0", "-1", "invalid `timeout_sec`: expected more than 0 and at most 3600 seconds"),
        ("15.0", "null", "invalid `timeout_sec`: expected more than 0 and at most 3600 seconds"),
        ("15.0", r#"15.0,"method":"x""#, "duplicate member `method`"),
        ("15.0", r#"15.0,"a":1,"a":2"#, "duplicate member `a`"),
        ("15.0", r#"15.0,"req\u005fid":"r-1""#, "duplicate member `req_id`"),
    ] {
        refuse_request(&request_with(from, to), message);
    }
}

#[test]
fn members_of_later_versions_are_ignored_and_the_order_is_free() {
    let text = request_with("15.0", r#"15.0,"trace":{"a":[1,2,{"b":null}]},"v":2"#);
    assert_eq!(Request::decode(text.as_bytes()).unwrap().encode().unwrap(), on_one_line(REQUEST));
    let text = r#"{"caller":"cli:s-1","ts":1,"params":{},"method":"status","req_id":"r-1"}"#;
    let request = Request::decode(text.as_bytes()).unwrap();
    assert_eq!(request.timeout(), Timeout::default());
    let expected = r#"{"req_id":"r-1","method":"status","params":{},"ts":1.0,"caller":"cli:s-1"}"#;
    assert_eq!(request.encode().unwrap(), expected);
}

#[test]
fn responses_are_a_success_or_a_failure() {
    for (text, is_valid) in [
        (r#"{"req_id":"r","ok":true,"value":{},"ts":1}"#, true),
        (r#"{"req_id":"r","ok":true,"value":null,"error":null,"ts":1,"epoch":7}"#, true),
        (r#"{"req_id":"r","ok":false,"value":null,"error":{"code":"busy","message":"m"},"epoch":7}"#, true),
        (r#"{"req_id":"r","ok":false,"error":{"code":"x","message":"m","detail":{"a":1},"later":0}}"#, true),
        (r#"{"req_id":"r","ok":true,"value":{}}"#, false),
        (r#"{"req_id":"r","ok":true,"ts":1}"#, false),
        (r#"{"req_id":"r","ok":true,"value":{},"error":{"code":"x","message":"m"},"ts":1}"#, false),
        (r#"{"req_id":"r","ok":false,"error":null}"#, false),
        (r#"{"req_id":"r","ok":false}"#, false),
        (r#"{"req_id":"r","ok":false,"value":1,"error":{"code":"x","message":"m"}}"#, false),
        (r#"{"req_id":"r","ok":false,"error":{"code":"x"}}"#, false),
        (r#"{"req_id":"r","ok":false,"error":"x"}"#, false),
        (r#"{"req_id":"r","ok":1,"value":{},"ts":1}"#, false),
        (r#"{"req_id":"r","ok":true,"value":{},"ts":1,"epoch":-1}"#, false),
        (r#"{"ok":true,"value":{},"ts":1}"#, false),
    ] {
        let response = Response::decode(text.as_bytes());
        assert_eq!(response.is_ok(), is_valid, "{text}: {response:?}");
        if let Err(error) = response {
            assert_eq!(error.code(), ErrorCode::ArgsInvalid);
        }
    }
}

#[test]
fn codes_of_drafts_are_read_and_written_in_one_form() {
    for (text, code) in [
        ("not_owner", Some(ErrorCode::OwnershipDenied)),
        ("ownership.held", Some(ErrorCode::OwnershipDenied)),
        ("agent.duplicate", Some(ErrorCode::DuplicateInstance)),
        ("redis.timeout", Some(ErrorCode::Timeout)),
        ("busy", Some(ErrorCode::Busy)),
        ("of.a.later.version", None),
    ] {
        let line = format!(r#"{{"req_id":"r","ok":false,"error":{{"code":"{text}","message":"m"}}}}"#);
        let response = Response::decode(line.as_bytes()).unwrap();
        let Outcome::Failure(failure) = &response.outcome else { panic!("a failure") };
        assert_eq!(failure.code(), code);
        let written = code.map_or(text, ErrorCode::as_str);
        assert_eq!(response.encode().unwrap(), line.replace(text, written));
    }
    for code in ErrorCode::ALL {
        assert_eq!(FailureCode::from(code.to_string()), FailureCode::Known(code));
    }
}

/// Makes a request whose encoded form has a number of bytes.
fn request_of_size(size: usize) -> String {
    let line = request_with("build", "");
    line.replacen(r#""text":"""#, &format!(r#""text":"{}""#, "x".repeat(size - line.len())), 1)
}

#[test]
fn the_limit_is_exact() {
    let text = request_of_size(MAX_MESSAGE_BYTES);
    assert_eq!(text.len(), MAX_MESSAGE_BYTES);
    let mut request = Request::decode(text.as_bytes()).unwrap();
    assert_eq!(request.encode().unwrap(), text);

    let text = request_of_size(MAX_MESSAGE_BYTES + 1);
    let error = Request::decode(text.as_bytes()).unwrap_err();
    assert_eq!(error.code(), ErrorCode::PayloadTooLarge);
    let response = error.to_response(Some(7)).unwrap().encode().unwrap();
    assert_eq!(
        response,
        r#"{"req_id":"r-9f2f6c98","ok":false,"error":{"code":"payload.too_large","message":"the message has 262145 bytes, the maximum is 262144"},"epoch":7}"#
    );

    request.method.push('x');
    assert_eq!(request.encode().unwrap_err().code(), ErrorCode::PayloadTooLarge);
    let value = Json::parse(&format!("\"{}\"", "x".repeat(MAX_MESSAGE_BYTES))).unwrap();
    let ts = Timestamp::from_seconds(1.0).unwrap();
    let outcome = Outcome::Success { value, ts };
    let response = Response { req_id: RequestId::new(1), outcome, epoch: None };
    assert_eq!(response.encode().unwrap_err().code(), ErrorCode::PayloadTooLarge);
    assert_eq!(Response::decode(text.as_bytes()).unwrap_err().code(), ErrorCode::PayloadTooLarge);
}

#[test]
fn only_messages_with_a_readable_id_are_answered() {
    for (text, id) in [
        (r#"{"req_id":"r-1"}"#, Some("r-1")),
        (r#"{"method":"x","req_id":"r-1"}"#, Some("r-1")),
        (r#" {  "req_id" : "r-1", "method": }"#, Some("r-1")),
        (r#"{"req_id":"r-1","req_id":"r-2"}"#, None),
        (r#"{"req_id":"r-1"#, None),
        (r#"{"req_id":"r 1","method":1}"#, None),
        (r#"{"method":"x"}"#, None),
        ("[]", None),
        ("", None),
        ("\u{feff}{}", None),
    ] {
        let response = Request::decode(text.as_bytes()).unwrap_err().to_response(None);
        let answered = response.as_ref().map(|response| response.req_id.as_str());
        assert_eq!(answered, id, "{text}");
    }
    let response =
        Request::decode(b"{\"req_id\":\"r-1\",\"method\":\"\xff\"}").unwrap_err().to_response(None);
    assert!(response.is_some());
}

#[test]
fn a_message_is_always_one_line() {
    let params = Json::parse("{\r\n\t\"a\" : [ 1 , \"b \\\" \\\\\" , { } ]\n}").unwrap();
    assert_eq!(params.as_str(), r#"{"a":[1,"b \" \\",{}]}"#);
    assert!(Json::parse("{} {}").is_err());
    assert!(Json::parse("{\"a\":\"\n\"}").is_err());
}

#[test]
fn deep_values_are_refused_or_passed_on_without_recursion() {
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let text = request_with(r#"{"text":"build","meta":{"source":"console"}}"#, &deep);
    let request = Request::decode(text.as_bytes()).unwrap();
    assert!(request.params.decode::<serde_json::Value>().is_err());
    let text = request_with(r#""input""#, &"[".repeat(100_000));
    assert!(Request::decode(text.as_bytes()).is_err());
}

#[test]
fn requests_expire_two_seconds_after_their_timeout() {
    let request = Request::decode(REQUEST.as_bytes()).unwrap();
    for (seconds, has_expired) in
        [(-1e9, false), (0.0, false), (15.0, false), (16.9, false), (17.1, true), (1e9, true)]
    {
        let now = Timestamp::from_seconds(request.ts.as_seconds() + seconds).unwrap();
        assert_eq!(request.has_expired(now), has_expired, "{seconds}");
    }
}

fn requests() -> impl Strategy<Value = Request> {
    let params = prop_oneof![
        Just("{}".to_owned()),
        any::<String>().prop_map(|text| serde_json::json!({ "text": text, "n": [1, 2.5, null] }).to_string()),
    ];
    let ts = prop_oneof![
        any::<f64>().prop_filter("finite", |ts| ts.is_finite()),
        (0_u64..4_000_000_000_000_000).prop_map(|micros| {
            #[expect(clippy::cast_precision_loss, reason = "any number of seconds will do")]
            let seconds = micros as f64 / 1e6;
            seconds
        }),
    ];
    let timeout = proptest::option::of(0.001_f64..=3600.0);
    ("[A-Za-z0-9._-]{1,64}", any::<String>(), params, ts, "[!-~]{1,160}", timeout).prop_map(
        |(id, method, params, ts, caller, timeout)| Request {
            req_id: RequestId::parse(&id).unwrap(),
            method,
            params: Json::parse(&params).unwrap(),
            ts: Timestamp::from_seconds(ts).unwrap(),
            caller: Caller::parse(&caller).unwrap(),
            timeout: timeout.and_then(Timeout::from_seconds),
        },
    )
}

fn responses() -> impl Strategy<Value = Response> {
    let success =
        (any::<String>(), any::<f64>().prop_filter("finite", |ts| ts.is_finite())).prop_map(|(text, ts)| {
            Outcome::Success {
                value: Json::from_value(&text).unwrap(),
                ts: Timestamp::from_seconds(ts).unwrap(),
            }
        });
    let failure = ("[a-z.]{1,20}", any::<String>(), any::<bool>()).prop_map(|(code, message, has_detail)| {
        let detail = has_detail.then(|| Json::parse(r#"{"owner":"cli:s-1"}"#).unwrap());
        Outcome::Failure(Failure { code: code.into(), message, detail })
    });
    ("[A-Za-z0-9._-]{1,64}", prop_oneof![success, failure], any::<Option<u64>>())
        .prop_map(|(id, outcome, epoch)| Response { req_id: RequestId::parse(&id).unwrap(), outcome, epoch })
}

proptest! {
    /// Every request is read as it was written.
    #[test]
    fn requests_survive_the_wire(request in requests()) {
        let line = request.encode().unwrap();
        prop_assert!(!line.contains('\n'));
        let read = Request::decode(line.as_bytes()).unwrap();
        prop_assert_eq!(&read, &request);
        prop_assert_eq!(read.encode().unwrap(), line);
    }

    /// Every response is read as it was written.
    #[test]
    fn responses_survive_the_wire(response in responses()) {
        let line = response.encode().unwrap();
        prop_assert_eq!(&Response::decode(line.as_bytes()).unwrap(), &response);
    }

    /// Valid JSON of any form is accepted exactly if a model that decodes it in a simple way accepts it.
    #[test]
    fn acceptance_agrees_with_a_model(
        members in proptest::collection::vec((0_usize..8, 0_usize..9), 0..9),
    ) {
        let names = ["req_id", "method", "params", "ts", "caller", "timeout_sec", "x", "y"];
        let values = ["\"a\"", "\"a b\"", "1", "0", "{}", "[]", "null", "true", "4e3"];
        let parts: Vec<String> =
            members.iter().map(|(name, value)| format!("\"{}\":{}", names[*name], values[*value])).collect();
        let text = format!("{{{}}}", parts.join(","));
        let all = |name: &str| -> Vec<&str> {
            members.iter().filter(|(at, _)| names[*at] == name).map(|(_, value)| values[*value]).collect()
        };
        let is_unique = names.iter().all(|name| all(name).len() < 2);
        let is = |name: &str, accepted: &[&str]| matches!(all(name)[..], [value] if accepted.contains(&value));
        let is_valid = is_unique
            && is("req_id", &["\"a\""])
            && is("method", &["\"a\"", "\"a b\""])
            && is("params", &["{}"])
            && is("ts", &["1", "0", "4e3"])
            && is("caller", &["\"a\""])
            && (all("timeout_sec").is_empty() || is("timeout_sec", &["1"]));
        prop_assert_eq!(Request::decode(text.as_bytes()).is_ok(), is_valid, "{}", text);
    }
}

/// A generator of random numbers with a fixed sequence (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(limit.max(1)).unwrap()).unwrap()
    }
}

/// Random bytes, and samples with random bytes replaced, inserted, removed or repeated.
fn random_bytes(random: &mut Random, samples: &[String]) -> Vec<u8> {
    if random.below(4) == 0 {
        let length = random.below(200);
        return (0..length).map(|_| random.next().to_le_bytes()[0]).collect();
    }
    let mut bytes = samples[random.below(samples.len())].clone().into_bytes();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        let byte = random.next().to_le_bytes()[0];
        match random.below(4) {
            0 if !bytes.is_empty() => bytes[at] = byte,
            1 if !bytes.is_empty() => drop(bytes.remove(at)),
            2 => bytes.truncate(at),
            _ => bytes.insert(at, b"{}[]\":,\\0e-"[random.below(11)]),
        }
    }
    bytes
}

#[test]
fn random_bytes_give_a_message_or_the_right_code() {
    // `FLEET_ENVELOPE_RUNS=1000000` examines more.
    let runs = option_env!("FLEET_ENVELOPE_RUNS").and_then(|runs| runs.parse().ok()).unwrap_or(100_000);
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let samples = [REQUEST, SUCCESS, FAILURE].map(on_one_line);
    let mut accepted = 0_u32;
    for _ in 0..runs {
        let bytes = random_bytes(&mut random, &samples);
        match Request::decode(&bytes) {
            Ok(request) => {
                accepted += 1;
                let line = request.encode().unwrap();
                assert_eq!(Request::decode(line.as_bytes()).unwrap(), request);
            }
            Err(error) => assert_eq!(error.code(), ErrorCode::ArgsInvalid),
        }
        match Response::decode(&bytes) {
            Ok(response) => {
                let line = response.encode().unwrap();
                assert_eq!(Response::decode(line.as_bytes()).unwrap(), response);
            }
            Err(error) => assert_eq!(error.code(), ErrorCode::ArgsInvalid),
        }
    }
    assert!(accepted > 100, "{accepted} changed samples are valid, so that the test reaches valid messages");
}
