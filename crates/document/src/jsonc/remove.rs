//! Taking members out of an object.

use jsonc_parser::ast::{Object, ObjectProp};

use super::layout::{Edit, comma, own_line};

/// Returns the edits that take out the members for which `is_removed` holds, with their commas, and with their lines where
/// nothing else stands in them. Comments stay.
pub(super) fn removals(
    text: &str,
    object: &Object<'_>,
    is_removed: impl Fn(&ObjectProp<'_>) -> bool,
) -> Vec<Edit> {
    let close = object.range.end.saturating_sub(1);
    let starts = object.properties.iter().skip(1).map(|next| next.range.start).chain([close]);
    let mut edits = Vec::new();
    // The comma behind the last member that stays, and whether a removed one behind it had one.
    let mut kept_comma = None;
    let mut is_open = false;
    // Where the first member behind it begins, if that goes and leaves the blanks before it.
    let mut behind = None;
    for (property, next) in object.properties.iter().zip(starts) {
        let comma = comma(text, property.range.end, next);
        if is_removed(property) {
            edits.push(removal(text, property, comma));
            is_open |= comma.is_none();
            behind = behind.or(Some((property.range.start, comma.is_some())));
        } else {
            (kept_comma, behind) = (comma, None);
        }
    }
    // Without the members behind it, that comma would end the object.
    if let (true, Some(end)) = (is_open, kept_comma) {
        let blanks = behind.filter(|(_, has_comma)| *has_comma).and_then(|(start, _)| text.get(end..start));
        let length = blanks.filter(|blanks| blanks.trim_matches([' ', '\t']).is_empty()).map_or(0, str::len);
        edits.push(Edit { start: end - 1, end: end + length, text: String::new() });
    }
    edits
}

fn removal(text: &str, property: &ObjectProp<'_>, comma: Option<usize>) -> Edit {
    let (start, own_end) = (property.range.start, property.range.end);
    // A comment between the value and its comma stays, so the comma goes alone, as a space.
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
        (Some(indent), Some(line_break)) => edit(start - indent.len(), end + blanks + line_break.len()),
        (Some(indent), None) if comma.is_none() && behind.starts_with('}') => {
            let line_start = start - indent.len();
            let above = text.get(..line_start).unwrap_or_default();
            let above = above.strip_suffix('\n').unwrap_or(above);
            let above = above.strip_suffix('\r').unwrap_or(above);
            // What is behind would become a part of a comment.
            let is_commented = above.rsplit('\n').next().is_some_and(|line| line.contains("//"));
            edit(if is_commented { line_start } else { above.len() }, end)
        }
        (_, _) if comma.is_some() => edit(start, end + blanks),
        (_, _) => {
            let before = text.get(..start).unwrap_or_default();
            edit(before.trim_end_matches([' ', '\t']).len(), end)
        }
    }
}
