//! `minds task prompt`: the text about packages, and about one of them.

use crate::tools::{Place, TEAM};

#[test]
fn without_a_package_only_the_guide_is_printed() {
    let place = Place::new(TEAM);
    let (code, english, error) = place.minds(&["task", "prompt"]);
    assert_eq!((code, error.as_str()), (0, ""));
    assert!(english.starts_with("**Task packages: restricted access**\n\n- "), "{english}");
    assert!(english.ends_with("`recall_taskdoc`.\n") && !english.contains("Maintainers"), "{english}");
    let (code, chinese, _) = place.minds(&["task", "prompt", "--lang", "zh"]);
    assert!(code == 0 && chinese.starts_with("**任务包：封装与访问限制**\n"), "{chinese}");
    assert_eq!(english.lines().count(), chinese.lines().count());
    let (code, document) = place.json(&["task", "prompt", "--format", "json"]);
    assert_eq!((code, document["prompt"].as_str()), (0, Some(english.as_str())));
    assert!(document["name"].is_null() && document["version"] == 1 && document["lang"] == "en", "{document}");
    let (code, _, error) = place.minds(&["task", "prompt", "none"]);
    assert!(code == 2 && error.contains("TASKDOC_NOT_FOUND"), "{error}");
    assert_eq!(place.minds(&["task", "prompt", "--lang", "fr"]).0, 2);
}

#[test]
fn the_status_of_the_only_package_or_of_the_one_that_is_named_follows() {
    let place = Place::new(TEAM);
    place.minds(&["task", "new", "ship-it"]);
    place.write("tasks/ship-it.tsk/ux/checklist.md", "x\n");
    place.write("tasks/ship-it.tsk/bearinmind/risks.md", "x\n");
    std::fs::remove_file(place.root().join("tasks/ship-it.tsk/progress.md")).unwrap();
    let (code, out, _) = place.minds(&["task", "prompt"]);
    let status = out.split("**Task `ship-it`** (`tasks/ship-it.tsk`)\n\n").nth(1).unwrap();
    assert_eq!(code, 0);
    assert!(status.starts_with("- Maintainers: everyone.\n"), "{status}");
    assert!(
        status.contains("`goals.md` present, `constraints.md` present, `progress.md` missing."),
        "{status}"
    );
    assert!(
        status.contains("- `bearinmind/`: `risks.md`.\n") && status.contains(": `ux/checklist`.\n"),
        "{status}"
    );
    place.write("tasks/ship-it.tsk/bearinmind/other.md", "x\n");
    place.write(".minds/minds.toml", "task_maintainers = [\"coder\"]\n");
    let (_, out, _) = place.minds(&["task", "prompt", "--lang", "zh", "ship-it"]);
    assert!(out.contains("- 维护者：`coder`。") && out.contains("- `bearinmind/`：不合规定。\n"), "{out}");

    place.minds(&["task", "new", "other"]);
    let (code, _, error) = place.minds(&["task", "prompt"]);
    assert!(code == 2 && error.contains("TASKDOC_AMBIGUOUS"), "{error}");
    let (code, document) = place.json(&["task", "prompt", "--task", "other", "--format", "json"]);
    assert_eq!((code, document["name"].as_str()), (0, Some("other")));
    assert!(document["prompt"].as_str().unwrap().contains("Other sections: none."), "{document}");
    assert_eq!(place.minds(&["task", "prompt", "other", "--task", "ship-it"]).0, 2);
}
