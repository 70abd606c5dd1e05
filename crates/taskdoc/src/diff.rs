//! Comparing two versions of text line by line.

use std::fmt::Write as _;

use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices, group_diff_ops};

/// The maximum number of compared pairs of lines. If the versions differ in more, everything between the first
/// and the last difference counts as replaced: an exact diff would take too long, and would be too large to
/// read.
const MAX_PAIRS: usize = 25_000_000;
/// The number of unchanged lines shown around a change.
const CONTEXT: usize = 3;

/// Returns the operations that turn the old lines into the new ones. Each line belongs to one operation, in
/// order.
pub(crate) fn diff_lines(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    let same = |(old, new): &(&&str, &&str)| old == new;
    let prefix = old.iter().zip(new).take_while(same).count();
    let (old_rest, new_rest) = (old.get(prefix..).unwrap_or_default(), new.get(prefix..).unwrap_or_default());
    let suffix = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(same).count();
    let (old_len, new_len) = (old_rest.len() - suffix, new_rest.len() - suffix);
    if old_len.saturating_mul(new_len) <= MAX_PAIRS {
        return capture_diff_slices(Algorithm::Myers, old, new);
    }
    let equal = |old_index, new_index, len| DiffOp::Equal { old_index, new_index, len };
    let replaced = DiffOp::Replace { old_index: prefix, old_len, new_index: prefix, new_len };
    let all = [equal(0, 0, prefix), replaced, equal(prefix + old_len, prefix + new_len, suffix)];
    all.into_iter()
        .filter(|operation| !operation.old_range().is_empty() || !operation.new_range().is_empty())
        .collect()
}

/// Returns the unified diff of two versions; empty if they are equal. If there is no old or new text, the header
/// names `/dev/null`.
pub fn unified_diff(file: &str, old: Option<&str>, new: Option<&str>) -> String {
    if old == new {
        return String::new();
    }
    let (from, to) = (header_name("a", file, old), header_name("b", file, new));
    let (old, new) = (lines(old), lines(new));
    let mut out = format!("--- {from}\n+++ {to}\n");
    for group in group_diff_ops(diff_lines(&old, &new), CONTEXT) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let old_range = first.old_range().start..last.old_range().end;
        let new_range = first.new_range().start..last.new_range().end;
        let _ = writeln!(out, "@@ -{} +{} @@", header_range(&old_range), header_range(&new_range));
        for operation in &group {
            let (old, new) = (old.get(operation.old_range()), new.get(operation.new_range()));
            let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
            if operation.tag() == DiffTag::Equal {
                for line in old {
                    push_line(&mut out, ' ', line);
                }
            } else {
                for line in old {
                    push_line(&mut out, '-', line);
                }
                for line in new {
                    push_line(&mut out, '+', line);
                }
            }
        }
    }
    out
}

/// Returns the lines with their line breaks.
fn lines(text: Option<&str>) -> Vec<&str> {
    text.unwrap_or_default().split_inclusive('\n').collect()
}

fn header_name(side: &str, file: &str, text: Option<&str>) -> String {
    if text.is_some() { format!("{side}/{file}") } else { "/dev/null".to_owned() }
}

/// Returns a range of lines in the format of hunk headers: an empty range is represented by the preceding
/// line.
fn header_range(range: &std::ops::Range<usize>) -> String {
    match range.len() {
        0 => format!("{},0", range.start),
        1 => format!("{}", range.start + 1),
        count => format!("{},{count}", range.start + 1),
    }
}

fn push_line(out: &mut String, marker: char, line: &str) {
    out.push(marker);
    out.push_str(line);
    if !line.ends_with('\n') {
        out.push_str("\n\\ No newline at end of file\n");
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn diffs_can_be_applied_by_programs() {
        assert_eq!(unified_diff("x.md", Some("a\n"), Some("a\n")), "");
        assert_eq!(
            unified_diff("x.md", None, Some("a\nb")),
            "--- /dev/null\n+++ b/x.md\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n"
        );
        assert_eq!(unified_diff("x.md", Some("a\n"), None), "--- a/x.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n");
        assert_eq!(unified_diff("x.md", None, Some("")), "--- /dev/null\n+++ b/x.md\n");
    }

    #[test]
    fn the_middle_of_very_different_versions_is_replaced_at_once() {
        let text = |from: usize| {
            (from..from + 20_000).map(|number| format!("{number}\n")).collect::<Vec<_>>().concat()
        };
        let (old, new) = (format!("same\n{}end\n", text(0)), format!("same\n{}end\n", text(50_000)));
        let shown = unified_diff("x.md", Some(&old), Some(&new));
        assert!(
            shown.contains("\n same\n-0\n")
                && shown.contains("\n-19999\n+50000\n")
                && shown.ends_with("\n+69999\n end\n")
        );
    }

    proptest! {
        /// Unchanged and added lines are the new text, unchanged and removed lines the old one.
        #[test]
        fn operations_turn_the_old_text_into_the_new_one(old in "[ab\n]{0,40}", new in "[ab\n]{0,40}") {
            let (old, new) = (lines(Some(&old)), lines(Some(&new)));
            let (mut at_old, mut at_new) = (0, 0);
            for operation in diff_lines(&old, &new) {
                prop_assert_eq!((operation.old_range().start, operation.new_range().start), (at_old, at_new));
                (at_old, at_new) = (operation.old_range().end, operation.new_range().end);
                if operation.tag() == DiffTag::Equal {
                    prop_assert_eq!(&old[operation.old_range()], &new[operation.new_range()]);
                }
            }
            prop_assert_eq!((at_old, at_new), (old.len(), new.len()));
        }
    }
}
