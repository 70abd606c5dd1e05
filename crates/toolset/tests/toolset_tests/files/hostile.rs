//! Malicious paths, with every tool.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::UnixListener;

use minds_toolset::{Answer, Caller, ToolDescriptor};
use serde_json::{Map, Value, json};

use crate::files::fixture::Fixture;

/// Names that escape the workspace, or that no tool may access, at any position.
const TRAPS: &[&str] = &[
    "out",
    "out-dir",
    "out-dir/secret",
    "out-dir/new",
    "out-dir/new/deep",
    "back",
    "absolute",
    "absolute-dir/secret",
    "parent",
    "parent/outside/secret",
    "parent/outside/new",
    "magic",
    "magic/secret",
    "slash/etc/passwd",
    "loop",
    "loop/x",
    "loop-a",
    "up-and-out",
    "dir/in-and-out/secret",
    "to-socket/x",
    "hard",
    "hard/x",
    "socket",
    "socket/x",
    "dangling-out",
    "x.tsk",
    "x.tsk/goals.md",
    "X.TSK/new",
    ".tsk",
    "dir/y.tSk",
    "x.t\u{17f}\u{212a}/a",
    "package",
    "package/goals.md",
    "package/new",
    "dir/package/goals.md",
    ".minds-journal",
    ".file.minds-new",
    ".file.minds-lock",
    ".0-1.minds-set",
    ".dir.minds-gone",
    ".dir.minds-gone/x",
    "dir/.inner.minds-new",
];

/// Strings that are not valid paths, or escape the workspace.
const CONTENTS: &[&str] = &[
    "..",
    "../outside/secret",
    "../ws-evil/f",
    "../ws-evil/new",
    "../ws/../outside/new",
    "dir/../../outside/secret",
    "a/../../ws/file",
    "/etc/passwd",
    "/",
    "//etc/passwd",
    "/proc/self/cwd/x",
    "a\\b",
    "..\\outside",
    "nul\0byte",
    "new\nline",
    "tab\t",
    "\u{202e}txt",
    "\u{200e}",
    "\u{7f}",
    "\u{85}",
    "\r",
    "\u{2066}",
    "file/below",
    "file/../../x",
];

fn fixture(lists: Option<&str>) -> Fixture {
    let files = &[
        ("file", "inside\n"),
        ("dir/inner", "inner\n"),
        ("dir/deep/x", "x\n"),
        ("x.tsk/goals.md", "goals\n"),
        ("denied/key", "closed key\n"),
        ("holder/x.tsk/goals.md", "goals\n"),
        ("holder/denied/key", "closed key\n"),
        (".file.minds-new", "outside secret\n"),
        (".minds/file", "inside\n"),
        (".minds/dir/inner", "inner\n"),
        (".minds/dir/deep/x", "x\n"),
        (".minds/x.tsk/goals.md", "goals\n"),
        (".minds/.file.minds-new", "outside secret\n"),
    ];
    let fixture = match lists {
        Some(lists) => Fixture::with_member(lists, files),
        None => Fixture::new(files),
    };
    for (top, up) in [("", ".."), (".minds/", "../..")] {
        let outside = fixture.outside("");
        let links = [
            ("out", format!("{up}/outside/secret")),
            ("out-dir", format!("{up}/outside")),
            ("back", format!("{up}/ws/file")),
            ("absolute", format!("{outside}secret")),
            ("absolute-dir", outside.clone()),
            ("parent", up.to_owned()),
            ("magic", "/proc/self/cwd".to_owned()),
            ("slash", "/".to_owned()),
            ("loop", "loop".to_owned()),
            ("loop-a", "loop-b".to_owned()),
            ("loop-b", "loop-a".to_owned()),
            ("up-and-out", format!("dir/../{up}/outside/secret")),
            ("dir/in-and-out", "../out-dir".to_owned()),
            ("to-socket", "socket".to_owned()),
            ("dangling-out", format!("{up}/outside/new")),
            ("package", "x.tsk".to_owned()),
            ("dir/package", "../x.tsk".to_owned()),
        ];
        for (name, target) in links {
            fixture.link(&format!("{top}{name}"), &target);
        }
        drop(UnixListener::bind(fixture.place(&format!("{top}socket"))).unwrap());
        fs::hard_link(fixture.place("../outside/secret"), fixture.place(&format!("{top}hard"))).unwrap();
    }
    fs::write(fixture.place("../outside/witness"), "outside secret\n").unwrap();
    fixture
}

const PATHS: [&str; 3] = ["path", "from", "to"];

fn properties(tool: &ToolDescriptor) -> &Map<String, Value> {
    tool.input_schema["properties"].as_object().unwrap()
}

/// Returns the most powerful arguments of a tool, with `path` in the argument `place`.
fn plausible(tool: &ToolDescriptor, place: &str, path: &str, good: [&str; 2]) -> Value {
    let required = tool.input_schema["required"].as_array().cloned().unwrap_or_default();
    let mut args = Map::new();
    for (name, schema) in properties(tool) {
        let value = match name.as_str() {
            _ if name == place => json!(path),
            "path" | "from" => json!(good[0]),
            "to" => json!(good[1]),
            "recursive" | "parents" | "create" => json!(true),
            "content" => json!("written\n"),
            "range" => json!("1"),
            "known_old_sha256" => json!(minds_vfs::ContentHash::of(b"outside secret\n").to_string()),
            "text" | "anchor" | "start_anchor" | "end_anchor" => json!("secret"),
            _ if !required.contains(&json!(name)) => continue,
            _ if schema["enum"].is_array() => schema["enum"][0].clone(),
            _ => match schema["type"].as_str() {
                Some("integer") => json!(1),
                Some("boolean") => json!(true),
                Some("array") => json!([]),
                _ => json!("x"),
            },
        };
        args.insert(name.clone(), value);
    }
    Value::Object(args)
}

fn is_minds(tool: &ToolDescriptor) -> bool {
    tool.toolset == "team-mgmt"
}

/// A link in `.minds`, or one of several names of a file, may be removed and renamed as such; nothing else.
fn is_about_the_link_itself(fixture: &Fixture, tool: &ToolDescriptor, place: &str, path: &str) -> bool {
    let is_link = fs::symlink_metadata(fixture.place(path))
        .is_ok_and(|found| found.is_symlink() || found.is_file() && found.nlink() > 1);
    let is_plain = path.strip_prefix(".minds/").is_some_and(|name| !name.contains('/'));
    is_minds(tool)
        && is_link
        && is_plain
        && place != "to"
        && ["team_mgmt_rm_file", "team_mgmt_move_file"].contains(&tool.name.as_ref())
}

#[track_caller]
fn check(fixture: &Fixture, tool: &ToolDescriptor, place: &str, path: &str) {
    let top = if is_minds(tool) { ".minds/" } else { "" };
    let directory = tool.name.ends_with("_dir");
    let good = [format!("{top}{}", if directory { "dir" } else { "file" }), format!("{top}moved")];
    let mut args = plausible(tool, place, path, [&good[0], &good[1]]);
    if tool.name == "task_migrate" {
        // Without it, a path that gives no name is refused before anything is looked at.
        args["name"] = json!("migrated");
    }
    if is_about_the_link_itself(fixture, tool, place, path) {
        return;
    }
    let answer: Answer = fixture.answer(&tool.name, args.clone());
    let json = answer.to_json();
    // It answers that a path is denied and changes nothing.
    let is_answer = tool.name == "access_explain" && tool.annotations.is_read_only();
    assert!(answer.is_refused() || is_answer, "{} {args}: {json}", tool.name);
    assert!(
        json["code"] != "INVALID_ARGS" && json["code"] != "TOOL_NOT_GRANTED",
        "{} {args}: {json}",
        tool.name
    );
    for secret in ["outside secret", "closed key", "goals\n"] {
        assert!(!json.to_string().contains(secret), "{} {args}: {json}", tool.name);
    }
}

fn check_all(fixture: &Fixture, extra: &[&str]) {
    let tools = fixture.toolbox.list();
    let mut calls = 0;
    for tool in &tools {
        let places: Vec<&str> =
            PATHS.into_iter().filter(|place| properties(tool).contains_key(*place)).collect();
        for place in places {
            let traps = TRAPS
                .iter()
                .map(|trap| if is_minds(tool) { format!(".minds/{trap}") } else { (*trap).to_owned() });
            let outside = [fixture.outside("secret"), fixture.outside("new")];
            let texts = CONTENTS.iter().map(|text| (*text).to_owned()).chain(outside);
            let extra = extra.iter().filter(|_| !is_minds(tool)).map(|path| (*path).to_owned());
            for path in traps.chain(texts).chain(extra) {
                check(fixture, tool, place, &path);
                calls += 1;
            }
        }
    }
    assert!(calls > 1_000 && tools.iter().any(is_minds), "{calls}");
}

#[test]
fn no_tool_gives_the_operator_outside_access() {
    check_all(&fixture(None), &[]);
}

#[test]
fn no_tool_gives_a_member_outside_or_denied_access() {
    let lists = "    no_read_dirs: [denied, '**/key']\n    no_write_dirs: [denied, '**/key']\n";
    check_all(&fixture(Some(lists)), &["denied/key", "denied", "dir/../denied/key", "holder/denied/key"]);
}

/// What changes a directory with all that it holds is refused if a part of that is closed.
#[test]
fn directories_with_reserved_contents_are_kept() {
    let fixture = fixture(Some("    no_write_dirs: ['**/key']\n"));
    for (tool, args) in [
        ("rm_dir", json!({"path": "holder", "recursive": true})),
        ("move_dir", json!({"from": "holder", "to": "moved"})),
        ("rm_dir", json!({"path": "denied", "recursive": true})),
        ("team_mgmt_rm_dir", json!({"path": ".minds", "recursive": true})),
    ] {
        assert!(fixture.answer(tool, args).is_refused(), "{tool}");
    }
}

/// The same arguments with a good path are taken: nothing above is refused for another reason.
#[test]
fn the_arguments_of_the_attacks_are_valid() {
    let mut done = 0;
    for tool in fixture(None).toolbox.list() {
        let top = if is_minds(&tool) { ".minds/" } else { "" };
        let directory = tool.name.ends_with("_dir");
        let new = ["create_new_file", "mk_dir"].iter().any(|name| tool.name.ends_with(name));
        let good = format!(
            "{top}{}",
            if new {
                "new"
            } else if directory {
                "good"
            } else {
                "good/file"
            }
        );
        let fixture =
            Fixture::new(&[("good/file", "outside secret\n"), (".minds/good/file", "outside secret\n")]);
        let args = plausible(&tool, "", "", [&good, &format!("{top}moved")]);
        let is_other = ["preview", "apply", "validate", "manual"].iter().any(|word| tool.name.contains(word));
        let is_ours = !is_other && tool.toolset != "control" && tool.toolset != "mcp_admin";
        if is_ours {
            fixture.ok(&tool.name, args);
            done += 1;
        }
    }
    assert_eq!(done, 21);
}

/// The path of a link in `.minds` is its own: the link goes or gets another name, and what it leads to stays.
#[test]
fn an_escaping_link_in_minds_is_removed_without_its_target() {
    for name in ["out", "out-dir", "absolute", "loop", "magic", "slash", "parent", "dangling-out", "hard"] {
        for tool in ["team_mgmt_rm_file", "team_mgmt_move_file"] {
            let fixture = fixture(None);
            let path = format!(".minds/{name}");
            let args = match tool {
                "team_mgmt_rm_file" => json!({"path": path}),
                _ => json!({"from": path, "to": ".minds/renamed"}),
            };
            let mut expected = fixture.snapshot();
            let link = expected.remove(&format!("ws/{path}")).unwrap();
            if tool == "team_mgmt_move_file" {
                expected.insert("ws/.minds/renamed".to_owned(), link);
            }
            fixture.ok(tool, args);
            assert!(fixture.snapshot() == expected, "{tool} {name}");
        }
    }
}

/// Callers that are not on the team, or do not have a tool, get no answer but a refusal.
#[test]
fn a_caller_without_the_tool_is_refused() {
    let mut stranger = fixture(Some(""));
    stranger.caller = Caller::member("stranger");
    for tool in stranger.toolbox.list() {
        let answer = stranger.answer(&tool.name, plausible(&tool, "", "", ["file", "moved"]));
        assert_eq!(answer.to_json()["code"], "UNKNOWN_MEMBER");
    }
}
