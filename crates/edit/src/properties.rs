//! Properties of all edits, checked against independent implementations.

use minds_text::unified_diff;
use proptest::prelude::*;

use super::*;

const WORDS: &[&str] = &["", "a", "b", "- x", "}"];

/// Strings with many similar lines and all kinds of line breaks.
fn multiline_text() -> impl Strategy<Value = String> {
    let plain = prop::collection::vec(prop::sample::select(WORDS), 0..12);
    let breaks = prop::sample::select(vec!["\n", "\n", "\r\n"]);
    (plain, breaks, any::<bool>()).prop_map(|(lines, ending, is_ended)| {
        let text = lines.join(ending);
        if is_ended && !lines.is_empty() { text + ending } else { text }
    })
}

fn contents() -> impl Strategy<Value = String> {
    prop_oneof![multiline_text(), Just("new\n".to_owned()), Just("new".to_owned()), Just("\n".to_owned())]
}

fn occurrences() -> impl Strategy<Value = Option<Occurrence>> {
    prop_oneof![
        Just(None),
        Just(Some(Occurrence::Last)),
        (1_u64..4).prop_map(|n| Some(Occurrence::Number(n)))
    ]
}

fn matchings() -> impl Strategy<Value = Matching> {
    prop_oneof![Just(Matching::Contains), Just(Matching::Equals)]
}

fn ranges() -> impl Strategy<Value = Edit> {
    let forms = (1_usize..9, 0_usize..5, 0..5_u8);
    let texts = forms.prop_map(|(start, more, form)| match form {
        0 => format!("{start}"),
        1 => format!("{start}~"),
        2 => format!("~{start}"),
        3 => "~".to_owned(),
        _ => format!("{start}~{}", start + more),
    });
    (texts, contents()).prop_map(|(range, content)| Edit::Range { range, content })
}

fn edits() -> impl Strategy<Value = Edit> {
    let side = prop_oneof![Just(Side::After), Just(Side::Before)];
    let anchor = || prop::sample::select(WORDS).prop_map(str::to_owned);
    let insert = (side, anchor(), matchings(), occurrences(), contents()).prop_map(
        |(side, anchor, matching, occurrence, content)| Edit::Insert {
            side,
            anchor,
            matching,
            occurrence,
            content,
        },
    );
    let flags = (any::<bool>(), any::<bool>());
    let block = (anchor(), anchor(), matchings(), occurrences(), flags, contents()).prop_map(
        |(start_anchor, end_anchor, matching, occurrence, (include_anchors, first_will_do), content)| {
            Edit::Block {
                start_anchor,
                end_anchor,
                matching,
                occurrence,
                include_anchors,
                first_will_do,
                content,
            }
        },
    );
    prop_oneof![3 => ranges(), 2 => insert, 2 => block, 1 => contents().prop_map(|content| Edit::Append { content })]
}

/// A concurrent change that replaces a few lines.
type Foreign = Vec<(usize, usize, Vec<&'static str>)>;

fn foreign() -> impl Strategy<Value = Foreign> {
    let lines = prop::collection::vec(prop::sample::select(WORDS), 0..3);
    prop::collection::vec((0_usize..12, 0_usize..3, lines), 1..3)
}

fn apply_foreign(text: &str, foreign: &Foreign) -> String {
    let mut lines: Vec<String> = split(text).into_iter().map(str::to_owned).collect();
    for (start, count, new) in foreign {
        let start = (*start).min(lines.len());
        let end = (start + count).min(lines.len());
        lines.splice(start..end, new.iter().map(|line| format!("{line}\n")));
    }
    lines.concat()
}

/// Applies a patch line by line.
fn apply_patch(old: &str, patch: &str) -> String {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let (mut out, mut at) = (String::new(), 0);
    let mut lines = patch.split_inclusive('\n').skip(2).peekable();
    while let Some(line) = lines.next() {
        let (sign, text) = line.split_at(1);
        let is_open = lines.next_if(|next| next.starts_with('\\')).is_some();
        let text = if is_open { text.strip_suffix('\n').unwrap() } else { text };
        match sign {
            "@" => {
                let range = text.split(' ').nth(1).unwrap().trim_start_matches('-');
                let (start, count) = range.split_once(',').unwrap_or((range, "1"));
                let start: usize = start.parse().unwrap();
                let start = if count == "0" { start } else { start - 1 };
                out.extend(old[at..start].iter().copied());
                at = start;
            }
            "+" => out.push_str(text),
            _ => {
                assert_eq!(old[at], text, "the patch is about another text");
                at += 1;
                out.push_str(if sign == " " { text } else { "" });
            }
        }
    }
    out.extend(old[at..].iter().copied());
    out
}

/// Returns whether all lines are different, so that every diff finds the same lines.
fn are_distinct(texts: &[&str]) -> bool {
    let lines: Vec<&str> = texts.iter().flat_map(|text| split(text)).map(body).collect();
    (1..lines.len()).all(|at| !lines[..at].contains(&lines[at]))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// Without concurrent changes, an edit is applied as planned.
    #[test]
    fn an_edit_is_done_as_planned(text in multiline_text(), edit in edits()) {
        match (edit.on(&text), reapply(&edit, &text, &text)) {
            (Ok(done), Ok(applied)) => prop_assert_eq!((done, true), applied),
            (Err(_), Err(_)) => {}
            (planned, applied) => prop_assert!(false, "{planned:?} but {applied:?}"),
        }
    }

    /// Only the target changes, and its new content is the given one.
    #[test]
    fn nothing_but_the_target_changes(text in multiline_text(), edit in edits()) {
        if let Ok(done) = edit.on(&text) {
            let (old, new) = (split(&text), split(&done.spliced.text));
            let span = done.target.span;
            prop_assert!(span.end() <= old.len());
            let rest = old.len() - span.end();
            prop_assert_eq!(&old[span.end()..], &new[new.len() - rest..]);
            let before: Vec<_> = old[..span.start].iter().map(|line| body(line)).collect();
            let after: Vec<_> = new[..span.start].iter().map(|line| body(line)).collect();
            prop_assert_eq!(before, after);
            let given: Vec<_> = split(edit.content()).into_iter().map(body).collect();
            let found: Vec<_> = new[span.start..new.len() - rest].iter().map(|line| body(line)).collect();
            prop_assert_eq!(given, found);
            prop_assert_eq!(done.spliced.new_lines, new.len() - rest - span.start);
        }
    }

    /// Two ways of applying the diff to the old text give the new text.
    #[test]
    fn the_diff_gives_the_new_text(old in multiline_text(), new in multiline_text()) {
        let shown = unified_diff("f", Some(&old), Some(&new));
        prop_assert_eq!(shown.is_empty(), old == new);
        if !shown.is_empty() {
            prop_assert_eq!(&apply_patch(&old, &shown), &new);
            let patch = diffy::Patch::from_str(&shown).unwrap();
            prop_assert_eq!(&diffy::apply(&old, &patch).unwrap(), &new);
        }
    }

    /// After a concurrent change, the edit gives the same result as an independent merge, or is refused. The independent merge
    /// may report a conflict because of a changed line next to the target, or select another one of equal lines: then the
    /// replaced lines have the planned content, and all remaining lines stay.
    #[test]
    fn a_concurrent_change_is_merged_or_refused(base in multiline_text(), edit in edits(), foreign in foreign()) {
        let theirs = apply_foreign(&base, &foreign);
        let (Ok(planned), Ok((done, is_exact))) = (edit.on(&base), reapply(&edit, &base, &theirs)) else {
            return Ok(());
        };
        if planned.target.action == Action::Append {
            let appended = splice::splice(&theirs, Span { start: split(&theirs).len(), count: 0 }, edit.content());
            prop_assert_eq!(done.spliced, appended);
            return Ok(());
        }
        let merged = diffy::merge(&base, &planned.spliced.text, &theirs);
        let is_clear = are_distinct(&[&base]) && are_distinct(&[&theirs, edit.content()]);
        if let (Ok(merged), true) = (&merged, is_clear) {
            // New lines get the line breaks of the current text, which may differ from those of the planned one.
            let bodies = |text: &str| -> Vec<String> { split(text).into_iter().map(|line| body(line).to_owned()).collect() };
            prop_assert_eq!(bodies(merged), bodies(&done.spliced.text));
        }
        let lines = |text: &str, span: Span| -> Vec<String> {
            let lines = split(text);
            lines[span.start..span.end()].iter().map(|line| body(line).to_owned()).collect()
        };
        prop_assert_eq!(lines(&theirs, done.target.span), lines(&base, planned.target.span));
        prop_assert_eq!(&done.spliced, &splice::splice(&theirs, done.target.span, edit.content()));
        prop_assert_eq!(is_exact, done.target.span == planned.target.span);
    }

    /// After one concurrent change at a known place, the edit is applied to exactly the planned lines.
    #[test]
    fn exactly_the_planned_lines_are_changed(
        base in multiline_text(), edit in edits(), at in 0_usize..12, count in 0_usize..3,
        new in prop::collection::vec(prop::sample::select(WORDS), 0..3),
    ) {
        let lines = split(&base).len();
        let (start, end) = (at.min(lines), (at + count).min(lines));
        let theirs = apply_foreign(&base, &vec![(start, end - start, new.clone())]);
        let (Ok(planned), Ok((done, _))) = (edit.on(&base), reapply(&edit, &base, &theirs)) else {
            return Ok(());
        };
        let span = planned.target.span;
        // After a last line without an end, what is inserted changes that line.
        if start == lines && !is_ended(&base) {
            return Ok(());
        }
        if planned.target.action == Action::Append || theirs == base || planned.spliced.text == base {
            return Ok(());
        }
        // A target is where its witness is: what is inserted before an anchor stays directly before it.
        let witness = planned.target.identifying_lines();
        let is_before = end <= witness.start && (end < witness.start || start < end || witness.count > 0);
        let is_after = start >= witness.end() && !is_before;
        if is_before {
            prop_assert_eq!(done.target.span.start + (end - start), span.start + new.len());
        } else if is_after {
            prop_assert_eq!(done.target.span.start, span.start);
        }
    }
}
