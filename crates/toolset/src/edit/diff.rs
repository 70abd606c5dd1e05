//! Unified diffs.

use similar::{Algorithm, DiffOp, capture_diff_slices, group_diff_ops};

use super::lines::split;

/// The number of context lines.
const CONTEXT: usize = 3;
/// The maximum size of a change, as the product of old and new lines, for which a minimal diff is computed.
const MAX_PAIRS: usize = 4_000_000;

/// Returns a unified diff for the file at `path`; a new file has no `old` text. Applied to the old text it gives the new
/// one, byte for byte. It is empty if nothing changes.
pub(crate) fn unified_diff(path: &str, old: Option<&str>, new: &str) -> String {
    let (a, b) = (split(old.unwrap_or_default()), split(new));
    let mut out = String::new();
    for group in group_diff_ops(changes(&a, &b), CONTEXT) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        if out.is_empty() {
            let from = if old.is_some() { format!("a/{path}") } else { "/dev/null".to_owned() };
            out.extend(["--- ", &from, "\n+++ b/", path, "\n"]);
        }
        let old_range = range(first.old_range().start, last.old_range().end);
        let new_range = range(first.new_range().start, last.new_range().end);
        out.extend(["@@ -", &old_range, " +", &new_range, " @@\n"]);
        for change in &group {
            let (removed, added) = (a.get(change.old_range()), b.get(change.new_range()));
            if matches!(change, DiffOp::Equal { .. }) {
                write(&mut out, ' ', removed);
            } else {
                write(&mut out, '-', removed);
                write(&mut out, '+', added);
            }
        }
    }
    out
}

/// Returns the equal and changed ranges in order.
fn changes(a: &[&str], b: &[&str]) -> Vec<DiffOp> {
    let head = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let rest = |lines: &[&str]| lines.len() - head;
    let most = rest(a).min(rest(b));
    let tail = a.iter().rev().zip(b.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    let (old_len, new_len) = (rest(a) - tail, rest(b) - tail);
    if old_len.saturating_mul(new_len) <= MAX_PAIRS {
        return capture_diff_slices(Algorithm::Myers, a, b);
    }
    vec![
        DiffOp::Equal { old_index: 0, new_index: 0, len: head },
        DiffOp::Replace { old_index: head, old_len, new_index: head, new_len },
        DiffOp::Equal { old_index: head + old_len, new_index: head + new_len, len: tail },
    ]
}

/// Formats a range for a hunk header: the first line and the count; for an empty range, the preceding line.
fn range(start: usize, end: usize) -> String {
    match end - start {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        count => format!("{},{count}", start + 1),
    }
}

fn write(out: &mut String, sign: char, lines: Option<&[&str]>) {
    for line in lines.unwrap_or_default() {
        out.push(sign);
        out.push_str(line);
        if !line.ends_with('\n') {
            out.push_str("\n\\ No newline at end of file\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(old: Option<&str>, new: &str, expected: &str) {
        assert_eq!(unified_diff("f", old, new), expected, "{old:?} {new:?}");
    }

    #[test]
    fn a_diff_has_the_standard_format() {
        check(Some("a\nb\n"), "a\nB\n", "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+B\n");
        check(None, "x\n", "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+x\n");
        check(Some("x\n"), "", "--- a/f\n+++ b/f\n@@ -1 +0,0 @@\n-x\n");
        check(
            Some("a"),
            "a\nb\n",
            "--- a/f\n+++ b/f\n@@ -1 +1,2 @@\n-a\n\\ No newline at end of file\n+a\n+b\n",
        );
        check(Some("a\r\nb\r\n"), "a\r\n", "--- a/f\n+++ b/f\n@@ -1,2 +1 @@\n a\r\n-b\r\n");
        check(Some("a\rb\n"), "a\rc\n", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\rb\n+a\rc\n");
    }

    #[test]
    fn an_unchanged_text_has_no_diff() {
        check(Some("a\n"), "a\n", "");
        check(None, "", "");
    }

    #[test]
    fn a_very_large_change_is_one_hunk() {
        let text = |prefix: &str| {
            (0..2_500).fold("top\n".to_owned(), |text, number| text + prefix + &number.to_string() + "\n")
        };
        let shown = unified_diff("f", Some(&(text("a") + "end\n")), &(text("b") + "end\n"));
        assert_eq!(shown.matches("@@ -1,2502 +1,2502 @@").count(), 1);
        assert!(shown.contains(" top\n-a0\n") && shown.ends_with("+b2499\n end\n"));
    }
}
