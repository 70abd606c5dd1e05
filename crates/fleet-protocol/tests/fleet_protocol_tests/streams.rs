//! Streams of text: joining, lines, characters, redaction.

use std::time::Duration;

use minds_fleet_protocol::limits::MAX_FRAME_TEXT_BYTES;
use minds_fleet_protocol::{
    Coalescer, Event, EventKind, ItemId, LineFlusher, RedactionStream, Redactor, Token, Utf8Carry, Warning,
};
use proptest::prelude::*;

fn token(text: &str, model: &str, item: &str) -> Event {
    let token = Token { text: text.to_owned(), model: model.to_owned(), stream: None };
    Event { qid: Some(ItemId::parse(item).unwrap()), ..Event::new(token) }
}

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

fn text_of(event: &Event) -> String {
    match &event.kind {
        EventKind::Token(token) => {
            format!("[{}{}]{}", token.model, event.qid.as_ref().unwrap(), token.text)
        }
        other => format!("{other:?}"),
    }
}

/// Joins the text of neighbouring events of one source, which is what a reader displays.
fn display(events: &[Event]) -> Vec<String> {
    let mut parts: Vec<(String, String)> = Vec::new();
    for event in events {
        let text = text_of(event);
        let (source, text) = text.split_once(']').map_or((text.clone(), ""), |(a, b)| (a.to_owned(), b));
        match parts.last_mut().filter(|last| last.0 == source && source.starts_with('[')) {
            Some(last) => last.1.push_str(text),
            None => parts.push((source, text.to_owned())),
        }
    }
    parts.into_iter().map(|(source, text)| source + "]" + &text).collect()
}

#[test]
fn events_are_joined_above_200_a_second_only() {
    let mut coalescer = Coalescer::default();
    // 200 in a second: each one is reported at once.
    for n in 0..400 {
        assert_eq!(coalescer.push(token("a", "m", "q"), ms(n * 5)).len(), 1, "{n}");
    }
    assert!(!coalescer.is_joining());
    // 1,000 in a second: one event every 50 ms.
    let mut coalescer = Coalescer::default();
    let reported: usize = (0..1_000).map(|n| coalescer.push(token("a", "m", "q"), ms(n)).len()).sum();
    assert!((200 + 14..=200 + 17).contains(&reported), "{reported}");
    assert_eq!(coalescer.deadline().is_some(), coalescer.flush().len() == 1);
    // Below 200 in a second it ends.
    for n in 0..200 {
        let _ = coalescer.push(token("a", "m", "q"), ms(1_000 + n * 10));
    }
    assert!(!coalescer.is_joining());
}

#[test]
fn another_event_releases_what_waits_first() {
    let mut coalescer = Coalescer::default();
    for _ in 0..201 {
        let _ = coalescer.push(token("a", "m", "q"), ms(0));
    }
    assert_eq!(coalescer.push(token("b", "m", "q"), ms(1)), Vec::new());
    let events = coalescer.push(Event::new(Warning { msg: "w".to_owned() }), ms(2));
    assert_eq!(events.iter().map(text_of).collect::<Vec<_>>()[0], "[mq]ab");
    assert_eq!(events.len(), 2);
    assert_eq!(coalescer.push(token("c", "m", "q"), ms(3)), Vec::new());
    assert_eq!(coalescer.poll(ms(52)), Vec::new());
    assert_eq!(coalescer.poll(ms(53)).len(), 1);
}

proptest! {
    /// Nothing is lost or moved, no frame is too long, and nothing waits longer than the window.
    #[test]
    fn joined_events_display_the_same(
        events in proptest::collection::vec((0_usize..4, 0_usize..2, 0_u64..12, 0_usize..3), 0..900),
    ) {
        let mut coalescer = Coalescer::default();
        let (mut now, mut all, mut reported) = (0, Vec::new(), Vec::new());
        for (kind, source, wait, size) in events {
            now += wait / 4;
            if coalescer.deadline().is_some_and(|deadline| deadline <= ms(now)) {
                let due = coalescer.poll(ms(now));
                prop_assert!(!due.is_empty());
                reported.extend(due);
            }
            let text = ["", "aé", "漢字"][size].repeat(if kind == 1 { 900 } else { 1 });
            let event = if kind == 0 && wait > 9 {
                Event::new(Warning { msg: "w".to_owned() })
            } else {
                token(&text, ["m", "n"][source], ["q", "r"][source])
            };
            all.push(event.clone());
            reported.extend(coalescer.push(event, ms(now)));
            prop_assert!(coalescer.deadline().is_none_or(|deadline| deadline <= ms(now + 50)));
        }
        reported.extend(coalescer.flush());
        prop_assert!(reported.len() <= all.len() * 2);
        for event in &reported {
            if let EventKind::Token(token) = &event.kind {
                prop_assert!(token.text.len() <= MAX_FRAME_TEXT_BYTES);
            }
        }
        prop_assert_eq!(display(&reported), display(&all));
    }

    /// Characters that are split at any byte are decoded as in one piece, and at most 3 bytes wait.
    #[test]
    fn split_characters_are_decoded_as_in_one_piece(
        bytes in proptest::collection::vec(prop_oneof![any::<u8>(), Just(0xf0), Just(0x9f), Just(0xa6), Just(0xe6)], 0..200),
        cuts in proptest::collection::vec(1_usize..9, 1..40),
    ) {
        let mut carry = Utf8Carry::default();
        let (mut text, mut rest) = (String::new(), bytes.as_slice());
        for cut in cuts.iter().cycle() {
            let (piece, remainder) = rest.split_at((*cut).min(rest.len()));
            let before = String::from_utf8_lossy(&bytes[..bytes.len() - remainder.len()]).len();
            text.push_str(&carry.push(piece));
            prop_assert!(before - text.len() <= 3);
            rest = remainder;
            if rest.is_empty() {
                break;
            }
        }
        text.push_str(&carry.finish());
        prop_assert_eq!(text, String::from_utf8_lossy(&bytes));
    }

    /// Lines are released at once and complete; the beginning of a line waits for at most 40 ms.
    #[test]
    fn lines_are_released_in_order(pieces in proptest::collection::vec(("[a\n]{0,6}", 0_u64..30), 0..60)) {
        let mut flusher = LineFlusher::default();
        let (mut now, mut all, mut out, mut since) = (0, String::new(), String::new(), 0);
        for (text, wait) in pieces {
            now += wait;
            if let Some(text) = flusher.poll(ms(now)) {
                prop_assert!(now >= since + 40);
                prop_assert!(!text.contains('\n'));
                out.push_str(&text);
            }
            if all.len() == out.len() || text.contains('\n') {
                since = now;
            }
            all.push_str(&text);
            if let Some(text) = flusher.push(&text, ms(now)) {
                prop_assert!(text.ends_with('\n'));
                out.push_str(&text);
            }
            let waits = all.len() > out.len();
            prop_assert_eq!(flusher.deadline(), waits.then_some(ms(since + 40)));
            prop_assert!(!all[out.len()..].contains('\n'));
        }
        out.push_str(&flusher.finish().unwrap_or_default());
        prop_assert_eq!(out, all);
    }
}

const KEY: &str = concat!("gh", "p_0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R");
const PASSWORD: &str = "correct horse battery";

/// A private key in two lines.
const PRIVATE_KEY: &str = concat!(
    "-----BEGIN PRIV",
    "ATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKB\nAgEAAoIBAQ==\n-----END PRIVATE KEY-----"
);

fn redactor() -> Redactor {
    Redactor::new([r"(?i)api[_ -]?key\s*[:=]\s*[A-Za-z0-9_-]{20,}"], [PASSWORD, "abc", "hunter2hunter2"])
        .unwrap()
}

/// A redactor whose secrets are words, lines of keys and one value.
fn redactor_of_words() -> Redactor {
    Redactor::new([r"(?i)id-[0-9]{4,}\b"], [PASSWORD, "hunter2hunter2"]).unwrap()
}

#[test]
fn secrets_are_redacted_by_pattern_value_and_format() {
    for (text, expected) in [
        ("nothing to hide", "nothing to hide"),
        ("api_key: abcdefghijklmnopqrstuvwxyz!", "****!"),
        ("api_key: short", "api_key: short"),
        ("the correct horse battery staple", "the **** staple"),
        ("xhunter2hunter2x", "x****x"),
        ("abc is too short to be a value", "abc is too short to be a value"),
        ("", ""),
    ] {
        assert_eq!(redactor().redact(text), expected, "{text}");
    }
    let key = redactor().redact(KEY).into_owned();
    assert_eq!(key, "ghp_****");
    let error = Redactor::new(["(a"], [""; 0]).unwrap_err();
    assert_eq!(error.to_string(), "`(a` is not a valid regular expression");
}

#[test]
fn words_are_released_at_once() {
    let redactor = redactor_of_words();
    let mut stream = RedactionStream::new();
    for (text, expected) in [
        ("Hello", ""),
        (", wor", "Hello, "),
        ("ld ", "world "),
        ("id-12", ""),
        ("34 ghp_0a1B2c3D4e5F6g", "**** "),
        ("7H8i9J0k1L2m3N4o5P6q7R the correct horse ", "ghp_**** the "),
        ("battery.\n", "****.\n"),
        ("-----BEGIN PRIV", ""),
        ("ATE KEY-----\nMIIEvQIBADANBgkq\n", ""),
        ("hkiG9w0BAQEFAASCBKcwggSj\n", "-----BEGIN PRIVATE KEY-----"),
        ("AgEAAoIBAQ==\n", ""),
        ("-----END PRIVATE KEY-----\n", "****-----END PRIVATE KEY-----\n"),
    ] {
        assert_eq!(stream.push(&redactor, text, ms(0)), expected, "{text:?}");
    }
    // Patterns that may match more than a word wait for what follows.
    for pattern in ["a b", r"a\sb", "a.b", "a[^b]", "[[:space:]]", r"\x20", r"\W", "(?s)a", "[a-é]"] {
        let redactor = Redactor::new([pattern], [""; 0]).unwrap();
        assert_eq!(RedactionStream::new().push(&redactor, "some words ", ms(0)), "", "{pattern}");
    }
    for pattern in [r"\bid-[0-9a-f]+\b", r"(?:key|token)=\S+", r"sk\.\w{8,}"] {
        let redactor = Redactor::new([pattern], [""; 0]).unwrap();
        assert_eq!(RedactionStream::new().push(&redactor, "some words ", ms(0)), "some words ", "{pattern}");
    }
}

#[test]
fn a_timed_release_stops_at_the_last_whitespace() {
    let redactor = redactor();
    let mut stream = RedactionStream::new();
    assert_eq!(stream.push(&redactor, "run: ghp_0a1B2c3D4e5F6g", ms(0)), "");
    assert_eq!(stream.poll(&redactor, ms(199)), "");
    assert_eq!(stream.poll(&redactor, ms(200)), "run: ");
    assert_eq!(stream.deadline(), None);
    assert_eq!(stream.push(&redactor, "7H8i9J0k1L2m3N4o5P6q7R ok", ms(300)), "");
    assert_eq!(stream.poll(&redactor, ms(500)), "ghp_**** ");
    assert_eq!(stream.push(&redactor, ", the correct horse ", ms(600)), "");
    assert_eq!(stream.poll(&redactor, ms(800)), "ok, the ");
    assert_eq!(stream.push(&redactor, "battery", ms(900)), "");
    assert_eq!(stream.finish(&redactor), "****");
}

#[test]
fn a_secret_without_an_end_is_redacted_in_bounded_memory() {
    let redactor = Redactor::new(["secret=[^ ]+"], [""; 0]).unwrap();
    let mut stream = RedactionStream::new();
    let mut out = stream.push(&redactor, "a secret=", ms(0));
    for _ in 0..100 {
        out += &stream.push(&redactor, &"x".repeat(4_096), ms(0));
    }
    out += &stream.push(&redactor, " end", ms(0));
    out += &stream.finish(&redactor);
    assert_eq!(out, "a **** end");
}

proptest! {
    /// However the text is split and released, its redaction is that of the complete text.
    #[test]
    fn a_split_text_is_redacted_as_a_complete_one(
        words in proptest::collection::vec(
            prop_oneof![
                3 => "[a-z漢é]{1,12}".prop_map(|word| word),
                1 => Just(KEY.to_owned()),
                1 => Just(PASSWORD.to_owned()),
                1 => Just("api key = 0123456789abcdefghij-0123456789".to_owned()),
                1 => Just("hunter2hunter2".to_owned()),
                1 => Just("id-123456".to_owned()),
                1 => Just(PRIVATE_KEY.to_owned()),
            ], 0..40),
        cuts in proptest::collection::vec((1_usize..40, 0_u64..300), 1..60),
        is_of_words in any::<bool>(),
    ) {
        let redactor = if is_of_words { redactor_of_words() } else { redactor() };
        let text = words.join(" ");
        let mut stream = RedactionStream::new();
        let (mut out, mut rest, mut now) = (String::new(), text.as_str(), 0);
        // A pattern with spaces is recognized as a whole only while the stream does not pause in it.
        let pauses = is_of_words || !text.contains("api key");
        for (cut, wait) in cuts.iter().cycle() {
            let (piece, remainder) = rest.split_at(rest.ceil_char_boundary((*cut).min(rest.len())));
            out += &stream.push(&redactor, piece, ms(now));
            now += wait;
            if pauses {
                out += &stream.poll(&redactor, ms(now));
            }
            rest = remainder;
            if rest.is_empty() {
                break;
            }
        }
        out += &stream.finish(&redactor);
        prop_assert_eq!(out, redactor.redact(&text));
    }

    /// No part of a known secret is ever released, with any pauses.
    #[test]
    fn no_part_of_a_secret_is_released(
        before in "[a-z ]{0,300}", after in "[a-z ]{0,300}",
        secret in prop_oneof![Just(KEY), Just(PASSWORD), Just("hunter2hunter2"), Just(PRIVATE_KEY)],
        cuts in proptest::collection::vec((1_usize..40, 0_u64..300), 1..60),
        is_of_words in any::<bool>(),
    ) {
        let redactor = if is_of_words { redactor_of_words() } else { redactor() };
        let text = format!("{before} {secret} {after}");
        let mut stream = RedactionStream::new();
        let (mut out, mut rest, mut now) = (String::new(), text.as_str(), 0);
        for (cut, wait) in cuts.iter().cycle() {
            let (piece, remainder) = rest.split_at((*cut).min(rest.len()));
            out += &stream.push(&redactor, piece, ms(now));
            now += wait;
            out += &stream.poll(&redactor, ms(now));
            rest = remainder;
            if rest.is_empty() {
                break;
            }
        }
        out += &stream.finish(&redactor);
        let hidden = match secret {
            KEY => "ghp_****",
            PRIVATE_KEY => "-----BEGIN PRIVATE KEY-----****-----END PRIVATE KEY-----",
            _ => "****",
        };
        prop_assert_eq!(out, format!("{before} {hidden} {after}"));
    }
}
