//! Comparing two versions of a file line by line.

use std::fmt::Write as _;
use std::iter;

use similar::udiff::UnifiedHunkHeader;
use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices, group_diff_ops};

/// The maximum number of lines, old and new, between the first and the last changed line. If there are more,
/// all of them count as replaced, because comparing shuffled lines takes about ten microseconds for each.
const MAX_CHANGED_LINES: usize = 40_000;
/// The number of unchanged lines shown around a change.
const CONTEXT: usize = 3;

/// Returns the unified diff of two versions of a file; `None` is a file that does not exist. It is empty if no
/// line is added or removed. Applied to the old version it gives the new one, byte for byte.
///
/// A line ends with `\n`, as for programs that apply diffs: a carriage return is a character of its line.
pub fn unified_diff(file: &str, old: Option<&str>, new: Option<&str>) -> String {
    let mut out = String::new();
    let (old_lines, new_lines) = (lines(old), lines(new));
    for group in group_diff_ops(compare(&old_lines, &new_lines), CONTEXT) {
        if group.is_empty() {
            continue;
        }
        if out.is_empty() {
            out = diff_header(file, old, new);
        }
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{}", UnifiedHunkHeader::new(&group));
        for change in &group {
            let (removed, added) = (old_lines.get(change.old_range()), new_lines.get(change.new_range()));
            if change.tag() == DiffTag::Equal {
                push_lines(&mut out, ' ', removed);
            } else {
                push_lines(&mut out, '-', removed);
                push_lines(&mut out, '+', added);
            }
        }
    }
    out
}

/// Returns the two lines that name the versions in a unified diff.
pub fn diff_header(file: &str, old: Option<&str>, new: Option<&str>) -> String {
    let name = |side: char, version: Option<&str>| match version {
        Some(_) => format!("{side}/{file}"),
        None => "/dev/null".to_owned(),
    };
    format!("--- {}\n+++ {}\n", name('a', old), name('b', new))
}

/// Returns for each new line the index of the old line that it is, or `None` if it is added.
pub fn unchanged_lines(old: &[&str], new: &[&str]) -> Vec<Option<usize>> {
    let operations = compare(old, new).into_iter();
    operations
        .flat_map(|operation| {
            let kept = (operation.tag() == DiffTag::Equal).then(|| operation.old_range());
            let added = if kept.is_some() { 0 } else { operation.new_range().len() };
            kept.into_iter().flatten().map(Some).chain(iter::repeat_n(None, added))
        })
        .collect()
}

/// Returns the operations that turn the old lines into the new ones. Each line belongs to one operation, in
/// order.
fn compare(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    let same = |(old, new): &(&&str, &&str)| old == new;
    let prefix = old.iter().zip(new).take_while(same).count();
    let (old_rest, new_rest) = (old.get(prefix..).unwrap_or_default(), new.get(prefix..).unwrap_or_default());
    let suffix = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(same).count();
    let (old_len, new_len) = (old_rest.len() - suffix, new_rest.len() - suffix);
    if old_len + new_len <= MAX_CHANGED_LINES {
        return capture_diff_slices(Algorithm::Myers, old, new);
    }
    let equal = |old_index, new_index, len| DiffOp::Equal { old_index, new_index, len };
    let replaced = DiffOp::Replace { old_index: prefix, old_len, new_index: prefix, new_len };
    let all = [equal(0, 0, prefix), replaced, equal(prefix + old_len, prefix + new_len, suffix)];
    all.into_iter()
        .filter(|operation| !operation.old_range().is_empty() || !operation.new_range().is_empty())
        .collect()
}

/// Returns the lines with their line breaks.
fn lines(text: Option<&str>) -> Vec<&str> {
    text.unwrap_or_default().split_inclusive('\n').collect()
}

fn push_lines(out: &mut String, marker: char, lines: Option<&[&str]>) {
    for line in lines.unwrap_or_default() {
        out.push(marker);
        out.push_str(line);
        if !line.ends_with('\n') {
            out.push_str("\n\\ No newline at end of file\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use similar::TextDiff;

    use super::*;

    #[track_caller]
    fn check(old: Option<&str>, new: Option<&str>, expected: &str) {
        assert_eq!(unified_diff("f", old, new), expected, "{old:?} {new:?}");
    }

    #[test]
    fn a_diff_has_the_standard_format() {
        check(Some("a\nb\n"), Some("a\nB\n"), "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+B\n");
        check(None, Some("x\n"), "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+x\n");
        check(Some("x\n"), Some(""), "--- a/f\n+++ b/f\n@@ -1 +0,0 @@\n-x\n");
        check(Some("x\n"), None, "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n");
        check(
            None,
            Some("a\nb"),
            "--- /dev/null\n+++ b/f\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n",
        );
        check(
            Some("a"),
            Some("a\nb\n"),
            "--- a/f\n+++ b/f\n@@ -1 +1,2 @@\n-a\n\\ No newline at end of file\n+a\n+b\n",
        );
    }

    #[test]
    fn carriage_returns_belong_to_their_line() {
        check(Some("a\r\nb\r\n"), Some("a\r\n"), "--- a/f\n+++ b/f\n@@ -1,2 +1 @@\n a\r\n-b\r\n");
        check(Some("a\rb\n"), Some("a\rc\n"), "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\rb\n+a\rc\n");
        // The writer of `similar` takes the carriage return for the line break and puts `+b` on the same line.
        check(
            Some("a\r"),
            Some("b"),
            "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\r\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n",
        );
        let of_library = TextDiff::from_lines("a\r", "b").unified_diff().to_string();
        assert_eq!(of_library, "@@ -1 +1 @@\n-a\r+b\n\\ No newline at end of file\n");
    }

    #[test]
    fn an_unchanged_text_has_no_diff() {
        check(Some("a\n"), Some("a\n"), "");
        check(None, Some(""), "");
        check(None, None, "");
    }

    #[test]
    fn the_middle_of_very_different_versions_is_replaced_at_once() {
        let text =
            |from: usize, to: usize| -> String { (from..to).map(|line| line.to_string() + "\n").collect() };
        let (old, new) = (text(0, 20_000) + "same\n", "same\n".to_owned() + &text(50_000, 70_000));
        let (old, new) = (format!("top\n{old}end\n"), format!("top\n{new}end\n"));
        let shown = unified_diff("f", Some(&old), Some(&new));
        assert!(shown.contains("@@ -1,20003 +1,20003 @@\n top\n-0\n"));
        assert!(shown.contains("\n-same\n+same\n") && shown.ends_with("+69999\n end\n"));
    }

    proptest! {
        /// The own writer differs from the one of `similar` only where a line contains a carriage return.
        #[test]
        fn diffs_are_those_of_the_library(old in "[ab\n]{0,60}", new in "[ab\n]{0,60}") {
            let library = TextDiff::from_lines(&old, &new).unified_diff().header("a/f", "b/f").to_string();
            prop_assert_eq!(unified_diff("f", Some(&old), Some(&new)), library);
        }

        /// Unchanged lines are equal and keep their order, and each operation begins where the previous one
        /// ends.
        #[test]
        fn operations_turn_the_old_text_into_the_new_one(old in "[ab\n]{0,40}", new in "[ab\n]{0,40}") {
            let (old, new) = (lines(Some(&old)), lines(Some(&new)));
            let (mut at_old, mut at_new) = (0, 0);
            for operation in compare(&old, &new) {
                prop_assert_eq!((operation.old_range().start, operation.new_range().start), (at_old, at_new));
                (at_old, at_new) = (operation.old_range().end, operation.new_range().end);
            }
            prop_assert_eq!((at_old, at_new), (old.len(), new.len()));
            let unchanged = unchanged_lines(&old, &new);
            prop_assert_eq!(unchanged.len(), new.len());
            prop_assert!(unchanged.iter().flatten().is_sorted_by(|one, next| one < next));
            for (line, origin) in new.iter().zip(&unchanged) {
                prop_assert!(origin.is_none_or(|origin| old[origin] == *line));
            }
        }
    }
}
