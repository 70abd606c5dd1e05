use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::sample::{item, of_items, source};

fn names(items: &crate::SourceItems, at: &[usize]) -> Vec<String> {
    at.iter().map(|at| items.items[*at].key.to_string()).collect()
}

#[test]
fn front_matter_and_text_references_are_dependencies() {
    let items = source(
        "h/o/r",
        "p",
        &[
            ("skill:a agent:b rule:c", "See {{ns:d}}, {{self}}, {{ns:a}} and {{tools:t}}."),
            ("agent:b", ""),
            ("rule:c", ""),
            ("agent:d", ""),
            ("rule:d", ""),
            ("tool:t", "x"),
        ],
    );
    // A name without a kind means every item with that name; paths of tools are not names.
    assert_eq!(names(&items, items.graph.needs(0)), ["agent:p-b", "rule:p-c", "agent:p-d", "rule:p-d"]);
    assert!((0..6).all(|at| items.graph.problem(at).is_none()));
}

#[test]
fn an_unresolved_reference_is_reported() {
    let cases = [
        ("skill:a zzz", ""),
        ("skill:a agent:t", ""),
        ("skill:a x", ""),
        ("skill:a o/r#agent:b", ""),
        ("skill:a", "{{ns:zzz}}"),
        ("skill:a", "{{tools:b}}"),
        ("skill:a", "{{tools:zzz}}"),
        ("skill:a", "{{tools:bare}}"),
        ("skill:a", "{{path:x}}"),
        ("skill:a", "{{path:rule:b}}"),
    ];
    for (words, text) in cases {
        let mut bare = item("tool:bare");
        bare.bin = Some("../../escape".to_owned());
        let mut items_with_text = vec![(item(words), text)];
        items_with_text.extend(["agent:b", "agent:x", "rule:x", "tool:t"].map(|other| (item(other), "")));
        items_with_text.push((bare, ""));
        let items = of_items("h/o/r", "", items_with_text);
        let problem = items.graph.problem(0).map(|problem| problem.kind);
        assert_eq!(problem, Some(RefusalKind::UnresolvedReference), "{words} {text}");
    }
}

#[test]
fn a_dependency_cycle_terminates() {
    let items =
        source("h/o/r", "", &[("skill:a skill:b", ""), ("skill:b skill:c", ""), ("skill:c skill:a", "")]);
    assert_eq!(names(&items, &items.graph.closure(&[0])), ["skill:c", "skill:b", "skill:a"]);
    assert_eq!(names(&items, &items.graph.closure(&[1])), ["skill:a", "skill:c", "skill:b"]);
}

#[test]
fn a_chain_of_ten_thousand_items_terminates() {
    let words: Vec<String> =
        (0..10_000).map(|at| format!("skill:s{at} skill:s{}", (at + 1) % 10_000)).collect();
    let items: Vec<(&str, &str)> = words.iter().map(|words| (words.as_str(), "")).collect();
    let items = source("h/o/r", "", &items);
    assert_eq!(items.graph.closure(&[0]).len(), 10_000);
}

proptest! {
    /// Without cycles, each item occurs once, after everything that it depends on, and the closure is
    /// complete.
    #[test]
    fn dependencies_come_first(
        needs in prop::collection::vec(prop::collection::vec(0_usize..20, 0..4), 20),
        selected in prop::collection::vec(0_usize..20, 1..5),
    ) {
        // Items depend only on later ones, so there are no cycles.
        let needs: Vec<Vec<usize>> =
            needs.into_iter().enumerate().map(|(at, needs)| needs.into_iter().filter(|need| *need > at).collect()).collect();
        let graph = Graph { needs: needs.clone(), problems: BTreeMap::new() };
        let order = graph.closure(&selected);
        let place = |item: usize| order.iter().position(|other| *other == item);
        let unique: BTreeSet<usize> = order.iter().copied().collect();
        prop_assert_eq!(unique.len(), order.len());
        for item in &selected {
            prop_assert!(unique.contains(item));
        }
        for item in &order {
            for need in &needs[*item] {
                prop_assert!(place(*need) < place(*item));
            }
            let is_wanted = selected.contains(item) || order.iter().any(|other| needs[*other].contains(item));
            prop_assert!(is_wanted);
        }
    }
}
