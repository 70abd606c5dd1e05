//! Finding the headings of a Markdown file.

/// The text from a heading up to the next one; the first piece may have no heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece<'t> {
    /// The text including the heading.
    pub(super) text: &'t str,
    /// The heading.
    pub(super) heading: Option<Heading<'t>>,
}

/// A heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Heading<'t> {
    /// The level, from 1 (highest) to 6.
    pub(super) level: usize,
    /// The text without the surrounding markup.
    pub(super) text: &'t str,
    /// The length of its lines in bytes, including line breaks.
    pub(super) length: usize,
}

/// Splits Markdown text into pieces, which together are the whole text.
pub(super) struct Reader<'t> {
    text: &'t str,
    /// The headings with their offsets.
    headings: std::iter::Peekable<std::vec::IntoIter<(usize, Heading<'t>)>>,
    position: usize,
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, headings: find_headings(text).into_iter().peekable(), position: 0 }
    }
}

impl<'t> Iterator for Reader<'t> {
    type Item = Piece<'t>;

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.position;
        let heading = self.headings.next_if(|(at, _)| *at == start).map(|(_, heading)| heading);
        let end = self.headings.peek().map_or(self.text.len(), |(at, _)| *at);
        let text = self.text.get(start..end).filter(|text| !text.is_empty())?;
        self.position = end;
        Some(Piece { text, heading })
    }
}

/// The kind of the current block.
enum Block<'t> {
    /// Fenced code: the fence character, and its minimum count in the closing fence.
    Fence(char, usize),
    /// A comment.
    Comment,
    /// A paragraph with one line so far: its offset and text. An underline makes it a heading.
    Line(usize, &'t str),
    /// A longer paragraph.
    Paragraph,
    /// No block.
    None,
}

fn find_headings(text: &str) -> Vec<(usize, Heading<'_>)> {
    let mut headings = Vec::new();
    let mut block = Block::None;
    let mut position = front_matter_end(text);
    for line in text.get(position..).unwrap_or_default().split_inclusive('\n') {
        let start = position;
        let length = line.len();
        position += length;
        let line = line.trim_end();
        let line = if start == 0 { line.trim_start_matches('\u{feff}') } else { line };
        let (indent, inner) = (line.len() - line.trim_start_matches(' ').len(), line.trim_start_matches(' '));
        block = match block {
            Block::Fence(marker, count) => {
                let is_end = indent < 4
                    && parse_fence(inner)
                        .is_some_and(|(s, c, rest)| s == marker && c >= count && rest.trim().is_empty());
                if is_end { Block::None } else { block }
            }
            Block::Comment if line.contains("-->") => Block::None,
            Block::Comment => block,
            _ if line.trim().is_empty() => Block::None,
            Block::Line(..) | Block::Paragraph if indent >= 4 => Block::Paragraph,
            _ if indent >= 4 || line.starts_with('\t') => Block::None,
            _ => {
                if let Some((marker, count, _)) = parse_fence(inner) {
                    Block::Fence(marker, count)
                } else if inner.starts_with("<!--") {
                    if inner.contains("-->") { Block::None } else { Block::Comment }
                } else if let Some((level, text)) = parse_atx_heading(inner) {
                    headings.push((start, Heading { level, text, length }));
                    Block::None
                } else {
                    match (block, underline_level(inner)) {
                        (Block::Line(at, text), Some(level)) => {
                            headings.push((at, Heading { level, text, length: position - at }));
                            Block::None
                        }
                        (Block::None, None) if !is_container(inner) => Block::Line(start, inner),
                        (Block::None, Some(_)) => Block::None,
                        _ => Block::Paragraph,
                    }
                }
            }
        };
    }
    headings
}

/// Returns the offset after the front matter.
fn front_matter_end(text: &str) -> usize {
    let mut position = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        position += line.len();
        let line = line.trim_end();
        match index {
            0 if line.trim_start_matches('\u{feff}') != "---" => return 0,
            0 => {}
            _ if line == "---" || line == "..." => return position,
            _ => {}
        }
    }
    0
}

/// Returns the fence character, its count, and the rest of the line.
fn parse_fence(line: &str) -> Option<(char, usize, &str)> {
    let marker = line.chars().next().filter(|marker| matches!(marker, '`' | '~'))?;
    let rest = line.trim_start_matches(marker);
    let count = line.len() - rest.len();
    (count >= 3 && (marker == '~' || !rest.contains('`'))).then_some((marker, count, rest))
}

/// Returns the level and the text of an ATX heading.
fn parse_atx_heading(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    if !(1..=6).contains(&level) || !(rest.is_empty() || rest.starts_with([' ', '\t', '\u{3000}'])) {
        return None;
    }
    let text = rest.trim();
    let unclosed = text.trim_end_matches('#');
    let is_closed = unclosed.is_empty() || unclosed.ends_with([' ', '\t']);
    Some((level, if is_closed { unclosed.trim_end() } else { text }))
}

/// Returns the level of the heading if a line underlines the preceding line.
fn underline_level(line: &str) -> Option<usize> {
    let consists_of = |marker: char| line.chars().all(|other| other == marker);
    if consists_of('=') { Some(1) } else { consists_of('-').then_some(2) }
}

/// Returns whether a line starts a block whose headings do not count: a quotation, a list or a table.
fn is_container(line: &str) -> bool {
    line.starts_with(['>', '|']) || ["- ", "* ", "+ "].iter().any(|marker| line.starts_with(marker))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe_headings(text: &str) -> String {
        let descriptions = find_headings(text).into_iter().map(|(at, heading)| {
            assert!(
                text.get(at..at + heading.length).is_some_and(|lines| lines.contains(heading.text)),
                "{text}"
            );
            format!("{at}:{}:{}", heading.level, heading.text)
        });
        descriptions.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn markdown_headings_are_found() {
        for (text, expected) in [
            ("# a", "0:1:a"),
            ("x\n###### a ##\n", "2:6:a"),
            ("   # a\n", "0:1:a"),
            ("#\u{3000}目标\n", "0:1:目标"),
            ("\u{feff}# a\n", "0:1:a"),
            ("# a#\n#\n", "0:1:a# 5:1:"),
            ("#a\n####### a\n    # a\n\t# a\n> # a\n- # a\n", ""),
            ("a\n===\n\nb\n-\n", "0:1:a 7:2:b"),
            ("a\nb\n===\n\n---\n\n- a\n---\n", ""),
            ("```\n# a\n```\n# b\n", "12:1:b"),
            ("~~~ x\n# a\n```\n~~\n~~~~\n# b\n", "22:1:b"),
            ("``` a`b\n# c\n", "8:1:c"),
            ("````\n```\n# a\n", ""),
            ("<!-- # a\n# a\n--> \n# b\n<!-- x -->\n# c", "18:1:b 33:1:c"),
            ("---\n# a\n---\n# b\n", "12:1:b"),
            ("---\n# a\n", "4:1:a"),
            ("text\n# a\n", "5:1:a"),
        ] {
            assert_eq!(describe_headings(text), expected, "{text:?}");
        }
    }
}
