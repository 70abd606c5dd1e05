//! Spellings of paths that could lead past the lists.

use minds_guard::Outcome::{self, Allow, Ask, Deny};
use serde_json::json;

use crate::support::{Memory, coder, judge};

fn memory() -> Memory {
    let links = [
        ("src/link", "../secret"),
        ("src/absolute", "/ws/secret"),
        ("src/out", "/etc"),
        ("src/file", "gen/a.rs"),
        ("src/dangling", "../secret/new"),
        ("src/round", "round"),
        ("pub", "secret"),
    ];
    Memory::new(&links, &["src", "secret", "docs", "src/gen", ".minds", "x.tsk"])
}

#[track_caller]
fn check(path: &str, read: Outcome, write: Outcome) {
    let read_outcome = judge(&memory(), coder(), "Read", &json!({ "file_path": path }));
    let write_outcome = judge(&memory(), coder(), "Write", &json!({ "file_path": path, "content": "" }));
    assert_eq!((read_outcome, write_outcome), (read, write), "{path:?}");
}

#[test]
fn spellings_of_a_path_have_the_same_verdict() {
    for path in
        ["src/a.rs", "./src/a.rs", "src//a.rs", "/ws/src/a.rs", "/ws/../ws/./src/a.rs", "docs/../src/a.rs"]
    {
        check(path, Allow, Allow);
    }
    for path in
        ["secret/k", "./secret/k", "src/../secret/k", "/ws//secret/k", "Secret/K", "SECRET", "secret/./k/"]
    {
        check(path, Deny, Deny);
    }
    // Decomposed letters and letter case do not lead past a deny list.
    for path in ["src/gen/x", "src/GEN/x", "src/\u{ff47}en/x"] {
        let write = if path.contains('\u{ff47}') { Allow } else { Deny };
        check(path, Allow, write);
    }
    // An allow list matches exactly.
    check("SRC/a.rs", Allow, Deny);
    check("src./a.rs", Allow, Deny);
}

#[test]
fn links_are_judged_by_the_path_and_by_their_target() {
    for path in ["src/link", "src/link/k", "src/absolute/k", "src/dangling", "pub/k", "src/round"] {
        check(path, Deny, Deny);
    }
    check("src/file", Allow, Deny);
    check("src/out/passwd", Ask, Deny);
    // After a link, `..` is the parent of its target for the system, but not for programs that normalize paths.
    check("src/link/../a", Allow, Deny);
    check("src/out/../ws/src/a", Allow, Allow);
    check("src/out/../b", Ask, Deny);
}

#[test]
fn paths_outside_are_asked_about_and_never_written() {
    for path in ["/etc/passwd", "../x", "src/../../x", "/ws-old/a", "/", "/wsx"] {
        check(path, Ask, Deny);
    }
}

#[test]
fn paths_that_could_be_expanded_are_denied() {
    for path in [
        "",
        "~",
        "~/x",
        "~root/x",
        "$HOME/x",
        "${HOME}/x",
        "src/$HOME",
        "file:///ws/src/a",
        "FILE:src/a",
        "src/a\0",
        "\0",
        "C:/x",
        " src/a",
        "src/a ",
        "src\\a",
        "'src/a'",
        "@src/a",
        "src/\u{202e}a",
        "src/a\n",
    ] {
        check(path, Deny, Deny);
    }
}

#[test]
fn reserved_areas_and_settings_are_not_written() {
    for path in ["x.tsk/a", "docs/X.TSK", "docs/a.tsk/b"] {
        check(path, Deny, Deny);
    }
    for path in [".minds/team.yaml", ".git/config", "src/.git/hooks/x", "src/.GIT/x", "src/git~1/x"] {
        check(path, Allow, Deny);
    }
    // A nested workspace would have a team of its own.
    check("src/.minds/team.yaml", Allow, Ask);
    check("docs/a/.MINDS/x", Allow, Ask);
    let open = || minds_access_control::Policy::builder().build();
    for path in [".claude/settings.json", ".claude/Settings.local.json", ".claude/hooks/x"] {
        let member = crate::support::TestMember { id: "open", policy: open(), servers: &[], lacks: &[] };
        assert_eq!(judge(&memory(), member, "Write", &json!({ "file_path": path })), Ask, "{path}");
    }
}

#[track_caller]
fn check_search(tool: &str, arguments: &serde_json::Value, expected: Outcome) {
    assert_eq!(judge(&memory(), coder(), tool, arguments), expected, "{tool} {arguments}");
}

#[test]
fn a_search_reaches_everything_below_its_directory() {
    check_search("Grep", &json!({ "pattern": "x", "path": "src" }), Allow);
    check_search("Grep", &json!({ "pattern": "x" }), Deny);
    check_search("Grep", &json!({ "pattern": "x", "path": "/ws" }), Deny);
    check_search("Grep", &json!({ "pattern": "x", "path": "src/link" }), Deny);
    check_search("Glob", &json!({ "pattern": "src/**/*.rs" }), Deny);
    check_search("Glob", &json!({ "pattern": "**/*.rs", "path": "src" }), Allow);
    check_search("Glob", &json!({ "pattern": "../secret/*", "path": "src" }), Deny);
    check_search("Glob", &json!({ "pattern": "/ws/secret/*", "path": "src" }), Deny);
    check_search("Glob", &json!({ "pattern": "*/../../secret/*", "path": "src" }), Deny);
    check_search("Glob", &json!({ "pattern": "{a,../secret}/*", "path": "src" }), Deny);
    check_search("LS", &json!({ "path": "." }), Allow);
    check_search("LS", &json!({ "path": "secret" }), Deny);
    let mut memory = memory();
    memory.packages.push(minds_vfs::WorkspacePath::parse("docs/x.tsk").unwrap());
    assert_eq!(judge(&memory, coder(), "Grep", &json!({ "pattern": "x", "path": "docs" })), Ask);
    assert_eq!(judge(&memory, coder(), "Grep", &json!({ "pattern": "x", "path": "src" })), Allow);
}

#[track_caller]
fn check_shell(command: &str, expected: Outcome) {
    assert_eq!(judge(&memory(), coder(), "Bash", &json!({ "command": command })), expected, "{command}");
}

#[test]
fn commands_with_known_files_are_allowed() {
    for command in [
        "cat src/a.rs",
        "cat README.md | head -n 5",
        "echo x > src/a.rs",
        "ls -la src && grep -rn x src",
        "pwd; true",
        "sed -n '1,5p' src/a.rs",
        "sed -i s/a/b/g src/a.rs",
        "cp src/a.rs docs",
        "rm -f docs/a",
        "mkdir -p src/x/y",
        "cat a 2>/dev/null",
        "cd src && cat a.rs",
        "bash -lc 'cat src/a.rs'",
        "touch src/a",
        "find src -name '*.rs'",
        "rg -n --hidden x src",
        "git status",
        "mv docs/a docs/b",
        "tee -a docs/x < src/a.rs",
        "echo '$HOME' \\*",
    ] {
        check_shell(command, Allow);
    }
}

#[test]
fn a_denied_file_denies_the_command() {
    for command in [
        "cat secret/k",
        "cat 'sec''ret/k'",
        "head -5 < secret/k",
        "echo x > src/gen/a",
        "echo x>>src/gen/a",
        "ls secret",
        "cd secret && cat k",
        "cd src; cat ../secret/k",
        "grep -r x",
        "grep -rn x .",
        "rg x",
        "rg --files",
        "find . -name k",
        "cp secret/k docs",
        "cp src/a src/gen/",
        "mv src/a src/gen/a",
        "rm -rf src",
        "rm src/gen/a",
        "sed -i p src/gen/a",
        "bash -c 'cat secret/k'",
        "true && (cat secret/k)",
        "if true; then cat secret/k; fi",
        "tee src/gen/a",
        "cat /ws/secret/k",
        "cat ~/x secret/k",
        "truncate -s 0 src/gen/a",
        "echo x 2> src/gen/a",
        "A=b cat secret/k",
        "cat src/link/k",
        "mkdir src/gen/x",
        "rm -rf .",
        "echo x > /tmp/y",
        "sudo ls; cat secret/k",
        "sh -c \"sh -c 'cat secret/k'\"",
        "cp -r . docs/x",
        "git mv src/a src/gen/b",
        "cat\nsecret/k\ncat secret/k",
    ] {
        check_shell(command, Deny);
    }
}

#[test]
fn commands_with_unknown_files_are_asked_about() {
    for command in [
        "cat $X",
        "cat src/a $(x) secret/k",
        "cat sec*/k",
        "cat sec?et/k",
        "cat {a,secret/k}",
        "cat `echo secret/k`",
        "cat ~/x",
        "python3 -c 1",
        "make",
        "sudo cat a",
        "env cat a",
        "xargs cat",
        "awk 1 src/a",
        "sed 'w x' src/a",
        "find src -exec cat {} +",
        "find src -delete",
        "git log -p",
        "git -C secret status",
        "cat <<E\nE",
        "./cat src/a",
        "eval cat src/a",
        "ln -s ../secret src/x",
        "sort -o src/b src/a",
        "tar xf a",
        "f() { cat a; }",
        "cat <(cat a)",
        "xxd a src/gen/x",
        "mv docs/a docs/b && cat docs/b",
        "grep -f src/p src/a",
        "rg --pre cat x src",
        "cat 'a",
        "A=b cat a",
        "cat --x a",
        "cd - && cat a",
        "bash x.sh",
        "sed -i.bak p src/a",
        "cat src/a\\",
        "ls | while read x; do echo; done",
        "cat a &&",
    ] {
        let expected = if command == "cat a &&" { Allow } else { Ask };
        check_shell(command, expected);
    }
}
