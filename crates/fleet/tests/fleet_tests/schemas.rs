//! The JSON Schemas and the decoder agree on every key with every type, and on boundary values.

use jsonschema::Validator;
use minds_diagnostics::Severity;
use minds_document::json_schema::Draft;
use minds_fleet::FleetFamily;
use minds_fleet::schema::KINDS;
use minds_vfs::{Snapshot, WorkspacePath};
use serde_json::{Value, json};

/// A value of each kind with all keys.
const WHOLE: [(&str, &str); 4] = [
    ("fleet-project", r#"{"name": "a", "description": "b", "retention_days": 5}"#),
    (
        "fleet-models",
        r#"{"models": {"m": {"name": "a", "description": "b", "provider": "c", "context_window_size": 5,
            "default_inference": {"max_tokens": 1, "stream": true, "temperature": 0.5, "top_p": 1, "top_k": 1,
            "seed": 1, "stop": ["a"]}, "model_settings": {"a": 1, "base_url": "http://a", "api_key_env": "A",
            "model": "b", "script": "c"}}}}"#,
    ),
    (
        "fleet-tools",
        r#"{"mcp": {"transport": {"kind": "redis", "name": "a", "url": "redis://a", "username": "a", "password": "b",
            "tls": false, "ca_file": "c", "prefix": "a:", "allow_plaintext": true}},
            "tools": {"allow": ["fs.read"], "deny": ["os.exec"], "unsafe": false},
            "redact": ["a"], "security": {"require_bootstrap": true}, "kb": {"allow_urls": true},
            "tuning": {"tail_coalesce_ms": 50, "os_exec_partial_flush_ms": 40, "history_max_bytes": 65536,
            "summary_target_tokens": 400, "console_rpc_timeout": 15, "ownership_takeover_grace": 2}}"#,
    ),
    (
        "fleet-agent",
        r#"{"name": "a", "engine": {"kind": "acp", "command": "a", "args": ["b"], "env": {"A": "b"},
            "permissions": {"read": "ask", "move": "deny"}}, "member": "a", "cwd": "a",
            "model": "m", "prompt": {"base": "a.md", "overlay": "b.md"},
            "scratchpad": {"max_iterations": 1, "score_lower_bound": 0.5}, "tools": {"allow": ["a.b"], "confirm": ["a.b"]},
            "fs": {"whitelist": ["/a"]}, "telemetry": {"prometheus_port": 1}, "exec": {"inherit_env": true, "env": ["A"],
            "read": ["/a"], "write": ["~/a"], "require_sandbox": true},
            "limits": {"max_steps": 1, "turn_seconds": 1, "tool_output_bytes": 2000}}"#,
    ),
];

/// What is put in the place of each value.
fn samples() -> Vec<Value> {
    let texts = [
        "",
        " ",
        "a",
        "a/b",
        "../a",
        "/a",
        "a/",
        "\\a",
        "C:\\a",
        "\\\\a\\b",
        "redis",
        "local",
        "llm",
        "acp",
        "codex",
        "allow",
        "mcp.a",
        "mcp.A-b.c",
        "mcp.a.b.c",
        "~/a",
        "zmq",
        "a:b",
        "redis://a:1/0",
        "rediss://h",
        "redis://",
        "http://a",
        "redis:// a",
        "fs.read",
        "fs.read@v2",
        "FS.read",
        "fs",
        "fs.*",
        "a b",
        "a_B-9",
        "é",
        "yes",
    ];
    let numbers = [
        json!(-1),
        json!(0),
        json!(1),
        json!(0.5),
        json!(1.5),
        json!(2),
        json!(365),
        json!(366),
        json!(65_535),
        json!(65_536),
        json!(5.0),
    ];
    let others = [
        json!(null),
        json!(true),
        json!([]),
        json!({}),
        json!(["fs.read"]),
        json!([5]),
        json!({"a": 1}),
        json!({"x-a": 1}),
    ];
    texts.into_iter().map(Value::from).chain(numbers).chain(others).collect()
}

/// Returns whether decoding finds an error in the shape of a file.
fn is_refused(file: &str, value: &Value) -> (bool, Vec<String>) {
    let path = WorkspacePath::parse(&file.replace('*', "a")).unwrap();
    let parsed = FleetFamily::load(&Snapshot::new().with_file(path, value.to_string()));
    let errors = parsed.problems.into_sorted().into_iter().filter(|found| found.severity == Severity::Error);
    let messages: Vec<String> =
        errors.map(|found| format!("{}: {}", found.rule.code, found.message)).collect();
    (!messages.is_empty(), messages)
}

/// Returns whether a difference is meant: the decoder knows more of paths than a schema.
fn is_meant(value: &Value, pointer: &str, messages: &[String]) -> bool {
    let is_path = pointer.contains("/prompt/")
        && messages.iter().all(|message| message.starts_with("fleet/invalid-prompt-path"));
    let is_script = pointer.ends_with("/model_settings/script");
    // Older forms are read, and no schema knows them.
    let is_older = value.pointer(pointer).is_some_and(Value::is_object) && messages.is_empty();
    is_path || is_script || is_older && pointer.ends_with("/tools")
}

#[test]
fn every_key_with_every_type() {
    let mut compared = 0;
    for (kind, (name, whole)) in KINDS.iter().zip(WHOLE) {
        assert_eq!(kind.name, name);
        let validators: Vec<Validator> = Draft::ALL
            .map(|draft| jsonschema::validator_for(&draft.render(&(kind.schema)())).unwrap())
            .into();
        let whole: Value = serde_json::from_str(whole).unwrap();
        let mut check = |value: &Value, pointer: &str| {
            compared += 1;
            let (refused, messages) = is_refused(kind.file, value);
            let accepted: Vec<bool> = validators.iter().map(|validator| validator.is_valid(value)).collect();
            assert_eq!(accepted[0], accepted[1], "the drafts differ: {value}");
            assert!(
                accepted[0] != refused || is_meant(value, pointer, &messages),
                "{name} {pointer}: {value}\nschema accepts: {}, decoder: {messages:?}",
                accepted[0]
            );
        };
        check(&whole, "");
        for pointer in pointers(&whole) {
            for sample in samples() {
                let mut value = whole.clone();
                *value.pointer_mut(&pointer).unwrap() = sample;
                check(&value, &pointer);
            }
            // Without the key, and with another one beside it.
            let (parent, key) = pointer.rsplit_once('/').unwrap_or(("", ""));
            let mut value = whole.clone();
            if let Some(mapping) = value.pointer_mut(parent).and_then(Value::as_object_mut) {
                mapping.remove(key);
                check(&value, parent);
                for other in ["x-mine", "unknown", "<<", &format!("{key}s")] {
                    let mut value = whole.clone();
                    let mapping = value.pointer_mut(parent).and_then(Value::as_object_mut).unwrap();
                    mapping.insert((*other).to_owned(), json!({"a": 1}));
                    // Any name is one of a model, of a parameter and of a setting.
                    let is_open = parent.ends_with("default_inference") || parent.ends_with("model_settings");
                    if !(is_open || parent == "/models") {
                        check(&value, parent);
                    }
                }
            }
        }
    }
    assert!(compared > 2_000, "only {compared} files were compared");
}

fn pointers(value: &Value) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut at = 0;
    while let Some(pointer) = found.get(at).cloned() {
        match value.pointer(&pointer) {
            Some(Value::Object(entries)) => {
                found.extend(entries.keys().map(|key| format!("{pointer}/{key}")));
            }
            Some(Value::Array(items)) => {
                found.extend((0..items.len()).map(|index| format!("{pointer}/{index}")));
            }
            _ => {}
        }
        at += 1;
    }
    found.remove(0);
    found
}
