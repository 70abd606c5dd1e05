//! Which lines of a Markdown file are headings.

/// A heading with everything up to the next one; the first piece may have none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece<'t> {
    /// The text with the heading itself, byte for byte.
    pub(super) text: &'t str,
    /// The heading.
    pub(super) heading: Option<Heading<'t>>,
}

/// A heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Heading<'t> {
    /// From 1, the highest, to 6.
    pub(super) level: usize,
    /// Its text without signs of the markup at its ends.
    pub(super) text: &'t str,
    /// How many bytes its lines have, with their line breaks.
    pub(super) length: usize,
}

/// Reads a text piece by piece. All pieces together are the text.
pub(super) struct Reader<'t> {
    text: &'t str,
    /// Where headings begin, and the headings.
    headings: std::iter::Peekable<std::vec::IntoIter<(usize, Heading<'t>)>>,
    position: usize,
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, headings: headings(text).into_iter().peekable(), position: 0 }
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

/// What lines stand in that are no headings.
enum Block<'t> {
    /// Code between fences: the sign and how many of them close it.
    Fence(char, usize),
    /// A comment.
    Comment,
    /// A paragraph of one line so far: where it begins, and its text. What underlines it makes it a heading.
    Line(usize, &'t str),
    /// A longer paragraph.
    Paragraph,
    /// Nothing.
    Between,
}

fn headings(text: &str) -> Vec<(usize, Heading<'_>)> {
    let mut headings = Vec::new();
    let mut block = Block::Between;
    let mut position = front_matter(text);
    for line in text.get(position..).unwrap_or_default().split_inclusive('\n') {
        let start = position;
        let length = line.len();
        position += length;
        let line = line.trim_end();
        let line = if start == 0 { line.trim_start_matches('\u{feff}') } else { line };
        let (indent, inner) = (line.len() - line.trim_start_matches(' ').len(), line.trim_start_matches(' '));
        block = match block {
            Block::Fence(sign, count) => {
                let is_end = indent < 4
                    && fence(inner)
                        .is_some_and(|(s, c, rest)| s == sign && c >= count && rest.trim().is_empty());
                if is_end { Block::Between } else { block }
            }
            Block::Comment if line.contains("-->") => Block::Between,
            Block::Comment => block,
            _ if line.trim().is_empty() => Block::Between,
            Block::Line(..) | Block::Paragraph if indent >= 4 => Block::Paragraph,
            _ if indent >= 4 || line.starts_with('\t') => Block::Between,
            _ => {
                if let Some((sign, count, _)) = fence(inner) {
                    Block::Fence(sign, count)
                } else if inner.starts_with("<!--") {
                    if inner.contains("-->") { Block::Between } else { Block::Comment }
                } else if let Some((level, text)) = atx(inner) {
                    headings.push((start, Heading { level, text, length }));
                    Block::Between
                } else {
                    match (block, underline(inner)) {
                        (Block::Line(at, text), Some(level)) => {
                            headings.push((at, Heading { level, text, length: position - at }));
                            Block::Between
                        }
                        (Block::Between, None) if !is_container(inner) => Block::Line(start, inner),
                        (Block::Between, Some(_)) => Block::Between,
                        _ => Block::Paragraph,
                    }
                }
            }
        };
    }
    headings
}

/// Returns where the text behind the front matter begins.
fn front_matter(text: &str) -> usize {
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

/// Returns the sign of a fence, how many there are, and what stands behind them.
fn fence(line: &str) -> Option<(char, usize, &str)> {
    let sign = line.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
    let rest = line.trim_start_matches(sign);
    let count = line.len() - rest.len();
    (count >= 3 && (sign == '~' || !rest.contains('`'))).then_some((sign, count, rest))
}

/// Returns the level and the text of a heading.
fn atx(line: &str) -> Option<(usize, &str)> {
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

/// Returns the level of the heading that a line makes of the one above it.
fn underline(line: &str) -> Option<usize> {
    let is_of = |sign: char| line.chars().all(|other| other == sign);
    if is_of('=') { Some(1) } else { is_of('-').then_some(2) }
}

/// Returns whether a line begins something in which headings are none of the file: a quotation, a list, a table.
fn is_container(line: &str) -> bool {
    line.starts_with(['>', '|']) || ["- ", "* ", "+ "].iter().any(|sign| line.starts_with(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> String {
        let told = headings(text).into_iter().map(|(at, heading)| {
            assert!(
                text.get(at..at + heading.length).is_some_and(|lines| lines.contains(heading.text)),
                "{text}"
            );
            format!("{at}:{}:{}", heading.level, heading.text)
        });
        told.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn headings_are_those_of_markdown() {
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
            assert_eq!(told(text), expected, "{text:?}");
        }
    }
}
