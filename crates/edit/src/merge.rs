//! Three-way merge.

use crate::alignment::aligned_lines;

/// Merges `ours` and `theirs`, which were both derived from `base`; `None` if the result is not certain.
///
/// The lines of the base that both versions certainly keep (see [`certain`]) divide it into parts. Each part is taken from
/// the version that changed it; if both did, even in the same way, the result is not certain. So changes that touch each
/// other are not merged, nor changes that could touch because of equal lines: any merge that is based on shortest diffs
/// gives the same result.
pub(crate) fn merge(base: &[&str], ours: &[&str], theirs: &[&str]) -> Option<String> {
    let (in_ours, in_theirs) = (aligned_lines(base, ours), aligned_lines(base, theirs));
    let mut text = String::new();
    let (mut b, mut o, mut t) = (0, 0, 0);
    let both = in_ours.iter().zip(&in_theirs).map(|(ours, theirs)| ours.zip(*theirs));
    for (line, both) in both.chain([Some((ours.len(), theirs.len()))]).enumerate() {
        let Some((ours_line, theirs_line)) = both else { continue };
        let (base_part, ours_part, theirs_part) =
            (base.get(b..line)?, ours.get(o..ours_line)?, theirs.get(t..theirs_line)?);
        let part = if ours_part == base_part {
            theirs_part
        } else if theirs_part == base_part {
            ours_part
        } else {
            return None;
        };
        text.extend(part.iter().copied().chain(base.get(line).copied()));
        (b, o, t) = (line + 1, ours_line + 1, theirs_line + 1);
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lines::split;

    #[track_caller]
    fn check(base: &str, ours: &str, theirs: &str, expected: Option<&str>) {
        let merged = merge(&split(base), &split(ours), &split(theirs));
        assert_eq!(merged.as_deref(), expected, "{base:?} {ours:?} {theirs:?}");
    }

    #[test]
    fn changes_with_a_line_between_them_are_merged() {
        check("a\nb\nc\n", "a\nb\nC\n", "x\na\nb\nc\n", Some("x\na\nb\nC\n"));
        check("a\nb\nc\n", "A\nb\nc\n", "a\nb\n", Some("A\nb\n"));
        check("a\nb\nc", "a\nb\nC", "A\nb\nc", Some("A\nb\nC"));
        check("a\n", "a\n", "b\n", Some("b\n"));
        check("a\n", "b\n", "a\n", Some("b\n"));
        check("a\n\nb\n\nc\n", "a\n\nB\n\nc\n", "\nb\n\nc\n", Some("\nB\n\nc\n"));
    }

    #[test]
    fn changes_that_touch_or_may_touch_are_not_merged() {
        check("a\nb\nc\n", "a\nB\nc\n", "a\nX\nb\nc\n", None);
        check("a\nb\nc\n", "a\nB\nc\n", "a\nb\nC\n", None);
        check("a\nb\n", "a\nB\n", "a\nC\n", None);
        check("a\nb\n", "a\nB\n", "a\nB\n", None);
        check("a\n\n\nb\n", "a\nX\n\nb\n", "a\n\n\n\nb\n", None);
        check("x\nx\nx\ny\n", "x\nx\ny\n", "x\nx\nx\nz\n", None);
        check("a\nb", "a\nB", "a\nb\nc\n", None);
    }
}
