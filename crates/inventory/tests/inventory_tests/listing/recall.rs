//! The list of installed items by source.

use minds_inventory::recall;
use minds_sources::ItemKind;

use crate::sample::{Sample, source};

#[test]
fn each_item_has_its_state() {
    let mut sample = Sample::new(vec![
        source("h/o/r", "", &[("skill:same", "1"), ("skill:new", "1"), ("agent:gone", "")]),
        source("h/o/broken", "", &[("rule:x", "")]),
    ]);
    sample.install_all();
    sample.offer(vec![source("h/o/r", "", &[("skill:same", "1"), ("skill:new", "2"), ("tool:more", "")])]);
    let rows = recall(&sample.context(), None);
    let states: Vec<String> = rows
        .iter()
        .flat_map(|row| &row.items)
        .map(|item| format!("{} {}", item.state.symbol(), item.key))
        .collect();
    assert_eq!(states, ["! agent:gone", "^ skill:new", "+ skill:same", "- tool:more", "? rule:x"]);
    insta::assert_snapshot!(serde_json::to_string_pretty(&rows).unwrap());
    let rows = recall(&sample.context(), Some(ItemKind::Agent));
    assert_eq!(rows.iter().map(|row| row.items.len()).collect::<Vec<_>>(), [1, 0]);
}

#[test]
fn a_renamed_item_is_listed_once() {
    let mut sample = Sample::new(vec![source("h/o/r", "", &[("skill:a", "")])]);
    sample.install_all();
    sample.offer(vec![source("h/o/r", "zz", &[("skill:a", "")])]);
    let rows = recall(&sample.context(), None);
    let states: Vec<String> =
        rows[0].items.iter().map(|item| format!("{} {}", item.state.symbol(), item.key)).collect();
    assert_eq!(states, ["^ skill:a"]);
}
