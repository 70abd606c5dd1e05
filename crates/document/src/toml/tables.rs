//! The tables of a document.
//!
//! A table can be defined once: by its header, by dotted keys of one table, or in braces. A header can name a table
//! on the way to another one before or after it is defined. Violations of these rules are reported here.

use std::borrow::Cow;
#[expect(clippy::disallowed_types, reason = "only looked up, never iterated")]
use std::collections::HashMap;

use minds_diagnostics::{SourceFile, Span};

use super::decode::Key;
use super::offset;
use crate::format::Format;
use crate::limits::{MAX_DEPTH, MAX_NODES};
use crate::tree::{Content, Document, NodeId, RawNode};

/// The index of a part in the list of all parts.
pub(super) type PartId = u32;

const NONE: PartId = PartId::MAX;

/// The root table.
pub(super) const ROOT: PartId = 0;

/// A value with its key, which becomes one or two nodes of the arena.
struct Part {
    span: Span,
    /// The span and text of the key; none for an item.
    key: Option<(Span, Content)>,
    shape: Shape,
    /// The nesting depth, including the part itself if it is a collection.
    depth: usize,
    first: PartId,
    last: PartId,
    next: PartId,
    /// The span of the key that this key repeats.
    repeated: Option<Span>,
}

/// The kind of a part.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    /// A scalar, or something that was reported.
    Scalar(Content),
    /// A list in brackets.
    List,
    /// A list of tables, each with a header.
    Tables,
    Table(Origin),
}

/// How a table was created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// Named by a header on the way to another table, and not defined yet.
    Passed,
    /// Defined by dotted keys.
    Dotted,
    /// Defined by a header, or the root.
    Header,
    /// Defined in braces.
    Braces,
}

/// Why a key or table was rejected.
#[derive(Clone, Copy)]
pub(super) enum Refusal {
    /// It is a duplicate, and is kept as such.
    Duplicate(PartId),
    /// Something on the way cannot be extended.
    Closed { key: Span, first: Span, shape: Shape },
    /// It exceeds the nesting limit.
    TooDeep(Span),
    /// It exceeds the limit of the number of parts.
    TooMany(Span),
}

/// All parts of a document, each inside its parent.
pub(super) struct Tables<'t> {
    parts: Vec<Part>,
    /// Strings that differ from the source.
    pub(super) texts: Vec<String>,
    /// The first part of each key of each table.
    #[expect(clippy::disallowed_types, reason = "only looked up, never iterated")]
    keys: HashMap<(PartId, Cow<'t, str>), PartId>,
    /// The number of nodes that the parts become.
    nodes: usize,
}

impl<'t> Tables<'t> {
    /// Returns an empty document at `span`.
    pub(super) fn new(span: Span) -> Self {
        let root = Part::new(span, None, Shape::Table(Origin::Header), 1);
        #[expect(clippy::disallowed_types, reason = "only looked up, never iterated")]
        let keys = HashMap::new();
        Self { parts: vec![root], texts: Vec::new(), keys, nodes: 1 }
    }

    /// Defines the table of a header at `span`, which has the name `key` at the end of `path`, or adds a table to the
    /// list of this name. Returns the table.
    pub(super) fn header(
        &mut self,
        path: Vec<Key<'t>>,
        key: Key<'t>,
        span: Span,
        is_item: bool,
    ) -> Result<PartId, Refusal> {
        let table = self.walk(ROOT, path, false)?;
        let existing = self.find(table, &key);
        match existing.map(|part| (part, self.shape(part))) {
            None if is_item => {
                let list = self.entry(table, key, Shape::Tables, span)?;
                self.item(list, Shape::Table(Origin::Header), span)
            }
            None => self.entry(table, key, Shape::Table(Origin::Header), span),
            Some((list, Shape::Tables)) if is_item => self.item(list, Shape::Table(Origin::Header), span),
            Some((passed, Shape::Table(Origin::Passed))) if !is_item => {
                if let Some(part) = self.part_mut(passed) {
                    part.span = span;
                    part.key = Some((key.span, key.content));
                    part.shape = Shape::Table(Origin::Header);
                }
                Ok(passed)
            }
            Some((first, _)) => {
                Err(self.add_duplicate(table, &key, first, Shape::Table(Origin::Header), span))
            }
        }
    }

    /// Returns the part for the value of `key`, at the end of `path` inside `table`; it is unknown until it is set.
    pub(super) fn value(
        &mut self,
        table: PartId,
        path: Vec<Key<'t>>,
        key: Key<'t>,
        span: Span,
    ) -> Result<PartId, Refusal> {
        let table = self.walk(table, path, true)?;
        let unknown = Shape::Scalar(Content::Unknown);
        match self.find(table, &key) {
            None => self.entry(table, key, unknown, span),
            Some(first) => Err(self.add_duplicate(table, &key, first, unknown, span)),
        }
    }

    /// Adds an item to a list.
    pub(super) fn item(&mut self, list: PartId, shape: Shape, span: Span) -> Result<PartId, Refusal> {
        self.add(Some(list), None, shape, span)
    }

    /// Adds a part without a parent, at the same depth as a child of `above`.
    pub(super) fn add_detached(
        &mut self,
        above: PartId,
        shape: Shape,
        span: Span,
    ) -> Result<PartId, Refusal> {
        let depth = self.parts.get(above as usize).map_or(0, |part| part.depth);
        let id = self.add(None, None, Shape::Scalar(Content::Unknown), span)?;
        if let Some(part) = self.part_mut(id) {
            part.depth = depth;
        }
        self.set(id, shape, span)?;
        Ok(id)
    }

    /// Sets the kind of a part; a collection is one level deeper than a scalar.
    pub(super) fn set(&mut self, part: PartId, shape: Shape, span: Span) -> Result<(), Refusal> {
        let Some(part) = self.part_mut(part) else { return Ok(()) };
        part.depth = part.depth.saturating_sub(part.shape.levels()) + shape.levels();
        (part.shape, part.span) = (shape, span);
        if part.depth > MAX_DEPTH { Err(Refusal::TooDeep(span)) } else { Ok(()) }
    }

    /// Sets the end of a part.
    pub(super) fn close(&mut self, part: PartId, end: u32) {
        if let Some(part) = self.part_mut(part) {
            part.span = Span::new(part.span.start(), end);
        }
    }

    /// Makes a part unknown, and drops its content.
    pub(super) fn forget(&mut self, part: PartId) {
        if let Some(part) = self.part_mut(part) {
            part.shape = Shape::Scalar(Content::Unknown);
            (part.first, part.last) = (NONE, NONE);
        }
    }

    /// Follows `path` from `table`, and returns the table there.
    fn walk(&mut self, table: PartId, path: Vec<Key<'t>>, is_dotted: bool) -> Result<PartId, Refusal> {
        path.into_iter().try_fold(table, |table, key| self.step(table, key, is_dotted))
    }

    /// Returns the table `key` inside `table`, and creates it if it does not exist.
    fn step(&mut self, table: PartId, key: Key<'t>, is_dotted: bool) -> Result<PartId, Refusal> {
        let Some(found) = self.find(table, &key) else {
            let (origin, span) = (if is_dotted { Origin::Dotted } else { Origin::Passed }, key.span);
            return self.entry(table, key, Shape::Table(origin), span);
        };
        match self.shape(found) {
            Shape::Table(Origin::Passed) if is_dotted => {
                if let Some(part) = self.part_mut(found) {
                    part.shape = Shape::Table(Origin::Dotted);
                }
                Ok(found)
            }
            Shape::Table(Origin::Passed | Origin::Dotted) => Ok(found),
            Shape::Table(Origin::Header) if !is_dotted => Ok(found),
            Shape::Tables if !is_dotted => Ok(self.parts.get(found as usize).map_or(found, |part| part.last)),
            shape => Err(Refusal::Closed { key: key.span, first: self.place(found), shape }),
        }
    }

    /// Adds a part whose key already exists.
    fn add_duplicate(
        &mut self,
        table: PartId,
        key: &Key<'t>,
        first: PartId,
        shape: Shape,
        span: Span,
    ) -> Refusal {
        let first = self.place(first);
        match self.add(Some(table), Some((key.span, key.content)), shape, span) {
            Ok(kept) => {
                if let Some(part) = self.part_mut(kept) {
                    part.repeated = Some(first);
                }
                Refusal::Duplicate(kept)
            }
            Err(refusal) => refusal,
        }
    }

    fn entry(&mut self, table: PartId, key: Key<'t>, shape: Shape, span: Span) -> Result<PartId, Refusal> {
        let part = self.add(Some(table), Some((key.span, key.content)), shape, span)?;
        if let Some(name) = key.name {
            self.keys.insert((table, name), part);
        }
        Ok(part)
    }

    fn add(
        &mut self,
        above: Option<PartId>,
        key: Option<(Span, Content)>,
        shape: Shape,
        span: Span,
    ) -> Result<PartId, Refusal> {
        let id = offset(self.parts.len());
        let depth = above.and_then(|above| self.parts.get(above as usize)).map_or(0, |part| part.depth);
        self.nodes += 1 + usize::from(key.is_some());
        let part = Part::new(span, key, shape, depth + shape.levels());
        let is_too_deep = part.depth > MAX_DEPTH;
        self.parts.push(part);
        if let Some(above) = above.and_then(|above| self.part_mut(above)) {
            let before = std::mem::replace(&mut above.last, id);
            if before == NONE {
                above.first = id;
            } else if let Some(before) = self.part_mut(before) {
                before.next = id;
            }
        }
        if is_too_deep {
            return Err(Refusal::TooDeep(span));
        }
        if self.nodes > MAX_NODES {
            return Err(Refusal::TooMany(span));
        }
        Ok(id)
    }

    fn find(&self, table: PartId, key: &Key<'t>) -> Option<PartId> {
        self.keys.get(&(table, key.name.clone()?)).copied()
    }

    fn shape(&self, part: PartId) -> Shape {
        self.parts.get(part as usize).map_or(Shape::Scalar(Content::Unknown), |part| part.shape)
    }

    /// Returns the span of the key of a part.
    fn place(&self, part: PartId) -> Span {
        let part = self.parts.get(part as usize);
        part.map_or_else(Span::default, |part| part.key.map_or(part.span, |(span, _)| span))
    }

    fn part_mut(&mut self, part: PartId) -> Option<&mut Part> {
        self.parts.get_mut(part as usize)
    }

    /// Returns the arena, where each part is followed by its children, and the keys that repeat another one, with the
    /// span of the latter.
    pub(super) fn into_document(self, source: &SourceFile) -> (Document, Vec<(NodeId, Span)>) {
        let mut document = Document::new(source.clone(), Format::Toml);
        document.nodes.reserve(self.nodes);
        let mut repeated = Vec::new();
        self.flatten(ROOT, None, &mut document, &mut repeated);
        document.duplicates = repeated.iter().map(|(key, _)| key.0).collect();
        document.texts = self.texts;
        (document, repeated)
    }

    /// Adds a part to the arena, as a child of a node and at an index in it. The nesting is limited.
    fn flatten(
        &self,
        part: PartId,
        above: Option<(u32, u32)>,
        document: &mut Document,
        repeated: &mut Vec<(NodeId, Span)>,
    ) {
        let Some(part) = self.parts.get(part as usize) else { return };
        let node = offset(document.nodes.len());
        let content = part.shape.content();
        let (parent, place) = above.unwrap_or((node, node));
        document.nodes.push(RawNode { span: part.span, parent, place, end: node + 1, content });
        let (mut child, mut index) = (part.first, 0);
        while let Some(below) = self.parts.get(child as usize) {
            let place = if let Some((span, content)) = below.key {
                let key = offset(document.nodes.len());
                document.nodes.push(RawNode { span, parent: node, place: key, end: key + 1, content });
                repeated.extend(below.repeated.map(|first| (NodeId(key), first)));
                key
            } else {
                index
            };
            self.flatten(child, Some((node, place)), document, repeated);
            child = below.next;
            index += 1;
        }
        let end = offset(document.nodes.len());
        if let Some(raw) = document.nodes.get_mut(node as usize) {
            raw.end = end;
        }
    }
}

impl Part {
    fn new(span: Span, key: Option<(Span, Content)>, shape: Shape, depth: usize) -> Self {
        Self { span, key, shape, depth, first: NONE, last: NONE, next: NONE, repeated: None }
    }
}

impl Shape {
    /// Returns by how many levels the children of this part are deeper.
    fn levels(self) -> usize {
        usize::from(!matches!(self, Self::Scalar(_)))
    }

    fn content(self) -> Content {
        match self {
            Self::Scalar(content) => content,
            Self::List | Self::Tables => Content::Sequence,
            Self::Table(_) => Content::Mapping,
        }
    }
}
