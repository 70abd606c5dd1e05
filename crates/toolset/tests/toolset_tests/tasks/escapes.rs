//! Hostile packages, and names that escape a package, through every tool for tasks; and every general tool
//! at a package.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::tasks::{ALL, Fixture, arguments, fixture};

const SECRET: &str = "outside secret";

/// Calls every tool for a section; all are refused, nothing changes, and no outside content is revealed.
#[track_caller]
fn check_refused(fixture: &Fixture, category: &str, selector: &str, what: &str) {
    for tool in ALL {
        if tool == "recall_taskdoc" && category.is_empty() {
            continue;
        }
        let mut calls = vec![arguments(tool, selector, category)];
        if tool == "change_mind" {
            calls.push(json!({"selector": selector, "category": category, "clear": true}));
        }
        for args in calls {
            if tool == "never_mind" && category.is_empty() {
                continue;
            }
            let answer = fixture.call(tool, args.clone());
            assert_eq!(answer["status"], "error", "{what}: {tool} {args}: {answer}");
            assert!(!answer.to_string().contains(SECRET), "{what}: {tool}: {answer}");
        }
    }
}

fn replace(fixture: &Fixture, path: &str) -> std::path::PathBuf {
    let place = fixture.place(path);
    let _ = fs::remove_file(&place).or_else(|_| fs::remove_dir_all(&place));
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    place
}

/// Replaces a section by each kind of entry that is not a section.
fn traps(fixture: &Fixture, path: &str, mut check: impl FnMut(&Fixture, &str)) {
    let outside = fixture.outside("secret");
    for target in [outside.as_str(), "goals.md", "nowhere", "/etc/passwd", "."] {
        replace(fixture, path);
        fixture.link(path, target);
        check(fixture, &format!("a link to {target}"));
    }
    fs::hard_link(&outside, replace(fixture, path)).unwrap();
    check(fixture, "a hard link");
    assert!(Command::new("mkfifo").arg(replace(fixture, path)).status().unwrap().success());
    check(fixture, "a pipe");
    drop(std::os::unix::net::UnixListener::bind(replace(fixture, path)).unwrap());
    check(fixture, "a socket");
    fs::create_dir(replace(fixture, path)).unwrap();
    check(fixture, "a directory");
    replace(fixture, path);
}

#[test]
fn a_section_that_is_not_a_regular_file_is_unchanged() {
    for (category, selector) in
        [("", "goals"), ("", "progress"), ("bearinmind", "risks"), ("ux", "checklist")]
    {
        let fixture = fixture();
        let below = format!("{category}/{selector}.md");
        let path = format!("tasks/ship-it.tsk/{}", below.trim_start_matches('/'));
        traps(&fixture, &path, |fixture, what| {
            check_refused(fixture, category, selector, &format!("{path} is {what}"));
        });
        assert_eq!(fixture.text("../outside/secret"), "outside secret\n");
    }
}

#[test]
fn a_category_that_is_not_a_directory_is_unchanged() {
    for category in ["bearinmind", "ux"] {
        let fixture = fixture();
        let path = format!("tasks/ship-it.tsk/{category}");
        fixture.write("../outside/risks.md", b"outside secret\n");
        for target in [&fixture.outside(""), "..", "../../../../outside", "nowhere", "."] {
            replace(&fixture, &path);
            fixture.link(&path, target);
            check_refused(&fixture, category, "risks", &format!("{path} leads to {target}"));
            check_refused(&fixture, category, "new", &format!("{path} leads to {target}"));
        }
        fs::write(replace(&fixture, &path), "x").unwrap();
        check_refused(&fixture, category, "risks", "a file");
    }
}

/// What the package needs for itself is as little followed.
#[test]
fn a_journal_that_is_not_a_regular_file_prevents_all_changes() {
    let fixture = fixture();
    fixture.ok("do_mind", arguments("do_mind", "a", "ux"));
    traps(&fixture, "tasks/ship-it.tsk/journal.jsonl", |fixture, what| {
        for tool in crate::tasks::CHANGING {
            let args = arguments(tool, if tool == "do_mind" { "b" } else { "a" }, "ux");
            let answer = fixture.call(tool, args);
            assert_eq!(answer["status"], "error", "{what}: {tool}: {answer}");
        }
    });
    let outside = fixture.outside("");
    for target in [outside.as_str(), "nowhere", ".."] {
        replace(&fixture, "tasks/ship-it.tsk/.history");
        fixture.link("tasks/ship-it.tsk/.history", target);
        for tool in crate::tasks::CHANGING {
            let args = arguments(tool, if tool == "do_mind" { "b" } else { "a" }, "ux");
            let answer = fixture.call(tool, args);
            assert_eq!(answer["status"], "error", "{target}: {tool}: {answer}");
        }
    }
}

#[test]
fn names_that_escape_are_not_packages() {
    let fixture = fixture();
    fixture.ok("do_mind", arguments("do_mind", "a", "ux"));
    for name in [
        "..",
        ".",
        "../..",
        "../ux",
        "ux/..",
        "../../../outside",
        "/etc",
        "a/b",
        "a\\b",
        "\u{0}",
        "a\nb",
        "~",
        "*",
        "journal.jsonl",
        ".history",
        ".git",
        "x.tsk",
        "goals.md",
        "ux.",
        " .. ",
        "\u{202e}ux",
        "con",
    ] {
        check_refused(&fixture, name, "a", name);
        if name != "journal.jsonl" && name != "x.tsk" && name != "goals.md" {
            check_refused(&fixture, "ux", name, name);
        }
        for tool in ALL {
            let mut args = arguments(tool, "a", "ux");
            args["task"] = json!(name);
            if !name.trim().is_empty() {
                assert_eq!(fixture.call(tool, args)["status"], "error", "{tool} {name:?}");
            }
        }
    }
}

#[test]
fn a_link_or_a_directory_elsewhere_is_not_a_package() {
    let mut fixture = fixture();
    fixture.write("../outside/evil.tsk/ux/a.md", b"outside secret\n");
    fixture.write(".minds/own.tsk/ux/a.md", b"outside secret\n");
    fixture.write("tasks/ship-it.tsk/inner.tsk/ux/a.md", b"outside secret\n");
    let evil = fixture.outside("evil.tsk");
    fixture.link("tasks/evil.tsk", &evil);
    fixture.link("evil.tsk", "../outside/evil.tsk");
    fixture.link("back.tsk", "tasks/ship-it.tsk");
    fixture.link("elsewhere", "../outside");
    fixture.write("file.tsk", b"outside secret\n");
    let outside = fixture.outside("evil.tsk");
    let check = |fixture: &Fixture| {
        for tool in ALL {
            for task in [
                "evil",
                "tasks/evil.tsk",
                "./evil.tsk",
                "back",
                "./back.tsk",
                "elsewhere/evil.tsk",
                "file",
                "./file.tsk",
                "../outside/evil.tsk",
                "tasks/../../outside/evil.tsk",
                ".minds/own.tsk",
                ".MINDS/own.tsk",
                "tasks/ship-it.tsk/inner.tsk",
                "tasks/SHIP-IT.TSK",
                outside.as_str(),
                "/",
            ] {
                let mut args = arguments(tool, "a", "ux");
                args["task"] = json!(task);
                let answer = fixture.call(tool, args);
                assert_eq!(answer["status"], "error", "{tool} {task}: {answer}");
                assert!(!answer.to_string().contains(SECRET), "{tool} {task}: {answer}");
            }
        }
    };
    check(&fixture);
    // Links do not count, so the one that is none of them is the only one.
    assert_eq!(fixture.ok("do_mind", arguments("do_mind", "a", "ux"))["task"], "ship-it");
    fixture = Fixture::new(&[]);
    fixture.write("../outside/evil.tsk/ux/a.md", b"outside secret\n");
    fixture.link("tasks", "../outside");
    for tool in ALL {
        for task in ["", "evil", "tasks/evil.tsk"] {
            let mut args = arguments(tool, "a", "ux");
            args["task"] = json!(task);
            let answer = fixture.call(tool, args);
            assert_eq!(answer["status"], "error", "{tool} {task}: {answer}");
            assert!(!answer.to_string().contains(SECRET), "{tool} {task}: {answer}");
        }
    }
}

/// Every general tool, at a package, in it, at what holds it, and by links to all of these.
#[test]
fn general_tools_never_access_packages() {
    let fixture = fixture();
    let marked = "a word that is only in the package";
    fixture.ok("change_mind", json!({"selector": "goals", "content": marked}));
    fixture.ok("do_mind", json!({"category": "ux", "selector": "a", "content": marked}));
    fixture.link("alias", "tasks/ship-it.tsk");
    fixture.link("alias-above", "tasks");
    fixture.link("alias-section", "tasks/ship-it.tsk/goals.md");
    fixture.link("alias-of-alias", "alias/ux");
    fixture.write("plain/file", b"plain\n");
    let inside = [
        "tasks/ship-it.tsk",
        "tasks/ship-it.tsk/",
        "tasks/ship-it.tsk/goals.md",
        "tasks/ship-it.tsk/new.md",
        "tasks/ship-it.tsk/ux",
        "tasks/ship-it.tsk/journal.jsonl",
        "tasks/ship-it.tsk/.history",
        "tasks/SHIP-IT.TSK/goals.md",
        "tasks/x/../ship-it.tsk/goals.md",
        "tasks/ship-it.t\u{17f}\u{212a}/goals.md",
        "tasks/new.tsk",
        "tasks/new.tsk/goals.md",
        ".tsk/goals.md",
        "alias",
        "alias/goals.md",
        "alias/new",
        "alias-above/ship-it.tsk/goals.md",
        "alias-section",
        "alias-of-alias/a.md",
    ];
    let hash = minds_vfs::ContentHash::of(marked.as_bytes()).to_string();
    let mut calls = 0;
    for path in inside {
        let lines = json!({"path": path, "range": "1", "content": "x"});
        let anchor = json!({"path": path, "anchor": "word", "content": "x"});
        for (tool, args) in [
            ("list_dir", json!({"path": path})),
            ("read_file", json!({"path": path})),
            ("search_text", json!({"path": path, "text": "word"})),
            ("create_new_file", json!({"path": path, "content": "x"})),
            ("overwrite_entire_file", json!({"path": path, "content": "x", "known_old_sha256": hash})),
            ("preview_file_modification", lines),
            ("preview_file_append", json!({"path": path, "content": "x"})),
            ("preview_insert_after", anchor.clone()),
            ("preview_insert_before", anchor),
            (
                "preview_block_replace",
                json!({"path": path, "start_anchor": "a", "end_anchor": "a", "content": "x"}),
            ),
            ("mk_dir", json!({"path": path, "parents": true})),
            ("move_file", json!({"from": path, "to": "moved"})),
            ("move_file", json!({"from": "plain/file", "to": path})),
            ("move_dir", json!({"from": path, "to": "moved"})),
            ("move_dir", json!({"from": "plain", "to": path})),
            ("rm_file", json!({"path": path})),
            ("rm_dir", json!({"path": path, "recursive": true})),
        ] {
            let answer = fixture.call(tool, args);
            assert_eq!(answer["status"], "error", "{tool} {path}: {answer}");
            // A refusal may report the link itself before its target is checked.
            let is_link = path.starts_with("alias");
            assert!(is_link || answer["code"] == "ACCESS_DENIED", "{tool} {path}: {answer}");
            assert!(!answer.to_string().contains(marked), "{tool} {path}: {answer}");
            calls += 1;
        }
    }
    assert_eq!(calls, inside.len() * 17);
    for (tool, args) in [
        ("rm_dir", json!({"path": "tasks", "recursive": true})),
        ("move_dir", json!({"from": "tasks", "to": "moved"})),
        ("rm_dir", json!({"path": "alias-above", "recursive": true})),
        ("move_dir", json!({"from": "alias-above", "to": "moved"})),
    ] {
        let answer = fixture.call(tool, args);
        assert_eq!(answer["status"], "error", "{tool}: {answer}");
    }
    // Only the existence of a package may be known.
    let told = |tool: &str, args: Value| fixture.ok(tool, args).to_string();
    assert!(told("list_dir", json!({"path": "tasks"})).contains("ship-it.tsk"));
    assert!(!told("list_dir", json!({"path": "tasks"})).contains("goals.md"));
    assert!(!told("search_text", json!({"text": "is only in"})).contains(marked));
}
