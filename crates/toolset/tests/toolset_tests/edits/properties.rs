//! Properties of edits through the tools and the disk.

use proptest::prelude::*;
use serde_json::json;

use crate::edits::site::{Site, outcome};

fn multiline_text() -> impl Strategy<Value = String> {
    let lines = prop::collection::vec(prop::sample::select(vec!["", "a", "b", "}"]), 1..10);
    (lines, any::<bool>()).prop_map(|(lines, ends)| lines.join("\n") + if ends { "\n" } else { "" })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// What was written since the preview is merged as another program merges it, or nothing is written. Where that
    /// program sees a conflict because a line beside the target changed, all lines of the foreign change stay.
    #[test]
    fn a_foreign_change_is_never_lost(
        base in multiline_text(), content in multiline_text(), first in 1_usize..10, more in 0_usize..3,
        at in 0_usize..10, gone in 0_usize..3, new in multiline_text(),
    ) {
        let site = Site::with(&base);
        let range = format!("{first}~{}", first + more);
        let planned = site.preview("file_modification", json!({"range": range, "content": content}));
        prop_assume!(planned["status"] == "ok");
        let lines: Vec<&str> = base.split_inclusive('\n').collect();
        let diff = planned["diff"].as_str().unwrap();
        let patch = diffy::Patch::from_str(diff);
        let ours = if diff.is_empty() { base.clone() } else { diffy::apply(&base, &patch.unwrap()).unwrap() };
        let (at, end) = (at.min(lines.len()), (at + gone).min(lines.len()));
        let theirs = [&lines[..at].concat(), new.as_str(), &lines[end..].concat()].concat();
        site.write(".minds/a.md", &theirs);
        let applied = site.apply(planned["hunk_id"].as_str().unwrap());
        if applied["status"] == "ok" {
            // Where lines are equal, that program may find another one than the planned one.
            let all: Vec<&str> = theirs.lines().chain(content.lines()).collect();
            let are_distinct = |all: &[&str]| (1..all.len()).all(|at| !all[..at].contains(&all[at]));
            let is_clear = are_distinct(&all) && are_distinct(&base.lines().collect::<Vec<_>>());
            if let (Ok(merged), true) = (diffy::merge(&base, &ours, &theirs), is_clear) {
                prop_assert_eq!(merged, site.text(), "{}", applied);
            }
            for line in new.lines().filter(|line| !base.lines().any(|known| known == *line)) {
                prop_assert!(site.text().contains(line), "{}", applied);
            }
        } else {
            prop_assert_eq!(site.text(), theirs);
            prop_assert!(["CONTENT_CHANGED", "AMBIGUOUS_MATCH"].contains(&outcome(&applied)), "{}", applied);
        }
    }
}
