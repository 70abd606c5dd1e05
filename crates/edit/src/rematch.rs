//! Applies an edit to another version than the one that it was planned on, by the rules on the front page of the crate.

use std::borrow::Cow;
use std::ops::Range as Lines;

use crate::alignment::aligned_lines;
use crate::merge::merge;
use crate::splice::{Span, splice};
use crate::{Action, Edit, EditError, EditResult, LineEnding, Target, TargetMatch, is_ended, split};

/// Why an edit is not applied to the current text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// The planned lines no longer exist, or cannot be distinguished from unplanned ones.
    ContentChanged,
    /// The current text has the planned lines this many times, and the right ones are not certain.
    AmbiguousMatch {
        /// The number of times.
        count: usize,
    },
    /// The anchors of a block are missing, or match several places.
    Anchors(EditError),
    /// The lines of the block have changed, or it is not certain that it is the planned block.
    BlockChanged,
}

/// Applies an edit that was planned on `base` to `current`. Returns also whether the match is *exact*.
///
/// # Errors
///
/// Fails if the target is not certain.
pub fn reapply(edit: &Edit, base: &str, current: &str) -> Result<(EditResult, bool), Rejection> {
    let planned = edit.on(base).map_err(|_| Rejection::ContentChanged)?;
    if base == current {
        return Ok((planned, true));
    }
    if planned.target.action == Action::Append {
        let span = Span { start: split(current).len(), count: 0 };
        let target = planned.target.shifted_to(span.start);
        return Ok((EditResult { target, spliced: splice(current, span, edit.content()) }, false));
    }
    let (base_ended, current_ended) = (ensure_final_newline(base), ensure_final_newline(current));
    let (old, new) = (split(&base_ended), split(&current_ended));
    let kept = aligned_lines(&old, &new);
    let witness = planned.target.identifying_lines();
    let place = find_place(witness, &kept);
    let target = match edit {
        Edit::Block { .. } => {
            let target = edit.target(&new).map_err(Rejection::Anchors)?;
            let is_same = target.span.of(&new) == planned.target.span.of(&old)
                && place.map(|place| place + planned.target.span.start)
                    == Some(target.span.start + witness.start);
            if !is_same {
                return Err(Rejection::BlockChanged);
            }
            target
        }
        Edit::Range { .. } | Edit::Insert { .. } | Edit::Append { .. } => {
            let place = place.ok_or_else(|| rejection(witness, &old, &new))?;
            planned.target.shifted_to(place + planned.target.span.start - witness.start)
        }
    };
    let done = EditResult { target, spliced: splice(current, target.span, edit.content()) };
    let is_certain = place.is_some_and(|place| is_unique(witness, place, &kept, &old, &new))
        || merge(&split(base), &split(&planned.spliced.text), &split(current)).as_ref()
            == Some(&done.spliced.text);
    match (is_certain, edit) {
        (true, _) => Ok((done, target.span == planned.target.span)),
        (false, Edit::Block { .. }) => Err(Rejection::BlockChanged),
        (false, _) => Err(rejection(witness, &old, &new)),
    }
}

/// Returns the lines of `current` that are in the place of those that an edit was planned for, with the unchanged line
/// in front of them and the one after them.
pub fn current_lines(edit: &Edit, base: &str, current: &str) -> Lines<usize> {
    let (base_ended, current_ended) = (ensure_final_newline(base), ensure_final_newline(current));
    let (old, new) = (split(&base_ended), split(&current_ended));
    let witness =
        edit.target(&old).map_or(Span { start: 0, count: old.len() }, |target| target.identifying_lines());
    let kept = aligned_lines(&old, &new);
    let above = kept.get(..witness.start).unwrap_or_default().iter().rev().find_map(|place| *place);
    let below = kept.get(witness.end()..).unwrap_or_default().iter().find_map(|place| *place);
    above.unwrap_or(0)..below.map_or(new.len(), |place| place + 1)
}

/// Adds a missing final line break, so that the last line does not change when lines are appended.
fn ensure_final_newline(text: &str) -> Cow<'_, str> {
    if is_ended(text) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.to_owned() + LineEnding::of_text(text).unwrap_or(LineEnding::Lf).as_str())
}

impl Target {
    /// Returns the lines by which the target is recognized: those that are replaced, or the one with the anchor. A block
    /// without lines is recognized by its anchors.
    pub(crate) fn identifying_lines(&self) -> Span {
        match self.found {
            TargetMatch::Anchor { line, .. } => Span { start: line, count: 1 },
            TargetMatch::Block { block, .. } if self.span.count == 0 => {
                Span { start: block.start, count: block.end + 1 - block.start }
            }
            TargetMatch::Range(_) | TargetMatch::End | TargetMatch::Block { .. } => self.span,
        }
    }
}

/// Returns the current place of consecutive lines, if all of them are certain and still consecutive.
fn find_place(lines: Span, kept: &[Option<usize>]) -> Option<usize> {
    let places = kept.get(lines.start..lines.end())?;
    let first = (*places.first()?)?;
    places.iter().enumerate().all(|(offset, place)| *place == Some(first + offset)).then_some(first)
}

/// Returns whether lines that are now at `place`, with all unchanged lines directly around them, occur once in each version.
fn is_unique(lines: Span, place: usize, kept: &[Option<usize>], old: &[&str], new: &[&str]) -> bool {
    // A line that is kept belongs to the run if it is as far from the target now as it was.
    let is_in_run =
        |line: usize| kept.get(line).copied().flatten().is_some_and(|now| now + lines.start == place + line);
    let start = (0..lines.start).rev().take_while(|line| is_in_run(*line)).last().unwrap_or(lines.start);
    let end = (lines.end()..old.len()).take_while(|line| is_in_run(*line)).last();
    let end = end.map_or(lines.end(), |last| last + 1);
    let run = old.get(start..end).unwrap_or_default();
    occurrences(run, old) == 1 && occurrences(run, new) == 1
}

/// Counts the occurrences of a sequence of lines, including overlaps, in linear time (Knuth, Morris and Pratt).
fn occurrences(needle: &[&str], lines: &[&str]) -> usize {
    let step = |borders: &[usize], mut matched: usize, line: &str| {
        while matched > 0 && needle.get(matched) != Some(&line) {
            matched = borders.get(matched - 1).copied().unwrap_or(0);
        }
        matched + usize::from(needle.get(matched) == Some(&line))
    };
    let mut borders: Vec<usize> = Vec::with_capacity(needle.len());
    for (index, line) in needle.iter().enumerate() {
        let matched = if index == 0 { 0 } else { step(&borders, borders.last().copied().unwrap_or(0), line) };
        borders.push(matched);
    }
    let (mut matched, mut count) = (0, 0);
    for line in lines {
        matched = step(&borders, matched, line);
        count += usize::from(matched == needle.len());
    }
    count
}

/// Returns why a target is not certain.
fn rejection(witness: Span, old: &[&str], new: &[&str]) -> Rejection {
    let Some(wanted) = witness.of(old).filter(|wanted| !wanted.is_empty()) else {
        return Rejection::ContentChanged;
    };
    match occurrences(wanted, new) {
        0 | 1 => Rejection::ContentChanged,
        count => Rejection::AmbiguousMatch { count },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Matching, Side};

    #[track_caller]
    fn check(edit: &Edit, base: &str, current: &str, expected: Result<(&str, bool), Rejection>) {
        let done = reapply(edit, base, current).map(|(done, is_exact)| (done.spliced.text, is_exact));
        let done = done.as_ref().map(|(text, is_exact)| (text.as_str(), *is_exact)).map_err(|error| *error);
        assert_eq!(done, expected, "{edit:?} planned on {base:?} and done to {current:?}");
    }

    fn range(range: &str, content: &str) -> Edit {
        Edit::Range { range: range.into(), content: content.into() }
    }

    fn after(anchor: &str) -> Edit {
        let (anchor, content) = (anchor.into(), "X".into());
        Edit::Insert { side: Side::After, anchor, matching: Matching::Equals, occurrence: None, content }
    }

    fn block(first_will_do: bool) -> Edit {
        Edit::Block {
            start_anchor: "<".into(),
            end_anchor: ">".into(),
            matching: Matching::Equals,
            occurrence: None,
            include_anchors: true,
            first_will_do,
            content: "X\n".into(),
        }
    }

    const CHANGED: Rejection = Rejection::ContentChanged;

    #[test]
    fn an_unchanged_text_matches_exactly() {
        check(&range("2", "B"), "a\nb\n", "a\nb\n", Ok(("a\nB\n", true)));
        check(&range("1", "X"), "a\na\n", "a\na\n", Ok(("X\na\n", true)));
    }

    #[test]
    fn a_line_that_moved_is_found_again() {
        check(&range("2", "B"), "a\nb\nc\n", "0\na\nb\nc\n", Ok(("0\na\nB\nc\n", false)));
        check(&range("3", ""), "a\nb\nc\n", "b\nc\n", Ok(("b\n", false)));
        check(&after("b"), "a\nb\nc\n", "0\na\nb\nc\n", Ok(("0\na\nb\nX\nc\n", false)));
        check(&range("2", "B"), "a\r\nb\r\nc", "0\r\na\r\nb\r\nc", Ok(("0\r\na\r\nB\r\nc", false)));
    }

    #[test]
    fn a_line_at_its_old_place_is_an_exact_match() {
        check(&range("2", "B"), "a\nb\nc\nd\n", "a\nb\nc\nD\n", Ok(("a\nB\nc\nD\n", true)));
        check(&range("3", "C"), "a\nb\nc\n", "A\nb\nc\n", Ok(("A\nb\nC\n", true)));
    }

    #[test]
    fn a_line_that_changed_is_not_touched() {
        check(&range("2", "B"), "a\nb\nc\n", "a\n!\nc\n", Err(CHANGED));
        check(&range("2", "B"), "a\nb\nc\n", "a\nc\n", Err(CHANGED));
        check(&range("1~3", "X"), "a\nb\nc\n", "a\nb\nnew\nc\n", Err(CHANGED));
        check(&after("b"), "a\nb\nc\n", "a\nB\nc\n", Err(CHANGED));
        check(&range("1", "x"), "", "y\n", Err(CHANGED));
        check(&range("2", "B"), "a\nb\nc\n", "a\r\nb\r\nc\r\n", Err(CHANGED));
    }

    #[test]
    fn a_change_next_to_the_target_does_not_matter() {
        check(&range("2", "B"), "a\nb\nc\n", "a\nnew\nb\nc\n", Ok(("a\nnew\nB\nc\n", false)));
        check(&range("2", "B"), "a\nb\nc\n", "a\nb\nnew\nc\n", Ok(("a\nB\nnew\nc\n", true)));
        check(&range("2", "B"), "a\nb\nc\n", "a\nb\nC\n", Ok(("a\nB\nC\n", true)));
        check(&range("2", "B"), "a\nb\nc\n", "A\nb\nC\n", Ok(("A\nB\nC\n", true)));
        check(&range("2", "B"), "a\nb\nc\n", "b\n", Ok(("B\n", false)));
        check(&range("2", ""), "a\nb\nc\n", "a\nb\n", Ok(("a\n", true)));
        check(&after("b"), "a\nb\nc\n", "a\nb\nC\n", Ok(("a\nb\nX\nC\n", true)));
        check(&after("b"), "a\nb\nc\n", "a\nb\nnew\nc\n", Ok(("a\nb\nX\nnew\nc\n", true)));
        check(&after("b"), "a\nb\nc\n", "new\nb\n", Ok(("new\nb\nX\n", true)));
        check(&range("2", "B"), "a\nb", "a\nb\nc\n", Ok(("a\nB\nc\n", true)));
        check(&range("2", "B"), "a\nb\n", "a\nb", Ok(("a\nB", true)));
        check(&block(false), "p\n<\n1\n>\nq\n", "P\n<\n1\n>\n", Ok(("P\n<\nX\n>\n", true)));
        check(&block(false), "<\n>\nq\n", "p\n<\n>\nQ\n", Ok(("p\n<\nX\n>\nQ\n", false)));
    }

    /// The members of a team look alike: what was planned for one is never done to another one.
    #[test]
    fn a_repeated_line_needs_an_unchanged_neighbor() {
        let base = "a:\n  m\nb:\n  m\n";
        check(&range("2", "X"), base, "A:\n  m\nb:\n  m\n", Ok(("A:\nX\nb:\n  m\n", true)));
        check(&range("4", "X"), base, "a:\n  m\nB:\n  m\n", Err(Rejection::AmbiguousMatch { count: 2 }));
        // Member `a` is removed, `b` is renamed, and `c` is new.
        check(&range("2", "X"), base, "B:\n  m\nc:\n  m\n", Err(Rejection::AmbiguousMatch { count: 2 }));
        check(&range("2", "X"), "x\nx\n", "x\nX2\n", Err(CHANGED));
    }

    #[test]
    fn occurrences_are_counted_with_their_overlaps() {
        assert_eq!(occurrences(&["a", "a"], &["a", "a", "a", "b", "a", "a"]), 3);
        assert_eq!(occurrences(&["a", "b", "a"], &["a", "b", "a", "b", "a"]), 2);
        assert_eq!(occurrences(&["a"], &[]), 0);
        let many = vec![""; 100_000];
        assert_eq!(occurrences(&many[..50_000], &many), 50_001);
    }

    #[test]
    fn the_current_lines_are_those_between_unchanged_ones() {
        let base = "1\n2\n3\n4\n5\n";
        assert_eq!(current_lines(&range("3", "X"), base, "1\n2\nthree\nmore\n4\n5\n"), 1..5);
        assert_eq!(current_lines(&range("3", "X"), base, "1\n2\n4\n5\n"), 1..3);
        assert_eq!(current_lines(&range("1", "X"), base, "new\n"), 0..1);
        assert_eq!(current_lines(&after("5"), base, "1\n2\n3\n4\n"), 3..4);
    }

    #[test]
    fn an_identical_line_elsewhere_is_never_changed_instead() {
        check(&range("2", "X"), "a\n\nb\n\nc\n", "b\n\nc\n", Err(CHANGED));
        check(&range("4", "X"), "a\n\nb\n\nc\n", "b\n\nc\n", Ok(("b\nX\nc\n", false)));
        // All three lines are kept together, so it is known which of them is the second.
        check(&range("2", "X"), "x\nx\nx\n", "n\nx\nx\nx\n", Ok(("n\nx\nX\nx\n", false)));
        check(&range("2", "X"), "a\n\n\nb\n", "a\n\n\n\nb\n", Err(Rejection::AmbiguousMatch { count: 3 }));
        check(&range("1", "X"), "x\nk\nx\n", "k\nx\n", Err(CHANGED));
    }

    #[test]
    fn several_edits_are_applied_in_sequence() {
        let base = "1\n2\n3\n4\n5\n6\n7\n";
        let edits = [range("4", "D"), range("2", "B\nB"), after("6"), range("6", "")];
        let mut text = base.to_owned();
        for edit in edits.get(..3).unwrap() {
            text = reapply(edit, base, &text).unwrap().0.spliced.text;
        }
        assert_eq!(text, "1\nB\nB\n3\nD\n5\n6\nX\n7\n");
        text = reapply(&edits[3], base, &text).unwrap().0.spliced.text;
        assert_eq!(text, "1\nB\nB\n3\nD\n5\nX\n7\n");
    }

    #[test]
    fn appended_lines_are_added_at_the_current_end() {
        check(&Edit::Append { content: "z".into() }, "a\n", "a\nb", Ok(("a\nb\nz\n", false)));
        check(&range("2~", "z"), "a\n", "a\nb\n", Ok(("a\nb\nz\n", false)));
        check(&Edit::Append { content: "z".into() }, "a\n", "a\n", Ok(("a\nz\n", true)));
        check(&Edit::Append { content: "z\n".into() }, "", "a\r\n", Ok(("a\r\nz\r\n", false)));
    }

    #[test]
    fn anchors_of_blocks_are_searched_again() {
        let base = "p\n<\n1\n>\nq\n";
        check(&block(false), base, "0\np\n<\n1\n>\nq\n", Ok(("0\np\n<\nX\n>\nq\n", false)));
        check(&block(false), base, "p\n<\n2\n>\nq\n", Err(Rejection::BlockChanged));
        check(&block(false), base, "p\n<\n1\n", Err(Rejection::Anchors(EditError::AnchorNotFound)));
        let twice = "p\n<\n1\n>\nq\n<\n1\n>\n";
        check(&block(false), base, twice, Err(Rejection::Anchors(EditError::AnchorAmbiguous { count: 2 })));
        check(&block(true), base, twice, Ok(("p\n<\nX\n>\nq\n<\n1\n>\n", true)));
        check(&block(true), base, &format!("<\n1\n>\n{base}"), Err(Rejection::BlockChanged));
        check(
            &block(false),
            base,
            "p\n<\n<\n1\n>\nq\n",
            Err(Rejection::Anchors(EditError::AnchorAmbiguous { count: 2 })),
        );
    }
}
