//! Builds tables and values from the events of the library.

use minds_diagnostics::{Diagnostic, Problems, Rule, SourceFile, Span};
use toml_parser::ErrorSink;
use toml_parser::decoder::Encoding;
use toml_parser::parser::EventReceiver;

use super::decode::{DecodeResult, DocumentText, Key};
use super::syntax::{self, Complaints};
use super::tables::{Origin, PartId, ROOT, Refusal, Shape, Tables};
use crate::Document;
use crate::format::Format;
use crate::limits::{self, MAX_DEPTH};
use crate::rules;
use crate::tree::Content;

/// Receives the events of one line after another.
pub(super) struct Builder<'s, 't> {
    pub(super) source: &'s SourceFile,
    pub(super) problems: &'s mut Problems,
    words: DocumentText<'t>,
    tables: Tables<'t>,
    /// The table of the last header; a detached value if that header was broken.
    table: PartId,
    /// The start of a header that has not ended.
    header: Option<Span>,
    /// The segments of the current key.
    path: Vec<Key<'t>>,
    /// Whether one of its segments was broken.
    is_path_broken: bool,
    /// The open collections in brackets and braces.
    open: Vec<Open>,
    /// The part whose value comes next.
    awaited: Option<PartId>,
    /// The parts that the line sets; one, unless the line is broken.
    line_parts: Vec<PartId>,
    /// Whether a limit was exceeded, which was reported.
    is_stopped: bool,
    /// Whether the source contains more than the tree.
    is_partial: bool,
}

#[derive(Clone, Copy)]
struct Open {
    part: PartId,
    is_list: bool,
}

impl<'s, 't> Builder<'s, 't> {
    pub(super) fn new(source: &'s SourceFile, words: DocumentText<'t>, problems: &'s mut Problems) -> Self {
        Self {
            source,
            problems,
            words,
            tables: Tables::new(words.all()),
            table: ROOT,
            header: None,
            path: Vec::new(),
            is_path_broken: false,
            open: Vec::new(),
            awaited: None,
            line_parts: Vec::new(),
            is_stopped: false,
            is_partial: false,
        }
    }

    /// Reports an error at `place` because of which something is not read.
    pub(super) fn report(
        &mut self,
        rule: &'static Rule,
        place: Span,
        build: impl FnOnce(&SourceFile, Span) -> Diagnostic,
    ) {
        self.is_partial = true;
        let source = self.source;
        self.problems.report(source, place, rule, || build(source, place));
    }

    /// Reports the complaints of the library about the line, and makes the values of the line unknown. Returns
    /// nothing if reading ends here.
    pub(super) fn end_line(&mut self, complaints: &Complaints) -> Option<()> {
        if let (Some(complaint), false) = (complaints.most_severe(), self.is_stopped) {
            let words = self.words;
            self.report(&rules::TOML_SYNTAX, words.place(complaints.place_of(complaint)), |source, _| {
                syntax::finding(source, words, complaints, complaint)
            });
            for part in &self.line_parts {
                self.tables.forget(*part);
            }
        }
        self.path.clear();
        self.open.clear();
        self.line_parts.clear();
        (self.header, self.awaited, self.is_path_broken) = (None, None, false);
        (!self.is_stopped).then_some(())
    }

    /// Returns the document, and reports its duplicate keys.
    pub(super) fn into_document(self) -> Document {
        let (mut document, repeated) = self.tables.into_document(self.source);
        document.is_partial = self.is_partial;
        for (key, first) in repeated {
            let key = document.node(key);
            self.problems.report(self.source, key.span(), &rules::TOML_DUPLICATE_KEY, || {
                syntax::duplicate_key(self.source, key.span(), first).pointer(key.pointer())
            });
        }
        document
    }

    /// Returns the part, or reports the refusal and, where reading can continue, returns a detached part for what
    /// follows.
    fn resolve_part(&mut self, part: Result<PartId, Refusal>) -> Option<PartId> {
        match part {
            Ok(part) => Some(part),
            Err(Refusal::Duplicate(kept)) => Some(kept),
            Err(Refusal::Closed { key, first, shape }) => {
                self.report(&rules::TOML_DUPLICATE_KEY, key, |source, _| {
                    syntax::not_extendable(source, key, first, shape)
                });
                None
            }
            Err(Refusal::TooDeep(span)) => {
                self.stop(|source| limits::too_deep(source, Format::Toml, span));
                None
            }
            Err(Refusal::TooMany(span)) => {
                self.stop(|source| limits::too_many_nodes(source, Format::Toml, span));
                None
            }
        }
    }

    fn stop(&mut self, build: impl FnOnce(&SourceFile) -> Diagnostic) {
        if !self.is_stopped {
            self.is_stopped = true;
            self.problems.push(build(self.source));
        }
    }

    fn open_header(&mut self, bracket: toml_parser::Span) {
        self.path.clear();
        self.is_path_broken = false;
        self.header = Some(self.words.place(bracket));
        // What follows a header that turns out to be broken belongs to no table.
        let apart = self.tables.add_detached(ROOT, Shape::Table(Origin::Header), self.words.place(bracket));
        self.table = self.resolve_part(apart).unwrap_or(self.table);
    }

    fn close_header(&mut self, bracket: toml_parser::Span, is_item: bool) {
        let Some(start) = self.header.take() else { return };
        let mut path = std::mem::take(&mut self.path);
        let Some(key) = path.pop().filter(|_| !self.is_path_broken && !self.is_stopped) else { return };
        let span = Span::new(start.start(), self.words.place(bracket).end());
        let table = self.tables.header(path, key, span, is_item);
        if let Some(table) = self.resolve_part(table) {
            self.table = table;
        }
    }

    /// Returns the part for the next value; none if the value belongs to nothing.
    fn place_of_value(&mut self, span: Span) -> Option<PartId> {
        self.path.clear();
        if let Some(awaited) = self.awaited.take() {
            return Some(awaited);
        }
        let list = self.open.last().filter(|open| open.is_list)?.part;
        let item = self.tables.item(list, Shape::Scalar(Content::Unknown), span);
        self.resolve_part(item)
    }

    fn set(&mut self, part: PartId, shape: Shape, span: Span) {
        if let Err(refusal) = self.tables.set(part, shape, span) {
            let _ = self.resolve_part(Err(refusal));
        }
    }

    /// Returns whether the content of the brackets is read.
    fn open(&mut self, bracket: toml_parser::Span, shape: Shape) -> bool {
        if self.is_stopped {
            return false;
        }
        let span = self.words.place(bracket);
        let part = match self.place_of_value(span) {
            Some(part) => {
                self.set(part, shape, span);
                Some(part)
            }
            None if self.is_stopped => None,
            None => {
                let above = self.open.last().map_or(self.table, |open| open.part);
                let apart = self.tables.add_detached(above, shape, span);
                self.resolve_part(apart)
            }
        };
        if let Some(part) = part {
            self.open.push(Open { part, is_list: matches!(shape, Shape::List) });
        }
        !self.is_stopped
    }

    fn close(&mut self, bracket: toml_parser::Span) {
        self.path.clear();
        self.awaited = None;
        if let Some(open) = self.open.pop() {
            let end = self.words.place(bracket).end();
            self.tables.close(open.part, end);
        }
    }
}

impl EventReceiver for Builder<'_, '_> {
    fn std_table_open(&mut self, span: toml_parser::Span, _: &mut dyn ErrorSink) {
        self.open_header(span);
    }

    fn std_table_close(&mut self, span: toml_parser::Span, _: &mut dyn ErrorSink) {
        self.close_header(span, false);
    }

    fn array_table_open(&mut self, span: toml_parser::Span, _: &mut dyn ErrorSink) {
        self.open_header(span);
    }

    fn array_table_close(&mut self, span: toml_parser::Span, _: &mut dyn ErrorSink) {
        self.close_header(span, true);
    }

    fn simple_key(
        &mut self,
        span: toml_parser::Span,
        encoding: Option<Encoding>,
        errors: &mut dyn ErrorSink,
    ) {
        if self.is_stopped {
            return;
        }
        let place = self.words.place(span);
        if self.path.len() >= MAX_DEPTH {
            self.stop(|source| limits::too_deep(source, Format::Toml, place));
            return;
        }
        match self.words.key(span, encoding, &mut self.tables.texts, errors) {
            DecodeResult::Read(key) => self.path.push(key),
            DecodeResult::Broken => self.is_path_broken = true,
            DecodeResult::TooLong => {
                self.problems.push(limits::too_long(self.source, Format::Toml, place));
                self.path.push(Key { name: None, span: place, content: Content::Unknown });
            }
        }
    }

    fn key_val_sep(&mut self, span: toml_parser::Span, _: &mut dyn ErrorSink) {
        self.awaited = None;
        let mut path = std::mem::take(&mut self.path);
        let is_broken = std::mem::take(&mut self.is_path_broken);
        let Some(key) = path.pop().filter(|_| !is_broken && !self.is_stopped) else { return };
        let table = match self.open.last() {
            Some(open) if open.is_list => return,
            Some(open) => open.part,
            None => self.table,
        };
        let behind = Span::at(self.words.place(span).end());
        let value = self.tables.value(table, path, key, behind);
        self.awaited = self.resolve_part(value);
        if self.open.is_empty() {
            self.line_parts.extend(self.awaited);
        }
    }

    fn value_sep(&mut self, _: toml_parser::Span, _: &mut dyn ErrorSink) {
        self.path.clear();
        self.is_path_broken = false;
        self.awaited = None;
    }

    fn scalar(&mut self, span: toml_parser::Span, encoding: Option<Encoding>, errors: &mut dyn ErrorSink) {
        if self.is_stopped {
            return;
        }
        let place = self.words.place(span);
        let part = self.place_of_value(place);
        let content = match self.words.scalar(span, encoding, &mut self.tables.texts, errors) {
            DecodeResult::Read(content) => content,
            DecodeResult::Broken => Content::Unknown,
            DecodeResult::TooLong => {
                self.problems.push(limits::too_long(self.source, Format::Toml, place));
                Content::Unknown
            }
        };
        if let Some(part) = part {
            self.set(part, Shape::Scalar(content), place);
        }
    }

    fn array_open(&mut self, span: toml_parser::Span, _: &mut dyn ErrorSink) -> bool {
        self.open(span, Shape::List)
    }

    fn array_close(&mut self, span: toml_parser::Span, _: &mut dyn ErrorSink) {
        self.close(span);
    }

    fn inline_table_open(&mut self, span: toml_parser::Span, _: &mut dyn ErrorSink) -> bool {
        self.open(span, Shape::Table(Origin::Braces))
    }

    fn inline_table_close(&mut self, span: toml_parser::Span, _: &mut dyn ErrorSink) {
        self.close(span);
    }
}
