//! Answers that no model writes: any bytes, and more than fits.

use minds_model_client::{ModelErrorKind, Protocol};
use proptest::prelude::*;

use crate::transcripts::read;

const PROTOCOLS: [Protocol; 3] = [Protocol::OpenAi, Protocol::Anthropic, Protocol::Gemini];

/// Returns the reason for which an answer is not valid.
#[track_caller]
pub(crate) fn reason(protocol: Protocol, event: &str) -> String {
    match read(protocol, &[format!("data: {event}\n\n").as_bytes()], true).1 {
        Err(ModelErrorKind::Invalid(reason)) => reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_index_has_a_limit() {
    let openai = r#"{"choices":[{"delta":{"tool_calls":[{"index":4294967295,"function":{"name":"f"}}]}}]}"#;
    assert!(reason(Protocol::OpenAi, openai).contains("above 1023"));
    let anthropic = r#"{"index":4294967295,"content_block":{"type":"tool_use","name":"f"}}"#;
    assert!(reason(Protocol::Anthropic, anthropic).contains("above 1023"));
}

#[test]
fn the_number_of_calls_has_a_limit() {
    let call = |at: usize| format!(r#"{{"index":{at},"function":{{"name":"f","arguments":"{{}}"}}}}"#);
    let calls: Vec<String> = (0..129).map(call).collect();
    let event = format!(r#"{{"choices":[{{"delta":{{"tool_calls":[{}]}}}}]}}"#, calls.join(","));
    assert!(reason(Protocol::OpenAi, &event).contains("more than 128 tool calls"));
    let many = vec![r#"{"functionCall":{"name":"f"}}"#; 129].join(",");
    let event = format!(r#"{{"candidates":[{{"content":{{"parts":[{many}]}}}}]}}"#);
    assert!(reason(Protocol::Gemini, &event).contains("more than 128 tool calls"));
    let many = vec!["{}"; 1025].join(",");
    assert!(reason(Protocol::OpenAi, &format!(r#"{{"choices":[{many}]}}"#)).contains("event 1"));
}

#[test]
fn the_size_of_arguments_and_of_text_has_a_limit() {
    let long = "x".repeat(600 << 10);
    let event = format!(
        r#"{{"choices":[{{"delta":{{"tool_calls":[{{"index":0,"function":{{"name":"f","arguments":"{long}"}}}}]}}}}]}}"#
    );
    assert!(reason(Protocol::OpenAi, &event).contains("arguments of more than 524288 bytes"));
    let event =
        format!(r#"data: {{"candidates":[{{"content":{{"parts":[{{"text":"{long}"}}]}}}}]}}{}"#, "\n\n");
    let parts = vec![event.as_bytes(); 14];
    let (events, result) = read(Protocol::Gemini, &parts, true);
    assert_eq!((events.len(), matches!(result, Err(ModelErrorKind::Invalid(_)))), (13, true), "{result:?}");
}

/// Bytes that look like events.
fn parts() -> impl Strategy<Value = Vec<u8>> {
    let word = prop_oneof![
        Just("data: "),
        Just("\n\n"),
        Just("\r\n"),
        Just("[DONE]"),
        Just("{"),
        Just("}"),
        Just("["),
        Just("]"),
        Just("\"choices\":"),
        Just("\"delta\":"),
        Just("\"content\":"),
        Just("\"tool_calls\":"),
        Just("\"index\":"),
        Just("\"function\":"),
        Just("\"name\":"),
        Just("\"arguments\":"),
        Just("\"finish_reason\":"),
        Just("\"error\":"),
        Just("\"type\":"),
        Just("\"content_block\":"),
        Just("\"message_stop\""),
        Just("\"candidates\":"),
        Just("\"parts\":"),
        Just("\"text\":"),
        Just("\"functionCall\":"),
        Just("\"usage\":"),
        Just(","),
        Just("\"a\""),
        Just("0"),
        Just("4294967295"),
        Just("null"),
        Just("\u{feff}"),
        Just(":"),
    ];
    proptest::collection::vec(
        prop_oneof![4 => word.prop_map(|word| word.as_bytes().to_vec()), 1 => proptest::collection::vec(any::<u8>(), 0..4)],
        0..60,
    )
    .prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Any bytes are read without a panic, with the same result in one part and in single bytes, and with at most one end.
    #[test]
    fn any_bytes_are_an_answer_or_an_error(bytes in parts(), is_stream in any::<bool>()) {
        for protocol in PROTOCOLS {
            let whole = read(protocol, &[&bytes], is_stream);
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            prop_assert_eq!(&whole, &read(protocol, &single, is_stream));
            let ends = whole.0.iter().filter(|event| *event == "end").count();
            prop_assert_eq!(ends, usize::from(whole.1.is_ok()));
        }
    }
}
