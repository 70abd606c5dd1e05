//! The document of the page, and its changes.

use serde_json::{Value, json};

use crate::view::served::Workspace;

#[test]
fn the_document_has_the_author_of_each_change() {
    let workspace = Workspace::with_task();
    workspace.set("bearinmind/risks", "- none\n");
    workspace.set("ux/checklist", "- look\n");
    let served = workspace.view(&[]);
    let package = served.get("api/package").json();
    for (field, value) in [("name", "demo"), ("path", "tasks/demo.tsk"), ("actor", "user:alice")] {
        assert_eq!(package[field], value);
    }
    let names: Vec<&str> = package["sections"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| part["section"].as_str().unwrap())
        .collect();
    let bears = ["contracts", "acceptance", "grants", "runbook", "decisions", "risks"];
    let bears = bears.map(|name| format!("bearinmind/{name}"));
    let expected = ["goals", "constraints"]
        .into_iter()
        .chain(bears.iter().map(String::as_str))
        .chain(["progress", "ux/checklist"]);
    assert_eq!(names, expected.collect::<Vec<_>>());
    let goals = served.section("goals");
    assert_eq!(goals["text"], "Ship it.\n");
    assert_eq!((&goals["last"]["actor"], &goals["last"]["operation"]), (&json!("user:alice"), &json!("set")));
    assert_eq!(
        (&goals["last"]["time"], &goals["hash"]),
        (&workspace.journal()[0]["time"], &workspace.journal()[0]["after"])
    );
    assert_eq!(served.section("progress")["last"], Value::Null);
    assert_eq!(
        (&served.section("bearinmind/grants")["text"], &served.section("bearinmind/grants")["hash"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(served.section("ux/checklist")["is_injected"], false);
    let effective = workspace.minds(&["task", "show", "--effective"]);
    assert_eq!(package["effective"]["bytes"], effective.len());
    // A change by another program is not attributed to the last author.
    std::fs::write(workspace.path().join("tasks/demo.tsk/goals.md"), "By hand.\n").unwrap();
    assert_eq!(served.section("goals")["last"]["is_current"], false);
}

#[test]
fn an_unreadable_section_is_reported_and_other_sections_are_shown() {
    let workspace = Workspace::with_task();
    let package = workspace.path().join("tasks/demo.tsk");
    std::fs::remove_file(package.join("progress.md")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", package.join("progress.md")).unwrap();
    std::fs::write(package.join("constraints.md"), b"\xff").unwrap();
    let served = workspace.view(&[]);
    assert_eq!(served.section("progress")["problem"]["code"], "NOT_A_FILE");
    assert_eq!(served.section("constraints")["problem"]["code"], "INVALID_UTF8");
    assert_eq!(served.section("goals")["text"], "Ship it.\n");
    let effective = served.get("api/package").json()["effective"].clone();
    assert_eq!(effective["unread"], json!(["constraints.md", "progress.md"]));
    assert!(effective["bytes"].as_u64().unwrap() > 100, "{effective}");
    std::fs::remove_dir_all(&package).unwrap();
    let gone = served.get("api/package");
    assert_eq!((gone.status, &gone.json()["code"]), (404, &json!("TASKDOC_NOT_FOUND")));
}

#[test]
fn a_change_applies_only_to_the_displayed_content() {
    let workspace = Workspace::with_task();
    let served = workspace.view(&[]);
    let shown = served.section("goals")["hash"].clone();
    let body = "# Ziel \u{1f600}\r\n\0\n```\n# no heading\n---\nno end";
    let done = served.put("goals", &json!({"content": body, "hash": shown}));
    assert_eq!((done.status, &done.json()["changed"]), (200, &json!(true)), "{done:?}");
    assert_eq!(workspace.file("goals.md"), body);
    let journal = workspace.journal();
    assert_eq!(journal.len(), 2);
    assert_eq!(
        (&journal[1]["actor"], &journal[1]["section"], &journal[1]["before"]),
        (&json!("user:alice"), &json!("goals"), &shown)
    );
    assert_eq!(done.json()["section"]["hash"], journal[1]["after"]);

    // A page with the old content receives the current one.
    let late = served.put("goals", &json!({"content": "late\n", "hash": shown}));
    assert_eq!((late.status, &late.json()["code"]), (409, &json!("HASH_MISMATCH")), "{late:?}");
    assert_eq!(
        (&late.json()["section"]["text"], &late.json()["section"]["last"]["actor"]),
        (&json!(body), &json!("user:alice"))
    );
    let clear = served.put("goals", &json!({"clear": true, "hash": shown}));
    assert_eq!(clear.status, 409);
    assert_eq!((workspace.file("goals.md").as_str(), workspace.journal().len()), (body, 2));

    let now = served.section("goals")["hash"].clone();
    let same = served.put("goals", &json!({"content": body, "hash": now}));
    assert_eq!((same.status, &same.json()["changed"]), (200, &json!(false)));
    let blank = served.put("goals", &json!({"content": " \n", "hash": now}));
    assert_eq!((blank.status, &blank.json()["code"]), (400, &json!("CONTENT_REQUIRED")));
    let clear = served.put("goals", &json!({"clear": true, "hash": now}));
    assert_eq!((clear.status, workspace.file("goals.md").as_str()), (200, ""));
    assert_eq!(workspace.journal()[2]["operation"], "clear");
}

#[test]
fn a_missing_section_is_created_and_not_overwritten() {
    let workspace = Workspace::with_task();
    let served = workspace.view(&[]);
    let made = served.put("bearinmind/risks", &json!({"content": "- r\n", "hash": null}));
    assert_eq!((made.status, workspace.file("bearinmind/risks.md").as_str()), (200, "- r\n"));
    let again = served.put("bearinmind/risks", &json!({"content": "- other\n", "hash": null}));
    assert_eq!((again.status, &again.json()["code"]), (409, &json!("SECTION_EXISTS")));
    assert_eq!(again.json()["section"]["text"], "- r\n");
    assert_eq!(workspace.file("bearinmind/risks.md"), "- r\n");
}

#[test]
fn an_invalid_change_is_refused_and_changes_nothing() {
    let workspace = Workspace::with_task();
    let served = workspace.view(&[]);
    let hash = served.section("goals")["hash"].clone();
    let right = json!({"content": "x\n", "hash": hash});
    for (section, code) in [
        ("GOALS", "INVALID_TOP_LEVEL_SELECTOR"),
        ("grants", "INVALID_TOP_LEVEL_SELECTOR"),
        ("bearinmind/goals", "TOP_LEVEL_SELECTOR_REQUIRES_NO_CATEGORY"),
        ("ux/goals", "TOP_LEVEL_SELECTOR_REQUIRES_NO_CATEGORY"),
        ("../goals", "INVALID_CATEGORY_NAME"),
        ("../../escape/x", "INVALID_CATEGORY_NAME"),
        (".history/x", "INVALID_CATEGORY_NAME"),
        ("ux/../../x", "INVALID_CATEGORY_SELECTOR"),
        ("ux/%2e%2e", "INVALID_CATEGORY_SELECTOR"),
        ("ux%2fx", "INVALID_TOP_LEVEL_SELECTOR"),
        ("journal.jsonl", "INVALID_TOP_LEVEL_SELECTOR"),
        ("!goals", "INVALID_REQUEST"),
        ("", "SELECTOR_REQUIRED"),
    ] {
        let reply = served.put(section, &right);
        assert_eq!((reply.status, &reply.json()["code"]), (400, &json!(code)), "{section}: {reply:?}");
    }
    for body in [
        "{}",
        "[]",
        "null",
        "\"x\"",
        "{\"content\": \"x\"}",
        "{\"content\": 1, \"hash\": null}",
        "{",
        &"[".repeat(100_000),
    ] {
        let reply = served.ask("PUT", "api/sections/goals", "Content-Type: application/json\r\n", body);
        assert_eq!((reply.status, &reply.json()["code"]), (400, &json!("INVALID_REQUEST")), "{body:.20}");
    }
    for media_type in
        ["", "Content-Type: text/plain\r\n", "Content-Type: application/x-www-form-urlencoded\r\n"]
    {
        let reply = served.ask("PUT", "api/sections/goals", media_type, &right.to_string());
        assert_eq!(reply.status, 415, "{media_type}");
    }
    assert_eq!((workspace.file("goals.md").as_str(), workspace.journal().len()), ("Ship it.\n", 1));
}

#[test]
fn sizes_are_bounded() {
    const MAX_BYTES: usize = 4 * 1024 * 1024;
    let workspace = Workspace::with_task();
    let served = workspace.view(&[]);
    let hash = |name: &str| served.section(name)["hash"].clone();
    // The maximum size of a section, with each byte escaped to six.
    let largest = "\u{1}".repeat(MAX_BYTES - 1) + "x";
    let done = served.put("progress", &json!({"content": largest, "hash": hash("progress")}));
    assert_eq!(done.status, 200, "{}", done.headers);
    assert_eq!(workspace.file("progress.md"), largest);
    let more = served.put("goals", &json!({"content": "x".repeat(MAX_BYTES + 1), "hash": hash("goals")}));
    assert_eq!((more.status, &more.json()["code"]), (413, &json!("TOO_LARGE")));
    // A body that declares a larger size is not read.
    let head = "Content-Type: application/json\r\nContent-Length: 999999999999\r\n";
    assert_eq!(served.ask("PUT", "api/sections/goals", head, "").status, 413);
    assert_eq!(workspace.file("goals.md"), "Ship it.\n");
    assert_eq!(served.get("api/package").status, 200);
}
