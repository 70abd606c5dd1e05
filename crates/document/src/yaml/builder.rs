//! Builds the tree from the events of the parser.

use minds_diagnostics::{Diagnostic, Problems, SourceFile, Span};
use saphyr_parser::{Event, Parser, ScalarStyle, Tag};

use super::characters::Characters;
use super::keys::check_keys;
use super::locator::{Locator, offset};
use super::open_nodes::{Anchor, Open};
use super::reader::Reader;
use super::syntax::{self, UNKNOWN_ANCHOR};
use super::tags::{self, TagEffect};
use crate::format::Format;
use crate::limits::{self, MAX_ALIASED_NODES, MAX_DEPTH, MAX_NODES, MAX_SCALAR_BYTES};
use crate::rules;
use crate::tree::{Content, Document, RawNode, Text};

/// Builds the tree of the first document in `part` of `source`.
///
/// Returns nothing if the document cannot be read to its end.
pub(super) fn build(source: &SourceFile, part: Span, problems: &mut Problems) -> Option<Document> {
    let text = source.slice(part);
    let mut builder = Builder {
        source,
        places: Locator(source.bytes().get(..part.range().end).unwrap_or_default()),
        document: Document::new(source.clone(), Format::Yaml),
        characters: Characters::new(text, part.range().start),
        open: Vec::new(),
        anchors: Vec::new(),
        expanded: false,
        problems,
    };
    // A node takes about eight bytes of the source or more; a smaller estimate would copy the arena several times.
    builder.document.nodes.reserve((text.len() / 8).min(MAX_NODES));
    builder.run(Parser::new(Reader::new(text)))?;
    if builder.document.nodes.is_empty() {
        builder.push(Span::at(0), Content::Plain(Text { at: 0, length: 0 }));
    }
    builder.document.duplicates.sort_unstable();
    Some(builder.document)
}

struct Builder<'s> {
    source: &'s SourceFile,
    places: Locator<'s>,
    document: Document,
    characters: Characters<'s>,
    open: Vec<Open>,
    /// Indexed by the parser's anchor ids, which start at 1.
    anchors: Vec<Option<Anchor>>,
    /// Whether too many aliased nodes were reported.
    expanded: bool,
    problems: &'s mut Problems,
}

/// Reading stops before the end of the source, as intended.
struct StopReading;

impl<'s> Builder<'s> {
    fn run(&mut self, mut parser: Parser<'s, Reader<'s>>) -> Option<()> {
        let mut documents = 0;
        loop {
            // An event is large, so it is not moved.
            let next = parser.next_event();
            let (event, marks) = match &next {
                None => return None,
                Some(Ok((event, marks))) => (event, marks),
                Some(Err(error)) => {
                    let at = self.characters.offset(error.marker().index());
                    if error.info() == UNKNOWN_ANCHOR {
                        self.unknown_alias(at);
                        continue;
                    }
                    let open =
                        self.open.iter().rev().find(|open| open.flow).map(|open| self.span_of(open.node));
                    self.problems.push(syntax::finding(
                        self.source,
                        self.places.end(),
                        error.info(),
                        at,
                        open,
                    ));
                    return None;
                }
            };
            match event {
                Event::StreamEnd => return Some(()),
                Event::DocumentStart(_) => documents += 1,
                _ => {}
            }
            let span = Span::new(
                self.characters.offset(marks.start.index()),
                self.characters.offset(marks.end.index()),
            );
            if documents == 2 {
                self.second_document(span);
                return Some(());
            }
            if self.event(event, span).is_err() {
                return None;
            }
        }
    }

    fn event(&mut self, event: &Event<'s>, span: Span) -> Result<(), StopReading> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let node = self.scalar(text, *style, *anchor, tag.as_deref(), span);
                self.anchor(*anchor, node, Some(1));
            }
            Event::SequenceStart(anchor, tag) => {
                self.collection(span, *anchor, tag.as_deref(), Content::Sequence)?;
            }
            Event::MappingStart(anchor, tag) => {
                self.collection(span, *anchor, tag.as_deref(), Content::Mapping)?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(span),
            Event::Alias(anchor) => self.alias(*anchor, span),
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd => {}
        }
        if self.document.nodes.len() > MAX_NODES {
            self.problems.push(limits::too_many_nodes(self.source, Format::Yaml, span));
            return Err(StopReading);
        }
        Ok(())
    }

    fn scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
        event: Span,
    ) -> u32 {
        let described = anchor > 0 || tag.is_some();
        let plain = style == ScalarStyle::Plain;
        let behind_properties = || if described { self.places.strip_properties(event) } else { event };
        let span = match style {
            ScalarStyle::Plain if text.is_empty() && !described => self.empty_place(event),
            ScalarStyle::Plain if text.is_empty() => self.places.trim_end(event),
            ScalarStyle::Plain => self.places.trim_end(behind_properties()),
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => {
                self.places.find_quoted(behind_properties())
            }
            ScalarStyle::Literal | ScalarStyle::Folded => self.block_text(event),
        };
        if text.len() > MAX_SCALAR_BYTES {
            self.problems.push(limits::too_long(self.source, Format::Yaml, span));
            return self.push(span, Content::Unknown);
        }
        let quotes = u32::from(matches!(style, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted));
        let inner = Span::new(span.start() + quotes, span.end().saturating_sub(quotes));
        let verbatim = self.places.0.get(inner.range()) == Some(text.as_bytes());
        let tagged = tag.map(|tag| tags::of_scalar(tag, text, plain));
        let stored = if verbatim {
            Text { at: inner.start(), length: inner.len() }
        } else {
            self.document.texts.push(text.to_owned());
            Text { at: offset(self.document.texts.len() - 1), length: Text::OWNED }
        };
        let content = match tagged {
            Some(TagEffect::Refused) => Content::Unknown,
            Some(TagEffect::Plain) => Content::Plain(stored),
            None if plain => Content::Plain(stored),
            Some(TagEffect::Quoted) | None => Content::Quoted(stored),
        };
        if let (Some(tag), Content::Unknown) = (tag, content) {
            self.problems.push(tags::report_unsupported(self.source, tag, event));
        }
        self.describe(described, event);
        self.push(span, content)
    }

    fn collection(
        &mut self,
        span: Span,
        anchor: usize,
        tag: Option<&Tag>,
        content: Content,
    ) -> Result<(), StopReading> {
        let described = anchor > 0 || tag.is_some();
        let start = if described { self.places.strip_properties(span).start() } else { span.start() };
        let mapping = matches!(content, Content::Mapping);
        // The span of a block collection is empty.
        let flow = start < span.end() && matches!(self.places.byte(start), Some(b'[' | b'{'));
        let start = if mapping || flow { start } else { self.first_dash(start) };
        if self.open.len() >= MAX_DEPTH {
            let place = Span::new(start, start + u32::from(flow));
            self.problems.push(limits::too_deep(self.source, Format::Yaml, place));
            return Err(StopReading);
        }
        let refused = tag.filter(|tag| !tags::fits_collection(tag, mapping));
        if let Some(tag) = refused {
            self.problems.push(tags::report_unsupported(self.source, tag, span));
        }
        let is_key = self.open.last().is_some_and(Open::awaits_key);
        self.describe(described, span);
        let node = self.push(
            Span::new(start, span.end().max(start)),
            if refused.is_some() { Content::Unknown } else { content },
        );
        self.anchor(anchor, node, None);
        self.open.push(Open { node, anchor, flow, mapping, is_key, children: 0, last: node, weight: 0 });
        Ok(())
    }

    fn close(&mut self, span: Span) {
        let Some(open) = self.open.pop() else { return };
        let end = offset(self.document.nodes.len());
        let last = self.span_of(open.last).end();
        let closer = if open.mapping { b'}' } else { b']' };
        let text_end = match span.end().checked_sub(1).and_then(|at| self.places.byte(at)) {
            _ if !open.flow => last,
            Some(byte) if byte == closer && span.end() > last => span.end(),
            _ => self.places.find_end_of_closer(last, closer),
        };
        if let Some(raw) = self.document.nodes.get_mut(open.node as usize) {
            raw.end = end;
            raw.span = Span::new(raw.span.start(), text_end.max(raw.span.start()));
        }
        if open.mapping && open.children > 2 {
            let mut repeated = check_keys(&self.document, open.node, open.children / 2, self.problems);
            self.document.duplicates.append(&mut repeated);
        }
        if open.is_key {
            // The meaning of the key is unknown, so nothing may be derived from the absence of a key.
            self.document.is_partial = true;
            self.problems.push(
                Diagnostic::new(&rules::COMPLEX_KEY, "a key must be a string")
                    .primary(self.source.label(self.span_of(open.node)).message("a list or mapping as key"))
                    .help("write a string as the key"),
            );
        }
        self.anchor(open.anchor, open.node, Some(open.weight + 1));
        if let Some(parent) = self.open.last_mut() {
            parent.weight += open.weight + 1;
        }
    }

    fn alias(&mut self, anchor: usize, span: Span) {
        let target = self.anchors.get(anchor).copied().flatten();
        let (content, weight) = match target {
            Some(Anchor { node, weight: Some(weight) }) => (Content::Alias(node), weight),
            open => {
                let mut found =
                    Diagnostic::new(&rules::RECURSIVE_ALIAS, "an alias stands for a value that contains it")
                        .primary(self.source.label(span).message("this alias"))
                        .help("replace the alias with a value");
                if let Some(anchor) = open {
                    let start = Span::at(self.span_of(anchor.node).start());
                    found = found.secondary(self.source.label(start).message("the value starts here"));
                }
                self.problems.push(found);
                (Content::Unknown, 1)
            }
        };
        self.document.aliased = self.document.aliased.saturating_add(weight);
        if self.document.aliased > MAX_ALIASED_NODES {
            if !self.expanded {
                self.expanded = true;
                self.problems.push(limits::too_many_aliased(self.source, span));
            }
            self.push(span, Content::Unknown);
        } else {
            self.push(span, content);
            if let Some(open) = self.open.last_mut() {
                open.weight += weight - 1;
            }
        }
    }

    /// The parser stops at an alias without an anchor, but can continue after it as if the alias were a value.
    fn unknown_alias(&mut self, at: u32) {
        let span = Span::new(at, self.places.find_word_end(at));
        let source = self.source;
        self.problems.report(source, span, &rules::UNKNOWN_ALIAS, || {
            Diagnostic::new(
                &rules::UNKNOWN_ALIAS,
                format!("the alias `{}` has no preceding anchor", source.slice(span)),
            )
            .primary(source.label(span).message("no such anchor"))
            .help("define the anchor first, or quote the text")
        });
        self.push(span, Content::Unknown);
    }

    fn second_document(&mut self, span: Span) {
        let span =
            if self.places.0.get(span.range()) == Some(b"---") { span } else { Span::at(span.start()) };
        self.document.is_partial = true;
        self.document.read_to = span.start();
        self.problems.push(syntax::second_document(self.source, span));
    }

    /// Adds a node to the open collection.
    fn push(&mut self, span: Span, content: Content) -> u32 {
        let id = offset(self.document.nodes.len());
        let mut raw = RawNode { span, parent: id, place: id, end: id + 1, content };
        if let Some(open) = self.open.last_mut() {
            raw.parent = open.node;
            if open.awaits_key() {
                // A key has no key of its own.
            } else if open.mapping {
                raw.place = open.last;
            } else {
                raw.place = open.children;
            }
            open.children += 1;
            open.last = id;
            if !matches!(content, Content::Sequence | Content::Mapping) {
                open.weight += 1;
            }
        }
        self.document.nodes.push(raw);
        id
    }

    /// Records where the anchor and the tag of the next node start, if it has any.
    fn describe(&mut self, described: bool, event: Span) {
        if described {
            self.document.properties.push((offset(self.document.nodes.len()), event.start()));
        }
    }

    fn anchor(&mut self, anchor: usize, node: u32, weight: Option<u64>) {
        if anchor == 0 {
            return;
        }
        if self.anchors.len() <= anchor {
            self.anchors.resize(anchor + 1, None);
        }
        if let Some(slot) = self.anchors.get_mut(anchor) {
            *slot = Some(Anchor { node, weight });
        }
    }

    /// Returns where a value begins after its `:` or `-`; none for keys, and for values without such an indicator.
    fn find_value_start(&self) -> Option<u32> {
        let open = self.open.last()?;
        if open.awaits_key() {
            return None;
        }
        let sign = if open.mapping { b':' } else { b'-' };
        let from = if open.mapping || open.children > 0 {
            self.span_of(open.last).end()
        } else {
            self.span_of(open.node).start()
        };
        self.places.find_end_of_sign(from, sign)
    }

    /// Returns the position of the first dash of a list, for which the parser reports any position from there to the
    /// first item.
    fn first_dash(&self, mark: u32) -> u32 {
        let announced = self.find_value_start().map(|at| self.places.skip_properties(at));
        let dash = announced.filter(|at| self.places.byte(*at) == Some(b'-') && *at <= mark);
        dash.unwrap_or_else(|| self.places.find_dash(mark))
    }

    /// Returns the position of an empty value.
    fn empty_place(&self, event: Span) -> Span {
        let open = self.open.last().filter(|open| open.mapping && !open.awaits_key());
        let key_end = open.map_or(event.start(), |open| self.span_of(open.last).end());
        Span::at(self.find_value_start().unwrap_or(key_end))
    }

    /// Returns the span of a block scalar, including its header.
    fn block_text(&self, span: Span) -> Span {
        let header = self.find_value_start().map(|at| self.places.skip_properties(at));
        let start =
            header.filter(|at| matches!(self.places.byte(*at), Some(b'|' | b'>')) && *at < span.start());
        self.places.trim_end(Span::new(start.unwrap_or(span.start()), span.end()))
    }

    fn span_of(&self, node: u32) -> Span {
        self.document.nodes.get(node as usize).map_or_else(Span::default, |raw| raw.span)
    }
}
