//! The tool that answers with a page.

use minds_toolset::manual::pages;
use minds_toolset::{Answer, Caller, Toolbox};
use serde_json::{Value, json};

use crate::manual::Folder;

fn call(folder: &Folder, args: Value) -> Answer {
    Toolbox::new().call(&folder.context(), "team_mgmt_manual", &args, &Caller::operator("ana"))
}

#[track_caller]
fn page(args: Value, topics: &[&str], begins: &str) -> Value {
    let answer = call(&Folder::new(&[]), args).to_json();
    assert_eq!((&answer["status"], &answer["topics"]), (&json!("ok"), &json!(topics)), "{answer}");
    assert!(answer["content"].as_str().unwrap().starts_with(begins), "{answer}");
    answer
}

#[test]
fn a_page_is_returned_in_the_requested_language() {
    page(json!({}), &["index"], "# Managing the team\n");
    page(json!({"topics": [], "lang": ""}), &["index"], "# Managing the team\n");
    page(json!({"topics": ["topics"], "lang": "en"}), &["topics"], "# Topics\n");
    let answer = page(
        json!({"topics": ["troubleshooting", "mcp"], "lang": "zh"}),
        &["mcp", "troubleshooting"],
        "# MCP ",
    );
    assert_eq!((&answer["lang"], &answer["title"]), (&json!("zh"), &json!("MCP 服务器的故障")));
    assert_eq!(answer["summary"], "the manual page mcp, troubleshooting");
    assert_eq!(answer.get("other_topics"), None);
}

#[test]
fn several_pages_are_answered_in_one_call() {
    let answer = page(json!({"topics": ["llm", "team"]}), &["team"], "# ");
    assert_eq!(answer["other_topics"], json!([["llm"]]));
    let content = answer["content"].as_str().unwrap();
    let alone = page(json!({"topics": ["llm"]}), &["llm"], "# ");
    assert!(content.ends_with(alone["content"].as_str().unwrap()), "{content}");
    // Topics that do not fit are listed instead.
    let topics = ["findings", "builtin-defaults", "files", "member-properties", "mcp", "team", "tasks"];
    let answer = page(
        json!({"topics": topics}),
        &["team", "member-properties"],
        "> For the remaining topic, request `[",
    );
    assert!(answer["content"].as_str().unwrap().len() < 40_000);
}

#[test]
fn all_fields_and_tools_are_named_in_few_bytes() {
    let answer = page(json!({"topics": ["fields"]}), &["fields"], "# ");
    let content = answer["content"].as_str().unwrap();
    for word in [
        "no_write_dirs",
        "apiKeyEnvVar",
        "transform` list",
        "task_home` string",
        "`team_mgmt_validate`",
        "`shell_cmd`",
    ] {
        assert!(content.contains(word), "{word}: {content}");
    }
    assert!(content.len() <= 8 * 1024, "{}", content.len());
}

#[test]
fn unknown_topics_are_reported_first() {
    let begins = "> The manual has no topic `member-propertis`; similar: `member-properties`. This is the parent page.\n\n# ";
    page(json!({"topics": ["team", "member-propertis"]}), &["team"], begins);
    page(json!({"topics": ["team", "zz"], "lang": "zh"}), &["team"], "> 手册里没有主题 `zz`；");
}

#[test]
fn an_unknown_topic_is_refused_and_the_refusal_is_short() {
    let answer = call(&Folder::new(&[]), json!({"topics": ["nope"]}));
    let refusal = answer.to_json();
    assert_eq!((&refusal["status"], &refusal["code"]), (&json!("error"), &json!("UNKNOWN_TOPIC")));
    assert!(refusal["message"].as_str().unwrap().contains("`nope`"), "{refusal}");
    assert_eq!(refusal["details"]["nearest"].as_array().unwrap().len(), 3);
    let long = call(&Folder::new(&[]), json!({"topics": ["t".repeat(64)]}));
    assert!(long.to_text().len() <= 480, "{}", long.to_text());
    // Nothing in it can be taken for a line of its own.
    let odd = call(&Folder::new(&[]), json!({"topics": ["a\u{1b}[31m\u{202e}b"]})).to_text();
    assert!(!odd.contains('\u{1b}') && !odd.contains('\u{202e}'), "{odd}");
}

#[test]
fn arguments_are_checked() {
    for args in
        [json!({"topics": "llm"}), json!({"topics": [7]}), json!({"lang": "fr"}), json!({"topic": []})]
    {
        assert_eq!(call(&Folder::new(&[]), args.clone()).to_json()["code"], "INVALID_ARGS", "{args}");
    }
}

#[test]
fn the_answer_is_about_the_workspace_as_it_is_and_leaves_it_so() {
    let llm = "providers: {fixture: {apiType: codex, baseUrl: 'https://e.org', models: {a: {}}}}\n";
    let folder = Folder::new(&[(".minds/llm.yaml", llm)]);
    let answer = call(&folder, json!({"topics": ["builtin-defaults"]})).to_json();
    assert!(
        answer["content"].as_str().unwrap().contains("| `fixture` | added in `.minds/llm.yaml` |"),
        "{answer}"
    );
    let files: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(files, ["workspace"], "nothing is remembered");
    assert!(!Folder::new(&[]).path().join("workspace/.minds").exists());
}

/// A model should not need a call to find out what to ask for.
#[test]
fn the_description_names_all_topics() {
    let tool = Toolbox::new().list().into_iter().find(|tool| tool.name == "team_mgmt_manual").unwrap();
    let text = format!("{} {}", tool.description, tool.input_schema);
    for topic in pages().topics() {
        for part in topic.path().iter().filter(|part| !["index", "topics"].contains(part)) {
            let is_toolset = topic.path().len() == 2 && topic.path()[0] == "toolsets";
            assert!(is_toolset || text.contains(part), "{part}");
        }
    }
}
