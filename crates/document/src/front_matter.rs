//! The head of a Markdown text: data between two fences.

use minds_diagnostics::{Parsed, Problems, SourceFile, Span};

use crate::encoding::{self, BOM};
use crate::{Document, Format};

/// A Markdown text, split into its head and its body.
///
/// A head begins with a first line that is `---`, for YAML, or `+++`, for TOML, and ends with the next line that is the
/// same. Blanks may follow a fence on its line; a byte order mark may stand before the first one. Nothing else is a head:
/// a text that begins in any other way is all body.
///
/// Head and body together are the text, byte for byte. Every span is one of offsets into the whole text.
///
/// ```
/// use minds_diagnostics::SourceFile;
/// use minds_document::FrontMatter;
///
/// let source = SourceFile::new("SKILL.md", "---\nname: review\n---\n# Review\n");
/// let text = FrontMatter::split(&source)?;
/// assert_eq!(source.slice(text.body), "# Review\n");
///
/// let head = text.head.expect("the text begins with a fence");
/// assert_eq!(source.slice(head.span), "---\nname: review\n---\n");
/// let document = head.parse(&source).value.expect("the head is valid");
/// let name = document.root().get("name").expect("it is there");
/// assert_eq!(source.slice(name.span()), "review");
/// # Ok::<(), minds_document::UnterminatedHead>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrontMatter {
    /// The head, if the text has one.
    pub head: Option<Head>,
    /// What follows the head.
    pub body: Span,
}

/// The head of a text, with its fences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The format, which the fences tell.
    pub format: Format,
    /// All of the head, from the start of the text to the end of the line of the second fence.
    pub span: Span,
    /// The data between the fences.
    pub data: Span,
}

/// A head whose second fence is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the head that begins with `{fence}` is not closed by another `{fence}`", fence = fence_of(*format))]
pub struct UnterminatedHead {
    /// The format that the first fence tells.
    pub format: Format,
    /// The first fence.
    pub fence: Span,
}

impl FrontMatter {
    /// Splits a text, in time that is linear in its length. The text need not be UTF-8: that is a question to who reads
    /// the parts.
    ///
    /// # Errors
    ///
    /// Returns the first fence if there is no second one: where the head ends cannot be known.
    pub fn split(source: &SourceFile) -> Result<Self, UnterminatedHead> {
        let bytes = source.bytes();
        let all = Span::new(0, offset(bytes.len()));
        let start = if bytes.starts_with(BOM.as_bytes()) { BOM.len() } else { 0 };
        let mut lines = Lines { bytes, next: start };
        let first = lines.next();
        let format = [Format::Yaml, Format::Toml]
            .into_iter()
            .find(|format| first.is_some_and(|line| is_fence(bytes, line, *format)));
        let (Some(first), Some(format)) = (first, format) else { return Ok(Self { head: None, body: all }) };
        let data = lines.next;
        let Some(last) = lines.by_ref().find(|line| is_fence(bytes, *line, format)) else {
            let fence = Span::new(first.start(), first.start() + offset(fence_of(format).len()));
            return Err(UnterminatedHead { format, fence });
        };
        let end = offset(lines.next);
        let data = Span::new(offset(data), last.start());
        Ok(Self {
            head: Some(Head { format, span: Span::new(0, end), data }),
            body: Span::new(end, all.end()),
        })
    }
}

impl Head {
    /// Reads the data of the head, which was split off `source`. The places in the tree are places in the whole text.
    pub fn parse(&self, source: &SourceFile) -> Parsed<Option<Document>> {
        let mut problems = Problems::new();
        let all = encoding::text_of(source, self.format, &mut problems);
        let value = all.and_then(|_| self.format.read(source, self.data, &mut problems));
        Parsed { value, problems }
    }
}

/// Returns the line that begins and ends a head of a format.
fn fence_of(format: Format) -> &'static str {
    match format {
        Format::Yaml => "---",
        Format::Toml => "+++",
    }
}

fn is_fence(bytes: &[u8], line: Span, format: Format) -> bool {
    let line = bytes.get(line.range()).unwrap_or_default();
    let behind = line.strip_prefix(fence_of(format).as_bytes());
    behind.is_some_and(|behind| behind.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')))
}

/// The lines of a text, each with its line feed.
struct Lines<'t> {
    bytes: &'t [u8],
    next: usize,
}

impl Iterator for Lines<'_> {
    type Item = Span;

    fn next(&mut self) -> Option<Span> {
        let rest = self.bytes.get(self.next..).filter(|rest| !rest.is_empty())?;
        let length = line_length(rest);
        let line = Span::new(offset(self.next), offset(self.next + length));
        self.next += length;
        Some(line)
    }
}

/// Returns the length of the first line with its end: LF, CRLF, or a lone carriage return, which Markdown takes for the
/// end of a line. A head with such lines is one to other programs, so it must be found to be reported.
fn line_length(rest: &[u8]) -> usize {
    match rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
        Some(at) if rest.get(at..at + 2) == Some(b"\r\n") => at + 2,
        Some(at) => at + 1,
        None => rest.len(),
    }
}

fn offset(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Value;

    /// The format and the data of a head, and the body behind it.
    type Parts<'t> = (Option<(Format, &'t str)>, &'t str);

    /// Splits a text; returns the fence that is open instead.
    fn parts(text: &str) -> Result<Parts<'_>, &str> {
        let source = SourceFile::new("x.md", text);
        let slice = |span: Span| text.get(span.range()).expect("spans lie in the text");
        match FrontMatter::split(&source) {
            Ok(split) => Ok((split.head.map(|head| (head.format, slice(head.data))), slice(split.body))),
            Err(open) => Err(slice(open.fence)),
        }
    }

    #[test]
    fn heads_stand_between_two_equal_fences() {
        for (text, format, data, body) in [
            ("---\na: 1\n---\nbody\n", Format::Yaml, "a: 1\n", "body\n"),
            ("+++\na = 1\n+++\nbody", Format::Toml, "a = 1\n", "body"),
            ("---\n---\n", Format::Yaml, "", ""),
            ("---\n---", Format::Yaml, "", ""),
            ("--- \r\na: 1\r\n---\t\r\n\r\nbody", Format::Yaml, "a: 1\r\n", "\r\nbody"),
            ("\u{feff}---\na: é\n---\nbody", Format::Yaml, "a: é\n", "body"),
            ("---\ra: 1\r---\rbody\r", Format::Yaml, "a: 1\r", "body\r"),
            ("---\na: 1\n ---\n+++\n----\n---\n---\n", Format::Yaml, "a: 1\n ---\n+++\n----\n", "---\n"),
        ] {
            assert_eq!(parts(text), Ok((Some((format, data)), body)), "{text:?}");
        }
    }

    #[test]
    fn other_texts_are_all_body() {
        for text in [
            "",
            "\n---\na: 1\n---\n",
            "# Title\n",
            "----\n---\n",
            " ---\n---\n",
            "--- a\n---\n",
            "--",
            "\u{feff}a",
        ] {
            assert_eq!(parts(text), Ok((None, text)), "{text:?}");
        }
    }

    #[test]
    fn a_head_without_an_end_is_an_error() {
        for (text, fence) in
            [("---\na: 1\n", "---"), ("---", "---"), ("+++\n---\n", "+++"), ("\u{feff}+++ \n", "+++")]
        {
            assert_eq!(parts(text), Err(fence), "{text:?}");
        }
        let open = FrontMatter::split(&SourceFile::new("x.md", "+++\n")).unwrap_err();
        assert_eq!(open.to_string(), "the head that begins with `+++` is not closed by another `+++`");
    }

    #[test]
    fn places_in_the_head_are_places_in_the_text() {
        for text in [
            "---\r\nname: é\r\nlist: [1, b]\r\n---\r\nbody: x\n",
            "+++\nname = 'é'\nlist = [1, 'b']\n+++\nbody",
        ] {
            let source = SourceFile::new("x.md", text);
            let head = FrontMatter::split(&source).unwrap().head.unwrap();
            let parsed = head.parse(&source);
            assert!(parsed.problems.is_empty());
            let document = parsed.value.unwrap();
            let name = document.root().get("name").unwrap();
            assert_eq!(name.value(), Value::String("é"));
            assert_eq!(source.slice(name.span()).trim_matches('\''), "é");
            assert_eq!(document.root().get("list").unwrap().items().count(), 2);
            assert!(document.root().get("body").is_none());
            assert!(document.iter().all(|node| head.data.covers(node.span())), "{text}");
        }
    }

    #[test]
    fn mistakes_stand_in_the_head_even_if_its_end_makes_them() {
        for text in [
            "---\na: [\n---\n] \tbody\n",
            "---\na: \"\n---\n\"\n",
            "+++\na = [\n+++\n]\n",
            "+++\na = '''\n+++\n'''\n",
        ] {
            let source = SourceFile::new("x.md", text);
            let head = FrontMatter::split(&source).unwrap().head.unwrap();
            let found = head.parse(&source).problems.into_sorted();
            assert!(!found.is_empty(), "{text:?}");
            for label in found.iter().flat_map(|found| found.primary.iter().chain(&found.secondary)) {
                assert!(head.span.covers(label.span), "{text:?}: {found:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn head_and_body_are_the_text(
            pieces in prop::collection::vec(prop::sample::select(vec![
                "---", "+++", "\n", "\r\n", "\r", " ", "a: 1", "b = 2", "é", "\u{feff}", "-", "[", "\"", "\t", "'''",
            ]), 0..24),
        ) {
            let text = pieces.concat();
            let source = SourceFile::new("x.md", text.as_str());
            if let Ok(split) = FrontMatter::split(&source) {
                let head = split.head.map_or(Span::default(), |head| head.span);
                prop_assert_eq!(format!("{}{}", source.slice(head), source.slice(split.body)), text);
                if let Some(head) = split.head {
                    prop_assert!(head.span.covers(head.data));
                    let parsed = head.parse(&source);
                    for node in parsed.value.iter().flat_map(Document::iter) {
                        prop_assert!(head.span.covers(node.span()), "{node:?}");
                    }
                    for found in parsed.problems.into_sorted() {
                        for label in found.primary.iter().chain(&found.secondary) {
                            prop_assert!(head.span.covers(label.span), "{found:?}");
                        }
                    }
                }
            }
        }
    }
}
