//! Answers of five kinds of providers, made after their documented formats, whole and in parts.

use std::collections::VecDeque;

use minds_model_client::{AnswerReader, ModelErrorKind, ModelEvent, ModelRequest, Protocol};

const OPENAI: &[u8] = include_bytes!("transcripts/openai.sse");
/// `DeepSeek`: CRLF, comments as keep-alives, thoughts, usage in each chunk, parts without index.
const COMPATIBLE: &[u8] = include_bytes!("transcripts/compatible.sse");
const ANTHROPIC: &[u8] = include_bytes!("transcripts/anthropic.sse");
const GEMINI: &[u8] = include_bytes!("transcripts/gemini.sse");
/// Ollama: an event over two lines, arguments as an object, one index for all calls, no usage, no end marker.
const LOCAL: &[u8] = include_bytes!("transcripts/local.sse");

const EXPECTED: [(&str, Protocol, &[u8], &[&str]); 5] = [
    (
        "openai",
        Protocol::OpenAi,
        OPENAI,
        &[
            "text I read both ",
            "text files — 😀.",
            "usage 112 47",
            r#"call call_DdmO9pD3xa9XTPNJ fs_read {"path":"a.md"}"#,
            r#"call call_0mFQxVGjzKpUQpJW fs_read {"path":"b.md"}"#,
            "end",
        ],
    ),
    (
        "compatible",
        Protocol::OpenAiCompatible,
        COMPATIBLE,
        &[
            "usage 30 1",
            "text Looking.",
            "usage 30 4",
            "usage 30 8",
            "usage 30 9",
            "usage 30 15",
            "usage 30 17",
            "usage 30 20",
            r#"call call_00_a os_exec {"cmd":"ls"}"#,
            r#"call call_01_b fs_list {"path":"src"}"#,
            "end",
        ],
    ),
    (
        "anthropic",
        Protocol::Anthropic,
        ANTHROPIC,
        &[
            "usage 500 2",
            "text Okay",
            "text , let's see: é",
            "usage 500 89",
            r#"call toolu_01T1 fs_read {"path":"a.md"}"#,
            "call toolu_02T2 agents_list {}",
            "end",
        ],
    ),
    (
        "gemini",
        Protocol::Gemini,
        GEMINI,
        &[
            "usage 61 19",
            "text Both at ",
            "usage 61 21",
            "text once: 日本.",
            "usage 61 49",
            "usage 61 53",
            r#"call call_1 fs_read {"limit":10,"path":"a.md"}"#,
            r#"call fc-2 fs_list {"path":"src"}"#,
            "call call_2 agents_list {}",
            "end",
        ],
    ),
    (
        "local",
        Protocol::OpenAiCompatible,
        LOCAL,
        &[
            "text Let me ",
            "text check.",
            r#"call call_1 os_exec {"cmd":"make","timeout":5}"#,
            "call call_2 fs_read not JSON: not JSON",
            "end",
        ],
    ),
];

/// Returns an event as a line.
pub(crate) fn line(event: &ModelEvent) -> String {
    match event {
        ModelEvent::Text(text) => format!("text {text}"),
        ModelEvent::Usage { input, output } => format!("usage {input} {output}"),
        ModelEvent::End => "end".to_owned(),
        ModelEvent::Call(call) => {
            let arguments = match &call.arguments {
                Ok(members) => serde_json::Value::Object(members.clone()).to_string(),
                Err(text) => format!("not JSON: {text}"),
            };
            format!("call {} {} {arguments}", call.id, call.name)
        }
    }
}

/// Reads a response that arrives in these parts and then ends.
pub(crate) fn read(
    protocol: Protocol,
    parts: &[&[u8]],
    is_stream: bool,
) -> (Vec<String>, Result<(), ModelErrorKind>) {
    let mut reader = AnswerReader::new(protocol, &ModelRequest::default(), is_stream);
    let mut events = VecDeque::new();
    let pushed = parts.iter().try_for_each(|part| reader.push(part, &mut events));
    let result = pushed.and_then(|()| reader.finish(&mut events));
    (events.iter().map(line).collect(), result)
}

#[test]
fn answers_are_read() {
    for (name, protocol, bytes, expected) in EXPECTED {
        let (events, result) = read(protocol, &[bytes], true);
        assert_eq!(result, Ok(()), "{name}");
        assert_eq!(events, expected, "{name}");
    }
}

#[test]
fn parts_that_end_at_any_byte_give_the_same_answer() {
    for (name, protocol, bytes, expected) in EXPECTED {
        for cut in 0..=bytes.len() {
            let (start, end) = bytes.split_at(cut);
            let (events, result) = read(protocol, &[start, end], true);
            assert_eq!((events.as_slice(), result), (&expected.map_str()[..], Ok(())), "{name} at {cut}");
        }
        for size in [1, 2, 3, 7] {
            let parts: Vec<&[u8]> = bytes.chunks(size).collect();
            assert_eq!(read(protocol, &parts, true).0, expected, "{name} in parts of {size} bytes");
        }
    }
}

/// Text as owned strings.
trait MapStr {
    fn map_str(&self) -> Vec<String>;
}

impl MapStr for &[&str] {
    fn map_str(&self) -> Vec<String> {
        self.iter().map(|&text| text.to_owned()).collect()
    }
}

#[test]
fn a_stream_that_ends_at_any_byte_keeps_its_text_and_runs_no_call() {
    for (name, protocol, bytes, expected) in EXPECTED {
        // The answer is complete with its reason, not only with the end marker.
        let text = String::from_utf8_lossy(bytes);
        let reasons = [
            "\"finish_reason\":\"tool_calls\"",
            "\"stop_reason\":\"tool_use\"",
            "\"finishReason\": \"STOP\"",
        ];
        let reason = reasons.iter().find_map(|reason| text.find(reason)).unwrap();
        for cut in 0..bytes.len() {
            let (events, result) = read(protocol, &[&bytes[..cut]], true);
            let count = events.len();
            if cut <= reason {
                assert_eq!(result, Err(ModelErrorKind::Connection), "{name} at {cut}");
                assert!(expected.map_str().starts_with(&events), "{name} at {cut}: {events:?}");
                assert!(!events.iter().any(|event| event.starts_with("call ")), "{name} at {cut}");
            } else if result == Ok(()) {
                let calls = |events: &[String]| {
                    events.iter().filter(|one| !one.starts_with("usage")).cloned().collect::<Vec<_>>()
                };
                assert_eq!(calls(&events), calls(&expected.map_str()), "{name} at {cut}");
            } else {
                assert!(events[..count].iter().all(|event| !event.starts_with("call ")), "{name} at {cut}");
            }
        }
    }
}

#[test]
fn an_answer_can_be_one_document() {
    let openai = br#"{"choices":[{"index":0,"message":{"role":"assistant","content":"Hi","tool_calls":[
        {"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},
        {"id":"b","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}}]},
        "finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}"#;
    let anthropic = br#"{"type":"message","role":"assistant","content":[{"type":"text","text":"Hi"},
        {"type":"tool_use","id":"a","name":"f","input":{}},{"type":"tool_use","id":"b","name":"f","input":{"x":1}}],
        "stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":2}}"#;
    let gemini = br#"{"candidates":[{"content":{"parts":[{"text":"Hi"},{"functionCall":{"id":"a","name":"f","args":{}}},
        {"functionCall":{"id":"b","name":"f","args":{"x":1}}}]},"finishReason":"STOP"}],
        "usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":2}}"#;
    for (protocol, body) in
        [(Protocol::OpenAi, &openai[..]), (Protocol::Anthropic, anthropic), (Protocol::Gemini, gemini)]
    {
        let (mut events, result) = read(protocol, &[body], false);
        assert_eq!(result, Ok(()), "{protocol:?}");
        events.sort_by_key(|event| !event.starts_with("usage"));
        assert_eq!(
            events,
            ["usage 1 2", "text Hi", "call a f {}", "call b f {\"x\":1}", "end"],
            "{protocol:?}"
        );
        let (_, result) = read(protocol, &[&body[..body.len() - 1]], false);
        assert!(matches!(result, Err(ModelErrorKind::Invalid(_))), "{protocol:?} {result:?}");
    }
}

#[test]
fn an_answer_that_is_not_complete_fails_and_runs_no_call() {
    let openai = br#"data: {"choices":[{"delta":{"content":"Hi","tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"length"}]}

data: [DONE]

"#;
    let anthropic =
        br#"data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}

data: {"type":"message_delta","delta":{"stop_reason":"refusal"}}

data: {"type":"message_stop"}

"#;
    let gemini = br#"data: {"candidates":[{"content":{"parts":[{"text":"Hi"}]},"finishReason":"SAFETY"}]}

"#;
    for (protocol, body, reason) in [
        (Protocol::OpenAi, &openai[..], "length"),
        (Protocol::Anthropic, anthropic, "refusal"),
        (Protocol::Gemini, gemini, "SAFETY"),
    ] {
        let (events, result) = read(protocol, &[body], true);
        assert_eq!((events, result), (vec!["text Hi".to_owned()], Err(ModelErrorKind::Stopped(reason))));
    }
    let blocked = br#"data: {"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"promptTokenCount":9}}

"#;
    let (_, result) = read(Protocol::Gemini, &[blocked], true);
    assert_eq!(result, Err(ModelErrorKind::Stopped("the request was blocked")));
}

#[test]
fn an_error_in_a_stream_has_the_class_of_its_status() {
    let status = |status, code| Err(ModelErrorKind::Status { status, retry_after: None, code });
    for (protocol, event, expected) in [
        (
            Protocol::Anthropic,
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded s3cr3t"}}"#,
            status(529, Some("overloaded_error")),
        ),
        (
            Protocol::OpenAiCompatible,
            r#"{"error":{"code":502,"message":"s3cr3t"},"choices":[]}"#,
            status(502, None),
        ),
        (
            Protocol::Gemini,
            r#"{"error":{"code":503,"status":"UNAVAILABLE","message":"s3cr3t"}}"#,
            status(503, Some("UNAVAILABLE")),
        ),
        (
            Protocol::OpenAi,
            r#"{"error":{"message":"s3cr3t"}}"#,
            Err(ModelErrorKind::Invalid("the provider reported an error".to_owned())),
        ),
        (
            Protocol::OpenAi,
            r#"{"choices":"s3cr3t"}"#,
            Err(ModelErrorKind::Invalid("event 1 is not one of the protocol, at column 19".to_owned())),
        ),
    ] {
        let (events, result) = read(protocol, &[format!("data: {event}\n\n").as_bytes()], true);
        assert_eq!((events.len(), result), (0, expected), "{event}");
    }
}
