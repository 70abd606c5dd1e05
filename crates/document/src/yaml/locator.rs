//! Corrects the positions of the parser.
//!
//! The parser reports an anchored value from its anchor on, a block scalar from its first line on, a list from after
//! its first dash, and an empty value at the next token. These functions examine the bytes instead.

use minds_diagnostics::Span;

/// The bytes of a document. Every function takes and returns offsets in it, and its cost is bounded by the white
/// space, comments, anchors and tags that it skips.
#[derive(Clone, Copy, Debug)]
pub struct Locator<'t>(pub &'t [u8]);

impl Locator<'_> {
    /// Returns the byte at `at`; none after the last.
    pub fn byte(self, at: u32) -> Option<u8> {
        self.0.get(at as usize).copied()
    }

    /// Returns the offset after the last byte.
    pub(super) fn end(self) -> u32 {
        offset(self.0.len())
    }

    /// Returns `span` without white space at its end.
    pub fn trim_end(self, span: Span) -> Span {
        let text = self.0.get(span.range()).unwrap_or_default();
        if text.last().is_some_and(u8::is_ascii_graphic) {
            return span;
        }
        let blank = text.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
        Span::new(span.start(), span.end() - offset(blank.count()))
    }

    /// Returns the first offset from `at` on that is neither in white space nor in a comment.
    pub(super) fn skip_blank(self, mut at: u32) -> u32 {
        loop {
            match self.byte(at) {
                Some(b' ' | b'\t' | b'\r' | b'\n') => at += 1,
                Some(b'#') => at = self.find_line_end(at),
                _ => return at,
            }
        }
    }

    /// Returns the first offset from `at` on that is neither in white space, nor in a comment, an anchor or a tag.
    pub fn skip_properties(self, at: u32) -> u32 {
        let mut at = self.skip_blank(at);
        while let Some(b'&' | b'!') = self.byte(at) {
            at = self.skip_blank(self.find_word_end(at));
        }
        at
    }

    /// Returns `span` without the anchor and tag at its start; all of it if there is nothing else.
    pub(super) fn strip_properties(self, span: Span) -> Span {
        let start = self.skip_properties(span.start());
        // The span of a block collection is empty and at its first key or dash.
        let block = start == span.end()
            && start > span.start()
            && self.byte(start).is_some_and(|byte| !matches!(byte, b',' | b']' | b'}'));
        if start < span.end() || block { Span::new(start, span.end()) } else { span }
    }

    /// Returns the offset after `sign`, if only white space is between `from` and it.
    pub(super) fn find_end_of_sign(self, from: u32, sign: u8) -> Option<u32> {
        let at = self.skip_blank(from);
        (self.byte(at) == Some(sign)).then_some(at + 1)
    }

    /// Returns the position of the dash of the item that starts at `at`.
    pub(super) fn find_dash(self, at: u32) -> u32 {
        if self.byte(at) == Some(b'-') && self.byte(at + 1).is_none_or(|next| next.is_ascii_whitespace()) {
            return at;
        }
        let before = self.0.get(..at as usize).unwrap_or_default().trim_ascii_end();
        if before.last() == Some(&b'-') { offset(before.len() - 1) } else { at }
    }

    /// Returns the span of the quoted string at the start of `span`, which the parser extends over white space and
    /// comments.
    pub(super) fn find_quoted(self, span: Span) -> Span {
        let quote = self.byte(span.start());
        let mut at = span.start() + 1;
        while at < span.end() {
            match self.byte(at) {
                Some(b'\\') if quote == Some(b'"') => at += 2,
                Some(b'\'') if quote == Some(b'\'') && self.byte(at + 1) == quote => at += 2,
                byte if byte == quote => return Span::new(span.start(), at + 1),
                _ => at += 1,
            }
        }
        span
    }

    /// Returns the offset after the bracket that closes a flow collection, which is at or shortly after `at`.
    pub(super) fn find_end_of_closer(self, at: u32, closer: u8) -> u32 {
        let mut found = self.skip_blank(at);
        while self.byte(found) == Some(b',') {
            found = self.skip_blank(found + 1);
        }
        if self.byte(found) == Some(closer) { found + 1 } else { at }
    }

    /// Returns the offset after an anchor, alias or tag that starts at `at`.
    pub fn find_word_end(self, at: u32) -> u32 {
        let rest = self.0.get(at as usize..).unwrap_or_default();
        if rest.starts_with(b"!<") {
            return at + offset(rest.iter().position(|byte| *byte == b'>').map_or(rest.len(), |end| end + 1));
        }
        let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b'[' | b']' | b'{' | b'}');
        at + offset(rest.iter().position(ends).unwrap_or(rest.len()))
    }

    /// Returns the offset of the first line break from `at` on, or the end.
    pub fn find_line_end(self, at: u32) -> u32 {
        let rest = self.0.get(at as usize..).unwrap_or_default();
        at + offset(rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len()))
    }
}

pub(super) fn offset(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
