//! Trees of dependencies.

use minds_inventory::{Position, roots, tree_lines, trees};

use crate::sample::{Sample, source};

fn lines(items: &[(&str, &str)], selected: &[usize]) -> (Vec<String>, String) {
    let sample = Sample::new(vec![source("h/o/r", "", items)]);
    let roots: Vec<Position> = selected.iter().map(|item| Position { source: 0, item: *item }).collect();
    let json = serde_json::to_string(&trees(&sample.inventory, &roots)).unwrap();
    (tree_lines(&sample.inventory, &roots), json)
}

#[test]
fn a_tree_looks_like_this() {
    let items =
        [("skill:a agent:b rule:c", ""), ("agent:b rule:c", ""), ("rule:c tool:d", ""), ("tool:d", "")];
    let (text, json) = lines(&items, &[0, 3]);
    assert_eq!(
        text,
        ["- skill:a", "  - agent:b", "    - rule:c", "      - tool:d", "  - rule:c (see above)", "- tool:d",]
    );
    assert_eq!(
        json,
        concat!(
            r#"[{"dependencies":[{"dependencies":[{"dependencies":[{"dependencies":[],"key":"tool:d"}],"key":"rule:c"}],"#,
            r#""key":"agent:b"},{"above":true,"key":"rule:c"}],"key":"skill:a"},{"dependencies":[],"key":"tool:d"}]"#,
        )
    );
}

#[test]
fn a_cycle_is_marked() {
    let (text, json) = lines(&[("skill:a skill:b", ""), ("skill:b skill:a", "")], &[0]);
    assert_eq!(text, ["- skill:a", "  - skill:b", "    - skill:a (cycle)"]);
    assert!(json.contains(r#"{"cycle":true,"key":"skill:a"}"#));
}

#[test]
fn twenty_diamonds_have_as_many_lines_as_dependencies() {
    let words: Vec<String> = (0..40)
        .map(|at| {
            let below = (at / 2 + 1) * 2;
            if below >= 40 {
                format!("skill:s{at}")
            } else {
                format!("skill:s{at} skill:s{below} skill:s{}", below + 1)
            }
        })
        .collect();
    let items: Vec<(&str, &str)> = words.iter().map(|words| (words.as_str(), "")).collect();
    let (text, _) = lines(&items, &[0]);
    // The first one, and two dependencies of each item that has any and is reached.
    assert_eq!(text.len(), 1 + 2 + 18 * 4);
}

#[test]
fn a_long_chain_is_cut() {
    let words: Vec<String> =
        (0..3_000).map(|at| format!("skill:s{at} skill:s{}", (at + 1) % 3_000)).collect();
    let items: Vec<(&str, &str)> = words.iter().map(|words| (words.as_str(), "")).collect();
    let (text, json) = lines(&items, &[0]);
    assert_eq!(text.len(), 65);
    assert!(json.contains(r#""cut":true"#));
}

#[test]
fn a_dependency_of_another_item_is_not_a_root() {
    let roots = |items: &[&str], wanted: &[usize]| -> Vec<usize> {
        let items: Vec<(&str, &str)> = items.iter().map(|item| (*item, "")).collect();
        let sample = Sample::new(vec![source("h/o/r", "", &items)]);
        let wanted: Vec<Position> = wanted.iter().map(|item| Position { source: 0, item: *item }).collect();
        roots(&sample.inventory, &wanted).into_iter().map(|root| root.item).collect()
    };
    let chain = ["skill:a agent:b", "agent:b rule:c", "rule:c", "tool:d"];
    assert_eq!(roots(&chain, &[0, 1, 2, 3]), [0, 3]);
    assert_eq!(roots(&chain, &[1, 2]), [1]);
    // Items between them need not be selected.
    assert_eq!(roots(&chain, &[0, 2]), [0]);
    let cycles =
        ["skill:a skill:b", "skill:b skill:a", "skill:c skill:a", "skill:d skill:e", "skill:e skill:d"];
    assert_eq!(roots(&cycles, &[0, 1]), [0]);
    assert_eq!(roots(&cycles, &[0, 1, 2, 3, 4]), [2, 3]);
    assert_eq!(roots(&["skill:a skill:a"], &[0]), [0]);
    assert!(roots(&chain, &[]).is_empty());
}
