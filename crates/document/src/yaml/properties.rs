//! Anchors and tags of nodes.

use minds_diagnostics::Span;

use super::locator::Locator;
use crate::{Document, Node};

impl<'d> Node<'d> {
    /// Returns the spans of the anchor and the tag of the node, in the order of the source, each from its indicator
    /// to its end. At most two; none in other formats than YAML.
    pub fn properties(self) -> impl Iterator<Item = Span> + use<'d> {
        let document = self.document();
        let entry = document.properties.binary_search_by_key(&self.id().0, |(node, _)| *node);
        let start = entry.ok().and_then(|at| document.properties.get(at)).map(|(_, start)| *start);
        let span = self.span();
        // An empty value is at the place of its anchor and tag.
        let end = if start.is_some_and(|start| start < span.start()) { span.start() } else { span.end() };
        let places = Locator(document.source().bytes());
        let mut next = start;
        std::iter::from_fn(move || {
            let at = places.skip_blank(next?);
            next = None;
            if at >= end || !matches!(places.byte(at), Some(b'&' | b'!')) {
                return None;
            }
            let word = Span::new(at, places.find_word_end(at).min(end).max(at + 1));
            next = Some(word.end());
            Some(word)
        })
    }

    /// Returns the tag of the node as written, starting with `!`.
    pub fn tag(self) -> Option<&'d str> {
        let source = self.document().source();
        self.properties().map(|word| source.slice(word)).find(|word| word.starts_with('!'))
    }
}

impl Document {
    /// Returns the number of nodes that all aliases stand for in total, descendants included.
    pub fn aliased_nodes(&self) -> u64 {
        self.aliased
    }
}

#[cfg(test)]
mod tests {
    use minds_diagnostics::SourceFile;

    use super::*;
    use crate::yaml::parse;

    #[track_caller]
    fn check(text: &str, expected: &[&str], tag: Option<&str>) {
        let source = SourceFile::new("a.yaml", text);
        let document = parse(&source).value.unwrap();
        let described = document.iter().find(|node| node.properties().next().is_some());
        let words: Vec<&str> =
            described.into_iter().flat_map(Node::properties).map(|word| source.slice(word)).collect();
        assert_eq!(words, expected, "{text:?}");
        assert_eq!(described.and_then(Node::tag), tag, "{text:?}");
    }

    #[test]
    fn anchors_and_tags_have_spans() {
        check("a: b", &[], None);
        check("a: &b c", &["&b"], None);
        check("a: !!str c", &["!!str"], Some("!!str"));
        check("a: !!str &b c", &["!!str", "&b"], Some("!!str"));
        check(
            "a: &b !<tag:yaml.org,2002:str> c",
            &["&b", "!<tag:yaml.org,2002:str>"],
            Some("!<tag:yaml.org,2002:str>"),
        );
        check("a: &b # d\n  ! c", &["&b", "!"], Some("!"));
        check("a: &b\n  c: d", &["&b"], None);
        check("a: &b\nc: d", &["&b"], None);
        check("a: !!str\nc: d", &["!!str"], Some("!!str"));
        check("a: !!str |\n  !c", &["!!str"], Some("!!str"));
        check("a: !!map {b: c}", &["!!map"], Some("!!map"));
        check("a:\n  &b c: d", &["&b"], None);
        check("[!!str , a]", &["!!str"], Some("!!str"));
        check("a: !!seq\n- b", &["!!seq"], Some("!!seq"));
        check("&a !!map\nb: c", &["&a", "!!map"], Some("!!map"));
    }
}
