//! Tables, as the text defines and extends them.
//!
//! A table may be defined once: by its header, by dotted keys of one table, or in braces. A header may name a table on the
//! way to another before or after it is defined. What breaks these rules is refused here.

use std::borrow::Cow;
#[expect(clippy::disallowed_types, reason = "only looked up, never iterated")]
use std::collections::HashMap;

use minds_diagnostics::{SourceFile, Span};

use super::decode::Key;
use super::offset;
use crate::format::Format;
use crate::limits::{MAX_DEPTH, MAX_NODES};
use crate::tree::{Content, Document, NodeId, RawNode};

/// The name of a part: its place in the list of all parts.
pub(super) type PartId = u32;

const NONE: PartId = PartId::MAX;

/// The topmost table.
pub(super) const ROOT: PartId = 0;

/// A value with its key: a node, or two, of the arena to be.
struct Part {
    span: Span,
    /// The place and text of the key; none of an item.
    key: Option<(Span, Content)>,
    shape: Shape,
    /// How many lists and tables it lies in, itself included if it is one.
    depth: usize,
    first: PartId,
    last: PartId,
    next: PartId,
    /// Where the key stands that this one repeats.
    repeated: Option<Span>,
}

/// What a part is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    /// A scalar, or something that was reported.
    Scalar(Content),
    /// A list in brackets.
    List,
    /// A list of tables that each have a header.
    Tables,
    Table(Origin),
}

/// How a table came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// A header names it on the way to another one. It has not been defined.
    Passed,
    /// It was defined by dotted keys.
    Dotted,
    /// It has a header, or is the root.
    Header,
    /// It stands in braces.
    Braces,
}

/// Why a key or table was not taken.
#[derive(Clone, Copy)]
pub(super) enum Refusal {
    /// It is given a second time; it is kept, as a duplicate.
    Again(PartId),
    /// Something on the way cannot be extended.
    Closed { key: Span, first: Span, shape: Shape },
    /// It lies deeper than is read.
    TooDeep(Span),
    /// There are more parts than are read.
    TooMany(Span),
}

/// Every part of a document, each below the one that holds it.
pub(super) struct Tables<'t> {
    parts: Vec<Part>,
    /// Texts that do not stand in the file as they read.
    pub(super) texts: Vec<String>,
    /// The first part of each key of each table.
    #[expect(clippy::disallowed_types, reason = "only looked up, never iterated")]
    keys: HashMap<(PartId, Cow<'t, str>), PartId>,
    /// The number of nodes that the parts make.
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

    /// Defines the table of a header at `span`, which names `key` at the end of `path`, or adds a table to the list that
    /// it names. Returns the table.
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
            Some((first, _)) => Err(self.again(table, &key, first, Shape::Table(Origin::Header), span)),
        }
    }

    /// Returns the part for the value of `key`, at the end of `path` below `table`, which is unknown until it is set.
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
            Some(first) => Err(self.again(table, &key, first, unknown, span)),
        }
    }

    /// Adds an item to a list.
    pub(super) fn item(&mut self, list: PartId, shape: Shape, span: Span) -> Result<PartId, Refusal> {
        self.add(Some(list), None, shape, span)
    }

    /// Adds a part that no other one holds, as deep as if `above` did.
    pub(super) fn apart(&mut self, above: PartId, shape: Shape, span: Span) -> Result<PartId, Refusal> {
        let depth = self.parts.get(above as usize).map_or(0, |part| part.depth);
        let id = self.add(None, None, Shape::Scalar(Content::Unknown), span)?;
        if let Some(part) = self.part_mut(id) {
            part.depth = depth;
        }
        self.set(id, shape, span)?;
        Ok(id)
    }

    /// Sets what a part is; a list or table is deeper than a scalar.
    pub(super) fn set(&mut self, part: PartId, shape: Shape, span: Span) -> Result<(), Refusal> {
        let Some(part) = self.part_mut(part) else { return Ok(()) };
        part.depth = part.depth.saturating_sub(part.shape.levels()) + shape.levels();
        (part.shape, part.span) = (shape, span);
        if part.depth > MAX_DEPTH { Err(Refusal::TooDeep(span)) } else { Ok(()) }
    }

    /// Sets where a part ends.
    pub(super) fn close(&mut self, part: PartId, end: u32) {
        if let Some(part) = self.part_mut(part) {
            part.span = Span::new(part.span.start(), end);
        }
    }

    /// Makes a part unknown, and drops what lies in it.
    pub(super) fn forget(&mut self, part: PartId) {
        if let Some(part) = self.part_mut(part) {
            part.shape = Shape::Scalar(Content::Unknown);
            (part.first, part.last) = (NONE, NONE);
        }
    }

    /// Goes from `table` along `path`, and returns the table there.
    fn walk(&mut self, table: PartId, path: Vec<Key<'t>>, is_dotted: bool) -> Result<PartId, Refusal> {
        path.into_iter().try_fold(table, |table, key| self.step(table, key, is_dotted))
    }

    /// Returns the table that `key` names within `table`, and makes it if it is not there.
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

    /// Adds a part whose key is there already.
    fn again(&mut self, table: PartId, key: &Key<'t>, first: PartId, shape: Shape, span: Span) -> Refusal {
        let first = self.place(first);
        match self.add(Some(table), Some((key.span, key.content)), shape, span) {
            Ok(kept) => {
                if let Some(part) = self.part_mut(kept) {
                    part.repeated = Some(first);
                }
                Refusal::Again(kept)
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

    /// Returns where the key of a part stands.
    fn place(&self, part: PartId) -> Span {
        let part = self.parts.get(part as usize);
        part.map_or_else(Span::default, |part| part.key.map_or(part.span, |(span, _)| span))
    }

    fn part_mut(&mut self, part: PartId) -> Option<&mut Part> {
        self.parts.get_mut(part as usize)
    }

    /// Returns the arena: each part, and behind it the parts that it holds. With it come the keys that repeat another one,
    /// and where that stands.
    pub(super) fn into_document(self, source: &SourceFile) -> (Document, Vec<(NodeId, Span)>) {
        let mut document = Document::new(source.clone(), Format::Toml);
        document.nodes.reserve(self.nodes);
        let mut repeated = Vec::new();
        self.flatten(ROOT, None, &mut document, &mut repeated);
        document.duplicates = repeated.iter().map(|(key, _)| key.0).collect();
        document.texts = self.texts;
        (document, repeated)
    }

    /// Adds a part to the arena, below a node and at a place in it. Parts lie no deeper than is read.
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
    /// Returns how many levels deeper the parts lie that this one holds.
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
