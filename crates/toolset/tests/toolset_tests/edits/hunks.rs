//! How planned changes are remembered.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use minds_toolset::Caller;
use serde_json::{Value, json};

use crate::edits::site::{START, Site, outcome};

const HOUR: u64 = 3_600_000;

#[test]
fn a_plan_is_valid_for_an_hour_after_its_last_preview() {
    let mut site = Site::with("a\n");
    let id = site.range("1", "b");
    site.now = START + HOUR - 1;
    let args = json!({"range": "1", "content": "c", "existing_hunk_id": id});
    let renewed = site.preview("file_modification", args.clone());
    assert_eq!((&renewed["hunk_id"], &renewed["expires_at_ms"]), (&json!(id), &json!(site.now + HOUR)));
    site.now += HOUR - 1;
    assert_eq!(outcome(&site.preview("file_modification", args.clone())), "ok");
    site.now += HOUR;
    assert_eq!(outcome(&site.preview("file_modification", args)), "HUNK_NOT_FOUND");
    assert_eq!(outcome(&site.apply(&id)), "HUNK_NOT_FOUND");
    assert!(site.hunks().is_empty(), "what is over is cleared away");
    assert_eq!(site.text(), "a\n");
}

#[test]
fn a_preview_removes_expired_plans() {
    let mut site = Site::with("a\n");
    let first = site.range("1", "b");
    site.now += HOUR;
    let second = site.range("1", "c");
    assert_ne!(first, second);
    assert_eq!(site.hunks().len(), 1);
}

#[test]
fn only_the_planner_applies_or_revises_a_change() {
    let mut site = Site::with("a\n");
    site.write(
        ".minds/team.yaml",
        "members:\n  alice: {toolsets: [team-mgmt, ws_mod]}\n  bob: {toolsets: [team-mgmt]}\n",
    );
    let callers = ["alice", "bob"].map(Caller::member);
    let id = site.range("1", "b");
    for caller in callers.into_iter().chain([Caller::operator("bob")]) {
        site.caller = caller;
        assert_eq!(outcome(&site.apply(&id)), "WRONG_OWNER");
        let args = json!({"range": "1", "content": "c", "existing_hunk_id": id});
        assert_eq!(outcome(&site.preview("file_modification", args)), "WRONG_OWNER");
    }
    site.caller = Caller::operator("alice");
    let other = site.call("apply_file_modification", json!({"hunk_id": id}));
    assert_eq!(outcome(&other), "WRONG_OWNER", "another toolset");
    assert_eq!(outcome(&site.apply(&id)), "exact");
}

#[test]
fn plans_of_general_tools_need_general_tools() {
    let site = Site::new(&[("src/a.rs", "a\n")]);
    let args = json!({"path": "src/a.rs", "range": "1", "content": "b"});
    let planned = site.call("preview_file_modification", args);
    assert_eq!(outcome(&planned), "ok", "{planned}");
    let id = planned["hunk_id"].as_str().unwrap();
    assert_eq!(outcome(&site.apply(id)), "WRONG_OWNER");
    assert_eq!(outcome(&site.call("apply_file_modification", json!({"hunk_id": id}))), "exact");
    assert_eq!(site.read("src/a.rs"), "b\n");
}

#[test]
fn a_plan_is_revised_for_the_same_file_and_in_the_same_way_only() {
    let site = Site::new(&[(".minds/a.md", "a\n"), (".minds/b.md", "a\n")]);
    let id = site.range("1", "b");
    let append = json!({"content": "c", "existing_hunk_id": id});
    assert_eq!(outcome(&site.preview("file_append", append)), "WRONG_MODE");
    let other = json!({"path": ".minds/b.md", "range": "1", "content": "c", "existing_hunk_id": id});
    assert_eq!(outcome(&site.preview("file_modification", other)), "WRONG_MODE");
    let revised = json!({"range": "1", "content": "c", "existing_hunk_id": format!("!{id}")});
    assert_eq!(site.preview("file_modification", revised)["hunk_id"], json!(id));
    assert_eq!(site.hunks().len(), 1);
    assert_eq!(outcome(&site.apply(&id)), "exact");
    assert_eq!((site.text().as_str(), site.read(".minds/b.md").as_str()), ("c\n", "a\n"));
}

#[test]
fn inserting_before_may_take_the_place_of_inserting_after() {
    let site = Site::with("a\n");
    let id = site.plan("insert_after", json!({"anchor": "a", "content": "x", "existing_hunk_id": ""}));
    let args = json!({"anchor": "a", "content": "x", "existing_hunk_id": id});
    assert_eq!(site.plan("insert_before", args), id);
    site.apply(&id);
    assert_eq!(site.text(), "x\na\n");
}

#[test]
fn ids_are_never_chosen_by_a_caller() {
    let site = Site::with("a\n");
    let with = |id: &str| {
        let args = json!({"range": "1", "content": "c", "existing_hunk_id": id});
        outcome(&site.preview("file_modification", args)).to_owned()
    };
    assert_eq!(with("0f3a9c21"), "HUNK_NOT_FOUND");
    for id in ["x", "../a", "a b", &"x".repeat(33)] {
        assert_eq!(with(id), "INVALID_HUNK_ID", "{id}");
        assert_eq!(outcome(&site.apply(id)), "INVALID_HUNK_ID", "{id}");
    }
    assert_eq!(outcome(&site.apply("")), "INVALID_HUNK_ID");
    let ids: BTreeSet<String> = (0..8).map(|_| site.range("1", "b")).collect();
    assert_eq!(ids.len(), 8);
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    assert!(ids.iter().all(|id| id.len() == 8 && id.bytes().all(is_digit)), "{ids:?}");
}

#[test]
fn plans_are_private() {
    let site = Site::with("a\n");
    site.range("1", "b");
    let file = site.state().join("hunks").join(&site.hunks()[0]);
    assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(site.state()).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn a_plan_is_kept_where_the_file_cannot_be_written() {
    let site = Site::with("a\n");
    let id = site.range("1", "b");
    let allow =
        |mode: u32| fs::set_permissions(site.path(".minds/a.md"), PermissionsExt::from_mode(mode)).unwrap();
    allow(0o444);
    assert_eq!(site.apply(&id)["status"], "error");
    assert_eq!((site.hunks().len(), site.text().as_str()), (1, "a\n"));
    allow(0o644);
    assert_eq!(outcome(&site.apply(&id)), "exact");
}

/// Damages the file of a plan, and expects that the plan is not found.
#[track_caller]
fn check_damaged(change: impl FnOnce(&mut Value)) {
    let site = Site::with("a\n");
    let id = site.range("1", "b");
    let file = site.state().join("hunks").join(&site.hunks()[0]);
    let mut stored: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    change(&mut stored);
    fs::write(&file, stored.to_string()).unwrap();
    let said = site.apply(&id);
    assert_eq!(outcome(&said), "HUNK_NOT_FOUND", "{stored}: {said}");
    assert_eq!(site.text(), "a\n");
}

#[test]
fn a_damaged_plan_is_never_applied() {
    check_damaged(|stored| *stored = json!("x"));
    check_damaged(|stored| stored["version"] = json!(2));
    check_damaged(|stored| stored["id"] = json!("00000000"));
    check_damaged(|stored| stored["expires_at_ms"] = json!(u64::MAX));
    check_damaged(|stored| stored["plan"]["base"] = json!("a\nz\n"));
    check_damaged(|stored| stored["plan"]["base"] = Value::Null);
    check_damaged(|stored| stored["more"] = json!(1));
    check_damaged(|stored| stored["plan"]["edit"] = json!({"range": {"range": 1, "content": ""}}));
    check_damaged(|stored| {
        stored.as_object_mut().unwrap().remove("owner");
    });
}

#[test]
fn a_plan_with_a_changed_path_is_refused_like_any_other() {
    let site = Site::with("a\n");
    site.write("outside.md", "a\n");
    let id = site.range("1", "b");
    let file = site.state().join("hunks").join(&site.hunks()[0]);
    let mut stored: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    stored["plan"]["path"] = json!("outside.md");
    fs::write(&file, stored.to_string()).unwrap();
    assert_eq!(outcome(&site.apply(&id)), "INVALID_PATH");
    assert_eq!(site.read("outside.md"), "a\n");
}

#[test]
fn foreign_files_next_to_plans_are_ignored() {
    let site = Site::with("a\n");
    let id = site.range("1", "b");
    let folder = site.state().join("hunks");
    let foreign = ["x", "a.json", "-1-ab.json", &format!("{id}.json")];
    for name in foreign {
        fs::write(folder.join(name), "{").unwrap();
    }
    fs::create_dir(folder.join("0123456789abcdef-1-cd.json")).unwrap();
    assert_eq!(outcome(&site.apply(&id)), "exact");
    assert!(foreign.iter().all(|name| folder.join(name).exists()));
    // The same id with another owner.
    let again = site.range("1", "c");
    let real = site.hunks().into_iter().find(|name| name.contains(&again)).unwrap();
    fs::copy(folder.join(&real), folder.join(format!("0123456789abcdef{}", &real[16..]))).unwrap();
    assert_eq!(outcome(&site.apply(&again)), "HUNK_ID_CONFLICT");
}

#[test]
fn the_oldest_of_very_many_plans_are_removed() {
    let mut site = Site::with("a\n");
    let first = site.range("1", "b");
    site.now += 1;
    let second = site.range("1", "b");
    site.now += 1;
    for _ in 0..255 {
        site.range("1", "b");
    }
    assert_eq!(site.hunks().len(), 256);
    assert_eq!(outcome(&site.apply(&first)), "HUNK_NOT_FOUND");
    assert_eq!(outcome(&site.apply(&second)), "exact");
}

#[test]
fn plans_of_large_files_have_a_bound_together() {
    let mut site = Site::with(&"x".repeat(4_000_000));
    let mut ids = Vec::new();
    for _ in 0..17 {
        ids.push(site.plan("file_append", json!({"content": "b"})));
        site.now += 1;
    }
    let bytes_of = |name: &String| fs::metadata(site.state().join("hunks").join(name)).unwrap().len();
    assert!(site.hunks().iter().map(bytes_of).sum::<u64>() <= 64 << 20);
    assert_eq!(outcome(&site.apply(&ids[0])), "HUNK_NOT_FOUND");
    assert_eq!(outcome(&site.apply(&ids[16])), "exact");
}
