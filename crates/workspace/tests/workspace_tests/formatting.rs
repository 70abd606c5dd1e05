//! The canonical form of files: recorded pairs, and properties of all files.

use std::fs;
use std::path::{Path, PathBuf};

use minds_diagnostics::SourceFile;
use minds_document::yaml;
use minds_vfs::{Snapshot, WorkspacePath};
use minds_yaml_format::Refusal;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns all `.yaml` files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Formats `text` as a file of the family that `name` begins with.
fn form(name: &str, text: &[u8]) -> Result<String, Refusal> {
    let file = ["llm", "mcp"].into_iter().find(|file| name.starts_with(file)).unwrap_or("team");
    let order = minds_core::key_order(&format!(".minds/{file}.yaml")).unwrap();
    minds_yaml_format::format(&SourceFile::new(name, text), order)
}

/// Returns the content of a file, regardless of the order of its keys; `None` if it is invalid.
fn content(text: &[u8]) -> Option<serde_json::Value> {
    let parsed = yaml::parse(&SourceFile::new("x.yaml", text));
    parsed.value.filter(|_| parsed.problems.is_empty()).map(|document| document.root().to_json())
}

#[test]
fn recorded_pairs() {
    let folder = repository().join("fixtures/fmt");
    let mut cases = 0;
    for before in files(&folder).iter().filter(|path| path.ends_with("before.yaml")) {
        let case = before.parent().unwrap().file_name().unwrap().to_str().unwrap();
        let text = fs::read(before).unwrap();
        let after = fs::read_to_string(before.with_file_name("after.yaml")).unwrap();
        assert_eq!(form(case, &text).unwrap(), after, "{case}");
        assert_eq!(form(case, after.as_bytes()).unwrap(), after, "{case}: formatting is idempotent");
        assert_eq!(content(&text), content(after.as_bytes()), "{case}");
        cases += 1;
    }
    assert!(cases > 30);
}

#[test]
fn formatting_keeps_the_content_of_every_fixture() {
    for path in files(&repository().join("fixtures")) {
        let (name, text) = (path.file_name().unwrap().to_str().unwrap(), fs::read(&path).unwrap());
        match form(name, &text) {
            Ok(after) => {
                assert_eq!(content(&text), content(after.as_bytes()), "{}", path.display());
                assert_eq!(form(name, after.as_bytes()).unwrap(), after, "{}", path.display());
                let signs = |text: &str| text.matches('#').count();
                assert_eq!(signs(&String::from_utf8_lossy(&text)), signs(&after), "{}", path.display());
            }
            Err(Refusal::Problems(problems)) => {
                assert!(content(&text).is_none(), "{}", path.display());
                assert!(problems.has_errors(), "{}", path.display());
            }
            // Files that not all YAML parsers accept may not be formatted.
            Err(Refusal::Unsure(_)) if path.to_str().unwrap().contains("/incompatible-yaml--in-blocks/") => {}
            Err(refused) => panic!("{}: {refused:?}", path.display()),
        }
    }
}

#[test]
fn the_examples_of_the_project_are_formatted() {
    for folder in ["fixtures/workspaces/newsroom", "crates/operations/templates"] {
        for path in files(&repository().join(folder)) {
            let name = path.file_name().unwrap().to_str().unwrap();
            let text = fs::read_to_string(&path).unwrap();
            assert_eq!(form(name, text.as_bytes()).unwrap(), text, "{}", path.display());
        }
    }
}

#[test]
fn files_are_formatted_independently() {
    let path = |path| WorkspacePath::parse(path).unwrap();
    let snapshot = Snapshot::new()
        .with_file(path(".minds/team.yaml"), "members:   {}\n")
        .with_file(path(".minds/llm.yaml"), "providers: [\n")
        .with_file(path(".minds/mcp.yaml"), "version: 1\n");
    let formatted = minds_workspace::format(&snapshot, |_| true);
    assert_eq!(formatted.seen, [".minds/llm.yaml", ".minds/mcp.yaml", ".minds/team.yaml"]);
    let changed: Vec<String> = formatted.files.keys().map(ToString::to_string).collect();
    assert_eq!(changed, [".minds/team.yaml"]);
    assert_eq!(formatted.plan(&snapshot).len(), 1);
    let problems = formatted.problems.into_sorted();
    assert_eq!(problems.iter().map(|found| found.rule.code).collect::<Vec<_>>(), ["yaml/syntax"]);
    let formatted = minds_workspace::format(&snapshot, |file| file == ".minds/mcp.yaml");
    assert!(formatted.files.is_empty() && formatted.problems.is_empty());
}

#[test]
fn files_with_errors_are_rejected() {
    for text in [
        "a: [\n",
        "a: 1\na: 2\n",
        "a: 1\n---\nb: 2\n",
        "a: *x\n",
        "a: !own 1\n",
        "? [a]\n: 1\n",
        "a:\n\t- b\n",
        "a: \u{7}\n",
    ] {
        let refused = form("team", text.as_bytes());
        assert!(
            matches!(&refused, Err(Refusal::Problems(problems)) if problems.has_errors()),
            "{text:?}: {refused:?}"
        );
    }
    assert!(matches!(form("team", b"a: \xff\n"), Err(Refusal::Problems(_))));
}

/// Large files would take quadratic time if any part of formatting did.
#[test]
fn large_files_are_formatted() {
    let many = 20_000;
    let wide = |line: &str| line.repeat(many);
    let texts = [
        format!("x-a: [{}]\n", wide("a,")),
        format!("x-a: [{}]\n", wide("a, # b\n ")),
        wide("# c\n"),
        wide("\n"),
        format!("x-a:\n{}", wide(" - b # c\n")),
        format!("x-a: {}\n", wide("b c ")),
        format!("x-a: |\n{}", wide("  b\n")),
        format!("x-a: b # c\n{}", wide("       # c\n")),
        format!("x-a: {}\nmembers: {{}} # c\nmember_defaults: {{}}\n", wide("é ")),
        (0..many).map(|at| format!("k{at}: v\n\n")).collect(),
        (0..many).map(|at| format!("k{at}: &a{at} v\nl{at}: *a{at}\n")).collect::<String>() + "members: {}\n",
        format!("members: {{}}\n{}member_defaults: {{}}\n", wide("# c\n\n")),
        format!("members:\n  a:\n    tools: [b]\n{}    name: c\n", wide("    # d\n")),
    ];
    for text in texts {
        let after = form("team", text.as_bytes()).unwrap();
        assert_eq!(content(text.as_bytes()), content(after.as_bytes()));
    }
}

/// Exactly the files that a compose root refers to have a canonical form, at any place in the root.
#[test]
fn the_files_of_a_compose_root_are_formatted() {
    let compose = "\
projects:
- file: more/shop.yml
- file: ../outside.yaml
rate_limits:
  hooks:
  - to: a:b
    action: send
    name: tell
supervisor:
  drain_timeout_secs: 5
  tmux_prefix: t-
  type: tmux
broker:
    path: x   # where
    type: sqlite
version: 2
";
    let project = "\
workers:
  b:
    reports_to: a
    model: y
    runtime: codex
  a: {display_name: A}
channels:
- members: '*'
  name: all
project:
  cwd: .
  name: Shop
  id: shop
version: 2
";
    let runtime = "env: {B: 1, A: 2}\nbinary: x\nrate_limit_patterns:\n- resets_in_capture: t\n  match: x\n";
    for root in [".team/", ""] {
        let at = |name: &str| WorkspacePath::parse(&format!("{root}{name}")).unwrap();
        let snapshot = Snapshot::new()
            .with_file(at("team-compose.yaml"), compose)
            .with_file(at("more/shop.yml"), project)
            .with_file(at("more/other.yml"), project)
            .with_file(at("runtimes/x.yaml"), runtime);
        let formatted = minds_workspace::format(&snapshot, |_| true);
        assert!(formatted.problems.is_empty() && formatted.unsure.is_empty());
        let texts: Vec<(String, &str)> = formatted
            .files
            .iter()
            .map(|(location, (_, after))| (location.to_string(), after.as_str()))
            .collect();
        let expected = [
            (
                format!("{root}more/shop.yml"),
                "\
version: 2
project:
  id: shop
  name: Shop
  cwd: .
channels:
  - name: all
    members: '*'
workers:
  b:
    runtime: codex
    model: y
    reports_to: a
  a: {display_name: A}
",
            ),
            (
                format!("{root}runtimes/x.yaml"),
                "binary: x\nenv: {B: 1, A: 2}\nrate_limit_patterns:\n  - match: x\n    resets_in_capture: t\n",
            ),
            (
                format!("{root}team-compose.yaml"),
                "\
version: 2
broker:
  type: sqlite
  path: x # where
supervisor:
  type: tmux
  tmux_prefix: t-
  drain_timeout_secs: 5
rate_limits:
  hooks:
    - name: tell
      action: send
      to: a:b
projects:
  - file: more/shop.yml
  - file: ../outside.yaml
",
            ),
        ];
        assert_eq!(texts, expected);
    }
}
