//! How two texts differ.

use std::fmt::Write as _;

use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices, group_diff_ops};

/// How many pairs of lines are looked at. Where two texts have more between their first and their last difference, all of
/// that counts as replaced: it would take long to find out, and nobody reads it.
const MAX_PAIRS: usize = 25_000_000;
/// How many lines are shown around a difference.
const CONTEXT: usize = 3;

/// Returns how lines become others. Each of them is in one operation, in order.
pub(crate) fn operations(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    let same = |(old, new): &(&&str, &&str)| old == new;
    let head = old.iter().zip(new).take_while(same).count();
    let (old_rest, new_rest) = (old.get(head..).unwrap_or_default(), new.get(head..).unwrap_or_default());
    let tail = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(same).count();
    let (old_len, new_len) = (old_rest.len() - tail, new_rest.len() - tail);
    if old_len.saturating_mul(new_len) <= MAX_PAIRS {
        return capture_diff_slices(Algorithm::Myers, old, new);
    }
    let equal = |old_index, new_index, len| DiffOp::Equal { old_index, new_index, len };
    let replaced = DiffOp::Replace { old_index: head, old_len, new_index: head, new_len };
    let all = [equal(0, 0, head), replaced, equal(head + old_len, head + new_len, tail)];
    all.into_iter()
        .filter(|operation| !operation.old_range().is_empty() || !operation.new_range().is_empty())
        .collect()
}

/// Returns a unified diff of two texts; nothing if they are the same. Where there was no text, or is none any more, the file
/// comes from nowhere or goes there.
pub fn unified(file: &str, old: Option<&str>, new: Option<&str>) -> String {
    if old == new {
        return String::new();
    }
    let (from, to) = (name("a", file, old), name("b", file, new));
    let (old, new) = (lines(old), lines(new));
    let mut out = format!("--- {from}\n+++ {to}\n");
    for group in group_diff_ops(operations(&old, &new), CONTEXT) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let old_range = first.old_range().start..last.old_range().end;
        let new_range = first.new_range().start..last.new_range().end;
        let _ = writeln!(out, "@@ -{} +{} @@", span(&old_range), span(&new_range));
        for operation in &group {
            let (old, new) = (old.get(operation.old_range()), new.get(operation.new_range()));
            let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
            if operation.tag() == DiffTag::Equal {
                for line in old {
                    add(&mut out, ' ', line);
                }
            } else {
                for line in old {
                    add(&mut out, '-', line);
                }
                for line in new {
                    add(&mut out, '+', line);
                }
            }
        }
    }
    out
}

/// Returns the lines of a text with their line breaks.
fn lines(text: Option<&str>) -> Vec<&str> {
    text.unwrap_or_default().split_inclusive('\n').collect()
}

fn name(side: &str, file: &str, text: Option<&str>) -> String {
    if text.is_some() { format!("{side}/{file}") } else { "/dev/null".to_owned() }
}

/// Returns which lines are meant, as headers say it: an empty range is named by the line before it.
fn span(range: &std::ops::Range<usize>) -> String {
    match range.len() {
        0 => format!("{},0", range.start),
        1 => format!("{}", range.start + 1),
        count => format!("{},{count}", range.start + 1),
    }
}

fn add(out: &mut String, sign: char, line: &str) {
    out.push(sign);
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
    fn diffs_are_those_that_programs_apply() {
        assert_eq!(unified("x.md", Some("a\n"), Some("a\n")), "");
        assert_eq!(
            unified("x.md", None, Some("a\nb")),
            "--- /dev/null\n+++ b/x.md\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n"
        );
        assert_eq!(unified("x.md", Some("a\n"), None), "--- a/x.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n");
        assert_eq!(unified("x.md", None, Some("")), "--- /dev/null\n+++ b/x.md\n");
    }

    #[test]
    fn the_middle_of_very_different_texts_is_replaced() {
        let text = |from: usize| {
            (from..from + 20_000).map(|number| format!("{number}\n")).collect::<Vec<_>>().concat()
        };
        let (old, new) = (format!("same\n{}end\n", text(0)), format!("same\n{}end\n", text(50_000)));
        let shown = unified("x.md", Some(&old), Some(&new));
        assert!(
            shown.contains("\n same\n-0\n")
                && shown.contains("\n-19999\n+50000\n")
                && shown.ends_with("\n+69999\n end\n")
        );
    }

    proptest! {
        /// What is kept and added is the new text, what is kept and taken away the old one.
        #[test]
        fn operations_make_one_text_of_the_other(old in "[ab\n]{0,40}", new in "[ab\n]{0,40}") {
            let (old, new) = (lines(Some(&old)), lines(Some(&new)));
            let (mut at_old, mut at_new) = (0, 0);
            for operation in operations(&old, &new) {
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
