//! The model of Gemini CLI decides as the client did, which `cargo xtask clients` drives and records. It is tested here, where
//! there are regular expressions.

use std::path::Path;

use minds_clients::permissions::{Effect, GeminiPolicy, GeminiRule};
use serde_json::{Value, json};

use crate::differential::is_match;

#[test]
fn gemini_decides_as_recorded() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/recorded/clients/gemini.json");
    let record: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let mut count = 0;
    for session in record["sessions"].as_array().unwrap() {
        let policy = policy(&session["permissions"]);
        for question in session["questions"].as_array().unwrap() {
            let [operation, path, decision] = [0, 1, 2].map(|at| question[at].as_str().unwrap());
            // The pattern is compared with the path as it is written.
            let written = path.replace("@WORK@", "/work");
            let (tool, arguments) = match operation {
                "read" => ("read_file", json!({ "file_path": written })),
                _ => {
                    ("write_file", json!({ "content": format!("content of {path}\n"), "file_path": written }))
                }
            };
            let effect = policy.decide_call("m", tool, &arguments.to_string());
            let is_allowed = decision == "allowed";
            assert_eq!(effect == Effect::Allow, is_allowed, "{} {operation} {path}", session["name"]);
            count += 1;
        }
    }
    assert!(count > 60, "{count}");
}

/// Reads rules `[tools, arguments, effect, priority]`.
fn policy(rules: &Value) -> GeminiPolicy<fn(&str, &str) -> bool> {
    let read_strings = |value: &Value| match value {
        Value::String(text) => vec![text.clone()],
        other => other.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect(),
    };
    let rules = rules.as_array().unwrap().iter().map(|rule| GeminiRule {
        tools: read_strings(&rule[0]),
        agent: None,
        arguments: rule[1].as_str().map(str::to_owned),
        effect: Effect::parse(rule[2].as_str().unwrap()).unwrap(),
        priority: u16::try_from(rule[3].as_u64().unwrap()).unwrap(),
    });
    // The client drops rules with patterns that it cannot use safely, and those with a priority above 999.
    let is_kept = |rule: &GeminiRule| {
        rule.priority < 1_000
            && rule
                .arguments
                .as_deref()
                .is_none_or(|pattern| regex::Regex::new(pattern).is_ok() && !pattern.contains("+)+"))
    };
    GeminiPolicy { rules: rules.filter(is_kept).collect(), is_match }
}
