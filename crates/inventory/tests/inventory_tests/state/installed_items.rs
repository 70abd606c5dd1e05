//! The file of installed items.

use minds_inventory::plan::AgentHome;
use minds_inventory::{INSTALLED_FILE, InstalledItems, LobeMode};
use minds_sources::{Hook, HookEvent, Identity, ItemKey};
use minds_vfs::WorkspacePath;

use crate::sample::{Sample, at, item, of_items};

fn sample() -> InstalledItems {
    let mut rule = item("rule:r skill:s");
    rule.link = Some(WorkspacePath::parse("rules/common.md").unwrap());
    rule.hooks =
        vec![Hook { run: "./down".to_owned(), name: None, is_optional: false, event: HookEvent::Uninstall }];
    let mut sample = Sample::new(vec![of_items("h/o/r", "p", vec![(rule, "1"), (item("skill:s"), "2")])]);
    sample.lobes.push(AgentHome { path: at("/mnt/x"), mode: LobeMode::Copy });
    sample.install_all();
    sample.installed
}

#[test]
fn the_file_looks_like_this() {
    insta::assert_snapshot!(sample().write());
}

#[test]
fn written_files_can_be_read() {
    for installed in [InstalledItems::default(), sample()] {
        assert_eq!(InstalledItems::parse(installed.write().as_bytes()), Ok(installed));
    }
}

/// A forged file cannot name paths other than those of the item itself.
#[test]
fn paths_of_other_files_are_refused() {
    let text = sample().write();
    let cases = [
        ("\"name\": \"p-s\"", "\"name\": \"../../precious\""),
        ("\"name\": \"p-s\"", "\"name\": \"/home/u/precious\""),
        ("\"bare_name\": \"s\"", "\"bare_name\": \"../s\""),
        ("store/skill/p-s", "store/skill/../../precious"),
        ("store/skill/p-s", "/home/u/precious"),
        ("store/skill/p-s", "store/rule/p-s"),
        ("/home/u/.claude/skills/p-s", "/home/u/precious"),
        ("/home/u/.claude/skills/p-s", "/home/u/../skills/p-s"),
        ("/home/u/.claude/skills/p-s", "/home/u/.claude/skills/other"),
        ("/home/u/.claude/skills/p-s", "/home/u/.claude/myskills/p-s/../../skills/p-s"),
        ("/home/u/.claude/skills/p-s", "/home/u/x-skills/p-s"),
        ("/home/u/.claude/skills/p-s", "skills/p-s"),
        ("/home/u/.claude/skills/p-s", "/skills/p-s"),
        ("/mnt/x/skills/p-s", "/home/u/.claude/skills/p-s"),
        ("rules/common.md\",\n      \"desc", "../common.md\",\n      \"desc"),
        ("rules/common.md\",\n      \"desc", "agents/common.md\",\n      \"desc"),
        ("\"h/o/r\"", "\"h/../r\""),
        ("\"kind\": \"skill\"", "\"kind\": \"skills\""),
        ("\"skill:p-s\": {", "\"skill:p-t\": {"),
        ("\"commit\": \"\"", "\"commit\": \"--help\""),
        ("\"skill:p-s\"\n", "\"skill:../s\"\n"),
        ("sha256:", "sha1:"),
        ("\"version\": 1", "\"version\": 9"),
        ("\"description\"", "\"discription\""),
    ];
    for (old, new) in cases {
        let changed = text.replacen(old, new, 1);
        assert_ne!(changed, text, "{old}");
        let error = InstalledItems::parse(changed.as_bytes()).unwrap_err();
        assert_eq!(error.file, INSTALLED_FILE, "{new}");
    }
}

#[test]
fn items_are_found_by_source_and_by_dependency() {
    let installed = sample();
    let skill = ItemKey::parse("skill:p-s").unwrap();
    let source = Identity::parse("h/o/r").unwrap();
    assert_eq!(installed.of(&source).count(), 2);
    let dependents: Vec<String> = installed.dependents(&skill).map(|item| item.key.to_string()).collect();
    assert_eq!(dependents, ["rule:p-r"]);
    assert_eq!(installed.of(&Identity::parse("h/o/other").unwrap()).count(), 0);
}
