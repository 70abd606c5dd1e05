//! What other programs start: the hooks for pre-commit and the action for GitHub name commands that there are.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test reads what it needs, and may stop at once"
)]

use minds_diagnostics::SourceFile;
use minds_document::yaml;
use minds_document::{Document, Node, Value};
use xtask::files::{read, root};

/// The script by which both start the command.
const SCRIPT: &str = ".ci/minds";

fn document(path: &str) -> Document {
    let parsed = yaml::parse(&SourceFile::new(path, read(path)));
    let found: Vec<_> = parsed.problems.into_sorted();
    assert!(found.is_empty(), "{path}: {found:?}");
    parsed.value.unwrap_or_else(|| panic!("{path} holds something"))
}

#[track_caller]
fn text<'d>(node: Node<'d>, key: &str) -> &'d str {
    match node.get(key).map(Node::value) {
        Some(Value::String(text)) => text,
        other => panic!("`{key}` is {other:?}"),
    }
}

/// Fails unless the words are a command that there is, with flags that it has.
#[track_caller]
fn is_command(words: &[&str]) {
    let matches = minds_cli::command().try_get_matches_from([&["minds"], words].concat());
    assert!(matches.is_ok(), "{words:?}: {}", matches.unwrap_err());
}

#[test]
fn hooks_start_commands() {
    let hooks = document(".pre-commit-hooks.yaml");
    let mut ids = Vec::new();
    for hook in hooks.root().items() {
        let id = text(hook, "id");
        let entry: Vec<&str> = text(hook, "entry").split(' ').collect();
        assert_eq!((text(hook, "language"), entry[0]), ("script", SCRIPT), "{id}");
        assert_eq!(id, format!("minds-{}", entry[1]));
        assert!(hook.get("files").is_some(), "{id} would run on every change");
        let files = if hook.get("pass_filenames").is_some() { &[][..] } else { &[".minds/team.yaml"] };
        is_command(&[&entry[1..], files].concat());
        ids.push(id);
    }
    assert!(ids.contains(&"minds-check"), "{ids:?}");
}

#[test]
fn the_action_starts_a_command_with_all_its_inputs() {
    let action = document("action.yml");
    let action = action.root();
    let inputs: Vec<&str> =
        action.get("inputs").expect("it has inputs").entries().map(|entry| entry.key).collect();
    assert_eq!(inputs, ["path", "strict", "args"]);
    let step = action.get("runs").and_then(|runs| runs.get("steps")).and_then(|steps| steps.items().next());
    let step = step.expect("it has a step");
    let (script, env) = (text(step, "run"), step.get("env").expect("inputs come as variables"));
    for input in inputs {
        let variable = format!("MINDS_{}", input.to_uppercase());
        assert_eq!(text(env, &variable), format!("${{{{ inputs.{input} }}}}"));
        assert!(script.contains(&format!("${variable}")), "`{input}` is used");
    }
    // What stands in an input must not become a part of the script.
    assert!(!script.contains("${{"), "{script}");
    let start = format!("\"$GITHUB_ACTION_PATH/{SCRIPT}\" ");
    let line =
        script.lines().find_map(|line| line.trim().strip_prefix(&start)).expect("it starts the command");
    let line =
        line.replace("\"$@\"", "--strict").replace("$MINDS_ARGS", "").replace("\"$MINDS_PATH\"", "src");
    is_command(&line.split_whitespace().collect::<Vec<_>>());
}

#[test]
fn the_script_builds_what_the_workspace_ships() {
    let script = read(SCRIPT);
    for part in ["--package minds-cli --bin minds", "--locked", "--release"] {
        assert!(script.contains(part), "{part}");
    }
    assert!(read("crates/cli/Cargo.toml").contains("name = \"minds-cli\""));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(root().join(SCRIPT)).expect("the script is there").permissions().mode();
        assert_eq!(mode & 0o111, 0o111, "others start it");
    }
    #[cfg(not(unix))]
    assert!(root().join(SCRIPT).exists());
}
