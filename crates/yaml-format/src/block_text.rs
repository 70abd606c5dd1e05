//! Block scalars: `|` and `>`.

use minds_diagnostics::Span;

use super::comments::Cursor;

/// A block scalar.
#[derive(Debug)]
pub(super) struct BlockText {
    /// `|` or `>` with its indicators.
    pub(super) header: Span,
    /// The comment at the end of the header.
    pub(super) comment: Option<Span>,
    /// The lines; trailing blank ones only if they belong to the value.
    pub(super) lines: Vec<Line>,
    /// The explicit indentation of the header.
    pub(super) explicit: Option<u32>,
    /// Whether trailing line breaks belong to the value.
    pub(super) keeps_breaks: bool,
}

/// A line of a block scalar, without its indentation; empty if it is blank.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub(super) text: Span,
    is_broken: bool,
}

/// Reads the block scalar at the cursor. It belongs to an entry in `column`, counted from 1; 0 for none.
pub(super) fn read(cursor: &mut Cursor<'_>, column: u32) -> BlockText {
    let start = cursor.at;
    cursor.at += 1;
    let (mut explicit, mut chomping) = (None, None);
    while let Some(byte @ (b'+' | b'-' | b'1'..=b'9')) = cursor.byte() {
        match byte {
            b'+' | b'-' => chomping = Some(byte),
            digit => explicit = Some(u32::from(digit - b'0')),
        }
        cursor.at += 1;
    }
    let header = Span::new(start, cursor.at);
    cursor.blanks();
    let comment = (cursor.byte() == Some(b'#')).then(|| cursor.comment());
    cursor.line_break();
    let indentation = match explicit {
        Some(depth) => column.saturating_sub(1) + depth,
        None => detect(cursor, column),
    };
    let mut lines = Vec::new();
    // The number of lines, and the part of the file, that belong to the value for certain.
    let (mut sure, mut end) = (0, cursor.at);
    let keeps_breaks = chomping == Some(b'+');
    while let Some(line) = line(cursor, indentation) {
        lines.push(line);
        if !line.text.is_empty() || (keeps_breaks && line.is_broken) {
            (sure, end) = (lines.len(), cursor.at);
        }
    }
    lines.truncate(sure);
    cursor.at = end;
    BlockText { header, comment, lines, explicit, keeps_breaks }
}

/// Returns the indentation of the first line that is not blank; if there is none, the largest.
fn detect(cursor: &Cursor<'_>, column: u32) -> u32 {
    let bytes = cursor.places.0.get(cursor.at as usize..).unwrap_or_default();
    let mut blank = column;
    let mut spaces = 0;
    for byte in bytes {
        match byte {
            b' ' => spaces += 1,
            b'\n' | b'\r' => (blank, spaces) = (blank.max(spaces), 0),
            _ if spaces >= column => return spaces,
            // This line follows the block scalar, which has only blank lines.
            _ => return blank,
        }
    }
    blank.max(spaces)
}

/// Reads a line with this indentation; none if the block scalar has ended.
fn line(cursor: &mut Cursor<'_>, indentation: u32) -> Option<Line> {
    cursor.byte()?;
    if cursor.is_at_marker(b"---") || cursor.is_at_marker(b"...") {
        return None;
    }
    let start = cursor.at;
    while cursor.byte() == Some(b' ') {
        cursor.at += 1;
    }
    let end = cursor.places.find_line_end(cursor.at);
    let is_blank = end == cursor.at;
    if !is_blank && cursor.at - start < indentation {
        cursor.at = start;
        return None;
    }
    cursor.at = end;
    let is_broken = cursor.line_break();
    Some(Line { text: Span::new((start + indentation).min(end), end), is_broken })
}
