//! `set`, `append`, `rm`, `show`, `recall`, `ls`.

use std::fs;

use super::{Place, command};

#[test]
fn any_body_comes_back_through_every_command() {
    let place = Place::new();
    let large = "0123456789abcde\n".repeat(65_536);
    let bodies = [
        "# Goals\n## Constraints\n",
        "---\na: 1\n---\n```\n# x",
        "one\r\ntwo\r\n",
        "no final line break",
        "\n\n  indented\n\n\n",
        "差遣牒 👩‍👩‍👧 \u{202e}\u{feff}\u{2028}\u{1b}[2J\0",
        &large,
    ];
    let mut before = String::new();
    for body in bodies {
        let change = place.set("ux/checklist", body);
        place.set("goals", body);
        assert_eq!(place.minds(&["show", "--section", "goals"]), (0, body.to_owned(), String::new()));
        assert_eq!(
            place.minds(&["recall", "checklist", "--category", "ux"]),
            (0, body.to_owned(), String::new())
        );
        let shown = place.minds(&["show", "--effective", "--budget", "9000000"]).1;
        assert!(shown.contains(&format!("\n## Goals\n{body}\n")), "{}", body.len());
        assert_eq!(place.minds(&["undo", &change[..20]]).0, 0);
        let (code, text, _) = place.minds(&["recall", "checklist", "--category", "ux"]);
        let expected = if before.is_empty() { 2 } else { 0 };
        assert_eq!((code, text), (expected, before));
        assert_eq!(place.minds(&["undo"]).0, 0);
        before = body.to_owned();
        assert_eq!(place.minds(&["recall", "checklist", "--category", "ux"]).1, before);
    }
    assert_eq!(place.problems(), Vec::<String>::new());
}

#[test]
fn sections_can_be_extended_shortened_and_removed() {
    let place = Place::new();
    assert_eq!(place.minds(&["append", "progress", "the", "tests", "pass"]).0, 0);
    assert_eq!(
        place.run_with_input(&["append", "progress", "--from", "-", "--separator", "--\n"], b"more").0,
        0
    );
    assert_eq!(place.minds(&["show", "--section", "progress"]).1, "the tests pass\n--\nmore");
    assert_eq!(place.minds(&["set", "progress", "--clear"]).0, 0);
    assert_eq!(place.minds(&["show", "--section", "progress"]).1, "");
    place.set("ux/a", "x\n");
    let rm = ["rm", "a", "--category", "ux"];
    assert_eq!(place.minds(&[&rm[..], &["--hash", &format!("sha256:{}", "0".repeat(64))]].concat()).0, 1);
    assert_eq!(place.minds(&rm).0, 0);
    let (code, answer) = place.json(&rm);
    assert_eq!((code, answer["code"].as_str()), (2, Some("SECTION_NOT_FOUND")));
    assert_eq!(place.problems(), Vec::<String>::new());
}

#[test]
fn wrong_arguments_are_reported_and_change_nothing() {
    let place = Place::new();
    place.set("goals", "x\n");
    let before = place.disk();
    for args in [
        &["append", "progress"][..],
        &["append", "progress", "x", "--from", "-"],
        &["set", "goals"],
        &["set", "goals", "--clear", "--from", "-"],
        &["set", "goals", "--from", "nothing-there.md"],
        &["rm"],
        &["blame"],
        &["undo", "demo", "abcdef", "more"],
        &["undo", "demo", "--task", "other"],
        &["migrate"],
        &["migrate", "nothing-there.md"],
        &["edit", "goals"],
    ] {
        let (code, out, err) = place.minds(args);
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}: {err}");
        assert!(!err.is_empty(), "{args:?}");
        assert!(place.disk() == before, "{args:?}");
    }
    for (args, expected, word) in [
        (&["rm", "goals"][..], 1, "TOP_LEVEL_IS_REQUIRED"),
        (&["append", "progress", " "], 1, "CONTENT_REQUIRED"),
        (&["blame", "risks"], 2, "INVALID_TOP_LEVEL_SELECTOR"),
        (&["blame", "risks", "--category", "bearinmind"], 2, "SECTION_NOT_FOUND"),
        (&["undo", "--as", "codr"], 2, "UNKNOWN_MEMBER"),
        (&["undo", "abcdef012345"], 2, "CHANGE_NOT_FOUND"),
        (&["undo", "12345"], 2, "TASKDOC_NOT_FOUND"),
        (&["undo", "demo", "12345"], 2, "CHANGE_NOT_FOUND"),
        (&["diff", "demo", "zz"], 2, "CHANGE_NOT_FOUND"),
        (&["log", "dmeo"], 2, "TASKDOC_NOT_FOUND"),
        (&["verify", "../x.tsk"], 1, "TASKDOC_INVALID"),
    ] {
        let (code, answer) = place.json(args);
        assert_eq!(
            (code, answer["status"].as_str(), answer["code"].as_str()),
            (expected, Some("error"), Some(word)),
            "{args:?}"
        );
        assert!(answer["message"].is_string() && answer["next"].is_string(), "{args:?}: {answer}");
        assert!(place.disk() == before, "{args:?}");
    }
}

#[test]
fn lists_fit_in_eighty_columns() {
    let place = Place::new();
    place.set("goals", "Ship it.\n");
    place.set("bearinmind/risks", &"r\n".repeat(2_000));
    place.set("ux.checklists/before-release", "x");
    fs::write(place.path("progress.md"), "by hand").unwrap();
    let (_, shown, _) = place.minds(&["show"]);
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    let times = |text: &str| -> String {
        let words = text.split(' ').map(|word| {
            let digits = word.chars().filter(char::is_ascii_digit).count();
            if digits == 8 && word.len() == 10 {
                "DATE"
            } else if digits == 4 && word.len() == 5 {
                "TIME"
            } else {
                word
            }
        });
        words.collect::<Vec<_>>().join(" ")
    };
    insta::assert_snapshot!("show", times(&shown));
    insta::assert_snapshot!("ls", times(&place.minds(&["ls"]).1));
    let (_, document) = place.json(&["show"]);
    assert_eq!(document["extra_sections"][0]["category"], "ux.checklists");
    let sections = document["sections"].as_array().unwrap();
    assert_eq!(sections.len(), 5);
    let progress = sections.iter().find(|section| section["section"] == "progress").unwrap();
    assert_eq!((progress["size_bytes"].as_u64(), progress["is_recorded"].as_bool()), (Some(7), Some(false)));
    let (_, list) = place.json(&["ls"]);
    assert_eq!(list["tasks"][0]["last_change"]["actor"], "user:ann");
    assert_eq!(list["tasks"][0]["size_bytes"], 4_017);
}

#[test]
fn files_are_relative_to_the_directory_of_the_command() {
    let place = Place::new();
    fs::write(place.root().join("in.md"), "from the workspace\n").unwrap();
    fs::write(place.0.path().join("in.md"), "from beside it\n").unwrap();
    let run = |args: &[&str]| {
        let mut command = command(place.0.path(), &[&["-C", "workspace", "task"], args].concat());
        let output = command.env("MINDS_HOME", place.0.path().join("home")).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    run(&["set", "goals", "--from", "in.md"]);
    run(&["append", "progress", "--from", "in.md"]);
    run(&["migrate", "in.md", "other"]);
    for file in ["demo.tsk/goals.md", "demo.tsk/progress.md", "other.tsk/progress.md"] {
        let text = fs::read_to_string(place.root().join("tasks").join(file)).unwrap();
        assert_eq!(text, "from the workspace\n", "{file}");
    }
}

#[test]
fn without_a_variable_the_user_has_the_name_of_the_user_id() {
    let place = Place::new();
    let id = std::process::Command::new("id").arg("-un").output().unwrap();
    let name = String::from_utf8(id.stdout).unwrap();
    let mut command = command(&place.root(), &["task", "append", "progress", "x"]);
    command.env("MINDS_HOME", place.0.path().join("home")).env_remove("USER").env("LOGNAME", " ");
    assert!(command.output().unwrap().status.success());
    let journal = fs::read_to_string(place.path("journal.jsonl")).unwrap();
    assert!(journal.contains(&format!("\"user:{}\"", name.trim())), "{journal}");
}

#[test]
fn only_maintainers_make_packages() {
    let place = Place::new();
    fs::write(place.root().join(".minds/minds.toml"), "task_maintainers = []\n").unwrap();
    fs::write(place.root().join("plan.md"), "# Goals\nx\n").unwrap();
    let before = place.disk();
    for args in [&["new", "x", "--as", "coder"][..], &["migrate", "plan.md", "--as", "coder", "--remove"]] {
        let (code, refused) = place.json(args);
        assert_eq!((code, refused["code"].as_str()), (1, Some("NOT_MAINTAINER")), "{args:?}");
    }
    assert_eq!(place.json(&["new", "x", "--as", "codr"]).1["code"], "UNKNOWN_MEMBER");
    assert!(place.disk() == before);
    assert_eq!(place.minds(&["new", "x"]).0, 0);
}
