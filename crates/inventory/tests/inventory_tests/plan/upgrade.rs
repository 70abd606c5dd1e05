//! Installed items that are no longer current, and plans to upgrade them.

use minds_inventory::LobeMode;
use minds_inventory::plan::{AgentHome, Occupant, Staleness, install, staleness, upgrade_request};
use minds_sources::RefusalKind;

use crate::sample::{Sample, at, item, key, of_items, source};

fn stale(sample: &Sample, name: &str) -> Staleness {
    staleness(&sample.context()).remove(&key(name)).unwrap()
}

#[test]
fn every_kind_of_staleness_is_recognized() {
    let mut sample = Sample::new(vec![source("h/o/r", "", &[("skill:a", "{{tools:t}}"), ("tool:t", "x")])]);
    sample.install_all();
    assert_eq!(stale(&sample, "skill:a"), Staleness::Current);
    sample.offer(vec![source("h/o/r", "", &[("skill:a", "new"), ("tool:t", "x")])]);
    assert!(matches!(stale(&sample, "skill:a"), Staleness::Outdated(_)));
    sample.offer(vec![source("h/o/r", "p", &[("skill:a", "{{tools:t}}"), ("tool:t", "x")])]);
    assert!(matches!(stale(&sample, "skill:a"), Staleness::Renamed(_, to) if to == key("skill:p-a")));
    sample.offer(vec![source("h/o/r", "", &[("tool:t", "x")])]);
    assert_eq!(stale(&sample, "skill:a"), Staleness::Dropped);
    sample.offer(vec![]);
    assert_eq!(stale(&sample, "skill:a"), Staleness::Unknown);
}

#[test]
fn an_item_is_outdated_if_an_item_that_it_refers_to_changes() {
    let with_program = |program: &str| {
        let mut tool = item("tool:t");
        tool.bin = Some(program.to_owned());
        let skill = item("skill:a");
        vec![of_items("h/o/r", "", vec![(skill, "{{tools:t}}"), (tool, "x")])]
    };
    let mut sample = Sample::new(with_program("one"));
    sample.install_all();
    sample.offer(with_program("two"));
    assert!(matches!(stale(&sample, "skill:a"), Staleness::Outdated(_)));
    assert_eq!(stale(&sample, "tool:t"), Staleness::Current);
}

#[test]
fn an_item_is_outdated_if_it_is_missing_in_an_agent_home() {
    let mut sample = Sample::new(vec![source("h/o/r", "", &[("skill:a", ""), ("tool:t", "")])]);
    sample.install_all();
    sample.lobes.push(AgentHome { path: at("/home/u/.other"), mode: LobeMode::Link });
    assert!(matches!(stale(&sample, "skill:a"), Staleness::Outdated(_)));
    // A tool without `link` is not placed.
    assert_eq!(stale(&sample, "tool:t"), Staleness::Current);
    sample.install_all();
    assert_eq!(stale(&sample, "skill:a"), Staleness::Current);
    sample.lobes[1].mode = LobeMode::Copy;
    assert!(matches!(stale(&sample, "skill:a"), Staleness::Outdated(_)));
    sample.install_all();
    assert_eq!(stale(&sample, "skill:a"), Staleness::Current);
}

#[test]
fn each_item_is_upgraded_independently() {
    let mut sample =
        Sample::new(vec![source("h/o/r", "", &[("skill:a", "1"), ("skill:b", "1"), ("skill:c", "1")])]);
    sample.install_all();
    sample.offer(vec![source(
        "h/o/r",
        "",
        &[("skill:a", "2"), ("skill:b", "2 {{ns:zzz}}"), ("skill:c", "1")],
    )]);
    sample.put("/home/u/.minds/store/skill/a", Occupant::Other);
    let request = upgrade_request(&sample.context(), false, |_| true);
    let places = sample.occupants(request.places(&sample.context()));
    let plan = install(&sample.context(), &request, &places);
    let kinds: Vec<RefusalKind> = plan.refusals.iter().map(|(_, refusal)| refusal.kind).collect();
    assert_eq!(kinds, [RefusalKind::Drifted, RefusalKind::UnresolvedReference]);
    assert_eq!((plan.installs.len(), plan.withheld.len()), (0, 0));

    sample.offer(vec![source(
        "h/o/r",
        "",
        &[("skill:a", "2"), ("skill:b", "2 {{ns:new}}"), ("skill:c", "1"), ("rule:new", "")],
    )]);
    let request = upgrade_request(&sample.context(), false, |_| true);
    let places = sample.occupants(request.places(&sample.context()));
    let plan = install(&sample.context(), &request, &places);
    // New dependencies are installed, and up-to-date items are not touched.
    let keys: Vec<String> = plan.installs.iter().map(|step| step.record.key.to_string()).collect();
    assert_eq!((keys, plan.refusals.len()), (vec!["rule:new".to_owned(), "skill:b".to_owned()], 1));
    assert!(upgrade_request(&sample.context(), false, |item| item.key == key("skill:c")).items.is_empty());
}
