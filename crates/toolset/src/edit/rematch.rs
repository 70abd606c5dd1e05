//! Doing an edit to another text than the one that it was planned on; the laws stand in the module above.

use super::merge::{Merged, merge};
use super::splice::{Span, splice};
use super::{Action, Done, Edit, EditError, Target, split};

/// Why an edit is not done to what is there by now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rejection {
    /// The lines are not there any more, or what changed touches them.
    ContentChanged,
    /// The lines are there this many times, and it is not certain which are meant.
    AmbiguousMatch { count: usize },
    /// The anchors of a block lead nowhere any more, or to several places.
    Anchors(EditError),
    /// The block holds other lines by now, or what changed touches it.
    BlockChanged,
}

/// Does an edit that was planned on `base` to `current`. Returns also whether that is *exact*.
///
/// # Errors
///
/// Fails where it is not certain what is meant.
pub(crate) fn reapply(edit: &Edit, base: &str, current: &str) -> Result<(Done, bool), Rejection> {
    let planned = edit.on(base).map_err(|_| Rejection::ContentChanged)?;
    if base == current {
        return Ok((planned, true));
    }
    let (old, new) = (split(base), split(current));
    if planned.target.action == Action::Append {
        let span = Span { start: new.len(), count: 0 };
        let target = planned.target.moved(span.start);
        return Ok((Done { target, spliced: splice(current, span, edit.content()) }, false));
    }
    let merged = merge(&old, &split(&planned.spliced.text), &new);
    let target = match edit {
        Edit::Block { .. } => block(edit, &planned.target, &old, &new)?,
        Edit::Range { .. } | Edit::Insert { .. } | Edit::Append { .. } => {
            let moved = merged.as_ref().map(|merged| planned.target.moved(start_of(&planned.target, merged)));
            let same = |target: &Target| target.witness().of(&new) == planned.target.witness().of(&old);
            moved.filter(same).ok_or_else(|| rejection(&planned.target, &old, &new))?
        }
    };
    let done = Done { target, spliced: splice(current, target.span, edit.content()) };
    let is_certain = merged.is_some_and(|merged| merged.text == done.spliced.text);
    match (is_certain, edit) {
        (true, _) => Ok((done, target.span == planned.target.span)),
        (false, Edit::Block { .. }) => Err(Rejection::BlockChanged),
        (false, _) => Err(rejection(&planned.target, &old, &new)),
    }
}

/// Returns where the span of a target starts by now: as many lines behind the nearest certain line as before.
fn start_of(target: &Target, merged: &Merged) -> usize {
    let start = target.span.start;
    let mut above = merged.kept.iter().enumerate().take(start).rev();
    let nearest = above.find_map(|(line, kept)| Some((line, (*kept)?)));
    nearest.map_or(start, |(line, kept)| kept + (start - line))
}

/// Returns where the block is by now.
fn block(edit: &Edit, planned: &Target, old: &[&str], new: &[&str]) -> Result<Target, Rejection> {
    let target = edit.target(new).map_err(Rejection::Anchors)?;
    if target.span.of(new) == planned.span.of(old) { Ok(target) } else { Err(Rejection::BlockChanged) }
}

/// Returns why a target was not found for certain.
fn rejection(planned: &Target, old: &[&str], new: &[&str]) -> Rejection {
    let Some(wanted) = planned.witness().of(old).filter(|wanted| !wanted.is_empty()) else {
        return Rejection::ContentChanged;
    };
    match new.windows(wanted.len()).filter(|lines| *lines == wanted).count() {
        0 | 1 => Rejection::ContentChanged,
        count => Rejection::AmbiguousMatch { count },
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Matching, Side};
    use super::*;

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
    fn what_did_not_change_is_exact() {
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
    fn a_line_that_stayed_in_place_is_exact_whatever_changed_elsewhere() {
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
    fn a_change_right_beside_the_target_is_refused() {
        check(&range("2", "B"), "a\nb\nc\n", "a\nnew\nb\nc\n", Err(CHANGED));
        check(&range("2", "B"), "a\nb\nc\n", "a\nb\nC\n", Err(CHANGED));
        check(&after("b"), "a\nb\nc\n", "a\nb\nC\n", Err(CHANGED));
    }

    #[test]
    fn an_identical_line_elsewhere_is_never_changed_instead() {
        check(&range("2", "X"), "a\n\nb\n\nc\n", "b\n\nc\n", Err(CHANGED));
        check(&range("4", "X"), "a\n\nb\n\nc\n", "b\n\nc\n", Ok(("b\nX\nc\n", false)));
        check(&range("2", "X"), "x\nx\nx\n", "n\nx\nx\nx\n", Err(Rejection::AmbiguousMatch { count: 3 }));
        check(&range("2", "X"), "a\n\n\nb\n", "a\n\n\n\nb\n", Err(Rejection::AmbiguousMatch { count: 3 }));
        check(&range("1", "X"), "x\nk\nx\n", "k\nx\n", Err(CHANGED));
    }

    #[test]
    fn several_edits_of_one_text_follow_each_other() {
        let base = "1\n2\n3\n4\n5\n6\n7\n";
        let edits = [range("4", "D"), range("2", "B\nB"), after("6"), range("6", "")];
        let mut text = base.to_owned();
        for edit in edits.get(..3).unwrap() {
            text = reapply(edit, base, &text).unwrap().0.spliced.text;
        }
        assert_eq!(text, "1\nB\nB\n3\nD\n5\n6\nX\n7\n");
        assert_eq!(reapply(&edits[3], base, &text).unwrap_err(), CHANGED);
    }

    #[test]
    fn what_appends_goes_to_the_end_there_is() {
        check(&Edit::Append { content: "z".into() }, "a\n", "a\nb", Ok(("a\nb\nz\n", false)));
        check(&range("2~", "z"), "a\n", "a\nb\n", Ok(("a\nb\nz\n", false)));
        check(&Edit::Append { content: "z".into() }, "a\n", "a\n", Ok(("a\nz\n", true)));
        check(&Edit::Append { content: "z\n".into() }, "", "a\r\n", Ok(("a\r\nz\r\n", false)));
    }

    #[test]
    fn anchors_of_blocks_are_looked_for_anew() {
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
