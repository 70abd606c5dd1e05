//! Descriptions and refusals are short.

use minds_toolset::Toolbox;
use serde_json::json;

use crate::edits::site::Site;

#[test]
fn descriptions_are_short() {
    for tool in Toolbox::new().list() {
        if !tool.name.contains("preview_") && !tool.name.contains("apply_") {
            continue;
        }
        let input = json!({
            "name": tool.name,
            "description": tool.description,
            "inputSchema": tool.input_schema,
            "annotations": tool.annotations,
        });
        let (input, output) =
            (input.to_string().len(), tool.output_schema.as_ref().unwrap().to_string().len());
        assert!(input <= 1_500, "{}: {input} bytes", tool.name);
        assert!(output <= 800, "{}: {output} bytes", tool.name);
        for schema in [&tool.input_schema, tool.output_schema.as_ref().unwrap()] {
            jsonschema::meta::validate(schema).unwrap();
        }
    }
}

/// Fields that an answer only has in some cases: by the kind of the plan, or if there is something to report.
const OPTIONAL: [&str; 9] = [
    "style_warning",
    "range",
    "append_range",
    "inserted_at_line",
    "inserted_line_count",
    "block_range",
    "replace_slice",
    "planned_file_digest_sha256",
    "current_file_digest_sha256",
];

#[test]
fn the_answers_of_edits_match_their_schemas() {
    let site = Site::with("<\na\n>\n");
    let toolbox = Toolbox::new();
    let fits = |name: &str, answer: &serde_json::Value| {
        let tool = toolbox.list().into_iter().find(|tool| tool.name == name).unwrap();
        jsonschema::validate(tool.output_schema.as_ref().unwrap(), answer).unwrap();
        if answer["status"] == "ok" {
            let fields = tool.output_schema.as_ref().unwrap()["properties"].as_object().unwrap().keys();
            let is_preview = |field: &&String| name.contains("preview_") && *field != "style_warning";
            for field in fields.filter(|field| is_preview(field) || !OPTIONAL.contains(&field.as_str())) {
                assert!(answer.get(field).is_some(), "{name} does not give `{field}`");
            }
        }
    };
    let calls = [
        ("file_modification", json!({"range": "2", "content": "b"})),
        ("file_modification", json!({"range": "9", "content": "b"})),
        ("file_append", json!({"content": "b"})),
        ("insert_after", json!({"anchor": "a", "content": "b"})),
        ("insert_before", json!({"anchor": "a", "content": "b"})),
        ("block_replace", json!({"start_anchor": "<", "end_anchor": ">", "content": "b"})),
    ];
    for (tool, args) in calls {
        fits(&format!("team_mgmt_preview_{tool}"), &site.preview(tool, args));
    }
    fits("team_mgmt_apply_file_modification", &site.apply(&site.range("2", "b")));
    fits("team_mgmt_apply_file_modification", &site.apply("00000000"));
}

/// A refusal for one problem and a path of 64 bytes has at most 120 tokens, of four bytes each.
#[test]
fn refusals_are_short() {
    let path = format!(".minds/{}.md", "p".repeat(54));
    let site = Site::new(&[(&path, "a\na\n")]);
    let refusals = [
        ("preview_file_modification", json!({"range": "x", "content": "b"})),
        ("preview_file_modification", json!({"range": "9", "content": "b"})),
        ("preview_file_modification", json!({"range": "1", "existing_hunk_id": "x".repeat(32)})),
        ("preview_file_modification", json!({"range": "1", "existing_hunk_id": "x".repeat(33)})),
        ("preview_file_append", json!({"content": ""})),
        ("preview_insert_after", json!({"anchor": "a", "content": "b"})),
        ("preview_insert_after", json!({"anchor": "z", "content": "b"})),
        ("preview_insert_after", json!({"anchor": "a", "content": "b", "occurrence": 5})),
        ("preview_insert_after", json!({"anchor": "", "content": "b"})),
    ];
    let mut answers = Vec::new();
    for (tool, mut args) in refusals {
        args["path"] = json!(path);
        answers.push(site.answer(&format!("team_mgmt_{tool}"), args));
    }
    let plan = |tool: &str, mut args: serde_json::Value| {
        args["path"] = json!(path);
        site.answer(&format!("team_mgmt_preview_{tool}"), args).to_json()["hunk_id"].clone()
    };
    let ids = [
        plan("file_modification", json!({"range": "1", "content": "b"})),
        plan("block_replace", json!({"start_anchor": "a", "end_anchor": "a", "content": "b"})),
    ];
    let revised = json!({"path": path, "content": "b", "existing_hunk_id": ids[0]});
    answers.push(site.answer("team_mgmt_preview_file_append", revised));
    for now in ["a\n", "a\na\na\n", "b\n"] {
        site.write(&path, now);
        for id in &ids {
            answers.push(site.answer("team_mgmt_apply_file_modification", json!({"hunk_id": id})));
        }
    }
    let folder = site.path("").to_string_lossy().into_owned();
    for answer in answers {
        assert!(answer.is_refused(), "{}", answer.to_json());
        let text = answer.to_text();
        assert!(text.len() <= 480, "{} bytes: {text}", text.len());
        assert!(answer.result.as_ref().unwrap_err().next.is_some(), "{text}");
        assert!(!answer.to_json().to_string().contains(&folder), "{text}");
    }
}
