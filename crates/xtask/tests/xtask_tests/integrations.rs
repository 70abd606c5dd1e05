//! Commands started by other programs: the pre-commit hooks and the GitHub action use existing commands.

use minds_diagnostics::SourceFile;
use minds_document::yaml;
use minds_document::{Document, Node, Value};
use xtask::files::{read, root};

/// The script with which both start the command.
const SCRIPT: &str = ".ci/minds";

fn document(path: &str) -> Document {
    let parsed = yaml::parse(&SourceFile::new(path, read(path)));
    let found: Vec<_> = parsed.problems.into_sorted();
    assert!(found.is_empty(), "{path}: {found:?}");
    parsed.value.unwrap_or_else(|| panic!("{path} is not empty"))
}

#[track_caller]
fn text<'d>(node: Node<'d>, key: &str) -> &'d str {
    match node.get(key).map(Node::value) {
        Some(Value::String(text)) => text,
        other => panic!("`{key}` is {other:?}"),
    }
}

/// Fails unless the words are an existing command with existing flags.
#[track_caller]
fn expect_command(words: &[&str]) {
    let matches = minds_cli::command().try_get_matches_from([&["minds"], words].concat());
    assert!(matches.is_ok(), "{words:?}: {}", matches.unwrap_err());
}

#[test]
fn hooks_start_existing_commands() {
    let hooks = document(".pre-commit-hooks.yaml");
    let mut ids = Vec::new();
    for hook in hooks.root().items() {
        let id = text(hook, "id");
        let entry: Vec<&str> = text(hook, "entry").split(' ').collect();
        assert_eq!((text(hook, "language"), entry[0]), ("script", SCRIPT), "{id}");
        assert_eq!(id, format!("minds-{}", entry[1]));
        assert!(hook.get("files").is_some(), "{id} would run on every change");
        let files = if hook.get("pass_filenames").is_some() { &[][..] } else { &[".minds/team.yaml"] };
        expect_command(&[&entry[1..], files].concat());
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
    // The content of an input must not become part of the script.
    assert!(!script.contains("${{"), "{script}");
    let start = format!("\"$GITHUB_ACTION_PATH/{SCRIPT}\" ");
    let line =
        script.lines().find_map(|line| line.trim().strip_prefix(&start)).expect("it starts the command");
    let line =
        line.replace("\"$@\"", "--strict").replace("$MINDS_ARGS", "").replace("\"$MINDS_PATH\"", "src");
    expect_command(&line.split_whitespace().collect::<Vec<_>>());
}

#[test]
fn the_script_builds_the_released_command() {
    let script = read(SCRIPT);
    for part in ["--package minds-cli --bin minds", "--locked", "--release"] {
        assert!(script.contains(part), "{part}");
    }
    assert!(read("crates/cli/Cargo.toml").contains("name = \"minds-cli\""));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(root().join(SCRIPT)).expect("the script exists").permissions().mode();
        assert_eq!(mode & 0o111, 0o111, "it must be executable");
    }
    #[cfg(not(unix))]
    assert!(root().join(SCRIPT).exists());
}
