//! The front matter of a Markdown file: data between two fences.

use minds_diagnostics::{Parsed, Problems, SourceFile, Span};

use crate::encoding::{self, BOM};
use crate::{Document, Format};

/// A Markdown file, split into front matter and body.
///
/// Front matter begins with a first line `---` for YAML or `+++` for TOML and ends with the next identical line.
/// White space may follow a fence on its line, and a byte order mark may precede the first one. A file that begins in
/// any other way is all body.
///
/// Front matter and body together are the file, byte for byte. Every span is relative to the whole file.
///
/// ```
/// use minds_diagnostics::SourceFile;
/// use minds_document::Markdown;
///
/// let source = SourceFile::new("SKILL.md", "---\nname: review\n---\n# Review\n");
/// let text = Markdown::split(&source)?;
/// assert_eq!(source.slice(text.body), "# Review\n");
///
/// let front_matter = text.front_matter.expect("the text begins with a fence");
/// assert_eq!(source.slice(front_matter.span), "---\nname: review\n---\n");
/// let document = front_matter.parse(&source).value.expect("the front matter is valid");
/// let name = document.root().get("name").expect("the key exists");
/// assert_eq!(source.slice(name.span()), "review");
/// # Ok::<(), minds_document::UnterminatedFrontMatter>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Markdown {
    /// The front matter, if the file has one.
    pub front_matter: Option<FrontMatter>,
    /// The rest of the file.
    pub body: Span,
}

/// The front matter of a file, with its fences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrontMatter {
    /// The format, determined by the fences.
    pub format: Format,
    /// The complete front matter, from the start of the file to the end of the line of the second fence.
    pub span: Span,
    /// The data between the fences.
    pub data: Span,
}

/// The error for front matter without a second fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the front matter that begins with `{fence}` is not closed by another `{fence}`", fence = fence_of(*format))]
pub struct UnterminatedFrontMatter {
    /// The format, determined by the first fence.
    pub format: Format,
    /// The first fence.
    pub fence: Span,
}

impl Markdown {
    /// Splits a file, in time linear in its length. The file need not be UTF-8: the readers of the parts check that.
    ///
    /// # Errors
    ///
    /// Returns the first fence if there is no second one: then the end of the front matter is unknown.
    pub fn split(source: &SourceFile) -> Result<Self, UnterminatedFrontMatter> {
        let bytes = source.bytes();
        let all = Span::new(0, offset(bytes.len()));
        let start = if bytes.starts_with(BOM.as_bytes()) { BOM.len() } else { 0 };
        let mut lines = Lines { bytes, next: start };
        let first = lines.next();
        let format = [Format::Yaml, Format::Toml]
            .into_iter()
            .find(|format| first.is_some_and(|line| is_fence(bytes, line, *format)));
        let (Some(first), Some(format)) = (first, format) else {
            return Ok(Self { front_matter: None, body: all });
        };
        let data = lines.next;
        let Some(last) = lines.by_ref().find(|line| is_fence(bytes, *line, format)) else {
            let fence = Span::new(first.start(), first.start() + offset(fence_of(format).len()));
            return Err(UnterminatedFrontMatter { format, fence });
        };
        let end = offset(lines.next);
        let data = Span::new(offset(data), last.start());
        Ok(Self {
            front_matter: Some(FrontMatter { format, span: Span::new(0, end), data }),
            body: Span::new(end, all.end()),
        })
    }
}

impl FrontMatter {
    /// Parses the data of the front matter, which was split off `source`. Spans in the tree are relative to the whole
    /// file.
    pub fn parse(&self, source: &SourceFile) -> Parsed<Option<Document>> {
        let mut problems = Problems::new();
        let all = encoding::text_of(source, self.format, &mut problems);
        let value = all.and_then(|_| self.format.read(source, self.data, &mut problems));
        Parsed { value, problems }
    }
}

/// Returns the fence of a format.
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

/// The lines of a file, each with its line break.
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

/// Returns the length of the first line with its end: LF, CRLF, or a lone carriage return, which Markdown treats as
/// the end of a line. To other programs such lines can be front matter, so it must be found to be reported.
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

    /// The format and the data of the front matter, and the body.
    type Parts<'t> = (Option<(Format, &'t str)>, &'t str);

    /// Splits a file; returns the fence that is not closed otherwise.
    fn parts(text: &str) -> Result<Parts<'_>, &str> {
        let source = SourceFile::new("x.md", text);
        let slice = |span: Span| text.get(span.range()).expect("spans lie in the text");
        match Markdown::split(&source) {
            Ok(split) => Ok((
                split.front_matter.map(|front_matter| (front_matter.format, slice(front_matter.data))),
                slice(split.body),
            )),
            Err(open) => Err(slice(open.fence)),
        }
    }

    #[test]
    fn front_matter_is_between_two_equal_fences() {
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
    fn files_without_front_matter_are_all_body() {
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
    fn front_matter_without_an_end_is_an_error() {
        for (text, fence) in
            [("---\na: 1\n", "---"), ("---", "---"), ("+++\n---\n", "+++"), ("\u{feff}+++ \n", "+++")]
        {
            assert_eq!(parts(text), Err(fence), "{text:?}");
        }
        let open = Markdown::split(&SourceFile::new("x.md", "+++\n")).unwrap_err();
        assert_eq!(
            open.to_string(),
            "the front matter that begins with `+++` is not closed by another `+++`"
        );
    }

    #[test]
    fn spans_in_front_matter_are_relative_to_the_file() {
        for text in [
            "---\r\nname: é\r\nlist: [1, b]\r\n---\r\nbody: x\n",
            "+++\nname = 'é'\nlist = [1, 'b']\n+++\nbody",
        ] {
            let source = SourceFile::new("x.md", text);
            let front_matter = Markdown::split(&source).unwrap().front_matter.unwrap();
            let parsed = front_matter.parse(&source);
            assert!(parsed.problems.is_empty());
            let document = parsed.value.unwrap();
            let name = document.root().get("name").unwrap();
            assert_eq!(name.value(), Value::String("é"));
            assert_eq!(source.slice(name.span()).trim_matches('\''), "é");
            assert_eq!(document.root().get("list").unwrap().items().count(), 2);
            assert!(document.root().get("body").is_none());
            assert!(document.iter().all(|node| front_matter.data.covers(node.span())), "{text}");
        }
    }

    #[test]
    fn findings_are_in_the_front_matter_even_if_its_end_causes_them() {
        for text in [
            "---\na: [\n---\n] \tbody\n",
            "---\na: \"\n---\n\"\n",
            "+++\na = [\n+++\n]\n",
            "+++\na = '''\n+++\n'''\n",
        ] {
            let source = SourceFile::new("x.md", text);
            let front_matter = Markdown::split(&source).unwrap().front_matter.unwrap();
            let found = front_matter.parse(&source).problems.into_sorted();
            assert!(!found.is_empty(), "{text:?}");
            for label in found.iter().flat_map(|found| found.primary.iter().chain(&found.secondary)) {
                assert!(front_matter.span.covers(label.span), "{text:?}: {found:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn front_matter_and_body_are_the_file(
            pieces in prop::collection::vec(prop::sample::select(vec![
                "---", "+++", "\n", "\r\n", "\r", " ", "a: 1", "b = 2", "é", "\u{feff}", "-", "[", "\"", "\t", "'''",
            ]), 0..24),
        ) {
            let text = pieces.concat();
            let source = SourceFile::new("x.md", text.as_str());
            if let Ok(split) = Markdown::split(&source) {
                let front_matter = split.front_matter.map_or(Span::default(), |front_matter| front_matter.span);
                prop_assert_eq!(format!("{}{}", source.slice(front_matter), source.slice(split.body)), text);
                if let Some(front_matter) = split.front_matter {
                    prop_assert!(front_matter.span.covers(front_matter.data));
                    let parsed = front_matter.parse(&source);
                    for node in parsed.value.iter().flat_map(Document::iter) {
                        prop_assert!(front_matter.span.covers(node.span()), "{node:?}");
                    }
                    for found in parsed.problems.into_sorted() {
                        for label in found.primary.iter().chain(&found.secondary) {
                            prop_assert!(front_matter.span.covers(label.span), "{found:?}");
                        }
                    }
                }
            }
        }
    }
}
