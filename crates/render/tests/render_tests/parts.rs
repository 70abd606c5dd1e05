//! Parts of files that other programs write too.

use minds_clients::ClientId;
use minds_render::clients::{ClientPlan, ClientRecord, plan as plan_servers, plan_cleanup};
use minds_render::jsonc::Json;
use minds_render::parts::{FilePart, JsonPart, PartContent, plan_parts, plan_parts_cleanup, scope_of_parts};
use minds_render::{Aspect, State, TeamTarget};
use minds_vfs::WorkspacePath;

use crate::clients::planning::{Files, apply, snapshot};

const AGENTS: TeamTarget = TeamTarget { aspect: Aspect::Agents, client: ClientId::ClaudeCode };
const HOOKS: TeamTarget = TeamTarget { aspect: Aspect::Hooks, client: ClientId::ClaudeCode };
const RULES: TeamTarget = TeamTarget { aspect: Aspect::Rules, client: ClientId::ClaudeCode };
const PROFILES: TeamTarget = TeamTarget { aspect: Aspect::Permissions, client: ClientId::Codex };

fn part(target: TeamTarget, path: &str, content: PartContent) -> FilePart {
    FilePart { target, path: WorkspacePath::parse(path).unwrap(), content }
}

fn keys(path: &str) -> Vec<String> {
    path.split('.').map(str::to_owned).collect()
}

fn deny(rules: &[&str]) -> FilePart {
    let item = |rule: &&str| JsonPart::Item(keys("permissions.deny"), Json::Text((*rule).to_owned()));
    part(AGENTS, ".claude/settings.json", PartContent::Json(rules.iter().map(item).collect()))
}

fn hook(command: &str) -> FilePart {
    let hook = Json::Object(vec![("command".to_owned(), Json::Text(command.to_owned()))]);
    let item = JsonPart::Item(keys("hooks.PreToolUse"), hook);
    part(HOOKS, ".claude/settings.json", PartContent::Json(vec![item]))
}

fn make_plan(files: &Files, parts: &[FilePart], targets: &[TeamTarget]) -> ClientPlan {
    let there = snapshot(files);
    let record = ClientRecord::of(&there);
    let mut plan = plan_servers(&record, &[], &[], &there);
    let records = std::mem::take(&mut plan.manifest.parts);
    let scope = scope_of_parts(parts, &records);
    assert!(parts.iter().all(|part| scope.files.iter().any(|file| file.path == part.path)));
    plan.manifest.parts = plan_parts(&mut plan, parts, targets, &records, &there);
    plan.add_manifest(&record, &there);
    plan
}

/// Renders parts, and checks that a second time changes nothing.
fn write(files: &mut Files, parts: &[FilePart], targets: &[TeamTarget]) {
    let plan = make_plan(files, parts, targets);
    assert!(plan.problems.is_empty(), "{:?}", plan.problems);
    apply(files, &plan.plan);
    let again = make_plan(files, parts, targets);
    assert!(!again.plan.would_change(), "{:?}", again.plan);
}

fn state(files: &Files, parts: &[FilePart], targets: &[TeamTarget], path: &str) -> State {
    let plan = make_plan(files, parts, targets);
    plan.plan.items().iter().find(|item| item.path.as_str() == path).unwrap().state
}

fn clean(files: &mut Files) -> usize {
    let there = snapshot(files);
    let record = ClientRecord::of(&there);
    let mut cleanup = plan_cleanup(&record, &there);
    let parts = plan_parts_cleanup(&mut cleanup, &there);
    cleanup.add_manifest(&record, &there);
    apply(files, &cleanup.plan);
    parts.kept.len()
}

fn files(all: &[(&str, &str)]) -> Files {
    all.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

#[test]
fn parts_are_added_changed_and_removed_again() {
    let mine =
        "{\n  \"env\": {\"A\": \"b\"},\n  \"permissions\": {\n    \"deny\": [\"Bash(rm:*)\"]\n  }\n}\n";
    let before = files(&[(".claude/settings.json", mine)]);
    let mut now = before.clone();
    write(&mut now, &[deny(&["Read(/a)", "Edit(/b)"]), hook("one")], &[AGENTS, HOOKS]);
    let text = &now[".claude/settings.json"];
    assert!(
        text.contains(r#"["Bash(rm:*)", "Read(/a)", "Edit(/b)"]"#) && text.contains("PreToolUse"),
        "{text}"
    );
    // One target alone changes only its own parts.
    write(&mut now, &[deny(&["Edit(/b)"])], &[AGENTS]);
    let text = &now[".claude/settings.json"];
    assert!(text.contains(r#"["Bash(rm:*)", "Edit(/b)"]"#) && text.contains("one"), "{text}");
    write(&mut now, &[hook("two")], &[HOOKS]);
    assert!(now[".claude/settings.json"].contains("two") && !now[".claude/settings.json"].contains("one"));
    assert_eq!(clean(&mut now), 0);
    assert_eq!(now, before);
}

#[test]
fn a_created_file_is_removed_with_the_last_target() {
    let mut now = Files::new();
    write(&mut now, &[deny(&["Read(/a)"]), hook("one")], &[AGENTS, HOOKS]);
    write(&mut now, &[], &[AGENTS]);
    assert!(now.contains_key(".claude/settings.json"));
    write(&mut now, &[], &[HOOKS]);
    assert_eq!(now, Files::new());
}

#[test]
fn an_item_of_another_program_stays() {
    let mine = "{\"permissions\": {\"deny\": [\"Read(/a)\"]}}\n";
    let before = files(&[(".claude/settings.json", mine)]);
    let mut now = before.clone();
    write(&mut now, &[deny(&["Read(/a)", "Read(/b)"])], &[AGENTS]);
    assert_eq!(clean(&mut now), 0);
    assert_eq!(now, before);
}

#[test]
fn whole_files_and_sections_drift_if_they_were_changed() {
    let agent = |text: &str| part(AGENTS, ".claude/agents/a.md", PartContent::File(text.to_owned()));
    let rules = |text: &str| part(RULES, "CLAUDE.md", PartContent::Block(text.to_owned()));
    let targets = [AGENTS, RULES];
    let mut now = files(&[("CLAUDE.md", "# Mine\n")]);
    write(&mut now, &[agent("one\n"), rules("one\n")], &targets);
    write(&mut now, &[agent("two\n"), rules("two\n")], &targets);
    for (path, from, to) in [(".claude/agents/a.md", "two", "by hand"), ("CLAUDE.md", "two", "by hand")] {
        let mut edited = now.clone();
        let text = edited.get_mut(path).unwrap();
        *text = text.replace(from, to);
        let parts = [agent("three\n"), rules("three\n")];
        assert_eq!(state(&edited, &parts, &targets, path), State::Drifted);
        let plan = make_plan(&edited, &parts, &targets);
        assert!(plan.plan.changes(false).is_err() && plan.plan.changes(true).is_ok());
        let with_edit = edited.clone();
        assert_eq!(clean(&mut edited), 1);
        assert_eq!(edited[path], with_edit[path]);
    }
    // A file of another program is not taken.
    let foreign = files(&[(".claude/agents/a.md", "mine\n")]);
    assert_eq!(state(&foreign, &[agent("one\n")], &targets, ".claude/agents/a.md"), State::Drifted);
    assert_eq!(clean(&mut now), 0);
    assert_eq!(now, files(&[("CLAUDE.md", "# Mine\n")]));
}

#[test]
fn tables_are_added_changed_and_removed_again() {
    let mine = "# mine\nmodel = \"x\"\n\n[permissions.other]\nextends = \":read-only\"\n";
    let profile = |body: &str| {
        let table = (vec!["permissions".to_owned(), "coder".to_owned()], body.to_owned());
        part(PROFILES, ".codex/config.toml", PartContent::Toml(vec![table]))
    };
    for before in [Files::new(), files(&[(".codex/config.toml", mine)])] {
        let mut now = before.clone();
        let body = "extends = \":workspace\"\n\n[filesystem]\n\"**/*.tsk/**\" = \"deny\"\n";
        write(&mut now, &[profile(body)], &[PROFILES]);
        assert!(
            now[".codex/config.toml"]
                .contains("[permissions.coder.filesystem]\n\"**/*.tsk/**\" = \"deny\"\n")
        );
        write(&mut now, &[profile("extends = \":read-only\"\n")], &[PROFILES]);
        assert!(!now[".codex/config.toml"].contains("tsk"));
        let mut edited = now.clone();
        let text = edited.get_mut(".codex/config.toml").unwrap();
        text.push_str("\n[permissions.coder.network]\nenabled = true\n");
        assert_eq!(state(&edited, &[profile(body)], &[PROFILES], ".codex/config.toml"), State::Drifted);
        assert_eq!(clean(&mut now), 0);
        assert_eq!(now, before);
    }
}

#[test]
fn a_file_that_cannot_be_changed_is_reported_and_kept() {
    for (path, text, parts, targets) in [
        (".claude/settings.json", "{\"env\": {},}", vec![deny(&["Read(/a)"])], [AGENTS]),
        (".claude/settings.json", "{\"permissions\": []}", vec![deny(&["Read(/a)"])], [AGENTS]),
        (
            ".claude/settings.json",
            "{\"permissions\": {}, \"permissions\": {}}",
            vec![deny(&["Read(/a)"])],
            [AGENTS],
        ),
        (
            ".codex/config.toml",
            "a = ",
            vec![part(
                PROFILES,
                ".codex/config.toml",
                PartContent::Toml(vec![(vec!["permissions".into(), "m".into()], String::new())]),
            )],
            [PROFILES],
        ),
        (
            "CLAUDE.md",
            "<!-- minds: begin -->\n",
            vec![part(RULES, "CLAUDE.md", PartContent::Block("x".into()))],
            [RULES],
        ),
    ] {
        let now = files(&[(path, text)]);
        let plan = make_plan(&now, &parts, &targets);
        assert!(plan.problems.has_errors(), "{text}");
        assert!(plan.plan.items().iter().all(|item| item.path.as_str() != path), "{text}");
    }
}

/// Values of other programs may be secrets, so only rendered ones are in diffs.
#[test]
fn diffs_show_only_rendered_values() {
    let now = files(&[(".claude/settings.json", "{\"env\": {\"KEY\": \"hunter2\"}}\n")]);
    let plan = make_plan(&now, &[deny(&["Read(/a)"])], &[AGENTS]);
    let detail = plan.details.values().next().unwrap();
    let after = detail.after.as_deref().unwrap();
    assert!(after.contains("Read(/a)") && after.contains("KEY") && !after.contains("hunter2"), "{after}");
    assert!(!detail.before.as_deref().unwrap().contains("hunter2"));
}

/// A manifest must list only files that its target writes, because they may be removed.
#[test]
fn a_manifest_with_a_file_of_no_target_is_foreign() {
    let mut now = Files::new();
    write(&mut now, &[part(AGENTS, ".claude/agents/a.md", PartContent::File("one\n".to_owned()))], &[AGENTS]);
    let text = now[".minds-manifest.json"].clone();
    assert!(matches!(ClientRecord::parse(text.as_bytes()), ClientRecord::Read(_)));
    for (from, to) in [
        (".claude/agents/a.md", "src/main.rs"),
        (".claude/agents/a.md", ".claude/agents/../settings.json"),
        (".claude/agents/a.md", ".claude/agents/.md"),
        ("agents:claude-code", "agents:codex"),
        ("agents:claude-code", "agents:unknown"),
        ("\"file\"\n", "\"block\"\n"),
    ] {
        let other = text.replace(from, to);
        assert_ne!(other, text, "{from}");
        assert_eq!(ClientRecord::parse(other.as_bytes()), ClientRecord::Foreign, "{other}");
    }
}
