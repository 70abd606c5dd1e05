//! Printing of a layout.

use minds_diagnostics::{SourceFile, Span};

use super::block_text::BlockText;
use super::comments::{Comment, Place};
use super::flow::{Flow, PieceKind};
use super::layout::{Content, Entry, FrameLine, Key, Layout, Value};

/// The printed file, with line feeds as line breaks.
pub(super) struct PrintedFile {
    pub(super) text: String,
    /// The nodes of the document in the order in which they were printed.
    pub(super) nodes: Vec<u32>,
}

/// The number of spaces for each level.
const STEP: usize = 2;

/// Prints a layout in the canonical form.
pub(super) fn print(layout: &Layout, source: &SourceFile) -> PrintedFile {
    let text = String::with_capacity(source.bytes().len() + source.bytes().len() / 8);
    let out = PrintedFile { text, nodes: Vec::new() };
    let mut printer = Printer { source, out, is_open: false, comment_column: 0 };
    for line in &layout.before {
        printer.frame(line);
    }
    printer.root(&layout.root);
    for line in &layout.after {
        printer.frame(line);
    }
    if printer.is_open {
        printer.out.text.push('\n');
    }
    printer.out
}

struct Printer<'d> {
    source: &'d SourceFile,
    out: PrintedFile,
    /// Whether the last line is not ended.
    is_open: bool,
    /// The column of the last trailing comment, counted from 0.
    comment_column: usize,
}

impl Printer<'_> {
    fn frame(&mut self, line: &FrameLine) {
        match line {
            FrameLine::Comment(comment) => self.comment(comment, 0, comment.blank),
            FrameLine::Sign { span, blank } => {
                self.line(0, *blank);
                self.copy(*span);
            }
        }
    }

    /// Prints the root value, which has no indicator.
    fn root(&mut self, root: &Value) {
        self.out.nodes.push(root.node);
        for prop in &root.props {
            if !self.is_open {
                self.line(0, false);
            }
            self.word(*prop);
        }
        let mut comments = root.head.iter().peekable();
        while let Some(comment) = comments.next_if(|comment| comment.place != Place::Own) {
            self.comment(comment, 0, false);
        }
        let mut is_first = root.props.is_empty();
        for comment in comments {
            self.comment(comment, 0, !is_first && comment.blank);
            is_first = false;
        }
        match &root.content {
            Content::Nothing => {}
            Content::Collection(entries) => self.entries(entries, 0, false),
            Content::Text(_) | Content::Block(_) | Content::Flow(_) => {
                self.line(0, false);
                self.scalar(&root.content, 0, 0);
            }
        }
        let has_content = !matches!(root.content, Content::Nothing) || !root.props.is_empty();
        self.comments(&root.tail, 0, true);
        self.comments(&root.below, 0, has_content || !root.tail.is_empty());
    }

    /// Prints the entries of a collection, the first one on the open line if it is `compact`.
    fn entries(&mut self, entries: &[Entry], indent: usize, mut compact: bool) {
        let mut is_first = true;
        let mut below_footer = false;
        for entry in entries {
            for comment in &entry.above {
                self.comment(comment, indent, below_footer || (comment.blank && !is_first));
                (is_first, below_footer) = (false, false);
            }
            if compact {
                compact = false;
            } else {
                self.line(indent, below_footer || (entry.blank && !is_first));
            }
            is_first = false;
            match &entry.key {
                Some(key) => self.key(key, indent),
                None => self.out.text.push('-'),
            }
            // After `?` without `:` the comments of the key are also those of the value.
            let is_commented = entry.key.as_ref().is_some_and(|key| !key.has_sign && !key.tail.is_empty());
            self.value(&entry.value, indent, entry.key.is_none(), is_commented);
            self.comments(&entry.footer, indent, true);
            below_footer = !entry.footer.is_empty();
        }
    }

    fn key(&mut self, key: &Key, indent: usize) {
        self.out.nodes.push(key.node);
        let start = self.out.text.len();
        if key.is_explicit {
            self.out.text.push('?');
        }
        for prop in &key.props {
            self.separate(start);
            self.copy(*prop);
        }
        if !matches!(key.content, Content::Nothing) {
            self.separate(start);
            self.scalar(&key.content, indent, indent);
        }
        self.comments(&key.tail, indent, true);
        if key.has_sign && key.is_explicit {
            self.line(indent, false);
        } else if key.has_sign && self.needs_space(key) {
            self.out.text.push(' ');
        }
        if key.has_sign {
            self.out.text.push(':');
        }
    }

    /// Returns whether a `:` directly after the key would become a part of it.
    fn needs_space(&self, key: &Key) -> bool {
        match key.content {
            Content::Nothing => !key.props.is_empty(),
            Content::Text(span) => self.source.bytes().get(span.start() as usize) == Some(&b'*'),
            Content::Block(_) | Content::Flow(_) | Content::Collection(_) => false,
        }
    }

    /// Appends a space to what was printed since `start`.
    fn separate(&mut self, start: usize) {
        if self.out.text.len() > start {
            self.out.text.push(' ');
        }
    }

    /// Prints a value after its indicator. The first entry of a collection can be on the same line after a dash. If
    /// the entry `is_commented`, there is already a comment on its line.
    fn value(&mut self, value: &Value, indent: usize, behind_dash: bool, is_commented: bool) {
        self.out.nodes.push(value.node);
        for prop in &value.props {
            self.word(*prop);
        }
        let inner = indent + STEP;
        match &value.content {
            Content::Nothing => {}
            Content::Collection(entries) => {
                let is_bare = value.props.is_empty()
                    && value.head.is_empty()
                    && entries.first().is_some_and(|entry| entry.above.is_empty());
                let compact = behind_dash && is_bare;
                if compact {
                    self.out.text.push(' ');
                }
                self.comments(&value.head, inner, false);
                self.entries(entries, inner, compact);
            }
            Content::Text(_) | Content::Block(_) | Content::Flow(_) => {
                if value.head.is_empty() {
                    self.out.text.push(' ');
                } else {
                    self.comments(&value.head, inner, false);
                    self.line(inner, false);
                }
                self.scalar(&value.content, indent, indent + STEP);
            }
        }
        self.comments(&value.tail, inner, true);
        // What follows an empty value begins where a collection would.
        let is_begun = is_commented || !matches!(value.content, Content::Nothing) || !value.tail.is_empty();
        self.comments(&value.below, inner, is_begun);
    }

    /// Prints a value on the line of its entry, which is indented by `indent`; `flow` is the indentation of brackets
    /// that must not be directly below it.
    fn scalar(&mut self, content: &Content, indent: usize, flow: usize) {
        match content {
            Content::Text(span) => self.text(*span, indent + STEP),
            Content::Block(text) => self.block_text(text, indent),
            Content::Flow(pieces) => self.flow(pieces, if pieces.is_flush { indent } else { flow }),
            Content::Nothing | Content::Collection(_) => {}
        }
    }

    /// Prints a scalar as written; its continuation lines are indented by `indent`.
    fn text(&mut self, span: Span, indent: usize) {
        let text = self.source.slice(span);
        let is_double = text.starts_with('"');
        let mut lines = lines(text).peekable();
        let mut is_first = true;
        while let Some(line) = lines.next() {
            let line = if is_first { line } else { line.trim_start_matches([' ', '\t']) };
            let line = if lines.peek().is_some() { without_blanks(line, is_double) } else { line };
            if !is_first {
                self.out.text.push('\n');
                self.spaces(if line.is_empty() { 0 } else { indent });
            }
            self.out.text.push_str(line);
            is_first = false;
        }
    }

    fn block_text(&mut self, text: &BlockText, indent: usize) {
        self.copy(text.header);
        if let Some(comment) = text.comment {
            self.word(comment);
        }
        let indent = indent + text.explicit.map_or(STEP, |depth| depth as usize);
        for line in &text.lines {
            self.out.text.push('\n');
            if !line.text.is_empty() {
                self.spaces(indent);
                self.copy(line.text);
            }
        }
        if text.keeps_breaks && !text.lines.is_empty() {
            self.out.text.push('\n');
            self.is_open = false;
        }
    }

    /// Prints a flow collection. Its line breaks stay.
    fn flow(&mut self, flow: &Flow, base: usize) {
        self.out.nodes.extend(self.out.nodes.last().map_or(0, |node| node + 1)..flow.end);
        let mut depth = 0_usize;
        let mut before: Option<super::flow::Piece> = None;
        for (at, piece) in flow.pieces.iter().enumerate() {
            if let Some(before) = before {
                if piece.breaks > 0 {
                    let rest = flow.pieces.get(at..).unwrap_or_default();
                    let closing = rest.iter().enumerate();
                    let closing = closing
                        .take_while(|(at, piece)| {
                            piece.kind == PieceKind::Close && (*at == 0 || piece.breaks == 0)
                        })
                        .count();
                    let is_edge = before.kind == PieceKind::Open || piece.kind == PieceKind::Close;
                    let level = depth.saturating_sub(closing);
                    self.line(base + STEP * level, piece.breaks > 1 && !is_edge);
                } else if piece.is_separated(before) {
                    self.out.text.push(' ');
                }
            }
            match piece.kind {
                PieceKind::Open => depth += 1,
                PieceKind::Close => depth = depth.saturating_sub(1),
                _ => {}
            }
            if piece.kind == PieceKind::Text {
                self.text(piece.span, base + STEP * depth.max(1));
            } else {
                self.copy(piece.span);
            }
            before = Some(*piece);
        }
    }

    /// Prints comments; the first of those on lines of their own can follow a blank line only if `may_part`.
    fn comments(&mut self, comments: &[Comment], indent: usize, may_part: bool) {
        let mut may_part = may_part;
        for comment in comments {
            self.comment(comment, indent, comment.blank && may_part);
            may_part = true;
        }
    }

    fn comment(&mut self, comment: &Comment, indent: usize, blank: bool) {
        match comment.place {
            Place::Own => self.line(indent, blank),
            Place::Behind => {
                self.out.text.push(' ');
                let line = self.out.text.rsplit('\n').next().unwrap_or_default();
                self.comment_column = line.chars().count();
            }
            Place::Continuing => self.line(self.comment_column, false),
        }
        self.copy(comment.text);
    }

    /// Ends the open line, if there is one, and begins the next one.
    fn line(&mut self, indent: usize, blank: bool) {
        if self.is_open {
            self.out.text.push('\n');
            if blank {
                self.out.text.push('\n');
            }
        }
        self.is_open = true;
        self.spaces(indent);
    }

    fn spaces(&mut self, count: usize) {
        self.out.text.extend(std::iter::repeat_n(' ', count));
    }

    /// Prints a part of the source after a space.
    fn word(&mut self, span: Span) {
        if !self.out.text.is_empty() && !self.out.text.ends_with([' ', '\n']) {
            self.out.text.push(' ');
        }
        self.copy(span);
    }

    fn copy(&mut self, span: Span) {
        self.out.text.push_str(self.source.slice(span));
    }
}

/// Returns the lines of a string, without their line breaks.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let Some(end) = text.find(['\n', '\r']) else {
            rest = None;
            return Some(text);
        };
        let (line, behind) = text.split_at_checked(end)?;
        rest = behind.strip_prefix("\r\n").or_else(|| behind.get(1..));
        Some(line)
    })
}

/// Returns a line without trailing white space. In double quotes an escaped blank is not white space.
fn without_blanks(line: &str, is_double: bool) -> &str {
    let trimmed = line.trim_end_matches([' ', '\t']);
    let backslashes = trimmed.bytes().rev().take_while(|byte| *byte == b'\\').count();
    let is_escaped = is_double && backslashes % 2 == 1 && trimmed.len() < line.len();
    if is_escaped { line } else { trimmed }
}
