//! Removal of members of an object.

use jsonc_parser::ast::{Object, ObjectProp};
use jsonc_parser::common::Range;

use super::layout::{Edit, comma, ends_in_line_comment, indent, own_line};

/// Returns the edits that remove the members for which `is_removed` holds, with their commas, and with their lines if
/// nothing else is on them. Comments stay. Removing members that were appended restores the text; an empty object is
/// written on one line.
pub(super) fn removals(
    text: &str,
    object: &Object<'_>,
    is_removed: impl Fn(&ObjectProp<'_>) -> bool,
) -> Vec<Edit> {
    if object.properties.iter().all(&is_removed)
        && let Some(edit) = remove_all(text, object)
    {
        return vec![edit];
    }
    let mut edits = Vec::new();
    // The comma after the last remaining member, and whether removed members after it had none.
    let mut kept_comma = None;
    let mut is_open = false;
    // The start of the first members after it, if they are removed and the white space in front of them stays.
    let mut behind = None;
    for run in runs(text, object, is_removed) {
        if run.is_removed {
            edits.push(removal(text, &run));
            is_open |= run.comma.is_none();
            behind = behind.or(Some((run.start, run.comma.is_some())));
        } else {
            (kept_comma, behind) = (run.comma, None);
        }
    }
    // Without the members after it, that comma would be a trailing comma.
    if let (true, Some(end)) = (is_open, kept_comma) {
        let blanks = behind.filter(|(_, has_comma)| *has_comma).and_then(|(start, _)| text.get(end..start));
        let length = blanks.filter(|blanks| blanks.trim_matches([' ', '\t']).is_empty()).map_or(0, str::len);
        edits.push(Edit { start: end - 1, end: end + length, text: String::new() });
    }
    edits
}

/// Adjacent members that are removed together, or one member.
struct Run {
    /// The end of the preceding member, or the brace.
    from: usize,
    start: usize,
    /// The end of its last value.
    end: usize,
    /// The end of the comma after it, if there is one.
    comma: Option<usize>,
    is_removed: bool,
    /// Whether it is the last one.
    is_last: bool,
}

/// Returns the members of an object; removed members with only a comma and white space between them are one run.
fn runs(text: &str, object: &Object<'_>, is_removed: impl Fn(&ObjectProp<'_>) -> bool) -> Vec<Run> {
    let close = object.range.end.saturating_sub(1);
    let starts = object.properties.iter().skip(1).map(|next| next.range.start).chain([close]);
    let mut runs: Vec<Run> = Vec::new();
    let mut from = object.range.start + 1;
    for (property, next) in object.properties.iter().zip(starts) {
        let Range { start, end } = property.range;
        let comma = comma(text, end, next);
        let (is_removed, is_last) = (is_removed(property), next == close);
        let joins = |before: &&mut Run| {
            let between = text.get(before.end..start).map(str::trim);
            is_removed && before.is_removed && between == Some(",")
        };
        match runs.last_mut().filter(joins) {
            Some(before) => (before.end, before.comma, before.is_last) = (end, comma, is_last),
            None => runs.push(Run { from, start, end, comma, is_removed, is_last }),
        }
        from = end;
    }
    runs
}

/// Returns the edit that removes all members; none if there are no members, or comments beside them.
fn remove_all(text: &str, object: &Object<'_>) -> Option<Edit> {
    let (open, close) = (object.range.start, object.range.end.checked_sub(1)?);
    let last = object.properties.last()?.range.end;
    let mut at = open + 1;
    for property in &object.properties {
        let before = text.get(at..property.range.start)?;
        if !before.trim_start_matches(|letter: char| letter == ',' || letter.is_whitespace()).is_empty() {
            return None;
        }
        at = property.range.end;
    }
    let behind = text.get(last..close)?;
    let behind = behind.trim_start().strip_prefix(',').unwrap_or(behind);
    if !behind.trim().is_empty() {
        return None;
    }
    // White space in front of the brace on its line existed before the members.
    let line = behind.rsplit_once('\n').and_then(|(_, line)| line.strip_prefix(indent(text, open)));
    Some(Edit { start: open + 1, end: close, text: line.unwrap_or_default().to_owned() })
}

fn removal(text: &str, run: &Run) -> Edit {
    let (start, own_end, comma) = (run.start, run.end, run.comma);
    // A comment between the value and its comma stays, so the comma alone is replaced by a space.
    let end = comma.unwrap_or(own_end);
    let between = text.get(own_end..end).unwrap_or_default().trim_end_matches(',');
    let line_end = if between.contains("//") { "\n" } else { "" };
    let kept = format!("{}{line_end}", between.trim());
    let rest = text.get(end..).unwrap_or_default();
    let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let behind = rest.get(blanks..).unwrap_or_default();
    let line_break = ["\n", "\r\n"].into_iter().find(|line_break| behind.starts_with(line_break));
    let edit = |start, end| Edit { start, end, text: kept.clone() };
    match (own_line(text, start), line_break) {
        _ if !kept.is_empty() => edit(start, end),
        // The last members are removed with the line break in front of them, so what follows them stays.
        (Some(indent), _) if run.is_last && (line_break.is_some() || behind.starts_with('}')) => {
            let line_start = start - indent.len();
            let above = text.get(..line_start).unwrap_or_default();
            let above = above.strip_suffix('\n').unwrap_or(above);
            let above = above.strip_suffix('\r').unwrap_or(above);
            // What follows would become a part of a comment.
            let is_commented = ends_in_line_comment(text, run.from, above.len());
            edit(if is_commented && line_break.is_none() { line_start } else { above.len() }, end)
        }
        (Some(indent), Some(line_break)) => edit(start - indent.len(), end + blanks + line_break.len()),
        (own_line, _) if comma.is_some() && (own_line.is_some() || !run.is_last) => edit(start, end + blanks),
        (_, _) => {
            let before = text.get(..start).unwrap_or_default();
            edit(before.trim_end_matches([' ', '\t']).len(), end)
        }
    }
}
