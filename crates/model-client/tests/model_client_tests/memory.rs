//! The memory that hostile answers need, measured in a process of its own.

use std::process::Command;

use minds_model_client::{AnswerReader, ModelRequest, Protocol};

/// The variable with the number of the case.
const CASE: &str = "MINDS_TEST_MEMORY_CASE";
/// The memory that an answer may need, in KiB.
const MAX_KIB: u64 = 64 << 10;

/// Returns the largest memory of this process so far, in KiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().strip_suffix("kB").unwrap().trim().parse().unwrap()
}

/// A beginning, what is repeated, and how often at most.
type Case = (&'static str, &'static str, usize);

/// Answers that never end by themselves.
const CASES: [(Protocol, Case); 7] = [
    (Protocol::OpenAi, ("data: ", "x", 1 << 30)),
    (Protocol::OpenAi, (":", "x", 1 << 30)),
    (Protocol::OpenAi, ("data: {\"choices\":[", "{},", 1 << 28)),
    (
        Protocol::OpenAi,
        (
            "",
            "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}}]}\n\n",
            1_000_000,
        ),
    ),
    (
        Protocol::OpenAi,
        (
            "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"f\",\"arguments\":[",
            "{\"a\":0},",
            1 << 27,
        ),
    ),
    (
        Protocol::Anthropic,
        (
            "",
            "data: {\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"name\":\"f\",\"input\":{\"a\":1}}}\n\n",
            1_000_000,
        ),
    ),
    (
        Protocol::Gemini,
        ("data: {\"candidates\":[{\"content\":{\"parts\":[", "{\"functionCall\":{\"name\":\"f\"}},", 1 << 26),
    ),
];

#[test]
fn a_hostile_answer_is_an_error_within_64_mib() {
    for case in 0..CASES.len() {
        let mut process = Command::new(std::env::current_exe().unwrap());
        process.args(["--exact", "memory::answer", "--nocapture"]).env(CASE, case.to_string());
        let output = process.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "case {case}: {text}{}", String::from_utf8_lossy(&output.stderr));
        let used: u64 = text.split("used ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
        assert!(used <= MAX_KIB, "case {case} used {used} KiB");
    }
}

/// Does nothing unless it is started by the test above.
#[test]
fn answer() {
    let Ok(case) = std::env::var(CASE) else { return };
    let (protocol, (start, part, count)) = CASES[case.parse::<usize>().unwrap()];
    let block = part.repeat((64 << 10) / part.len());
    let before = peak();
    let mut reader = AnswerReader::new(protocol, &ModelRequest::default(), true);
    let mut events = std::collections::VecDeque::new();
    reader.push(start.as_bytes(), &mut events).unwrap();
    let mut pushed = 0;
    while reader.push(block.as_bytes(), &mut events).is_ok() {
        pushed += block.len() / part.len();
        assert!(pushed < count, "it has no limit");
    }
    println!("used {} KiB, {} events", peak() - before, events.len());
}
