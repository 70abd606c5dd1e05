//! A team is created in an empty directory with tools only.

use serde_json::json;

use crate::mcp::session::Workspace;

const FIRST: &str = "\
member_defaults:
  provider: codex
  model: gpt-5.2
  toolsets: [ws_read]
  no_write_dirs: [.minds]
default_responder: lead
members:
  lead:
    name: Lead
    toolsets: [team-mgmt]
  coder:
    name: Coder
    toolsets: [ws_mod]
    write_dirs: [src]
";

const REVIEWER: &str = "  reviewer:\n    name: Reviewer\n";

#[test]
fn an_empty_folder_becomes_a_valid_team_of_three() {
    let workspace = Workspace::new(&[]);
    let mut session = workspace.session(&["--member", "fuxi"]);
    let manual = session.call("team_mgmt_manual", json!({"topics": ["team"]}));
    assert!(manual["content"][1]["text"].as_str().unwrap().contains("member_defaults"), "{manual}");

    // A typo.
    let slip = FIRST.replace("default_responder: lead", "default_responder: laed");
    session.done("team_mgmt_create_new_file", json!({"path": ".minds/team.yaml", "content": slip}));

    // From now on the file decides, so its manager continues.
    let mut session = workspace.session(&["--member", "lead"]);
    let found = session.done("team_mgmt_validate_team_cfg", json!({}));
    assert_eq!(found["valid"], false, "{found}");
    assert_eq!(found["problems"][0]["code"], "team/unknown-member", "{found}");
    let line = found["problems"][0]["range"]["start"]["line"].as_u64().unwrap();
    let preview =
        json!({"path": ".minds/team.yaml", "range": line.to_string(), "content": "default_responder: lead"});
    let preview = session.done("team_mgmt_preview_file_modification", preview);
    assert!(preview["diff"].as_str().unwrap().contains("\n+default_responder: lead"), "{preview}");
    session.done("team_mgmt_apply_file_modification", json!({"hunk_id": preview["hunk_id"]}));

    let preview = json!({"path": ".minds/team.yaml", "content": REVIEWER});
    let preview = session.done("team_mgmt_preview_file_append", preview);
    let applied = session.done("team_mgmt_apply_file_modification", json!({"hunk_id": preview["hunk_id"]}));
    assert_eq!(applied["context_match"], "exact", "{applied}");

    let found = session.done("team_mgmt_validate_team_cfg", json!({}));
    assert_eq!((&found["valid"], &found["problems"]), (&json!(true), &json!([])), "{found}");
    check(&workspace);
}

#[track_caller]
fn check(workspace: &Workspace) {
    let checked = workspace.command(&["check", "--strict"]).output().unwrap();
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));
    let mut session = workspace.session(&[]);
    let team: serde_json::Value = serde_json::from_str(&session.resource("minds://team")).unwrap();
    let ids: Vec<&str> =
        team["members"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["lead", "coder", "reviewer", "fuxi", "pangu"]);
    let problems: serde_json::Value = serde_json::from_str(&session.resource("minds://problems")).unwrap();
    assert_eq!(problems["diagnostics"], json!([]));
}
