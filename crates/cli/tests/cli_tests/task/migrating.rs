//! `migrate`.

use std::fs;

use super::Place;

const PLAN: &str = "# Plan\nintro\n## Goals\nship\n## 约束\nno\n";

#[test]
fn the_file_is_removed_only_if_the_package_contains_all_of_it() {
    let place = Place::new();
    let file = place.root().join("plan.md");
    fs::write(&file, PLAN).unwrap();
    let (code, made) = place.json(&["migrate", "plan.md"]);
    assert_eq!(
        (code, made["name"].as_str(), made["path"].as_str()),
        (0, Some("plan"), Some("tasks/plan.tsk"))
    );
    assert_eq!((made["made"].as_bool(), made["removed"].as_bool()), (Some(true), Some(false)));
    assert_eq!(made["sections"].as_array().unwrap().len(), 3);
    assert_eq!(place.minds(&["show", "plan", "--section", "goals"]).1, "ship\n");
    assert_eq!(fs::read_to_string(&file).unwrap(), PLAN);
    assert_eq!(place.json(&["migrate", "plan.md"]).1["code"], "TASKDOC_EXISTS");
    // A different file, or a changed one, is not removed.
    fs::write(&file, format!("{PLAN}more\n")).unwrap();
    let before = place.disk();
    let (code, refused) = place.json(&["migrate", "plan.md", "--remove"]);
    assert_eq!((code, refused["code"].as_str()), (1, Some("TASKDOC_EXISTS")));
    assert!(place.disk() == before);
    fs::write(&file, PLAN).unwrap();
    place.run_with_input(&["set", "goals", "--task", "plan", "--from", "-"], b"changed since\n");
    let (code, removed) = place.json(&["migrate", "plan.md", "--remove"]);
    assert_eq!((code, removed["made"].as_bool(), removed["removed"].as_bool()), (0, Some(false), Some(true)));
    assert!(!file.exists());
    assert_eq!(place.minds(&["verify", "plan"]).0, 0);
}

#[test]
fn migration_with_another_name_can_remove_the_file() {
    let place = Place::new();
    fs::write(place.root().join("plan.md"), PLAN).unwrap();
    let (code, text, _) = place.minds(&["migrate", "plan.md", "other", "--remove", "--as", "coder"]);
    assert!(
        code == 0 && text.ends_with("removed `plan.md`; `tasks/other.tsk` contains all of it\n"),
        "{text}"
    );
    assert!(!place.root().join("plan.md").exists());
    let (_, log) = place.json(&["log", "other"]);
    assert!(
        log["entries"]
            .as_array()
            .unwrap()
            .iter()
            .all(|entry| entry["actor"] == "coder" && entry["operation"] == "create")
    );
    fs::write(place.root().join("blank.md"), "\n").unwrap();
    assert_eq!(place.json(&["migrate", "blank.md"]).1["code"], "CONTENT_REQUIRED");
    assert_eq!(place.json(&["migrate", "blank.md", "--as", "codr"]).1["code"], "UNKNOWN_MEMBER");
}

#[test]
fn no_heading_is_duplicated_in_the_task_prompt() {
    let place = Place::new();
    let plan = "# Plan\n\n## Goals\nship\n## Risks\nfire\n## 约束\nno\n## Progress\n";
    fs::write(place.root().join("plan.md"), plan).unwrap();
    assert_eq!(place.minds(&["migrate", "plan.md", "--remove"]).0, 0);
    let (_, text, _) = place.minds(&["show", "plan", "--effective"]);
    assert_eq!(
        text,
        "# Taskdoc (Dialog Tree)\n\n## Goals\nship\n\n\n## Constraints\nno\n\n\n## Bear In Mind\n### risks.md\nfire\n\n\n\
         ## Progress\n# Plan\n\n## Progress\n"
    );
}
