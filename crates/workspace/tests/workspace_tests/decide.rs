//! Lines of JSON in, lines of JSON out: programs rely on the exact bytes of the answers.

use minds_workspace::decide::Decider;
use proptest::prelude::*;

/// Answers lines in order, and compares.
#[track_caller]
fn check(lines: &[(&str, &str)]) {
    let mut decider = Decider::default();
    for (line, expected) in lines {
        let mut answer = String::new();
        decider.answer(line.as_bytes(), &mut answer);
        assert_eq!(answer.strip_suffix('\n'), Some(*expected), "{line}");
    }
}

/// Expects an error; its message is not compared.
#[track_caller]
fn expect_error(line: &str, error: &str) {
    let mut answer = String::new();
    Decider::default().answer(line.as_bytes(), &mut answer);
    let start = format!("{{\"error\":\"{error}\",\"message\":\"");
    assert!(answer.starts_with(&start) && answer.ends_with("\"}\n"), "{line}: {answer}");
}

#[test]
fn a_decision_names_the_deciding_entry() {
    let allowed = |pattern: &str| format!(r#"{{"allowed":true,"reason":"allowed","pattern":{pattern}}}"#);
    let denied = |reason: &str, pattern: &str| {
        format!(r#"{{"allowed":false,"reason":"{reason}","pattern":{pattern}}}"#)
    };
    check(&[
        (
            r#"{"dirs":{},"op":"read","path":"a"}"#,
            r#"{"allowed":true,"reason":"allowed-by-default","pattern":null}"#,
        ),
        (r#"{"dirs":{"read_dirs":["b","./a/**","a"]},"op":"read","path":"a/b"}"#, &allowed(r#""./a/**""#)),
        (r#"{"dirs":{"read_dirs":["b"]},"op":"read","path":"a"}"#, &denied("not-in-allow-list", "null")),
        (r#"{"path":"a","op":"write","dirs":{"no_write_dirs":["*"]}}"#, &denied("denied", r#""*""#)),
        (
            r#"{"dirs":{"no_write_file_ext_names":[".RS"]},"op":"write","path":"a.rs"}"#,
            &denied("extension-denied", r#"".RS""#),
        ),
        (
            r#"{"dirs":{"write_file_ext_names":["md"]},"op":"write","path":"a.rs"}"#,
            &denied("extension-not-allowed", "null"),
        ),
        (
            r#"{"dirs":{"read_dirs":["a**b"],"no_read_dirs":[""]},"op":"read","path":"a"}"#,
            &denied("invalid-policy", r#""""#),
        ),
        (r#"{"dirs":{"read_dirs":{}},"op":"read","path":"a"}"#, &denied("invalid-policy", "null")),
        (r#"{"dirs":{"read_dirs":["."]},"op":"write","path":"a.tsk"}"#, &denied("reserved", "null")),
        (r#"{"dirs":{},"op":"read","path":"a/../../a"}"#, &denied("outside", "null")),
        (r#"{"dirs":{},"op":"read","path":"a\\b"}"#, &denied("invalid-path", "null")),
    ]);
}

#[test]
fn lists_apply_until_they_are_replaced() {
    let allowed = r#"{"allowed":true,"reason":"allowed","pattern":"a"}"#;
    let denied = r#"{"allowed":false,"reason":"not-in-allow-list","pattern":null}"#;
    let default = r#"{"allowed":true,"reason":"allowed-by-default","pattern":null}"#;
    let ok = r#"{"policy":"ok","problems":[]}"#;
    let nothing =
        r#"{"error":"invalid-line","message":"the line has no `dirs`, and no previous line has set them"}"#;
    let question = r#"{"op":"read","path":"a"}"#;
    check(&[
        (question, nothing),
        (r#"{"dirs":{"read_dirs":["a"]}}"#, ok),
        (question, allowed),
        (r#"{"dirs":{"read_dirs":["b"]},"op":"read","path":"a"}"#, denied),
        (question, allowed),
        (r#"{"dirs":{}}"#, ok),
        (question, default),
    ]);
}

#[test]
fn invalid_lists_replace_previous_ones() {
    let lost = r#"{"error":"invalid-line","message":"the line has no `dirs`, and the last line that should set them was invalid"}"#;
    let question = r#"{"op":"read","path":"a"}"#;
    check(&[
        (r#"{"dirs":{}}"#, r#"{"policy":"ok","problems":[]}"#),
        (
            r#"{"dirs":{"no_raed_dirs":["a"]}}"#,
            r#"{"error":"invalid-line","message":"`dirs`: unknown key `no_raed_dirs`"}"#,
        ),
        (question, lost),
        (r#"{"dirs":5}"#, r#"{"error":"invalid-line","message":"`dirs` must be an object"}"#),
        (question, lost),
        (r#"{"dirs":{}}"#, r#"{"policy":"ok","problems":[]}"#),
        (question, r#"{"allowed":true,"reason":"allowed-by-default","pattern":null}"#),
    ]);
}

#[test]
fn every_invalid_entry_is_a_problem() {
    check(&[
        (
            r#"{"dirs":{"no_read_dirs":["a","b**",5],"read_dirs":null,"write_file_ext_names":["a/b"]}}"#,
            concat!(
                r#"{"policy":"invalid","problems":["#,
                r#"{"list":"no_read_dirs","entry":"b**","message":"`**` must be a whole segment"},"#,
                r#"{"list":"no_read_dirs","entry":null,"message":"every entry must be a string"},"#,
                r#"{"list":"read_dirs","entry":null,"message":"it must be a list of strings"},"#,
                r#"{"list":"write_file_ext_names","entry":"a/b","message":"it contains `/` or `\\`"}]}"#,
            ),
        ),
        (r#"{"op":"write","path":"a"}"#, r#"{"allowed":false,"reason":"invalid-policy","pattern":"a/b"}"#),
        (r#"{"op":"read","path":"a"}"#, r#"{"allowed":false,"reason":"invalid-policy","pattern":"b**"}"#),
    ]);
}

#[test]
fn a_pattern_is_matched_against_a_path() {
    check(&[
        (r#"{"pattern":"src/**","path":"src/a"}"#, r#"{"match":true}"#),
        (r#"{"path":"doc","pattern":"src/**"}"#, r#"{"match":false}"#),
        (r#"{"pattern":"\u0061","path":"./\u0061"}"#, r#"{"match":true}"#),
        (
            r#"{"pattern":"","path":""}"#,
            r#"{"error":"invalid-pattern","message":"invalid pattern ``: it is blank"}"#,
        ),
    ]);
    expect_error(r#"{"pattern":"a","path":"/a"}"#, "invalid-path");
    expect_error(r#"{"pattern":"a**","path":"/a"}"#, "invalid-pattern");
}

#[test]
fn invalid_questions_are_invalid_lines() {
    for line in [
        "a",
        "{}",
        "[]",
        "null",
        r#"{"op":"read","path":"a","dirs":{}} x"#,
        r#"["a","b"]"#,
        r#"{"dirs":{},"op":"read"}"#,
        r#"{"dirs":{},"path":"a"}"#,
        r#"{"path":"a"}"#,
        r#"{"dirs":{},"op":"exec","path":"a"}"#,
        r#"{"dirs":{},"op":"Read","path":"a"}"#,
        r#"{"dirs":{},"op":"read","path":null}"#,
        r#"{"dirs":{},"op":5,"path":"a"}"#,
        r#"{"dirs":null,"op":"read","path":"a"}"#,
        r#"{"dirs":[],"op":"read","path":"a"}"#,
        r#"{"dirs":[["a"]],"op":"read","path":"a"}"#,
        r#"{"dirs":"a","op":"read","path":"a"}"#,
        r#"{"dirs":{"x":[]},"op":"read","path":"a"}"#,
        r#"{"dirs":{"read_dirs":[],"read_dirs":[]},"op":"read","path":"a"}"#,
        r#"{"dirs":{},"dirs":{},"op":"read","path":"a"}"#,
        r#"{"dirs":{},"op":"read","op":"read","path":"a"}"#,
        r#"{"dirs":{},"op":"read","path":"a","member":"b"}"#,
        r#"{"dirs":{},"op":"read","path":"a","pattern":"a"}"#,
        r#"{"dirs":{},"pattern":"a","path":"a"}"#,
        r#"{"dirs":{},"op":"read","path":"\ud800"}"#,
        "{\"dirs\":{},\"op\":\"read\",\"path\":\"a\tb\"}",
    ] {
        expect_error(line, "invalid-line");
    }
}

#[test]
fn blank_lines_have_no_answer_and_other_bytes_do() {
    let mut answers = String::new();
    for line in [b"".as_slice(), b" \t ", b"\r", b"\xff"] {
        Decider::default().answer(line, &mut answers);
    }
    assert_eq!(answers, "{\"error\":\"invalid-line\",\"message\":\"the line is not valid UTF-8\"}\n");
}

#[test]
fn many_different_lists_are_not_confused() {
    let mut decider = Decider::default();
    for round in 0..2 {
        for at in 0..1_000 {
            let mut answer = String::new();
            let line = format!(r#"{{"dirs":{{"read_dirs":["a{at}"]}},"op":"read","path":"a{at}"}}"#);
            decider.answer(line.as_bytes(), &mut answer);
            assert!(answer.starts_with("{\"allowed\":true"), "{round}: {line}: {answer}");
        }
    }
}

#[test]
fn deeply_nested_lists_are_invalid() {
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    let mut answer = String::new();
    let line = format!(r#"{{"dirs":{{"read_dirs":{deep}}},"op":"read","path":"a"}}"#);
    Decider::default().answer(line.as_bytes(), &mut answer);
    assert_eq!(answer, "{\"allowed\":false,\"reason\":\"invalid-policy\",\"pattern\":null}\n");
}

proptest! {
    /// Every line except blank ones has one answer on one line.
    #[test]
    fn any_bytes_have_one_answer(
        parts in prop::collection::vec(prop::sample::select(vec![
            "{", "}", "[", "]", ",", ":", "\"dirs\"", "\"op\"", "\"path\"", "\"pattern\"", "\"read\"",
            "\"read_dirs\"", "\"a\"", "\"\\ud800\"", "5", "null", " ", "\u{feff}", "é",
        ]), 0..24),
    ) {
        let line = parts.concat();
        let mut answer = String::new();
        Decider::default().answer(line.as_bytes(), &mut answer);
        if line.trim().is_empty() {
            prop_assert_eq!(answer, "");
        } else {
            prop_assert_eq!(answer.matches('\n').count(), 1);
            prop_assert!(serde_json::from_str::<serde_json::Value>(&answer).is_ok());
        }
    }
}
