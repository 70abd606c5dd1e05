//! Searching files.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::net::UnixListener;
use std::time::{Duration, SystemTime};

use minds_access_control::{Access, Policy};
use minds_vfs::WorkspacePath;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::files::fixture::Fixture;

fn places(answer: &Value) -> Vec<String> {
    let matches = answer["matches"].as_array().unwrap().iter();
    matches
        .map(|found| format!("{}:{}:{}", found["path"].as_str().unwrap(), found["line"], found["column"]))
        .collect()
}

#[track_caller]
fn check(fixture: &Fixture, args: Value, expected: &[&str]) {
    assert_eq!(places(&fixture.ok("search_text", args.clone())), expected, "{args}");
}

#[test]
fn lines_with_the_text_in_the_order_of_paths() {
    let fixture = Fixture::new(&[
        ("b.rs", "one\nxx needle\r\nneedle needle\n"),
        ("a/c.rs", "é needle"),
        ("a/d.md", "Needle\n"),
        ("a.txt", "need\nle\n"),
        (".git/config", "needle\n"),
        ("sub/.git/config", "needle\n"),
        (".gitignore", "needle\n"),
        ("x.tsk/goals.md", "needle\n"),
    ]);
    check(&fixture, json!({"text": "needle"}), &[".gitignore:1:1", "a/c.rs:1:3", "b.rs:2:4", "b.rs:3:1"]);
    check(&fixture, json!({"text": "needle", "path": "a"}), &["a/c.rs:1:3"]);
    check(&fixture, json!({"text": "needle", "path": "./a/../a/"}), &["a/c.rs:1:3"]);
    check(&fixture, json!({"text": "needle", "path": "b.rs"}), &["b.rs:2:4", "b.rs:3:1"]);
    check(
        &fixture,
        json!({"text": "NEEDLE", "case_sensitive": false, "path": "a"}),
        &["a/c.rs:1:3", "a/d.md:1:1"],
    );
    check(&fixture, json!({"text": "needle", "glob": "*.rs"}), &["a/c.rs:1:3", "b.rs:2:4", "b.rs:3:1"]);
    check(&fixture, json!({"text": "needle", "glob": "a/**/*.rs"}), &["a/c.rs:1:3"]);
    check(&fixture, json!({"text": "needle", "glob": "*.py"}), &[]);
    check(&fixture, json!({"text": "n.*e"}), &[]);
    check(&fixture, json!({"text": "needle", "max_matches": 0, "path": "b.rs"}), &["b.rs:2:4", "b.rs:3:1"]);
    let answer = fixture.ok("search_text", json!({"text": "xx needle"}));
    assert_eq!(answer["matches"][0]["text"], "xx needle");
    assert_eq!((&answer["truncated"], &answer["skipped"]), (&json!(false), &json!({"denied": 1})));
}

#[test]
fn invalid_arguments_are_reported() {
    let fixture = Fixture::new(&[("a", "x\n")]);
    for args in [
        json!({"text": ""}),
        json!({"text": "a\nb"}),
        json!({"text": "a\r"}),
        json!({"text": "x".repeat(1_001)}),
        json!({}),
        json!({"text": "x", "glob": "../*"}),
        json!({"text": "x", "glob": "a**"}),
        json!({"text": "x", "regex": true}),
    ] {
        fixture.refused("search_text", args, "INVALID_ARGS");
    }
    fixture.refused("search_text", json!({"text": "x", "path": "none"}), "FILE_NOT_FOUND");
    fixture.refused("search_text", json!({"text": "x", "path": "/etc/passwd"}), "INVALID_PATH");
    fixture.refused("search_text", json!({"text": "x", "path": "../ws-evil"}), "INVALID_PATH");
}

#[test]
fn binary_files_are_skipped_and_counted() {
    let fixture = Fixture::new(&[("a", "needle\n")]);
    fixture.write("binary", b"needle\0\n");
    fixture.write("invalid", b"needle\xff\n");
    fs::File::create(fixture.place("large")).unwrap().set_len(4 * 1024 * 1024 + 1).unwrap();
    fs::hard_link(fixture.place("../outside/secret"), fixture.place("hard")).unwrap();
    drop(UnixListener::bind(fixture.place("socket")).unwrap());
    fixture.link("in", "a");
    fixture.link("out", "../outside");
    fixture.link("loop", "loop");
    let answer = fixture.ok("search_text", json!({"text": "e"}));
    assert_eq!(places(&answer), ["a:1:2"]);
    let skipped = json!({"binary": 1, "invalid_utf8": 1, "too_large": 1, "links": 3, "unreadable": 1});
    assert_eq!((&answer["skipped"], &answer["files_searched"]), (&skipped, &json!(1)));
    assert!(answer["summary"].as_str().unwrap().contains("1 binary"), "{answer}");
    fixture.refused("search_text", json!({"text": "e", "path": "out"}), "INVALID_PATH");
    fixture.refused("search_text", json!({"text": "e", "path": "hard"}), "NOT_A_FILE");
    fixture.refused("search_text", json!({"text": "e", "path": "socket"}), "NOT_A_FILE");
    fixture.refused("search_text", json!({"text": "e", "path": "loop"}), "INVALID_PATH");
    check(&fixture, json!({"text": "needle", "path": "in"}), &["in:1:1"]);
}

#[test]
fn no_more_than_200_matches_and_64_kib() {
    let fixture = Fixture::new(&[("a", &"needle\n".repeat(201)), ("b", &"needle\n".repeat(200))]);
    let answer = fixture.ok("search_text", json!({"text": "needle", "path": "a"}));
    assert_eq!(places(&answer).len(), 200);
    assert_eq!((&answer["truncated"], &answer["truncated_by"]), (&json!(true), &json!("matches")));
    assert!(
        answer["next"].is_string() && answer["summary"].as_str().unwrap().contains("incomplete: too many")
    );
    let answer = fixture.ok("search_text", json!({"text": "needle", "path": "b"}));
    assert_eq!((places(&answer).len(), &answer["truncated"]), (200, &json!(false)));
    let answer = fixture.ok("search_text", json!({"text": "needle", "path": "b", "max_matches": 3}));
    assert_eq!((places(&answer).len(), &answer["truncated"]), (3, &json!(true)));
    let answer = fixture.ok("search_text", json!({"text": "needle", "max_matches": 1_000}));
    assert_eq!(places(&answer).len(), 200);
    // Each of these lines takes more than 64 KiB / 200 in the answer.
    fixture.write("c/long", format!("needle{}\n", "\u{1}".repeat(1_000)).repeat(150).as_bytes());
    let answer = fixture.ok("search_text", json!({"text": "needle", "path": "c"}));
    assert!(answer.to_string().len() <= 64 * 1024, "{}", answer.to_string().len());
    assert_eq!(
        (&answer["truncated"], &answer["truncated_by"]),
        (&json!(true), &json!("bytes of the answer"))
    );
    assert!(places(&answer).len() > 10);
}

#[test]
fn long_lines_are_shortened() {
    let fixture = Fixture::new(&[("a", &format!("{}needle{}\n", "x".repeat(10_000), "y".repeat(10_000)))]);
    let answer = fixture.ok("search_text", json!({"text": "needle"}));
    let text = answer["matches"][0]["text"].as_str().unwrap();
    assert!(text.len() < 300 && text.contains("needle") && text.starts_with('…') && text.ends_with('…'));
    assert_eq!(answer["matches"][0]["column"], 10_001);
}

/// What is denied is not read, of which the system keeps the time.
#[test]
fn a_denied_file_is_never_read() {
    let fixture = Fixture::with_member(
        "    no_read_dirs: [secret, '**/key']\n",
        &[
            ("open", "needle\n"),
            ("secret/a", "needle\n"),
            ("secret/b", "needle\n"),
            ("src/key", "needle\n"),
            ("x.tsk/goals.md", "needle\n"),
        ],
    );
    fixture.link("alias", "secret");
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000);
    let all = ["open", "secret/a", "src/key", "x.tsk/goals.md"];
    for path in all {
        let times = fs::FileTimes::new().set_accessed(long_ago);
        fs::File::options().write(true).open(fixture.place(path)).unwrap().set_times(times).unwrap();
    }
    let search = |path: &str| {
        let args = json!({"text": "needle", "path": path});
        fixture.toolbox.call(&fixture.context, "search_text", &args, &fixture.caller).to_json()
    };
    let answer = search(".");
    assert_eq!((places(&answer), &answer["skipped"]["denied"]), (vec!["open:1:1".to_owned()], &json!(3)));
    for path in ["secret", "secret/a", "src/key", "x.tsk", "x.tsk/goals.md", "alias", "alias/a"] {
        assert_eq!(search(path)["code"], "ACCESS_DENIED", "{path}");
    }
    for path in &all[1..] {
        let accessed = fs::metadata(fixture.place(path)).unwrap().accessed().unwrap();
        assert_eq!(accessed, long_ago, "{path}");
    }
}

/// A directory that is only not allowed may hold what is.
#[test]
fn allowed_files_are_found_in_every_directory() {
    let fixture = Fixture::with_member(
        "    read_dirs: [a/b, '**/docs']\n",
        &[("a/x", "needle\n"), ("a/b/x", "needle\n"), ("c/d/docs/x", "needle\n")],
    );
    check(&fixture, json!({"text": "needle"}), &["a/b/x:1:1", "c/d/docs/x:1:1"]);
    check(&fixture, json!({"text": "needle", "path": "a"}), &["a/b/x:1:1"]);
    fixture.refused("search_text", json!({"text": "needle", "path": "a/x"}), "ACCESS_DENIED");
}

const FILES: [&str; 10] = [
    "a/b/c.md",
    "a/b/d.rs",
    "a/c.md",
    "a/x.tsk/c.md",
    "b/a/c.md",
    "b/c.rs",
    "c.md",
    "c/a/b/c.rs",
    "d.rs",
    "X.TSK/a.md",
];

fn patterns() -> impl Strategy<Value = Vec<String>> {
    let segment = prop::sample::select(vec!["a", "b", "c", "*", "**", "*.md", "c.*", "d.rs", "x.tsk"]);
    let pattern = prop::collection::vec(segment, 1..4).prop_map(|segments| segments.join("/"));
    prop::collection::vec(pattern, 0..3)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// What is found is what lies in the files that the policy lets the member read, whatever the lists.
    #[test]
    fn exactly_what_may_be_read_is_searched(allow in patterns(), deny in patterns(), through_link in any::<bool>()) {
        let files: Vec<(&str, &str)> = FILES.iter().map(|path| (*path, "needle\n")).collect();
        let lists = format!("    read_dirs: {}\n    no_read_dirs: {}\n", json!(allow), json!(deny));
        let fixture = Fixture::with_member(&lists, &files);
        fixture.link("link", "a");
        let policy = allow.iter().try_fold(Policy::builder(), |builder, entry| builder.allow(Access::Read, entry));
        let policy = deny.iter().try_fold(policy.unwrap(), |builder, entry| builder.deny(Access::Read, entry));
        let policy = policy.unwrap().build();
        let may = |path: &str| policy.check(Access::Read, &WorkspacePath::parse(path).unwrap()).is_allowed();
        let top = if through_link { "link" } else { "." };
        let answer = fixture.call("search_text", json!({"text": "needle", "path": top}));
        let found: BTreeSet<String> = answer["matches"].as_array().into_iter().flatten()
            .map(|found| found["path"].as_str().unwrap().to_owned()).collect();
        let expected: BTreeSet<String> = FILES.iter().filter_map(|path| {
            let asked = if through_link { path.strip_prefix("a/").map(|below| format!("link/{below}"))? } else { (*path).to_owned() };
            (may(path) && may(&asked)).then_some(asked)
        }).collect();
        prop_assert_eq!(found, expected, "{} {}", lists, answer);
    }
}

#[test]
fn the_files_of_the_team_are_searched_by_a_tool_of_their_own() {
    let fixture = Fixture::new(&[(".minds/team/a/persona.md", "one\nneedle\n"), ("b.rs", "needle\n")]);
    let answer = fixture.ok("team_mgmt_search_text", json!({"text": "needle"}));
    assert_eq!(places(&answer), [".minds/team/a/persona.md:2:1"]);
    for path in ["team", "b.rs", "../b.rs", ".minds/../b.rs"] {
        fixture.refused("team_mgmt_search_text", json!({"text": "needle", "path": path}), "INVALID_PATH");
    }
}
