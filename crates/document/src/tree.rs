//! The arena of a document: all nodes in one flat list, each node directly followed by its descendants.

mod kind;

use minds_diagnostics::{Label, SourceFile, Span};

pub use self::kind::NodeKind;
use crate::format::Format;
use crate::scalar::{Scalar, resolve_plain};
use crate::toml::Literal;

/// A document as a tree with byte spans on keys and values.
///
/// Nodes are stored in one list and identified by [`NodeId`]; [`Node`] is a cheap handle for walking them. Aliases
/// are resolved while walking: the caller gets the anchored node, so a finding in it has one place, however often it
/// is used.
#[derive(Debug)]
pub struct Document {
    source: SourceFile,
    format: Format,
    pub(crate) nodes: Vec<RawNode>,
    /// Text of scalars that differs from the source: escapes, folded lines.
    pub(crate) texts: Vec<String>,
    /// Keys that repeat an earlier key of their mapping, sorted.
    pub(crate) duplicates: Vec<u32>,
    /// The nodes that have an anchor or a tag, in order, each with the offset at which the first of these starts.
    pub(crate) properties: Vec<(u32, u32)>,
    /// The number of nodes that all aliases stand for in total.
    pub(crate) aliased: u64,
    /// Whether the source contains more than the tree.
    pub(crate) is_partial: bool,
    /// The offset at which reading ended before the end of the source.
    pub(crate) read_to: u32,
}

/// Identifies a node within its document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(crate) u32);

#[derive(Clone, Copy, Debug)]
pub(crate) struct RawNode {
    pub(crate) span: Span,
    /// The collection that holds the node; itself for the root.
    pub(crate) parent: u32,
    /// For a value of a mapping the node of its key, for an item its index; unused for keys and the root.
    pub(crate) place: u32,
    /// The id after that of the last descendant of this node.
    pub(crate) end: u32,
    pub(crate) content: Content,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Content {
    /// A scalar without quotes: its text determines its type.
    Plain(Text),
    /// A scalar without quotes whose type is determined by the grammar of the format.
    Literal(Literal, Text),
    /// A scalar that is always a string: quoted, a block, or a key in a format whose keys are always strings.
    Quoted(Text),
    Sequence,
    Mapping,
    Alias(u32),
    /// Something that was reported and has no value.
    Unknown,
}

/// Where the text of a scalar is stored: in the source, or in the list of strings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text {
    pub(crate) at: u32,
    /// The number of bytes in the source; `OWNED` if `at` is an index into the strings.
    pub(crate) length: u32,
}

impl Text {
    pub(crate) const OWNED: u32 = u32::MAX;
}

/// The value of a node; of a scalar with its content.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'d> {
    /// Null: `null`, `~` or an empty value.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A number with a fraction or an exponent, an infinity, NaN, or an integer of more than 64 bits.
    Float(f64),
    /// A string.
    String(&'d str),
    /// A date, a time or both, as written in the source; only TOML has these.
    Date(&'d str),
    /// A list.
    Sequence,
    /// A mapping from keys to values.
    Mapping,
    /// Something that was already reported and must not be reported again.
    Unknown,
}

impl Value<'_> {
    /// Returns the name of the type for messages, as in "not an integer".
    pub fn type_name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Integer(_) => "an integer",
            Self::Float(_) => "a number",
            Self::String(_) => "a string",
            Self::Date(_) => "a date",
            Self::Sequence => "a list",
            Self::Mapping => "a mapping",
            Self::Unknown => "an unreadable value",
        }
    }
}

/// A key of a mapping, and its value.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'d> {
    /// The text of the key.
    pub key: &'d str,
    /// The node of the key in this mapping.
    pub key_node: Node<'d>,
    /// The value.
    pub value: Node<'d>,
}

/// A handle to one node.
#[derive(Clone, Copy, Debug)]
pub struct Node<'d> {
    document: &'d Document,
    id: u32,
}

impl Document {
    pub(crate) fn new(source: SourceFile, format: Format) -> Self {
        Self {
            source,
            format,
            nodes: Vec::new(),
            texts: Vec::new(),
            duplicates: Vec::new(),
            properties: Vec::new(),
            aliased: 0,
            is_partial: false,
            read_to: u32::MAX,
        }
    }

    /// Returns the source file that the document was read from.
    pub fn source(&self) -> &SourceFile {
        &self.source
    }

    /// Returns the format of the document.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Returns the root node.
    pub fn root(&self) -> Node<'_> {
        Node { document: self, id: 0 }
    }

    /// Returns the node with this `id`.
    pub fn node(&self, id: NodeId) -> Node<'_> {
        Node { document: self, id: id.0 }
    }

    /// Returns the number of nodes, keys included.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns whether the document has no nodes, which is never the case for a parsed document.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns whether the source contains more than the tree, which was reported: then nothing may be derived from
    /// the absence of a key or value.
    pub fn is_partial(&self) -> bool {
        self.is_partial
    }

    /// Returns whether a mapping has a key more than once, which was reported.
    pub fn has_repeated_keys(&self) -> bool {
        !self.duplicates.is_empty()
    }

    /// Returns all nodes, keys and aliases included, each in front of its descendants. This is the order of the
    /// source, except where TOML spreads a table over it.
    pub fn iter(&self) -> impl Iterator<Item = Node<'_>> {
        (0..self.nodes.len()).map(|id| Node { document: self, id: u32::try_from(id).unwrap_or(u32::MAX) })
    }

    /// Returns the scalar, key or value, that covers all of `span`.
    pub fn scalar_at(&self, span: Span) -> Option<Node<'_>> {
        // Nodes are in the order of the source, so the last one that begins before is the innermost.
        let behind = self.nodes.partition_point(|node| node.span.start() <= span.start());
        let node = Node { document: self, id: u32::try_from(behind.checked_sub(1)?).ok()? };
        (node.scalar_text().is_some() && span.end() <= node.span().end()).then_some(node)
    }

    pub(crate) fn text(&self, text: Text) -> &str {
        if text.length == Text::OWNED {
            self.texts.get(text.at as usize).map(String::as_str).unwrap_or_default()
        } else {
            self.source.slice(Span::new(text.at, text.at + text.length))
        }
    }
}

impl<'d> Node<'d> {
    /// Returns the id of the node.
    pub fn id(self) -> NodeId {
        NodeId(self.id)
    }

    /// Returns the document that holds the node.
    pub fn document(self) -> &'d Document {
        self.document
    }

    /// Returns the span of the node, without its anchor and tag.
    pub fn span(self) -> Span {
        self.raw().map_or_else(Span::default, |raw| raw.span)
    }

    /// Returns a label at the node.
    pub fn label(self) -> Label {
        self.document.source.label(self.span())
    }

    /// Returns the value of the node.
    pub fn value(self) -> Value<'d> {
        match self.content() {
            Content::Plain(text) => match resolve_plain(self.document.text(text)) {
                Scalar::Null => Value::Null,
                Scalar::Bool(value) => Value::Bool(value),
                Scalar::Integer(value) => Value::Integer(value),
                Scalar::Float(value) => Value::Float(value),
                Scalar::String => Value::String(self.document.text(text)),
            },
            Content::Literal(literal, text) => literal.value(self.document.text(text)),
            Content::Quoted(text) => Value::String(self.document.text(text)),
            Content::Sequence => Value::Sequence,
            Content::Mapping => Value::Mapping,
            Content::Alias(_) | Content::Unknown => Value::Unknown,
        }
    }

    /// Returns the text of a scalar of any type; `None` for a collection.
    pub fn scalar_text(self) -> Option<&'d str> {
        match self.content() {
            Content::Plain(text) | Content::Literal(_, text) | Content::Quoted(text) => {
                Some(self.document.text(text))
            }
            _ => None,
        }
    }

    /// Returns whether the node is a scalar without quotes.
    pub fn is_plain(self) -> bool {
        matches!(self.content(), Content::Plain(_) | Content::Literal(..))
    }

    /// Returns whether this scalar can be replaced without losing anything else: it is on one line and has no anchor,
    /// tag or block header.
    pub fn is_rewritable(self) -> bool {
        let source = self.document.source();
        let text = source.slice(self.span());
        if self.document.format == Format::Toml {
            return !text.contains(['\n', '\r']) && self.scalar_text().is_some();
        }
        let before = source.slice(Span::new(0, self.span().start())).trim_end();
        let word = before.rsplit(|c: char| c.is_whitespace() || matches!(c, '[' | '{' | ',')).next();
        !text.contains(['\n', '\r'])
            && !text.starts_with(['|', '>', '&', '!'])
            && !word.is_some_and(|word| word.starts_with(['&', '!']))
            && self.scalar_text().is_some()
    }

    /// Returns the entries of a mapping in the order of the source, without those that were reported as duplicates;
    /// none for any other node.
    pub fn entries(self) -> impl Iterator<Item = Entry<'d>> {
        let mapping = matches!(self.content(), Content::Mapping);
        let document = self.document;
        let mut children = self.children(mapping);
        std::iter::from_fn(move || {
            loop {
                let key_node = children.next()?;
                let value = children.next()?.resolve_alias();
                if document.duplicates.binary_search(&key_node.id).is_ok() {
                    continue;
                }
                // A key that is not a scalar was reported; its value has no owner.
                if let Some(key) = key_node.resolve_alias().scalar_text() {
                    return Some(Entry { key, key_node, value });
                }
            }
        })
    }

    /// Returns the items of a list in the order of the source; none for any other node.
    pub fn items(self) -> impl Iterator<Item = Node<'d>> {
        let sequence = matches!(self.content(), Content::Sequence);
        self.children(sequence).map(Node::resolve_alias)
    }

    /// Returns the value of `key` in a mapping.
    pub fn get(self, key: &str) -> Option<Node<'d>> {
        self.entries().find(|entry| entry.key == key).map(|entry| entry.value)
    }

    /// Returns whether a mapping has `key` more than once, which was reported; [`entries`](Self::entries) returns
    /// only the first.
    pub fn repeats(self, key: &str) -> bool {
        if self.document.duplicates.is_empty() || !matches!(self.content(), Content::Mapping) {
            return false;
        }
        self.children(true).step_by(2).any(|node| {
            self.document.duplicates.binary_search(&node.id).is_ok()
                && node.resolve_alias().scalar_text() == Some(key)
        })
    }

    /// Returns the collection that contains the node; none for the root.
    pub fn parent(self) -> Option<Node<'d>> {
        let parent = self.raw()?.parent;
        (parent != self.id).then_some(Node { document: self.document, id: parent })
    }

    /// Returns the key of the node, if it is a value of a mapping.
    pub fn key(self) -> Option<Node<'d>> {
        let raw = self.raw()?;
        let in_mapping = matches!(self.parent()?.content(), Content::Mapping);
        (in_mapping && raw.place != self.id).then_some(Node { document: self.document, id: raw.place })
    }

    /// Returns the index of the node in its list, if it is an item.
    pub fn index(self) -> Option<u32> {
        let raw = self.raw()?;
        matches!(self.parent()?.content(), Content::Sequence).then_some(raw.place)
    }

    /// Returns the JSON pointer of the node; for a key, that of its value.
    ///
    /// The pointer of the root is empty.
    pub fn pointer(self) -> String {
        let mut steps = Vec::new();
        let mut node = self;
        while let Some(parent) = node.parent() {
            steps.push(if let Some(index) = node.index() {
                index.to_string()
            } else {
                let key = node.key().unwrap_or(node).resolve_alias();
                key.scalar_text().unwrap_or_default().replace('~', "~0").replace('/', "~1")
            });
            node = parent;
        }
        steps.iter().rev().flat_map(|step| ["/", step.as_str()]).collect()
    }

    fn children(self, wanted: bool) -> impl Iterator<Item = Node<'d>> + use<'d> {
        let document = self.document;
        let end = if wanted { self.raw().map_or(0, |raw| raw.end) } else { 0 };
        let mut next = self.id + 1;
        std::iter::from_fn(move || {
            (next < end).then(|| {
                let child = Node { document, id: next };
                // Every node ends after itself, so this loop advances.
                next = child.raw().map_or(end, |raw| raw.end.max(next + 1));
                child
            })
        })
    }

    /// Returns the node that an alias stands for, and any other node itself.
    #[must_use]
    pub fn resolve_alias(self) -> Self {
        match self.content() {
            // The target is an earlier node that is not an alias, so one step is enough.
            Content::Alias(target) => Self { document: self.document, id: target },
            _ => self,
        }
    }

    fn content(self) -> Content {
        self.raw().map_or(Content::Unknown, |raw| raw.content)
    }

    fn raw(self) -> Option<&'d RawNode> {
        self.document.nodes.get(self.id as usize)
    }
}
