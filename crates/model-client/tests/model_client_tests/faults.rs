//! Failures of providers and of the network: their class, their time, and what a message shows.

use std::net::TcpListener;
use std::time::Duration;

use minds_model_client::{Endpoint, HttpModel, Key, Model as _, ModelError, ModelErrorKind, Protocol, Times};

use crate::server::{
    KEY, PATIENCE, Server, Step, ask, chunk, done, head, last_chunk, question, response, text,
};

const SHORT: Duration = Duration::from_millis(60);

/// Returns the failure of an answer after these lines.
#[track_caller]
fn failure(server: &Server, times: Times, expected: &[&str]) -> ModelError {
    let endpoint = Endpoint { times, ..server.endpoint(Protocol::OpenAi) };
    let (events, error) = ask(&mut HttpModel::new(endpoint).unwrap());
    assert_eq!(events, expected);
    let error = error.expect("it fails");
    for shown in [error.to_string(), format!("{error:?}")] {
        assert!(!shown.contains("s3cr3t") && !shown.contains("Bearer"), "{shown}");
        assert!(shown.contains(&format!("127.0.0.1:{}", server.port)), "{shown}");
    }
    error
}

#[test]
fn a_refusal_has_its_status_its_code_and_its_time() {
    let body = |code: &str| format!(r#"{{"error":{{"message":"s3cr3t of {KEY}","code":"{code}"}}}}"#);
    for (status, headers, body, expected) in [
        (
            "429 Too Many Requests",
            "retry-after: 7\r\n",
            body("rate_limit_exceeded"),
            (429, Some(7), Some("rate_limit_exceeded"), true),
        ),
        ("429 Too Many Requests", "retry-after: 3600\r\n", String::new(), (429, Some(60), None, true)),
        ("500 Internal Server Error", "", "<html>s3cr3t</html>".to_owned(), (500, None, None, true)),
        ("529 Overloaded", "", body("overloaded_error"), (529, None, Some("overloaded_error"), true)),
        (
            "401 Unauthorized",
            "x-s3cr3t: s3cr3t\r\n",
            body("invalid_api_key"),
            (401, None, Some("invalid_api_key"), false),
        ),
        ("400 s3cr3t", "", body("s3cr3t"), (400, None, None, false)),
        ("302 Found", "location: http://127.0.0.1:1/s3cr3t\r\n", String::new(), (302, None, None, false)),
        ("503 Unavailable", "", "s3cr3t".repeat(100_000), (503, None, None, true)),
    ] {
        let server = Server::start(vec![response(status, headers, &body)]);
        let error = failure(&server, Times::default(), &[]);
        let ModelErrorKind::Status { status, code, .. } = error.kind else { panic!("{error}") };
        let seconds = error.retry_after().map(|time| time.as_secs());
        assert_eq!((status, seconds, code, error.is_retryable()), expected);
    }
}

#[test]
fn a_refusal_whose_body_does_not_end_has_its_status() {
    let start = b"HTTP/1.1 503 x\r\ncontent-length: 900\r\n\r\n{\"error\":".to_vec();
    let server = Server::start(vec![vec![Step::Write(start), Step::Close]]);
    assert_eq!(failure(&server, Times::default(), &[]).status(), Some(503));
}

#[test]
fn a_provider_that_is_silent_is_a_timeout() {
    let first = Times { first_byte: SHORT, connect: Duration::ZERO, ..Times::default() };
    let between = Times { between_events: SHORT, ..Times::default() };
    for (steps, times, expected) in [
        (vec![Step::Hold], Times { connect: SHORT, ..first }, &[][..]),
        (vec![head(), Step::Hold], Times { connect: SHORT, ..first }, &[]),
        (vec![head(), text("a"), Step::Hold], between, &["text a"]),
        (
            vec![head(), text("a"), chunk(b": keep-alive\n\n"), text("b"), Step::Hold],
            between,
            &["text a", "text b"],
        ),
    ] {
        let server = Server::start(vec![steps]);
        let error = failure(&server, times, expected);
        assert_eq!((&error.kind, error.is_retryable()), (&ModelErrorKind::Timeout(SHORT), true));
        server.closed.recv_timeout(PATIENCE).expect("the connection is closed");
    }
}

#[test]
fn a_connection_that_ends_keeps_the_text() {
    let call = r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}}]}"#;
    let call = chunk(format!("data: {call}\n\n").as_bytes());
    let part = |bytes: &[u8]| Step::Write(bytes.to_vec());
    for (steps, expected) in [
        (vec![Step::Close], &[][..]),
        (vec![part(b"HTTP/1.1 200"), Step::Close], &[]),
        (vec![head(), Step::Close], &[]),
        (vec![head(), text("a"), call, Step::Close], &["text a"]),
        (vec![head(), text("a"), part(b"100\r\ndata: {"), Step::Close], &["text a"]),
        (vec![head(), text("a"), last_chunk()], &["text a"]),
        (
            vec![part(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n"), Step::Close],
            &["text a"],
        ),
    ] {
        let server = Server::start(vec![steps]);
        let error = failure(&server, Times::default(), expected);
        assert_eq!((&error.kind, error.is_retryable()), (&ModelErrorKind::Connection, true));
    }
}

#[test]
fn a_response_that_is_not_of_the_protocol_is_not_valid() {
    for (headers, body, expected) in [
        ("content-type: text/html\r\n", "<html>s3cr3t", "neither a stream of events nor JSON"),
        ("content-type: application/json\r\ncontent-encoding: gzip\r\n", "s3cr3t", "compressed"),
        ("content-type: application/json\r\n", "{\"s3cr3t", "not one of the protocol"),
        (
            "content-type: text/event-stream\r\n",
            "data: s3cr3t\n\n",
            "event 1 is not one of the protocol, at column 1",
        ),
    ] {
        let server = Server::start(vec![response("200 OK", headers, body)]);
        let error = failure(&server, Times::default(), &[]);
        assert!(error.to_string().contains(expected) && !error.is_retryable(), "{error}");
    }
}

#[test]
fn a_refused_connection_can_be_tried_again() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let server = Server { port, ..Server::start(vec![]) };
    let error = failure(&server, Times::default(), &[]);
    assert_eq!(error.kind, ModelErrorKind::Unreachable("the connection was refused"));
    assert!(error.is_retryable());
}

#[test]
fn a_model_answers_after_a_failure() {
    let server = Server::start(vec![
        response("429 Too Many Requests", "retry-after: 1\r\n", ""),
        vec![Step::Close],
        vec![head(), text("a"), done(), last_chunk()],
    ]);
    let mut model = server.model();
    assert_eq!(ask(&mut model).1.unwrap().status(), Some(429));
    assert_eq!(ask(&mut model).1.unwrap().kind, ModelErrorKind::Connection);
    assert_eq!(ask(&mut model), (vec!["text a".to_owned(), "end".to_owned()], None));
}

#[test]
fn a_request_that_cannot_be_sent_is_refused() {
    let endpoint = |base_url: &str, key: &str| Endpoint {
        provider: "test".to_owned(),
        protocol: Protocol::OpenAi,
        base_url: base_url.to_owned(),
        key: Some(Key::new(key)),
        times: Times::default(),
    };
    for (url, key, expected) in [
        ("http://127.0.0.1:1", "s3cr3t\n", "the key contains characters that cannot be sent"),
        ("http://api.example.org", KEY, "without encryption"),
        ("http://user:s3cr3t@127.0.0.1", KEY, "contains a user or a password"),
        ("127.0.0.1", KEY, "the base URL is not valid"),
    ] {
        let error = HttpModel::new(endpoint(url, key)).err().expect("it fails");
        assert!(matches!(error.kind, ModelErrorKind::Unavailable(_)), "{error:?}");
        let text = error.to_string();
        assert!(text.contains(expected) && !text.contains("s3cr3t"), "{text}");
    }
    assert!(!format!("{:?}", endpoint("http://127.0.0.1", KEY)).contains("s3cr3t"));
    let mut model = HttpModel::new(endpoint("http://127.0.0.1:1", KEY)).unwrap();
    // The question itself is never part of a failure.
    let error = model.begin(&question()).and_then(|mut answer| {
        loop {
            if let Some(event) = answer.next(SHORT)? {
                break Ok(event);
            }
        }
    });
    assert!(!error.unwrap_err().to_string().contains("s3cr3t"));
}
