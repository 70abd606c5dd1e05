//! Plans to remove items.

use std::collections::BTreeMap;

use minds_inventory::Reference;
use minds_inventory::plan::{KeptPath, Occupant, Places, Plan, RemoveRequest, remove};
use minds_sources::{Hook, HookEvent, RefusalKind};
use minds_vfs::ContentHash;

use crate::sample::{Sample, at, item, key, of_items, source};

const STORE: &str = "/home/u/.minds/store/skill/a";
const LINK: &str = "/home/u/.claude/skills/a";

fn sample() -> Sample {
    let mut sample = Sample::new(vec![source("h/o/r", "", &[("skill:a", "1")])]);
    sample.install_all();
    sample
}

fn plan(sample: &Sample, names: &[&str], is_forced: bool) -> Plan {
    let request = RemoveRequest { items: names.iter().map(|name| key(name)).collect(), is_forced };
    let places = sample.occupants(request.places(&sample.context()));
    remove(&sample.context(), &request, &places)
}

#[test]
fn everything_that_was_installed_is_removed() {
    let mut sample = sample();
    let plan = plan(&sample, &["skill:a"], false);
    sample.apply(&plan);
    assert!(sample.disk.is_empty() && sample.installed.items.is_empty());
}

#[test]
fn only_placed_files_are_removed() {
    let foreign = [
        Occupant::Link("/home/u/precious".to_owned()),
        Occupant::Link(format!("{STORE}/")),
        Occupant::Content(ContentHash::of(b"a file of the user")),
        Occupant::Other,
    ];
    for occupant in foreign {
        let mut sample = sample();
        sample.put(LINK, occupant.clone());
        for is_forced in [false, true] {
            let plan = plan(&sample, &["skill:a"], is_forced);
            assert_eq!(plan.removals[0].unlinks, []);
            assert_eq!(plan.removals[0].kept, [KeptPath { at: at(LINK), found: Some(occupant.clone()) }]);
        }
    }
}

#[test]
fn an_unknown_path_is_kept() {
    let sample = sample();
    let request = RemoveRequest { items: [key("skill:a")].into(), is_forced: true };
    let plan = remove(&sample.context(), &request, &Places::new());
    assert_eq!(plan.removals[0].unlinks, []);
    assert_eq!(plan.removals[0].kept, [KeptPath { at: at(LINK), found: None }]);
}

#[test]
fn modified_files_are_only_removed_with_force() {
    let mut sample = sample();
    sample.put(STORE, Occupant::Content(ContentHash::of(b"edited")));
    let refused = plan(&sample, &["skill:a"], false);
    assert_eq!(
        refused.refusals.iter().map(|(_, refusal)| refusal.kind).collect::<Vec<_>>(),
        [RefusalKind::Drifted]
    );
    assert!(refused.is_empty());
    assert!(plan(&sample, &["skill:a"], true).removals[0].drifted_from.is_some());
    // Missing files need no removal.
    sample.disk.remove(&at(STORE));
    assert_eq!(plan(&sample, &["skill:a"], false).removals[0].found, Occupant::Nothing);
}

#[test]
fn dependents_are_reported_and_removed_first() {
    let mut sample = Sample::new(vec![source(
        "h/o/r",
        "",
        &[("skill:a agent:b", ""), ("agent:b rule:c", ""), ("rule:c", "")],
    )]);
    sample.install_all();
    let request = RemoveRequest { items: [key("rule:c")].into(), is_forced: false };
    assert_eq!(
        request.dependents(&sample.installed),
        BTreeMap::from([(key("agent:b"), vec![key("rule:c")])])
    );
    let all = plan(&sample, &["agent:b", "rule:c", "skill:a"], false);
    let order: Vec<String> = all.removals.iter().map(|step| step.record.key.to_string()).collect();
    assert_eq!(order, ["skill:a", "agent:b", "rule:c"]);
    let all =
        RemoveRequest { items: [key("rule:c"), key("agent:b"), key("skill:a")].into(), is_forced: false };
    assert!(all.dependents(&sample.installed).is_empty());
}

#[test]
fn the_hooks_are_those_of_the_installed_version() {
    let hook =
        |run: &str| Hook { run: run.to_owned(), name: None, is_optional: false, event: HookEvent::Uninstall };
    let with = |run: &str| {
        let mut tool = item("tool:t");
        tool.hooks = vec![hook(run)];
        vec![of_items("h/o/r", "", vec![(tool, "")])]
    };
    let mut sample = Sample::new(with("./down"));
    sample.install_all();
    // The source now has another hook, which was never shown.
    sample.offer(with("./evil"));
    let plan = plan(&sample, &["tool:t"], false);
    assert_eq!(plan.hooks().map(|hook| hook.hook.run.as_str()).collect::<Vec<_>>(), ["./down"]);
}

#[test]
fn a_reference_selects_installed_items() {
    let mut sample =
        Sample::new(vec![source("h/o/r", "", &[("skill:a", ""), ("agent:a", ""), ("rule:b", "")])]);
    sample.install_all();
    let by = |text: &str| {
        let reference = Reference::parse(text).unwrap();
        let request = RemoveRequest::by_reference(&sample.installed, &reference, false);
        request.map(|request| request.items.len()).map_err(|refusal| refusal.kind)
    };
    assert_eq!(by("b"), Ok(1));
    assert_eq!(by("a"), Err(RefusalKind::Ambiguous));
    assert_eq!(by("a*"), Ok(2));
    assert_eq!(by("r#*"), Ok(3));
    assert_eq!(by("other#*"), Err(RefusalKind::NotFound));
}
