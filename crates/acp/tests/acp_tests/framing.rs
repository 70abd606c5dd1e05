//! Lines in a stream of bytes, and bytes that are not messages.

use std::time::Duration;

use minds_acp::{Client, FoundLine, LineSplitter, Opening, Server};
use minds_fleet_protocol::AgentId;
use proptest::prelude::*;

/// Splits with the standard library.
fn split_by_library(bytes: &[u8], limit: usize) -> Vec<FoundLine> {
    let Some(end) = bytes.iter().rposition(|byte| *byte == b'\n') else { return Vec::new() };
    let lines = bytes[..end].split(|byte| *byte == b'\n');
    let lines = lines
        .map(|line| if line.len() > limit { FoundLine::TooLong } else { FoundLine::Bytes(line.to_vec()) });
    lines.filter(|line| !matches!(line, FoundLine::Bytes(bytes) if bytes.trim_ascii().is_empty())).collect()
}

fn hostile_line() -> impl Strategy<Value = Vec<u8>> {
    let parts = [
        r#"{"jsonrpc":"2.0","#,
        r#""id":0"#,
        r#""id":1"#,
        r#""id":null"#,
        r#""id":-9223372036854775809"#,
        ",",
        r#""method":"session/update""#,
        r#""method":"session/request_permission""#,
        r#""method":"session/prompt""#,
        r#""method":"session/cancel""#,
        r#""result":{"protocolVersion":1}"#,
        r#""result":{"sessionId":"s"}"#,
        r#""result":null"#,
        r#""error":{"code":1,"message":"\u0000"}"#,
        r#""params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"","title":""}}"#,
        r#""params":{"sessionId":"a/b","prompt":[{"type":"text","text":"x"}]}"#,
        "}",
        "[",
        "\u{feff}",
    ];
    let part = prop_oneof![
        8 => proptest::sample::select(parts.to_vec()).prop_map(|part| part.as_bytes().to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 0..8),
    ];
    proptest::collection::vec(part, 0..8).prop_map(|parts| parts.concat())
}

proptest! {
    /// The lines do not depend on how the stream is cut, and are those of an independent splitter.
    #[test]
    fn lines_are_found_however_the_stream_is_cut(
        bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b' '), any::<u8>()], 0..200),
        cuts in proptest::collection::vec(1_usize..20, 1..20),
        limit in 0_usize..20,
    ) {
        let mut lines = LineSplitter::new(limit);
        let (mut found, mut rest, mut cuts) = (Vec::new(), bytes.as_slice(), cuts.iter().cycle());
        while !rest.is_empty() {
            let (part, left) = rest.split_at((*cuts.next().unwrap()).min(rest.len()));
            lines.push(part);
            found.extend(std::iter::from_fn(|| lines.next_line()));
            rest = left;
        }
        prop_assert_eq!(found, split_by_library(&bytes, limit));
    }

    /// No line makes a client or a server panic, and each output is lines of JSON.
    #[test]
    fn no_line_does_harm(lines in proptest::collection::vec(hostile_line(), 0..20)) {
        let mut client = Client::open(Opening::default(), Duration::ZERO);
        let mut server = Server::new(&AgentId::parse("a/b").unwrap());
        for line in &lines {
            let _ = client.receive(line);
            if client.is_idle() {
                client.prompt(&["x".to_owned()]);
            }
            let _ = server.receive(line);
            server.note_session();
        }
        crate::messages(&client.take_output());
        crate::messages(&server.take_output());
    }
}
