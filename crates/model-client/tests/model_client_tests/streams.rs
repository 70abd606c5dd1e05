//! Answers over HTTP: requests, connections, and their end.

use std::time::Duration;

use minds_model_client::{HttpModel, Model as _, ModelEvent, Protocol};

use crate::server::{
    KEY, PATIENCE, Server, Step, ask, chunk, done, end, head, last_chunk, question, read_all, response, text,
};

#[test]
fn requests_have_the_address_and_the_headers_of_the_protocol() {
    for (protocol, path, key) in [
        (Protocol::OpenAi, "/v1/chat/completions", format!("authorization: Bearer {KEY}")),
        (Protocol::Anthropic, "/v1/messages", format!("x-api-key: {KEY}")),
        (
            Protocol::Gemini,
            "/v1/models/small:streamGenerateContent?alt=sse",
            format!("x-goog-api-key: {KEY}"),
        ),
    ] {
        let server = Server::start(vec![response("401 Unauthorized", "", "")]);
        let (_, error) = ask(&mut HttpModel::new(server.endpoint(protocol)).unwrap());
        assert_eq!(error.unwrap().status(), Some(401));
        let seen = server.request();
        assert!(seen.head.starts_with(&format!("POST {path} HTTP/1.1\r\n")), "{}", seen.head);
        for header in
            [key.as_str(), "content-type: application/json", "accept: text/event-stream, application/json"]
        {
            assert!(seen.head.contains(&format!("{header}\r\n")), "{header}: {}", seen.head);
        }
        assert_eq!(seen.head.contains("anthropic-version: 2023-06-01\r\n"), protocol == Protocol::Anthropic);
        assert!(seen.body.to_string().contains("s3cr3t question"), "{}", seen.body);
    }
}

#[test]
fn text_arrives_while_the_model_writes() {
    let server = Server::start(vec![vec![head(), text("a"), Step::Hold]]);
    let mut model = server.model();
    let mut answer = model.begin(&question()).unwrap();
    let mut events = Vec::new();
    while events.is_empty() {
        events.extend(answer.next(Duration::from_millis(20)).unwrap());
    }
    assert_eq!(events, [ModelEvent::Text("a".to_owned())]);
    assert_eq!(answer.next(Duration::ZERO), Ok(None));
}

#[test]
fn a_connection_serves_several_requests() {
    let reply = || vec![head(), text("a"), text("b"), end()];
    let document = r#"{"choices":[{"message":{"content":"c"},"finish_reason":"stop"}]}"#;
    let replies = vec![reply(), reply(), response("200 OK", "content-type: application/json\r\n", document)];
    let server = Server::start(replies);
    let mut model = server.model();
    for expected in [&["text a", "text b", "end"][..], &["text a", "text b", "end"], &["text c", "end"]] {
        assert_eq!(ask(&mut model), (expected.iter().map(|&line| line.to_owned()).collect(), None));
        assert_eq!(server.request().connection, 1);
    }
}

#[test]
fn a_body_in_the_smallest_chunks_is_the_same_answer() {
    let bytes = include_bytes!("transcripts/openai.sse");
    let chunks = bytes.iter().map(|byte| chunk(&[*byte]));
    let server = Server::start(vec![[head()].into_iter().chain(chunks).chain([last_chunk()]).collect()]);
    let (events, error) = ask(&mut server.model());
    assert_eq!((events.len(), error), (6, None), "{events:?}");
}

#[test]
fn an_answer_that_is_dropped_closes_its_connection() {
    // In the middle of the stream, before the response, and before the request is sent.
    for (steps, events) in
        [(vec![head(), text("a"), Step::Hold], 1), (vec![Step::Hold], 0), (vec![head(), Step::Hold], 0)]
    {
        let server = Server::start(vec![steps, vec![head(), text("b"), done(), last_chunk()]]);
        let mut model = server.model();
        let mut answer = model.begin(&question()).unwrap();
        let mut arrived = 0;
        let mut is_sent = false;
        while arrived < events || !is_sent {
            arrived += usize::from(answer.next(Duration::from_millis(5)).unwrap().is_some());
            is_sent = is_sent || server.requests.try_recv().is_ok();
        }
        drop(answer);
        server.closed.recv_timeout(PATIENCE).expect("the connection is closed");
        assert_eq!(ask(&mut model).0, ["text b", "end"]);
    }
}

#[test]
fn an_answer_can_be_dropped_at_once() {
    let server = Server::start(vec![]);
    let mut model = server.model();
    for _ in 0..10 {
        drop(model.begin(&question()).unwrap());
    }
    assert!(server.requests.try_recv().is_err());
}

#[test]
fn two_answers_of_a_model_do_not_disturb_each_other() {
    let reply = |letter| vec![head(), text(letter), done(), last_chunk()];
    let server = Server::start(vec![reply("a"), reply("b")]);
    let mut model = server.model();
    let mut first = model.begin(&question()).unwrap();
    let mut second = model.begin(&question()).unwrap();
    assert_eq!(read_all(first.as_mut()).0, ["text a", "end"]);
    assert_eq!(read_all(second.as_mut()).0, ["text b", "end"]);
}
