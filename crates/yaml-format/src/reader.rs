//! Reading of the layout from a document.

use minds_diagnostics::Span;
use minds_document::{BOM, Document, Node, NodeKind};

use super::comments::{Comment, Cursor};
use super::layout::{Content, Entry, FrameLine, Key, Layout, Value};
use super::{block_text, flow, offset};

/// A place whose layout is not understood.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnsupportedLayout {
    pub(super) at: u32,
}

/// Reads the layout of a document that was parsed without problems, and returns all of its comments with it.
pub(super) fn read(document: &Document) -> Result<(Layout, Vec<Span>), UnsupportedLayout> {
    let bytes = document.source().bytes();
    let start = if bytes.starts_with(BOM.as_bytes()) { offset(BOM.len()) } else { 0 };
    let mut reader = Reader { document, cursor: Cursor::new(bytes, start) };
    let before = reader.before();
    let root = reader.value(0, 0)?;
    let after = reader.after()?;
    Ok((Layout { before, root, after }, reader.cursor.seen))
}

struct Reader<'d> {
    document: &'d Document,
    cursor: Cursor<'d>,
}

impl<'d> Reader<'d> {
    /// Reads directives and the marker `---`. Without the marker, comments at the start belong to the root.
    fn before(&mut self) -> Vec<FrameLine> {
        let mut lines = Vec::new();
        loop {
            self.cursor.trivia();
            let start = self.cursor.at;
            let is_marker = self.cursor.is_at_marker(b"---");
            if is_marker {
                self.cursor.at += 3;
            } else if self.cursor.byte() == Some(b'%') {
                self.cursor.at = self.cursor.places.find_line_end(start);
            } else {
                return lines;
            }
            lines.extend(self.cursor.take_all().into_iter().map(FrameLine::Comment));
            let span = self.cursor.places.trim_end(Span::new(start, self.cursor.at));
            lines.push(FrameLine::Sign { span, blank: self.cursor.blank });
            if is_marker {
                return lines;
            }
        }
    }

    /// Reads the marker `...` and what follows it, to the end of the file.
    fn after(&mut self) -> Result<Vec<FrameLine>, UnsupportedLayout> {
        let mut lines = Vec::new();
        if self.cursor.is_at_marker(b"...") {
            let span = Span::new(self.cursor.at, self.cursor.at + 3);
            lines.push(FrameLine::Sign { span, blank: self.cursor.blank });
            self.cursor.at += 3;
            self.cursor.trivia();
            let behind = self.cursor.take_trailing();
            let others = self.cursor.take_all();
            lines.extend(behind.into_iter().chain(others).map(FrameLine::Comment));
        }
        if self.cursor.byte().is_some() { Err(self.unsure()) } else { Ok(lines) }
    }

    /// Reads a value after its indicator. It belongs to an entry in `column`.
    fn value(&mut self, node: u32, column: u32) -> Result<Value, UnsupportedLayout> {
        let element = self.find(node)?;
        if self.is_absent(element) {
            let props = self.props(Some(element.span().end()), false);
            let tail = self.cursor.take_trailing();
            let below = self.cursor.take_deeper(column);
            return Ok(Value { node, props, head: Vec::new(), content: Content::Nothing, tail, below });
        }
        let props = self.props(None, element.kind() == NodeKind::Mapping);
        let mut head = self.cursor.take_trailing();
        let is_flow = matches!(self.cursor.byte(), Some(b'[' | b'{'));
        let content = match element.kind() {
            NodeKind::Mapping if !is_flow => self.mapping(node, element)?,
            NodeKind::Sequence if !is_flow => self.sequence(node, element)?,
            NodeKind::Mapping | NodeKind::Sequence => {
                head.extend(self.cursor.take_all());
                Content::Flow(flow::read(&mut self.cursor, self.document, node, column)?)
            }
            _ => {
                head.extend(self.cursor.take_all());
                self.scalar(element, column)?
            }
        };
        let is_collection = matches!(content, Content::Collection(_));
        if !is_collection {
            self.cursor.trivia();
        }
        let tail = if is_collection { Vec::new() } else { self.cursor.take_trailing() };
        // Deeper than the entry means within a block scalar, where comments are not possible.
        let is_block = matches!(content, Content::Block(_)) && column > 0;
        let below = if is_block { Vec::new() } else { self.cursor.take_deeper(column) };
        Ok(Value { node, props, head, content, tail, below })
    }

    fn mapping(&mut self, node: u32, element: Node<'_>) -> Result<Content, UnsupportedLayout> {
        let column = self.cursor.column(self.cursor.at);
        let mut entries = Vec::new();
        let mut child = node + 1;
        while child < element.end() {
            let mut above = self.cursor.take_all();
            let mut blank = self.cursor.blank;
            let known = above.len();
            let key = self.key(child, column, &mut above)?;
            // What followed `?` is now above the entry, and so after its blank line.
            if let Some(first) = above.get_mut(known) {
                first.blank = std::mem::take(&mut blank);
            }
            let value_node = self.find(child)?.end();
            let value = self.value(value_node, column)?;
            child = self.find(value_node)?.end();
            entries.push(Entry { above, blank, key: Some(key), value, footer: Vec::new() });
        }
        Ok(Content::Collection(entries))
    }

    fn sequence(&mut self, node: u32, element: Node<'_>) -> Result<Content, UnsupportedLayout> {
        let column = self.cursor.column(self.cursor.at);
        let mut entries = Vec::new();
        let mut child = node + 1;
        while child < element.end() {
            let above = self.cursor.take_all();
            let blank = self.cursor.blank;
            if !self.cursor.is_at_sign(b'-') {
                return Err(self.unsure());
            }
            self.cursor.at += 1;
            let value = self.value(child, column)?;
            child = self.find(child)?.end();
            entries.push(Entry { above, blank, key: None, value, footer: Vec::new() });
        }
        Ok(Content::Collection(entries))
    }

    /// Reads a key and the `:` after it. Comments between `?` and the key are added to those above the entry.
    fn key(&mut self, node: u32, column: u32, above: &mut Vec<Comment>) -> Result<Key, UnsupportedLayout> {
        let element = self.find(node)?;
        let is_explicit = self.cursor.is_at_sign(b'?') && element.span().start() != self.cursor.at;
        if is_explicit {
            self.cursor.at += 1;
        }
        let is_absent = self.is_absent(element);
        let props = self.props(is_absent.then_some(element.span().end()), false);
        let mut tail = if is_absent { self.cursor.take_trailing() } else { Vec::new() };
        let content = if is_absent {
            Content::Nothing
        } else {
            above.extend(self.cursor.take_all());
            self.scalar(element, column)?
        };
        if is_explicit {
            self.cursor.trivia();
            tail.extend(self.cursor.take_trailing());
        } else {
            self.cursor.blanks();
        }
        let has_sign = self.cursor.is_at_sign(b':');
        if has_sign {
            tail.extend(self.cursor.take_all());
            self.cursor.at += 1;
        } else if !is_explicit {
            return Err(self.unsure());
        }
        Ok(Key { node, props, content, is_explicit, has_sign, tail })
    }

    /// Reads comments, anchors and tags up to what they belong to, or up to `until`. In front of a mapping, those on
    /// the line of its first key belong to the key.
    fn props(&mut self, until: Option<u32>, before_mapping: bool) -> Vec<Span> {
        let mut props = Vec::new();
        self.cursor.trivia();
        while let Some(b'&' | b'!') = self.cursor.byte()
            && until.is_none_or(|until| self.cursor.at < until)
            && !(before_mapping && self.is_at_key())
        {
            let end = self.cursor.places.find_word_end(self.cursor.at);
            props.push(Span::new(self.cursor.at, end));
            self.cursor.at = end;
            self.cursor.trivia();
        }
        props
    }

    /// Returns whether something else than a brace follows the anchors and tags at the cursor on the same line.
    fn is_at_key(&self) -> bool {
        let mut ahead = Cursor::new(self.cursor.places.0, self.cursor.at);
        while let Some(b'&' | b'!') = ahead.byte() {
            ahead.at = ahead.places.find_word_end(ahead.at);
            ahead.blanks();
        }
        !matches!(ahead.byte(), None | Some(b'\n' | b'\r' | b'#' | b'{'))
    }

    /// Reads a scalar or an alias.
    fn scalar(&mut self, element: Node<'_>, column: u32) -> Result<Content, UnsupportedLayout> {
        if element.kind() == NodeKind::Quoted && matches!(self.cursor.byte(), Some(b'|' | b'>')) {
            return Ok(Content::Block(block_text::read(&mut self.cursor, column)));
        }
        if element.span().start() != self.cursor.at || element.span().is_empty() {
            return Err(self.unsure());
        }
        self.cursor.at = element.span().end();
        Ok(Content::Text(element.span()))
    }

    /// Returns whether a node is without text. A block scalar without lines may have no place in the tree.
    fn is_absent(&self, element: Node<'_>) -> bool {
        let text = self.document.source().slice(element.span());
        match element.kind() {
            NodeKind::Plain => text.is_empty() || text.starts_with(['&', '!']),
            NodeKind::Quoted => {
                let behind = self.cursor.places.skip_properties(element.span().start());
                text.starts_with(['&', '!']) && !matches!(self.cursor.places.byte(behind), Some(b'|' | b'>'))
            }
            _ => false,
        }
    }

    fn find(&self, node: u32) -> Result<Node<'d>, UnsupportedLayout> {
        self.document.find_node(node).ok_or(self.unsure())
    }

    fn unsure(&self) -> UnsupportedLayout {
        UnsupportedLayout { at: self.cursor.at }
    }
}
