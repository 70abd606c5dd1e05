//! Descriptions of the file tools.

use std::collections::BTreeSet;

use jsonschema::Validator;
use minds_toolset::{ToolDescriptor, Toolbox};
use serde_json::{Value, json};

use crate::files::fixture::Fixture;

/// The tools of these files, by the end of their names.
const NAMES: [&str; 10] = [
    "search_text",
    "list_dir",
    "read_file",
    "create_new_file",
    "overwrite_entire_file",
    "mk_dir",
    "move_file",
    "move_dir",
    "rm_file",
    "rm_dir",
];

fn tool(name: &str) -> ToolDescriptor {
    Toolbox::new().list().into_iter().find(|tool| tool.name == name).unwrap()
}

/// What is sent of a tool, as bytes of JSON.
fn size(tool: &ToolDescriptor) -> (usize, usize) {
    let input = json!({"name": tool.name, "description": tool.description, "inputSchema": tool.input_schema,
        "annotations": tool.annotations});
    (input.to_string().len(), tool.output_schema.as_ref().unwrap().to_string().len())
}

#[test]
fn both_areas_have_the_same_tools() {
    let tools = Toolbox::new().list();
    let names: BTreeSet<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    for name in NAMES {
        assert!(names.contains(name) && names.contains(format!("team_mgmt_{name}").as_str()), "{name}");
    }
}

#[test]
fn descriptions_are_short() {
    for name in NAMES {
        let (input, output) = size(&tool(&format!("team_mgmt_{name}")));
        assert!(input <= 1_200 && output <= 600, "{name}: {input} and {output} bytes");
        let (input, output) = size(&tool(name));
        assert!(input <= 1_300 && output <= 600, "{name}: {input} and {output} bytes");
    }
}

#[test]
fn the_list_of_team_managers_is_short() {
    let tools = Toolbox::new().toolset("team-mgmt");
    assert_eq!(tools.len(), 22);
    let (input, output) = tools.iter().map(size).fold((0, 0), |sum, size| (sum.0 + size.0, sum.1 + size.1));
    // 6,000 and 3,000 tokens of four bytes.
    assert!(input <= 24_000 && output <= 12_000, "{input} and {output} bytes");
}

/// Reads only, may lose something, changes nothing more the second time, reaches beyond the workspace.
#[test]
fn annotations() {
    for (name, expected) in [
        ("list_dir", [true, false, true, false]),
        ("read_file", [true, false, true, false]),
        ("search_text", [true, false, true, false]),
        ("access_explain", [true, false, true, false]),
        ("create_new_file", [false, false, false, false]),
        ("overwrite_entire_file", [false, true, false, false]),
        ("mk_dir", [false, false, true, false]),
        ("move_file", [false, true, false, false]),
        ("move_dir", [false, true, false, false]),
        ("rm_file", [false, true, true, false]),
        ("rm_dir", [false, true, true, false]),
    ] {
        for name in [name.to_owned(), format!("team_mgmt_{name}")] {
            let Some(tool) = Toolbox::new().list().into_iter().find(|tool| tool.name == name) else {
                continue;
            };
            let said = serde_json::to_value(tool.annotations).unwrap();
            let hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"]
                .map(|hint| &said[hint]);
            assert_eq!(json!(hints), json!(expected), "{name}");
        }
    }
}

/// Answers and refusals match the output schemas, and have no undeclared fields.
#[test]
fn answers_fit_the_schemas() {
    let fixture = Fixture::new(&[("a", "x\n"), ("d/e", "y\n"), (".minds/a", "x\n"), (".minds/d/e", "y\n")]);
    let hash = minds_vfs::ContentHash::of(b"x\n").to_string();
    for top in ["", ".minds/"] {
        let path = |name: &str| format!("{top}{name}");
        let calls = [
            ("list_dir", json!({"path": path("d")})),
            ("list_dir", json!({"path": path("none")})),
            ("read_file", json!({"path": path("a")})),
            ("create_new_file", json!({"path": path("new"), "content": "n"})),
            ("create_new_file", json!({"path": path("new")})),
            ("overwrite_entire_file", json!({"path": path("a"), "content": "z", "known_old_sha256": hash})),
            ("overwrite_entire_file", json!({"path": path("a"), "content": "z", "known_old_sha256": hash})),
            ("mk_dir", json!({"path": path("made")})),
            ("move_file", json!({"from": path("a"), "to": path("b")})),
            ("move_dir", json!({"from": path("d"), "to": path("f")})),
            ("rm_file", json!({"path": path("b")})),
            ("rm_dir", json!({"path": path("f"), "recursive": true})),
            ("search_text", json!({"text": "n"})),
            ("access_explain", json!({"path": path("a"), "operation": "write"})),
            ("access_explain", json!({"path": path("a"), "operation": "write", "member": "stranger"})),
        ];
        for (name, args) in calls {
            let name = if top.is_empty() { name.to_owned() } else { format!("team_mgmt_{name}") };
            let Some(tool) = fixture.toolbox.list().into_iter().find(|tool| tool.name == name) else {
                continue;
            };
            let (input, output) =
                (validator(&tool.input_schema), validator(tool.output_schema.as_ref().unwrap()));
            assert!(input.is_valid(&args), "{name} {args}");
            let answer = fixture.call(&name, args);
            assert!(output.is_valid(&answer), "{name}: {answer}");
            let said = tool.output_schema.as_ref().unwrap()["properties"].as_object().unwrap();
            for field in answer.as_object().unwrap().keys().filter(|_| answer["status"] == "ok") {
                let is_said = said.contains_key(field) || ["tool", "summary"].contains(&field.as_str());
                assert!(is_said, "{name}: `{field}`");
            }
        }
    }
}

fn validator(schema: &Value) -> Validator {
    jsonschema::validator_for(schema).unwrap()
}
