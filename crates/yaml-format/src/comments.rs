//! Comments and blank lines between values.

use std::collections::VecDeque;

use minds_diagnostics::Span;
use minds_document::BOM;
use minds_document::yaml::Locator;

use super::offset;

/// A comment and its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Comment {
    /// From the `#` to the last character that is not white space.
    pub(super) text: Span,
    pub(super) place: Place,
    /// Whether a blank line precedes it.
    pub(super) blank: bool,
    column: u32,
}

/// The position of a comment relative to what precedes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// On the same line.
    Behind,
    /// On the next line after a trailing comment, in the same column: both are one comment.
    Continuing,
    /// On a line of its own.
    Own,
}

/// A position in the source that advances, and the comments that it passed and that were not taken yet.
#[derive(Debug)]
pub(super) struct Cursor<'t> {
    pub(super) places: Locator<'t>,
    /// The offset of the next byte.
    pub(super) at: u32,
    /// Whether a blank line directly precedes the next token.
    pub(super) blank: bool,
    pending: VecDeque<Comment>,
    /// The position at which it last looked for comments.
    settled: Option<u32>,
    /// All comments of the source.
    pub(super) seen: Vec<Span>,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(bytes: &'t [u8], at: u32) -> Self {
        let (pending, seen) = (VecDeque::new(), Vec::new());
        Self { places: Locator(bytes), at, blank: false, pending, settled: None, seen }
    }

    pub(super) fn byte(&self) -> Option<u8> {
        self.places.byte(self.at)
    }

    /// Returns whether the cursor is at the indicator `sign`, followed by white space or the end.
    pub(super) fn is_at_sign(&self, sign: u8) -> bool {
        self.byte() == Some(sign)
            && self.places.byte(self.at + 1).is_none_or(|byte| byte.is_ascii_whitespace())
    }

    /// Returns whether a line starts here that consists of the marker `sign`: `---` or `...`.
    pub(super) fn is_at_marker(&self, sign: &[u8]) -> bool {
        let rest = self.places.0.get(self.at as usize..).unwrap_or_default();
        self.is_at_line_start()
            && rest.strip_prefix(sign).is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace))
    }

    /// Returns whether the cursor is at the start of a line.
    fn is_at_line_start(&self) -> bool {
        let before = self.places.0.get(..self.at as usize).unwrap_or_default();
        matches!(before, [] | [.., b'\n' | b'\r']) || before == BOM.as_bytes()
    }

    /// Returns the start of the line of `at`. The cost is proportional to the distance.
    fn line_start(&self, at: u32) -> u32 {
        let before = self.places.0.get(..at as usize).unwrap_or_default();
        offset(before.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).map_or(0, |end| end + 1))
    }

    /// Returns the column of `at` in characters, counted from 1, without a byte order mark.
    pub(super) fn column(&self, at: u32) -> u32 {
        let start = self.line_start(at);
        let before = self.places.0.get(start as usize..at as usize).unwrap_or_default();
        let mark = if start == 0 { BOM.as_bytes() } else { &[] };
        let before = before.strip_prefix(mark).unwrap_or(before);
        let starts = |byte: &&u8| **byte & 0xc0 != 0x80;
        offset(before.iter().filter(starts).count()) + 1
    }

    /// Skips a line break, if there is one.
    pub(super) fn line_break(&mut self) -> bool {
        match self.byte() {
            Some(b'\r') if self.places.byte(self.at + 1) == Some(b'\n') => self.at += 2,
            Some(b'\n' | b'\r') => self.at += 1,
            _ => return false,
        }
        true
    }

    /// Skips white space within a line.
    pub(super) fn blanks(&mut self) {
        while let Some(b' ' | b'\t') = self.byte() {
            self.at += 1;
        }
    }

    /// Skips a comment and returns its span.
    pub(super) fn comment(&mut self) -> Span {
        let end = self.places.find_line_end(self.at);
        let text = self.places.trim_end(Span::new(self.at, end));
        self.at = end;
        self.seen.push(text);
        text
    }

    /// Skips white space and comments, and keeps the comments until they are taken.
    pub(super) fn trivia(&mut self) {
        if self.settled == Some(self.at) {
            return;
        }
        let mut breaks = u32::from(self.is_at_line_start());
        let known = self.pending.len();
        loop {
            self.blanks();
            if self.line_break() {
                breaks += 1;
            } else if self.byte() == Some(b'#') {
                let column = self.column(self.at);
                let place = if breaks == 0 { Place::Behind } else { Place::Own };
                let text = self.comment();
                self.pending.push_back(Comment { text, place, blank: breaks > 1, column });
                breaks = 0;
            } else {
                break;
            }
        }
        // The column of the next token; 0 after the end of the document.
        let ends = self.byte().is_none() || self.is_at_marker(b"...");
        // The column is only computed after a line break: otherwise the line may be long.
        let column = if ends || breaks == 0 { 0 } else { self.column(self.at) };
        self.blank = breaks > 1;
        let mut behind = None;
        for comment in self.pending.iter_mut().skip(known) {
            let continues = behind == Some(comment.column) && !comment.blank && comment.column > column;
            if comment.place == Place::Own && continues {
                comment.place = Place::Continuing;
            }
            behind = (comment.place != Place::Own).then_some(comment.column);
        }
        self.settled = Some(self.at);
    }

    /// Takes the comment at the end of the line, with the lines that continue it.
    pub(super) fn take_trailing(&mut self) -> Vec<Comment> {
        let mut taken = Vec::new();
        while let Some(comment) = self.pending.front()
            && (comment.place == Place::Continuing || (comment.place == Place::Behind && taken.is_empty()))
        {
            taken.extend(self.pending.pop_front());
        }
        taken
    }

    /// Takes the comments that are indented deeper than an entry in `column`. Those after the entry never are.
    pub(super) fn take_deeper(&mut self, column: u32) -> Vec<Comment> {
        let mut taken = Vec::new();
        while let Some(comment) = self.pending.front()
            && comment.column > column
        {
            taken.extend(self.pending.pop_front());
        }
        on_own_lines(taken)
    }

    /// Takes all comments, each for a line of its own.
    pub(super) fn take_all(&mut self) -> Vec<Comment> {
        on_own_lines(self.pending.drain(..).collect())
    }
}

fn on_own_lines(mut comments: Vec<Comment>) -> Vec<Comment> {
    for comment in &mut comments {
        comment.place = Place::Own;
    }
    comments
}
