//! Hidden text is reported in every kind of file that models receive.

use minds_diagnostics::Severity;
use minds_vfs::{Snapshot, WorkspacePath};

const TEAM: &str = "member_defaults: {provider: codex, model: gpt-5.2}\nmembers: {coder: {name: Coder}}\n";
const COMPOSE: &str = "version: 2\nprojects: [{file: projects/shop.yaml}]\n";
const SHOP: &str = "version: 2\nproject: {id: shop, name: Shop, cwd: .}\nmanagers:\n  lead: {runtime: aider, role_prompt: [roles/lead.md]}\n";
const AIDER: &str = "binary: aider\n";
const AGENT: &str = "name: zeus\nmodel: gpt-5-nano\nprompt: {base: base.md, overlay: overlay.md}\n";

/// The files of a workspace with every kind of file that models receive.
const FILES: &[(&str, &str)] = &[
    (".minds/team.yaml", TEAM),
    (".minds/llm.yaml", "# none\n"),
    (".minds/mcp.yaml", "# none\n"),
    (".minds/minds.toml", "# none\n"),
    (".minds/team/coder/persona.md", "You write code.\n"),
    (".minds/team/coder/persona.zh.md", "写代码。\n"),
    (".minds/team/coder/knowledge.md", "Rust.\n"),
    (".minds/team/coder/lessons.md", "Measure.\n"),
    (".team/team-compose.yaml", COMPOSE),
    (".team/projects/shop.yaml", SHOP),
    (".team/roles/lead.md", "You lead.\n"),
    (".team/runtimes/aider.yaml", AIDER),
    (".ateam/project.yaml", "# none\n"),
    (".ateam/models.yaml", "# none\n"),
    (".ateam/tools.yaml", "# none\n"),
    (".ateam/agents/zeus/agent.yaml", AGENT),
    (".ateam/agents/zeus/base.md", "You rule.\n"),
    (".ateam/agents/zeus/overlay.md", "Kindly.\n"),
    ("mind.toml", "# none\n"),
    ("tasks/ship.tsk/goals.md", "Ship.\n"),
    ("tasks/ship.tsk/constraints.md", "Nothing.\n"),
    ("tasks/ship.tsk/progress.md", "Nothing.\n"),
    ("tasks/ship.tsk/bearinmind/contracts.md", "Nothing.\n"),
    ("tasks/ship.tsk/ux/checklist.md", "Nothing.\n"),
];

/// Returns the severities of findings of a code in a file.
fn severities(planted: Option<(&str, &str)>, code: &str, file: &str) -> Vec<Severity> {
    let mut snapshot = Snapshot::new();
    for (path, text) in FILES {
        let mut text = (*text).to_owned();
        if let Some((target, hidden)) = planted
            && target == *path
        {
            let is_document = [".yaml", ".toml"].iter().any(|ending| path.ends_with(ending));
            text.push_str(if is_document { "# " } else { "" });
            text.push_str(hidden);
            text.push('\n');
        }
        snapshot = snapshot.with_file(WorkspacePath::parse(path).expect("the path is valid"), text);
    }
    let checked = minds_workspace::check(&snapshot);
    let all = checked.diagnostics.iter().filter(|found| found.rule.code == code);
    let in_file = |name: &str| name == file || name.ends_with(&format!("/{file}"));
    all.filter(|found| found.primary.as_ref().is_some_and(|label| in_file(label.source.name())))
        .map(|found| found.severity)
        .collect()
}

#[test]
fn hidden_text_is_reported_in_all_files_for_models() {
    for (file, _) in FILES {
        for (hidden, severity) in [
            ("x\u{e0041}\u{e0042}", Severity::Error),
            ("x\u{202e}", Severity::Error),
            ("😀\u{fe01}\u{fe02}", Severity::Error),
            ("x\u{200b}y", Severity::Warning),
        ] {
            assert_eq!(
                severities(Some((file, hidden)), "text/hidden-text", file),
                [severity],
                "{file}: {hidden:?}"
            );
        }
        assert_eq!(severities(None, "text/hidden-text", file), [], "{file}");
        let used = "می\u{200c}خواهم 👩\u{200d}💻 שלום\u{200f}!";
        assert_eq!(severities(Some((file, used)), "text/hidden-text", file), [], "{file}");
    }
}

/// YAML and TOML parsers reject control characters themselves.
#[test]
fn control_characters_are_reported_in_all_files_for_models() {
    for (file, _) in FILES {
        for hidden in ["\u{1b}[2J", "\u{7f}", "\u{9b}31m"] {
            let is_reported = |code| !severities(Some((file, hidden)), code, file).is_empty();
            let codes = ["text/control-character", "yaml/syntax", "toml/syntax"];
            let reported: Vec<_> = codes.into_iter().filter(|code| is_reported(code)).collect();
            assert_eq!(reported.len(), 1, "{file}: {hidden:?}: {reported:?}");
        }
    }
}
