//! Plans to install items.

use minds_inventory::LobeMode;
use minds_inventory::plan::{AgentHome, Occupant, Places, Plan, install};
use minds_sources::{Hook, HookEvent, RefusalKind};
use minds_vfs::ContentHash;

use crate::sample::{Sample, at, identity, item, key, of_items, path, source};

/// Returns the refused items of a plan, with the kinds of refusal.
fn refusals(plan: &Plan) -> Vec<(String, RefusalKind)> {
    plan.refusals.iter().map(|(key, refusal)| (key.to_string(), refusal.kind)).collect()
}

fn installed_keys(plan: &Plan) -> Vec<String> {
    plan.installs.iter().map(|step| step.record.key.to_string()).collect()
}

fn other(text: &str) -> Occupant {
    Occupant::Content(ContentHash::of(text.as_bytes()))
}

#[test]
fn dependencies_are_installed_first() {
    let sample = Sample::new(vec![source(
        "h/o/r",
        "jk",
        &[("skill:a agent:b", "{{ns:c}}"), ("agent:b", "b"), ("rule:c", "c"), ("tool:t", "t")],
    )]);
    let plan = sample.plan(&sample.request(false));
    assert_eq!(plan.refusals, []);
    assert_eq!(installed_keys(&plan), ["agent:jk-b", "rule:jk-c", "skill:jk-a", "tool:jk-t"]);
    let skill = &plan.installs[2];
    assert_eq!(skill.record.dependencies, [key("agent:jk-b"), key("rule:jk-c")]);
    assert_eq!(
        skill.links.iter().map(|link| link.at.as_str()).collect::<Vec<_>>(),
        ["/home/u/.claude/skills/jk-a"]
    );
    assert_eq!(skill.links[0].target, at("/home/u/.minds/store/skill/jk-a"));
    // A tool is only linked if it has a `link`.
    assert!(plan.installs[3].links.is_empty());
}

#[test]
fn planning_is_deterministic_and_installing_is_idempotent() {
    let mut sample =
        Sample::new(vec![source("h/o/r", "", &[("skill:a agent:b", "{{self}}"), ("agent:b", "")])]);
    let request = sample.request(false);
    assert_eq!(sample.plan(&request), sample.plan(&request));
    sample.install_all();
    let second_plan = sample.plan(&sample.request(false));
    assert!(second_plan.is_empty());
    assert_eq!(second_plan.unchanged, [key("agent:b"), key("skill:a")]);
}

#[test]
fn a_refused_item_prevents_only_its_own_source() {
    let sample = Sample::new(vec![
        source("h/o/bad", "", &[("skill:a zzz", ""), ("skill:needs skill:a", ""), ("agent:x", "")]),
        source("h/o/good", "", &[("skill:g", "")]),
    ]);
    let plan = sample.plan(&sample.request(false));
    let kind = RefusalKind::UnresolvedReference;
    assert_eq!(refusals(&plan), [("skill:a".to_owned(), kind), ("skill:needs".to_owned(), kind)]);
    assert_eq!(installed_keys(&plan), ["skill:g"]);
    assert_eq!(plan.withheld, [key("agent:x")]);
}

#[test]
fn a_name_belongs_to_one_source() {
    let mut sample = Sample::new(vec![source("h/o/one", "", &[("skill:s", "1")])]);
    sample.install_all();
    sample.offer(vec![
        source("h/o/one", "", &[("skill:s", "1")]),
        source("h/o/two", "", &[("skill:s", "2")]),
        source("h/o/three", "", &[("skill:S", "3")]),
        source("h/o/four", "p", &[("skill:s", "4")]),
        source("h/o/five", "P", &[("skill:s", "5")]),
    ]);
    for is_forced in [false, true] {
        let plan = sample.plan(&sample.request(is_forced));
        let taken = RefusalKind::NameTaken;
        assert_eq!(
            refusals(&plan),
            [
                ("skill:s".to_owned(), taken),
                ("skill:S".to_owned(), taken),
                // Case-insensitive file systems treat both as one name.
                ("skill:P-s".to_owned(), taken),
            ]
        );
        assert_eq!(installed_keys(&plan), ["skill:p-s"]);
    }
}

#[test]
fn no_item_takes_the_link_of_another() {
    let mut thief = item("rule:thief");
    thief.link = Some(path("rules/victim.md"));
    let mut sample = Sample::new(vec![source("h/o/one", "", &[("rule:victim", "1")])]);
    let both = of_items("h/o/two", "", vec![(thief.clone(), "2")]);
    // In one plan, and in two; also with `--force`.
    sample.offer(vec![source("h/o/one", "", &[("rule:victim", "1")]), both.clone()]);
    let plan = sample.plan(&sample.request(true));
    assert_eq!(refusals(&plan), [("rule:thief".to_owned(), RefusalKind::LinkTaken)]);
    sample.apply(&plan);
    let plan = sample.plan(&sample.request(true));
    assert_eq!(refusals(&plan), [("rule:thief".to_owned(), RefusalKind::LinkTaken)]);
    // The same item with another link.
    thief.link = Some(path("rules/other.md"));
    sample.offer(vec![of_items("h/o/two", "", vec![(thief, "2")])]);
    assert_eq!(installed_keys(&sample.plan(&sample.request(false))), ["rule:thief"]);
}

#[test]
fn a_link_out_of_its_folder_is_refused() {
    for link in [".bash_profile", "agents/x.md", "rules/a/b.md", "rules/x"] {
        let mut bad = item("rule:r");
        bad.link = Some(path(link));
        let sample = Sample::new(vec![of_items("h/o/r", "", vec![(bad, "")])]);
        let plan = sample.plan(&sample.request(true));
        assert_eq!(refusals(&plan), [("rule:r".to_owned(), RefusalKind::BadLink)], "{link}");
    }
}

#[test]
fn foreign_files_are_only_replaced_with_force() {
    let link = "/home/u/.claude/skills/a";
    let store = "/home/u/.minds/store/skill/a";
    // The occupant, and whether it is replaced without and with `--force`.
    let cases = [
        (Occupant::Nothing, true, true),
        (Occupant::Link(store.to_owned()), true, true),
        (Occupant::Link("/home/u/elsewhere".to_owned()), false, true),
        (Occupant::Link(format!("{store}/../b")), false, true),
        (other("file of the user"), false, true),
        (Occupant::Other, false, false),
    ];
    for (occupant, plainly, by_force) in cases {
        let mut sample = Sample::new(vec![source("h/o/r", "", &[("skill:a", "")])]);
        sample.put(link, occupant.clone());
        for (is_forced, expected) in [(false, plainly), (true, by_force)] {
            let plan = sample.plan(&sample.request(is_forced));
            assert_eq!(!plan.installs.is_empty(), expected, "{occupant:?} {is_forced}");
            if expected {
                assert_eq!(plan.installs[0].links[0].is_forced, !plainly, "{occupant:?}");
                assert_eq!(plan.installs[0].links[0].found, occupant);
            } else {
                assert_eq!(refusals(&plan), [("skill:a".to_owned(), RefusalKind::Occupied)], "{occupant:?}");
            }
        }
    }
}

#[test]
fn an_unknown_path_is_not_changed() {
    let sample = Sample::new(vec![source("h/o/r", "", &[("skill:a", "")])]);
    let plan = install(&sample.context(), &sample.request(false), &Places::new());
    assert_eq!(refusals(&plan), [("skill:a".to_owned(), RefusalKind::Occupied)]);
}

#[test]
fn modified_files_are_only_replaced_with_force() {
    let mut sample = Sample::new(vec![source("h/o/r", "", &[("skill:a", "1")])]);
    sample.install_all();
    sample.offer(vec![source("h/o/r", "", &[("skill:a", "2")])]);
    sample.put("/home/u/.minds/store/skill/a", other("edited"));
    let plan = sample.plan(&sample.request(false));
    assert_eq!(refusals(&plan), [("skill:a".to_owned(), RefusalKind::Drifted)]);
    let plan = sample.plan(&sample.request(true));
    assert_eq!(plan.installs[0].found, other("edited"));
}

#[test]
fn missing_files_are_restored() {
    for missing in ["/home/u/.minds/store/skill/a", "/home/u/.claude/skills/a"] {
        let mut sample = Sample::new(vec![source("h/o/r", "", &[("skill:a", "1")])]);
        sample.install_all();
        let complete = sample.disk_by_path();
        sample.disk.remove(&at(missing));
        let plan = sample.plan(&sample.request(false));
        assert_eq!(installed_keys(&plan), ["skill:a"], "{missing}");
        sample.apply(&plan);
        assert_eq!(sample.disk_by_path(), complete);
    }
}

#[test]
fn copies_are_recognized_by_their_bytes() {
    let mut sample = Sample::new(vec![source("h/o/r", "", &[("rule:a", "1")])]);
    sample.lobes.push(AgentHome { path: at("/mnt/other"), mode: LobeMode::Copy });
    sample.install_all();
    let copy = sample.disk.get(&at("/mnt/other/rules/a.md")).unwrap().clone();
    assert_eq!(copy, sample.disk[&at("/home/u/.minds/store/rule/a")]);
    assert!(sample.plan(&sample.request(false)).is_empty());
    // A newer version replaces it, a modified copy stays.
    sample.offer(vec![source("h/o/r", "", &[("rule:a", "2")])]);
    assert_eq!(installed_keys(&sample.plan(&sample.request(false))), ["rule:a"]);
    sample.put("/mnt/other/rules/a.md", other("edited"));
    assert_eq!(refusals(&sample.plan(&sample.request(false))), [("rule:a".to_owned(), RefusalKind::Drifted)]);
    assert!(sample.plan(&sample.request(true)).installs[0].links[1].is_forced);
}

#[test]
fn an_agent_home_that_is_added_later_is_filled() {
    let mut sample = Sample::new(vec![source("h/o/r", "", &[("rule:a", "1")])]);
    sample.install_all();
    sample.lobes.push(AgentHome { path: at("/home/u/.other"), mode: LobeMode::Link });
    let plan = sample.plan(&sample.request(false));
    sample.apply(&plan);
    assert!(sample.disk.contains_key(&at("/home/u/.other/rules/a.md")));
    // A home that is no longer configured keeps its links, and they stay recorded.
    sample.lobes.remove(0);
    sample.offer(vec![source("h/o/r", "", &[("rule:a", "2")])]);
    let plan = sample.plan(&sample.request(false));
    sample.apply(&plan);
    assert_eq!(sample.installed.get(&key("rule:a")).unwrap().placed.len(), 2);
}

#[test]
fn a_new_prefix_renames_what_is_installed() {
    let mut sample =
        Sample::new(vec![source("h/o/r", "", &[("skill:a", "{{self}}"), ("agent:b", "{{ns:a}}")])]);
    sample.install_all();
    let renamed = || vec![source("h/o/r", "zz", &[("skill:a", "{{self}}"), ("agent:b", "{{ns:a}}")])];
    sample.offer(renamed());
    let plan = sample.plan(&sample.request(false));
    assert_eq!(installed_keys(&plan), ["skill:zz-a", "agent:zz-b"]);
    assert_eq!(plan.installs[0].renamed_from, Some(key("skill:a")));
    sample.apply(&plan);
    // The result is the same as if it had always had this name.
    let mut fresh = Sample::new(renamed());
    fresh.install_all();
    assert_eq!(sample.disk_by_path(), fresh.disk_by_path());
    assert_eq!(sample.installed, fresh.installed);
}

#[test]
fn a_moved_link_is_removed_from_its_old_path() {
    let with_link = |link: Option<&str>| {
        let mut rule = item("rule:r");
        rule.link = link.map(path);
        vec![of_items("h/o/r", "", vec![(rule, "")])]
    };
    let mut sample = Sample::new(with_link(Some("rules/fixed.md")));
    sample.install_all();
    sample.offer(with_link(None));
    let plan = sample.plan(&sample.request(false));
    assert_eq!(plan.installs[0].unlinks.len(), 1);
    sample.apply(&plan);
    let mut fresh = Sample::new(with_link(None));
    fresh.install_all();
    assert_eq!(sample.disk_by_path(), fresh.disk_by_path());
}

#[test]
fn hooks_are_planned_with_their_consent_hash() {
    let hook = |run: &str, event| Hook { run: run.to_owned(), name: None, is_optional: true, event };
    let mut tool = item("tool:t");
    tool.build = Some("make".to_owned());
    tool.hooks = vec![hook("./setup", HookEvent::Install), hook("./down", HookEvent::Uninstall)];
    let sample = Sample::new(vec![of_items("h/o/r", "p", vec![(tool, "")])]);
    let plan = sample.plan(&sample.request(false));
    let hooks: Vec<String> = plan.hooks().map(|hook| format!("{} {}", hook.owner, hook.hook.run)).collect();
    assert_eq!(hooks, ["build of tool:p-t make", "tool:p-t ./setup"]);
    assert_eq!(plan.installs[0].record.uninstall, [hook("./down", HookEvent::Uninstall)]);
    assert_eq!(plan.installs[0].hooks[0].source, identity("h/o/r"));
}
