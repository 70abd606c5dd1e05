//! Comments: from a `#` outside of scalars to the end of the line.
//!
//! The tree does not contain comments. The spans of the scalars are enough to tell a comment from a `#` inside a
//! scalar, so this works for every format with such comments.

use std::iter::Peekable;

use minds_diagnostics::{Problems, SourceFile, Span, Suppressions};

use crate::format::Format;
use crate::tree::{Content, Document};

const BOM: &[u8] = b"\xef\xbb\xbf";

/// Applies the suppressions in the comments of a document.
///
/// Almost no file has any, so the text is first searched for the marker that all of them share.
pub(crate) fn respect(document: &Document, problems: &mut Problems) {
    let source = document.source();
    if !source.text().is_ok_and(|text| text.contains(Suppressions::MARKER)) {
        return;
    }
    let mut texts: Vec<Span> = scalar_spans(document).collect();
    // The tables of TOML are in another order in the tree than in the source.
    texts.sort_unstable();
    let content = match document.format() {
        Format::Yaml => document.root().span().start(),
        // The root has no place of its own, and only comments can precede the content.
        Format::Toml => 0,
    };
    let comments = Comments::new(source, texts.into_iter(), document.read_to);
    if let Some(allowances) = Suppressions::read(source, comments, content) {
        problems.apply_suppressions(source, allowances);
    }
}

/// Returns the spans in which a `#` does not begin a comment.
fn scalar_spans(document: &Document) -> impl Iterator<Item = Span> {
    let source = document.source();
    document.nodes.iter().enumerate().filter_map(move |(id, raw)| match raw.content {
        Content::Plain(_) | Content::Literal(..) | Content::Quoted(_) => Some(after_header(source, raw.span)),
        // A scalar that was refused is still one; a collection that was refused has its brackets, or nodes in it.
        Content::Unknown if raw.end as usize == id + 1 && !source.slice(raw.span).starts_with(['[', '{']) => {
            Some(after_header(source, raw.span))
        }
        _ => None,
    })
}

/// Returns a span without the header line of a block scalar, after which a comment may follow.
fn after_header(source: &SourceFile, span: Span) -> Span {
    let text = source.slice(span);
    match text.find(['\n', '\r']).filter(|_| text.starts_with(['|', '>'])) {
        Some(end) => Span::new(span.start() + u32::try_from(end).unwrap_or(u32::MAX), span.end()),
        None => span,
    }
}

/// The comments of a source in order, each from its `#` to the end of its line.
///
/// Every byte is examined once.
struct Comments<'s, T: Iterator<Item = Span>> {
    bytes: &'s [u8],
    texts: Peekable<T>,
    at: usize,
    /// The end of the last scalar.
    text_end: usize,
}

impl<'s, T: Iterator<Item = Span>> Comments<'s, T> {
    /// Finds the comments before `end` that are in none of `texts`, which must be in order.
    fn new(source: &'s SourceFile, texts: T, end: u32) -> Self {
        let bytes = source.bytes();
        let bytes = bytes.get(..end as usize).unwrap_or(bytes);
        Self { bytes, texts: texts.peekable(), at: 0, text_end: 0 }
    }

    /// Returns whether a `#` at `hash`, outside of scalars, begins a comment. Inside another word, such as an anchor,
    /// it does not.
    fn is_start(&self, hash: usize) -> bool {
        let before = self.bytes.get(..hash).unwrap_or_default();
        let free = [b' ', b'\t', b'\n', b'\r', b',', b'[', b']', b'{', b'}'];
        before.last().is_none_or(|byte| free.contains(byte)) || before == BOM || self.text_end == hash
    }
}

impl<T: Iterator<Item = Span>> Iterator for Comments<'_, T> {
    type Item = Span;

    fn next(&mut self) -> Option<Span> {
        loop {
            while let Some(text) = self.texts.next_if(|text| text.start() as usize <= self.at) {
                self.text_end = text.end() as usize;
                self.at = self.at.max(self.text_end);
            }
            let end = self.texts.peek().map_or(self.bytes.len(), |text| text.start() as usize);
            let gap = self.bytes.get(self.at..end.min(self.bytes.len()))?;
            let Some(hash) = gap.iter().position(|byte| *byte == b'#').map(|found| self.at + found) else {
                self.texts.peek()?;
                self.at = end;
                continue;
            };
            if !self.is_start(hash) {
                self.at = hash + 1;
                continue;
            }
            let rest = self.bytes.get(hash..)?;
            let length = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
            self.at = hash + length;
            let offset = |at| u32::try_from(at).unwrap_or(u32::MAX);
            return Some(Span::new(offset(hash), offset(self.at)));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::yaml;

    /// Returns the offsets at which comments begin.
    fn find_all_comments(text: &str) -> Option<Vec<usize>> {
        let source = SourceFile::new("f", text);
        let document = yaml::parse(&source).value?;
        let comments = Comments::new(&source, scalar_spans(&document), document.read_to);
        Some(comments.map(|comment| comment.start() as usize).collect())
    }

    /// Computes the same by trial: replacing a comment does not change the value of the document.
    fn expected_comments(text: &str) -> Vec<usize> {
        let value_of = |text: &str| Some(yaml::parse(&SourceFile::new("f", text)).value?.root().to_json());
        let whole = value_of(text);
        let mut starts: Vec<usize> = Vec::new();
        let mut end = 0;
        for (hash, _) in text.match_indices('#') {
            if hash < end {
                continue;
            }
            let (before, rest) = text.split_at(hash);
            let (comment, behind) = rest.split_at(rest.find(['\n', '\r']).unwrap_or(rest.len()));
            if value_of(&[before, "#~~", behind].concat()) == whole {
                starts.push(hash);
                end = hash + comment.len();
            }
        }
        starts
    }

    #[track_caller]
    fn check(text: &str, comments: &[&str]) {
        let found = find_all_comments(text).expect("the syntax is right");
        let rest: Vec<&str> = found.iter().map(|at| text.split_at(*at).1.lines().next().unwrap()).collect();
        assert_eq!(rest, comments, "{text}");
    }

    #[test]
    fn words_can_contain_comment_characters() {
        check("a: &x#y # c\n  z#w\nb: *x#y # d\n", &["# c", "# d"]);
        check("a: !x#y z # c\n", &["# c"]);
        check("a: !<x#y> # c\n  z\n", &["# c"]);
        check("%TAG !e! tag:x#y # c\n---\na: !e!z# w # d\n", &["# c", "# d"]);
    }

    #[test]
    fn comments_can_be_between_all_tokens() {
        check("\u{feff}# é\n# b", &["# é", "# b"]);
        check("#", &["#"]);
        check("# a # b\n\t# c\n  # d\n", &["# a # b", "# c", "# d"]);
        check("[a, # b\n# c\n d] # e\n", &["# b", "# c", "# e"]);
        check("a: # b\n  - # c\n    d # e\n", &["# b", "# c", "# e"]);
        check("a: !other [ # b\n  c] # d\n", &["# b", "# d"]);
        check("a: !other '# b' # c\n", &["# c"]);
        check("a: 1\n--- # b\n# c\n", &[]);
        check("a: 1\n... # b\n# c\n", &["# b", "# c"]);
    }

    const VALUES: &[&str] = &[
        "",
        "x",
        "x#y",
        "x:#y",
        "x\n  y#",
        "x\n  y",
        "'#'",
        "'a # b'",
        "'it''s # b'",
        "\"a \\\" # b\"",
        "'a\n  # b\n  c'",
        "\"a \\\n  # b\"",
        "[a, '#', b#]",
        "[a, # c\n  b,\n  # d\n  ]",
        "{x: '#', # c\n  y: z#w}",
        "\n  - a # c\n  # d\n  - '#'",
        "\n  x: # c\n    # d\n    y: '#'",
        "|\n  # a\n  b # c",
        "| # h # i\n  # a\n\n  b # c",
        ">-\n  a # b\n\n   # c",
        "|+ # h\n  a\n\n",
        "|2-\n   # a\n  # b",
        "|\n  a\n # b",
        "|\n\n  # a\n# b\n# c",
        "é # é",
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn comments_are_what_can_be_replaced(
            values in prop::collection::vec(
                (prop::sample::select(VALUES), prop::sample::select(&["", " # c", "\t# c # d", " #", "\n  # c", "\n# c", "\n\n"][..])),
                1..6,
            ),
            end in prop::sample::select(&["\n", "\r\n"][..]),
        ) {
            let lines: Vec<String> = values
                .iter()
                .enumerate()
                .map(|(index, (value, comment))| format!("k{index}: {value}{comment}"))
                .collect();
            let text = lines.join("\n").replace('\n', end);
            if let Some(found) = find_all_comments(&text) {
                prop_assert_eq!(found, expected_comments(&text), "{:?}", text);
            }
        }
    }
}
