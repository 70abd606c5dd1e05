//! `log`, `blame`, `diff`, `undo`, `verify`.

use super::Place;

#[test]
fn the_log_lists_changes_with_their_authors() {
    let place = Place::new();
    assert_eq!(place.minds(&["log"]), (0, String::new(), String::new()));
    let one = place.set("goals", "one\n");
    let args = ["append", "progress", "x", "--as", "coder"];
    assert_eq!(place.minds(&args).0, 0);
    let (code, log) = place.json(&["log", "demo"]);
    let entries = log["entries"].as_array().unwrap();
    assert_eq!((code, entries.len(), log["name"].as_str()), (0, 2, Some("demo")));
    let (newest, oldest) = (&entries[0], &entries[1]);
    assert_eq!((newest["actor"].as_str(), newest["section"].as_str()), (Some("coder"), Some("progress")));
    assert_eq!((newest["operation"].as_str(), newest["size"].as_u64()), (Some("append"), Some(2)));
    assert_eq!(newest["parents"], serde_json::json!([one]));
    assert_eq!((oldest["id"].as_str(), oldest["actor"].as_str()), (Some(one.as_str()), Some("user:ann")));
    assert!(oldest["before"].as_str().unwrap().starts_with("sha256:e3b0c442"), "{oldest}");
    assert!(oldest["after"].as_str().unwrap().starts_with("sha256:") && oldest["time"].is_string());
    let (_, text, _) = place.minds(&["log"]);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.len() == 2 && lines[1].starts_with(&one[7..19]), "{text}");
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn a_change_can_be_shown_and_undone() {
    let place = Place::new();
    let one = place.set("goals", "a\nb\n");
    let two = place.set("goals", "a\nx\nb\n");
    let three = place.set("goals", "a\n");
    let diff = "--- a/tasks/demo.tsk/goals.md\n+++ b/tasks/demo.tsk/goals.md\n@@ -1,2 +1,3 @@\n a\n+x\n b\n";
    for args in
        [&["diff", &two][..], &["diff", "demo", &two[7..15]], &["diff", &two[7..13], "--task", "demo"]]
    {
        assert_eq!(place.minds(args), (0, diff.to_owned(), String::new()), "{args:?}");
    }
    let (_, document) = place.json(&["diff", &two]);
    assert_eq!((document["diff"].as_str(), document["id"].as_str()), (Some(diff), Some(two.as_str())));
    assert!(place.minds(&["diff"]).1.ends_with("\n a\n-x\n-b\n"));
    let (code, undone) = place.json(&["undo", "demo", &two, "--as", "coder"]);
    assert_eq!(
        (code, undone["status"].as_str(), undone["undoes"].as_str()),
        (0, Some("ok"), Some(two.as_str()))
    );
    assert_eq!(undone["taken_back"], serde_json::json!([three]));
    let (_, log) = place.json(&["log"]);
    assert_eq!(
        (log["entries"][0]["actor"].as_str(), log["entries"][0]["undoes"].as_str()),
        (Some("coder"), Some(two.as_str()))
    );
    assert_eq!(place.minds(&["show", "--section", "goals"]).1, "a\nb\n");
    let blamed = place.minds(&["blame", "goals"]).1;
    assert!(blamed.starts_with(&format!(" {}  ", &one[7..19])) && blamed.lines().count() == 2, "{blamed}");
    let (code, text, _) = place.minds(&["undo", &one]);
    assert_eq!((code, text.matches("also undone:").count()), (0, 3), "{text}");
    let (code, text, _) = place.minds(&["undo", &one]);
    assert_eq!((code, text.contains("already has the contents")), (0, true), "{text}");
    assert_eq!(place.problems(), Vec::<String>::new());
}

#[test]
fn a_single_argument_is_a_package_or_a_change() {
    let place = Place::new();
    let change = place.set("goals", "one\n");
    let digits = &change[7..13];
    // A package with the name of the change.
    assert_eq!(place.minds(&["new", digits]).0, 0);
    let (code, log) = place.json(&["undo", digits]);
    assert_eq!((code, log["code"].as_str()), (2, Some("CHANGE_NOT_FOUND")), "the package is meant: {log}");
    assert_eq!(place.minds(&["diff", digits, "--task", "demo"]).0, 0);
    assert_eq!(place.minds(&["diff", "demo", digits]).0, 0);
    assert_eq!(place.json(&["diff", &change]).1["code"], "TASKDOC_AMBIGUOUS");
    assert_eq!(place.minds(&["diff", "demo"]).0, 0);
    // It is the only package, and has this change.
    let tasks = place.root().join("tasks");
    std::fs::remove_dir_all(tasks.join("demo.tsk")).unwrap();
    let own = place.run_with_input(&["set", "goals", "--from", "-", "--format", "json"], b"x").1;
    let own = own.split("\"change\":\"sha256:").nth(1).unwrap()[..6].to_owned();
    assert_eq!(place.json(&["diff", digits]).0, 0);
    std::fs::rename(tasks.join(format!("{digits}.tsk")), tasks.join(format!("{own}.tsk"))).unwrap();
    let (code, refused) = place.json(&["diff", &own]);
    assert_eq!((code, refused["code"].as_str()), (2, Some("TASKDOC_AMBIGUOUS")), "{refused}");
    assert_eq!(place.json(&["diff", "--task", &own]).0, 0);
    assert_eq!(place.json(&["diff", &own, &own]).0, 0);
    assert_eq!(place.json(&["diff", &own, "--task", &own]).0, 0);
}

#[test]
fn errors_are_reported_with_a_help() {
    let place = Place::new();
    place.set("goals", "one\n");
    let (code, out, err) = place.minds(&["verify"]);
    assert_eq!((code, out.as_str(), err.as_str()), (0, "`demo` matches its journal: 1 change\n", ""));
    std::fs::write(place.path("goals.md"), "two\n").unwrap();
    let (code, out, _) = place.minds(&["verify"]);
    assert!(
        code == 1 && out.starts_with("error[task/journal-section]: `goals` does not match its latest change"),
        "{out}"
    );
    // Its help resolves the error.
    let shown = place.minds(&["show", "demo", "--section", "goals"]).1;
    assert_eq!(
        place.run_with_input(&["set", "goals", "--task", "demo", "--from", "-"], shown.as_bytes()).0,
        0
    );
    assert_eq!(place.problems(), Vec::<String>::new());
    let journal = std::fs::read_to_string(place.path("journal.jsonl")).unwrap();
    std::fs::write(place.path("journal.jsonl"), journal.replacen("user:ann", "user:eve", 1)).unwrap();
    assert_eq!(place.problems(), ["task/journal-line", "task/journal-parent"]);
    let (code, _, err) = place.minds(&["log"]);
    assert!(code == 0 && err.contains("minds task verify"), "{err}");
    std::fs::remove_file(place.path("journal.jsonl")).unwrap();
    assert_eq!(place.problems(), ["task/journal-missing"]);
}
