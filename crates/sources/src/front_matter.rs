//! The front matter of the Markdown file of an item.
//!
//! The front matter is parsed line by line, as programs that install items have always done: it looks like
//! YAML but is not parsed as YAML. [`review`](crate::review) reports where YAML would give another result.

/// The keys of the front matter that are used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ItemFrontMatter {
    /// The `name` that the item gives itself. Its folder or file determines the name, with one exception in
    /// discovery by patterns.
    pub name: Option<String>,
    /// The purpose of the item.
    pub description: Option<String>,
    /// The items of the same source that it depends on, as written.
    pub requires: Vec<String>,
    /// What `{{tools:name}}` stands for; tools only.
    pub bin: Option<String>,
    /// The build command; tools only.
    pub build: Option<String>,
    /// The command that runs after installation; tools only.
    pub install: Option<String>,
    /// The command that runs before removal; tools only.
    pub uninstall: Option<String>,
}

const FENCE: &str = "---";
const BOM: char = '\u{feff}';

impl ItemFrontMatter {
    /// Parses the front matter of `text`; without front matter all keys are absent.
    ///
    /// The first line must be `---`; the front matter extends to the next such line, or to the end. For each
    /// key, the first line that begins with the key and a colon counts. The value is trimmed and loses one
    /// pair of matching quotes, in which nothing is escaped. A `|` or `>`, also with `-` or `+` and a
    /// comment, takes the indented lines that follow, joined by line breaks or by spaces; an indented `---`
    /// is one of them. A byte order mark may precede the first line. Takes time linear in the length of the
    /// text.
    pub fn read(text: &str) -> Self {
        read_to_end(text).0
    }
}

/// Parses the front matter, and returns where the text after it begins.
fn read_to_end(text: &str) -> (ItemFrontMatter, usize) {
    let mut head = ItemFrontMatter::default();
    let mut requires = None;
    let Some(lines) = lines_of(text) else { return (head, 0) };
    let mut end = text.len();
    let mut lines = lines.peekable();
    while let Some((line, behind)) = lines.next() {
        end = behind;
        if line.trim() == FENCE {
            break;
        }
        let Some((key, value)) = line.split_once(':') else { continue };
        let field = match key {
            "name" => &mut head.name,
            "description" => &mut head.description,
            "requires" => &mut requires,
            "bin" => &mut head.bin,
            "build" => &mut head.build,
            "install" => &mut head.install,
            "uninstall" => &mut head.uninstall,
            _ => continue,
        };
        if field.is_some() {
            continue;
        }
        let value = value.trim();
        *field = Some(match Block::find(value) {
            Some(block) => {
                let mut inner = Vec::new();
                let is_inside = |(line, _): &(&str, usize)| line.trim().is_empty() || is_indented(line);
                while let Some((line, behind)) = lines.next_if(is_inside) {
                    inner.push(line);
                    end = behind;
                }
                block.text(&inner)
            }
            None => strip_quotes(value).to_owned(),
        });
    }
    if let Some(requires) = requires {
        head.requires = requires.split_whitespace().map(str::to_owned).collect();
    }
    (head, end)
}

/// Returns where the closing fence of the front matter ends; the end of the text if the front matter is not
/// closed.
pub(crate) fn body_start(text: &str) -> usize {
    read_to_end(text).1
}

/// Returns the lines after the opening fence, each with the offset after it; `None` if there is no front
/// matter.
fn lines_of(text: &str) -> Option<impl Iterator<Item = (&str, usize)>> {
    let mark = if text.starts_with(BOM) { BOM.len_utf8() } else { 0 };
    let lines = text.get(mark..).unwrap_or_default().split_inclusive('\n');
    let mut lines = lines.scan(mark, |end, line| {
        *end += line.len();
        let line = line.strip_suffix('\n').unwrap_or(line);
        Some((line.strip_suffix('\r').unwrap_or(line), *end))
    });
    lines.next().filter(|(line, _)| line.trim() == FENCE)?;
    Some(lines)
}

fn is_indented(line: &str) -> bool {
    line.starts_with([' ', '\t'])
}

fn strip_quotes(value: &str) -> &str {
    let inner = |quote| value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    inner('"').or_else(|| inner('\'')).unwrap_or(value)
}

/// How the lines of a block scalar are joined.
#[derive(Clone, Copy)]
enum Block {
    Literal,
    Folded,
}

impl Block {
    fn find(value: &str) -> Option<Self> {
        let mut rest = value.chars();
        let block = match rest.next()? {
            '|' => Self::Literal,
            '>' => Self::Folded,
            _ => return None,
        };
        let is_mark = rest.next().is_none_or(|c| matches!(c, '-' | '+' | '#') || c.is_whitespace());
        let comment = rest.as_str().trim_start();
        (is_mark && (comment.is_empty() || comment.starts_with('#'))).then_some(block)
    }

    fn text(self, lines: &[&str]) -> String {
        let indent = |line: &&&str| line.len() - line.trim_start_matches([' ', '\t']).len();
        let filled = lines.iter().filter(|line| !line.trim().is_empty());
        let depth = filled.map(|line| indent(&line)).min().unwrap_or(0);
        let inner = lines.iter().map(|line| line.get(depth..).unwrap_or_default().trim_end());
        let mut text = String::new();
        match self {
            Self::Literal => {
                for line in inner {
                    text.push_str(line);
                    text.push('\n');
                }
            }
            // An empty line begins a paragraph.
            Self::Folded => {
                for line in inner {
                    match (line.is_empty(), text.ends_with('\n') || text.is_empty()) {
                        (true, _) => text.push('\n'),
                        (false, true) => text.push_str(line),
                        (false, false) => {
                            text.push(' ');
                            text.push_str(line);
                        }
                    }
                }
            }
        }
        text.trim().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(ItemFrontMatter::read(text).description.as_deref(), expected, "{text:?}");
    }

    #[test]
    fn a_description_is_read_by_lines() {
        for (value, expected) in [
            ("description: plain", Some("plain")),
            ("description:tight", Some("tight")),
            ("description : spaced", None),
            (" description: indented", None),
            ("meta:\n  description: nested", None),
            ("Description: upper", None),
            ("description:   a  b   ", Some("a  b")),
            ("description: \"double\"", Some("double")),
            ("description: 'single'", Some("single")),
            ("description: \"open", Some("\"open")),
            ("description: \"", Some("\"")),
            ("description: \"a\\\"b\"", Some("a\\\"b")),
            ("description: 'it''s'", Some("it''s")),
            ("description: a # b", Some("a # b")),
            ("description: a: b", Some("a: b")),
            ("description: [a, b]", Some("[a, b]")),
            ("description:", Some("")),
            ("description: \"\"", Some("")),
            ("description: one\n  two", Some("one")),
            ("description: one\ndescription: two", Some("one")),
            ("description: >\n  one\n  two", Some("one two")),
            ("description: >-\n  one\n\n  two\n", Some("one\ntwo")),
            ("description: >+\n    one\n      two\n", Some("one   two")),
            ("description: |\n  one\n    two\n", Some("one\n  two")),
            ("description: |-\n  one\n\n  two\nname: x", Some("one\n\ntwo")),
            ("description: |+\n\tone\n", Some("one")),
            ("description: >2\n  one", Some(">2")),
            ("description: | # a comment\n  one", Some("one")),
            ("description: >-#a comment\nname: x", Some("")),
            ("description: |\n  one\n  ---\n  two", Some("one\n---\ntwo")),
            ("description: > one # two", Some("> one # two")),
            ("description: |# one\n  two", Some("|# one")),
            ("description: |--\n  one", Some("|--")),
            ("description: |\nname: x", Some("")),
            ("...\ndescription: after dots", Some("after dots")),
        ] {
            check(&format!("---\n{value}\n---\nBody.\n"), expected);
            check(&format!("\u{feff}---\n{value}\n---\nBody.\n"), expected);
            check(&format!("---\r\n{}\r\n---\r\nBody.\r\n", value.replace('\n', "\r\n")), expected);
            check(&format!(" --- \n{value}\n---\n"), expected);
            // Front matter that is not closed extends to the end.
            check(&format!("---\n{value}"), expected);
        }
    }

    #[test]
    fn only_front_matter_is_read() {
        check("", None);
        check("description: a\n", None);
        check("\n---\ndescription: a\n---\n", None);
        check("----\ndescription: a\n---\n", None);
        check("---\n---\ndescription: a\n", None);
        check("---\nname: b\n ---\t\ndescription: a\n", None);
    }

    #[test]
    fn requirements_are_separated_by_white_space() {
        let head = ItemFrontMatter::read("---\nrequires: agent:b  rule:c\tskill:d\nbin: run\n---\n");
        assert_eq!(head.requires, ["agent:b", "rule:c", "skill:d"]);
        assert_eq!(head.bin.as_deref(), Some("run"));
        assert_eq!(ItemFrontMatter::read("---\nrequires: >\n  a\n  b\n---\n").requires, ["a", "b"]);
        assert_eq!(ItemFrontMatter::read("---\nrequires:\n---\n").requires, [] as [&str; 0]);
    }
}
