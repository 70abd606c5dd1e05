//! What the tools for files read and write.

use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::process::Command;

use serde_json::json;

use crate::support::{Place, call, code, settings, toolbox, value};

#[test]
fn a_file_is_read_in_parts() {
    let place = Place::new();
    place.write("work/a.txt", "äbc\n");
    place.write("data/big", &"x".repeat(300_000));
    let mut tools = place.tools();
    let mut read = |arguments| value(&call(&mut tools, "fs_read", arguments));
    assert_eq!(read(json!({"path": "a.txt"})), json!({"content": "äbc\n", "bytes": 5, "truncated": false}));
    assert_eq!(
        read(json!({"path": "a.txt", "limit": 3})),
        json!({"content": "äb", "bytes": 3, "truncated": true})
    );
    // A character is not cut.
    assert_eq!(
        read(json!({"path": "./a.txt", "offset": 2, "limit": 1})),
        json!({"content": "b", "bytes": 1, "truncated": true})
    );
    assert_eq!(
        read(json!({"path": "a.txt", "offset": 9})),
        json!({"content": "", "bytes": 0, "truncated": false})
    );
    let big = read(json!({"path": place.text("data/big")}));
    assert_eq!((big["bytes"].as_u64(), big["truncated"].as_bool()), (Some(262_144), Some(true)));
    let rest = read(json!({"path": place.text("data/big"), "offset": 262_144}));
    assert_eq!((rest["bytes"].as_u64(), rest["truncated"].as_bool()), (Some(37_856), Some(false)));
    for arguments in [json!({"path": "a.txt", "offset": 1}), json!({"path": "a.txt", "limit": 1})] {
        assert_eq!(code(&call(&mut tools, "fs_read", arguments)), "args.invalid");
    }
}

#[test]
fn only_text_is_read() {
    let place = Place::new();
    for (at, bytes) in [&b"\xff"[..], b"a\xffb", b"a\xc3", b"\x80a"].into_iter().enumerate() {
        std::fs::write(place.path("work").join(at.to_string()), bytes).unwrap();
        let outcome = call(&mut place.tools(), "fs_read", json!({"path": at.to_string()}));
        assert_eq!(code(&outcome), "args.invalid", "{bytes:?}: {outcome:?}");
    }
}

#[test]
fn a_file_is_replaced_if_it_has_the_expected_hash() {
    let place = Place::new();
    let mut tools = place.tools();
    let mut write = |arguments| call(&mut tools, "fs_write", arguments);
    let first = value(&write(json!({"path": "a", "content": "one"})));
    assert_eq!(first["ok"], true);
    let hash = first["hash"].as_str().unwrap().to_owned();
    assert!(hash.starts_with("sha256:"), "{hash}");
    value(&write(json!({"path": "a", "content": "two", "expected_hash": hash})));
    assert_eq!(place.read("work/a"), "two");
    for path in ["a", "none"] {
        let outcome = write(json!({"path": path, "content": "three", "expected_hash": hash}));
        assert_eq!(code(&outcome), "args.invalid", "{outcome:?}");
    }
    assert_eq!((place.read("work/a"), place.read("work/none")), ("two".to_owned(), "none".to_owned()));
    let outcome = write(json!({"path": "new/deep/a", "content": "x"}));
    assert_eq!(code(&outcome), "args.invalid", "{outcome:?}");
    assert!(!place.path("work/new").exists());
    // A call that fails leaves no directories.
    for arguments in [
        json!({"path": "new/deep/con", "content": "x", "create_dirs": true}),
        json!({"path": "new/deep/a", "content": "x", "create_dirs": true, "expected_hash": hash}),
    ] {
        let outcome = write(arguments.clone());
        assert_eq!(code(&outcome), "args.invalid", "{arguments}: {outcome:?}");
        assert!(!place.path("work/new").exists(), "{arguments}");
    }
    value(&write(json!({"path": "new/deep/a", "content": "x", "create_dirs": true})));
    assert_eq!(place.read("work/new/deep/a"), "x");
    value(&write(json!({"path": place.text("data/b"), "content": "y"})));
    assert_eq!(place.read("data/b"), "y");
}

#[test]
fn permissions_of_a_file_are_kept() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new();
    place.write("work/run.sh", "old");
    std::fs::set_permissions(place.path("work/run.sh"), std::fs::Permissions::from_mode(0o755)).unwrap();
    value(&call(&mut place.tools(), "fs_write", json!({"path": "run.sh", "content": "new"})));
    let mode = std::fs::metadata(place.path("work/run.sh")).unwrap().permissions().mode();
    assert_eq!((place.read("work/run.sh"), mode & 0o777), ("new".to_owned(), 0o755));
}

#[test]
fn entries_are_listed_and_described() {
    let place = Place::new();
    place.write("work/dir/b", "12345");
    std::fs::create_dir(place.path("work/dir/a")).unwrap();
    symlink("b", place.path("work/dir/link")).unwrap();
    let mut tools = place.tools();
    let listed = value(&call(&mut tools, "fs_list", json!({"path": "dir"})));
    let entries: Vec<(&str, &str, u64)> = listed["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| {
            assert!(entry["modified"].as_f64().unwrap() > 1e9, "{entry}");
            (
                entry["name"].as_str().unwrap(),
                entry["kind"].as_str().unwrap(),
                entry["size"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(entries, [("a", "directory", 0), ("b", "file", 5), ("link", "link", 0)]);
    let stat = value(&call(&mut tools, "fs_stat", json!({"path": "dir/link"})));
    assert_eq!((&stat["name"], &stat["kind"], &stat["size"]), (&json!("link"), &json!("file"), &json!(5)));
    let top = value(&call(&mut tools, "fs_stat", json!({"path": ""})));
    assert_eq!((&top["name"], &top["kind"]), (&json!("work"), &json!("directory")));
}

/// Nothing that configures an agent, and no repository or task package, is written, in any spelling.
#[test]
fn reserved_areas_are_not_written() {
    let place = Place::new();
    place.write("work/.ateam/agents/zeus/agent.yaml", "name: zeus\n");
    place.write("work/sub/.minds/team.yaml", "members: {}\n");
    std::fs::create_dir_all(place.path("work/.git/hooks")).unwrap();
    std::fs::create_dir_all(place.path("work/x.tsk")).unwrap();
    symlink(".ateam", place.path("work/alias")).unwrap();
    let before = tree(&place);
    let mut tools = place.tools();
    for path in [
        ".ateam/agents/zeus/agent.yaml",
        "./.ateam//x",
        "sub/../.ateam/x",
        ".ATEAM/x",
        ".ateam",
        ".at\u{200d}eam/x",
        "alias/agents/zeus/agent.yaml",
        "sub/.minds/team.yaml",
        ".MINDS/x",
        ".team/state/fleet/p-zeus/queue.jsonl",
        "sub/.TEAM/x",
        "deep/.mind\u{17f}/x",
        ".git/hooks/pre-commit",
        "sub/.GIT/config",
        "git~1/config",
        ".git./config",
        "x.tsk/goals.md",
        "y.TSK",
        "new/z.tsk/a",
    ] {
        let arguments = json!({"path": path, "content": "x", "create_dirs": true});
        let outcome = call(&mut tools, "fs_write", arguments);
        assert!(["tool.denied", "args.invalid"].contains(&code(&outcome)), "{path}: {outcome:?}");
        assert_eq!(tree(&place), before, "{path}");
    }
    // They can be read.
    let read = value(&call(&mut tools, "fs_read", json!({"path": ".ateam/agents/zeus/agent.yaml"})));
    assert_eq!(read["content"], "name: zeus\n");
    // A working folder in such an area makes no difference.
    let mut policy = place.policy();
    policy.cwd = place.text("work/.ateam");
    policy.folders.insert(policy.cwd.clone());
    let outcome = call(&mut toolbox(&settings(&policy)), "fs_write", json!({"path": "x", "content": "x"}));
    assert_eq!(code(&outcome), "tool.denied");
    assert_eq!(tree(&place), before);
}

/// Links that lead out, devices, pipes, sockets and files with several names are refused, without waiting.
#[test]
fn special_files_are_refused() {
    let place = Place::new();
    place.write("work/inside", "inside\n");
    let link = |target: &str, name: &str| symlink(target, place.path("work").join(name)).unwrap();
    link("inside", "good");
    link("../outside/canary", "relative");
    link(&place.text("outside/canary"), "absolute");
    link(&place.text("outside"), "folder");
    link("/dev/zero", "device");
    link("loop", "loop");
    link("../outside/new", "dangling");
    // From one folder of the agent to the other one.
    place.write("data/b", "b");
    link("../data/b", "across");
    std::fs::hard_link(place.path("outside/canary"), place.path("work/hard")).unwrap();
    assert!(Command::new("mkfifo").arg(place.path("work/fifo")).status().unwrap().success());
    let _listener = UnixListener::bind(place.path("work/socket")).unwrap();
    let before = tree(&place);
    let mut tools = place.tools();
    assert_eq!(value(&call(&mut tools, "fs_read", json!({"path": "good"})))["content"], "inside\n");
    for path in [
        "relative",
        "absolute",
        "folder/canary",
        "device",
        "loop",
        "dangling",
        "across",
        "hard",
        "fifo",
        "socket",
        "../outside/canary",
        "/dev/null",
        "/proc/self/environ",
        "/etc/passwd",
        "../../../../etc/passwd",
        "~/.netrc",
        "/",
    ] {
        for (tool, arguments) in [
            ("fs_read", json!({"path": path})),
            ("fs_write", json!({"path": path, "content": "x"})),
            ("fs_write", json!({"path": path, "content": "x", "create_dirs": true})),
        ] {
            // `~` has no meaning, so it is the name of a directory.
            if path.starts_with('~') && arguments.get("create_dirs").is_some() {
                continue;
            }
            let outcome = call(&mut tools, tool, arguments);
            assert!(["tool.denied", "args.invalid"].contains(&code(&outcome)), "{tool} {path}: {outcome:?}");
            assert!(!outcome.content.contains("secret of the owner"), "{tool} {path}");
            assert_eq!(tree(&place), before, "{tool} {path}");
        }
    }
    for path in ["folder", "../outside", "/", "/proc/self/fd", "device"] {
        let outcome = call(&mut tools, "fs_list", json!({"path": path}));
        assert!(["tool.denied", "args.invalid"].contains(&code(&outcome)), "{path}: {outcome:?}");
    }
}

/// A folder of the agent that becomes a symbolic link gives nothing.
#[test]
fn a_folder_that_becomes_a_link_gives_nothing() {
    let place = Place::new();
    let mut tools = place.tools();
    std::fs::remove_dir(place.path("data")).unwrap();
    symlink("outside", place.path("data")).unwrap();
    for (tool, path) in [("fs_read", "data/canary"), ("fs_list", "data"), ("fs_stat", "data/canary")] {
        let outcome = call(&mut tools, tool, json!({"path": place.text(path)}));
        assert_eq!(code(&outcome), "tool.denied", "{tool}: {outcome:?}");
    }
    let outcome = call(&mut tools, "fs_write", json!({"path": place.text("data/canary"), "content": "x"}));
    assert_eq!(code(&outcome), "tool.denied", "{outcome:?}");
    assert_eq!(place.read("outside/canary"), "secret of the owner\n");
}

/// Returns the names and contents of all files of a place.
fn tree(place: &Place) -> Vec<String> {
    fn visit(folder: &std::path::Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let kind = std::fs::symlink_metadata(&path).unwrap().file_type();
            let content =
                if kind.is_file() { std::fs::read_to_string(&path).unwrap() } else { String::new() };
            found.push(format!("{}: {content}", path.display()));
            if kind.is_dir() {
                visit(&path, found);
            }
        }
    }
    let mut found = Vec::new();
    visit(&place.path(""), &mut found);
    found.sort();
    found
}
