//! Where the protected blocks of a text are.

use std::ops::Range;

use super::lines::{lines, without_break, without_sign};
use super::neutral;

/// The name of the block that is generated.
pub const TOOLBOX: &str = "toolbox";

/// What every mark has in it; a text that has it elsewhere only looks like a mark.
pub(super) const WORD: &str = "ateam-protect:";

/// A protected block: its marks, and what is between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The name.
    pub name: String,
    /// The bytes of the block, from the first of its first mark to the line break behind its last one.
    pub range: Range<usize>,
    /// The bytes between the two marks.
    pub body: Range<usize>,
    /// The line of the first mark, from 1.
    pub line: usize,
}

/// A mark that belongs to no block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// What is wrong with it.
    pub kind: BrokenKind,
    /// The bytes of its line, without the line break.
    pub range: Range<usize>,
    /// Its line, from 1.
    pub line: usize,
}

/// What can be wrong with a mark.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BrokenKind {
    /// A block begins and does not end.
    #[error("the protected block `{0}` has no end")]
    Unclosed(String),
    /// A block ends and did not begin.
    #[error("the protected block `{0}` ends and did not begin")]
    StrayEnd(String),
    /// A block begins, and another one ends.
    #[error("the protected block `{0}` begins, and `{1}` ends")]
    NameMismatch(String, String),
    /// A block begins within another one.
    #[error("the protected block `{1}` begins within `{0}`")]
    Nested(String, String),
    /// Something looks like a mark.
    #[error("this looks like the mark of a protected block and is none")]
    NoMark,
}

/// The protected blocks of a text, and the marks that belong to none.
///
/// A mark is a line `<!-- ateam-protect:start:NAME -->` or `<!-- ateam-protect:end:NAME -->`, with nothing but white space
/// around it; names are lower-case letters, digits, `_` and `-`. Blocks lie in the order of the text and not in each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blocks {
    /// The blocks, in the order of the text.
    pub blocks: Vec<Block>,
    /// What is broken, in the order of the text.
    pub broken: Vec<Broken>,
}

/// A line with a mark on it, or with what looks like one.
struct Mark<'t> {
    is_start: bool,
    /// None if it only looks like a mark.
    name: Option<&'t str>,
    /// The bytes of the line, with and without its line break.
    range: Range<usize>,
    line: usize,
    length: usize,
}

impl Blocks {
    /// Finds the blocks of a text, whatever it is.
    pub fn find(text: &str) -> Self {
        let marks = marks(text);
        let mut found = Self::default();
        let mut open: Option<&Mark<'_>> = None;
        for mark in &marks {
            let Some(name) = mark.name else {
                // Within a block it is a part of what is protected, and as wrong there.
                found.broken.push(mark.broken(BrokenKind::NoMark));
                continue;
            };
            match open.take() {
                Some(start) if mark.is_start => {
                    let outer = start.name.unwrap_or_default().to_owned();
                    found.broken.push(start.broken(BrokenKind::Nested(outer, name.to_owned())));
                    open = Some(mark);
                }
                None if mark.is_start => open = Some(mark),
                Some(start) if start.name == Some(name) => found.blocks.push(Block {
                    name: name.to_owned(),
                    range: start.range.start..mark.range.end,
                    body: start.range.end..mark.range.start,
                    line: start.line,
                }),
                Some(start) => {
                    let begun = start.name.unwrap_or_default().to_owned();
                    found.broken.push(start.broken(BrokenKind::NameMismatch(begun, name.to_owned())));
                }
                None => found.broken.push(mark.broken(BrokenKind::StrayEnd(name.to_owned()))),
            }
        }
        if let Some(start) = open {
            let name = start.name.unwrap_or_default().to_owned();
            found.broken.push(start.broken(BrokenKind::Unclosed(name)));
        }
        found.broken.sort_by_key(|broken| broken.line);
        found
    }

    /// Returns the blocks with a name.
    pub fn named(&self, name: &str) -> impl Iterator<Item = &Block> {
        self.blocks.iter().filter(move |block| block.name == name)
    }
}

impl Block {
    /// Returns what is between the marks in `text`, in which the block was found.
    pub fn body<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.body.clone()).unwrap_or_default()
    }
}

impl Mark<'_> {
    fn broken(&self, kind: BrokenKind) -> Broken {
        Broken { kind, range: self.range.start..self.range.start + self.length, line: self.line }
    }
}

fn marks(text: &str) -> Vec<Mark<'_>> {
    let mut marks = Vec::new();
    // What says that a file is Unicode stands before its first line and is no part of it.
    let text_without_sign = without_sign(text);
    let mut start = text.len() - text_without_sign.len();
    for (index, line) in lines(text_without_sign).enumerate() {
        let range = start..start + line.len();
        start = range.end;
        let content = without_break(line);
        let (line, length) = (index + 1, content.len());
        if let Some((is_start, name)) = mark(content) {
            marks.push(Mark { is_start, name: Some(name), range, line, length });
        } else if neutral::looks_like_a_mark(content) {
            marks.push(Mark { is_start: false, name: None, range, line, length });
        }
    }
    marks
}

/// Reads a line that may be a mark: whether a block begins, and its name.
fn mark(line: &str) -> Option<(bool, &str)> {
    let inner = line.trim().strip_prefix("<!--")?.strip_suffix("-->")?;
    let (kind, name) = inner.trim().strip_prefix(WORD)?.split_once(':')?;
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
    let is_start = match kind {
        "start" => true,
        "end" => false,
        _ => return None,
    };
    (!name.is_empty() && name.chars().all(is_name)).then_some((is_start, name))
}

/// Returns the mark of the beginning or the end of a block.
pub(super) fn write_mark(is_start: bool, name: &str) -> String {
    format!("<!-- {WORD}{}:{name} -->", if is_start { "start" } else { "end" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(name: &str) -> String {
        write_mark(true, name)
    }

    fn end(name: &str) -> String {
        write_mark(false, name)
    }

    /// Blocks with their lines and bodies, and what is broken with its line.
    type Shown = (Vec<(String, usize, String)>, Vec<(usize, String)>);

    fn show(text: &str) -> Shown {
        let found = Blocks::find(text);
        let blocks = found.blocks.iter();
        let blocks =
            blocks.map(|block| (block.name.clone(), block.line, block.body(text).to_owned())).collect();
        (blocks, found.broken.iter().map(|broken| (broken.line, broken.kind.to_string())).collect())
    }

    #[track_caller]
    fn check(lines: &[&str], blocks: &[(&str, usize, &str)], broken: &[(usize, &str)]) {
        let (found, wrong) = show(&lines.join("\n"));
        let found: Vec<(&str, usize, &str)> =
            found.iter().map(|(name, line, body)| (name.as_str(), *line, body.as_str())).collect();
        assert_eq!(found, blocks, "{lines:?}");
        let wrong: Vec<(usize, &str)> = wrong.iter().map(|(line, kind)| (*line, kind.as_str())).collect();
        assert_eq!(wrong, broken, "{lines:?}");
    }

    #[test]
    fn a_block_is_between_two_marks() {
        let (a, z, b, y) = (&*start("toolbox"), &*end("toolbox"), &*start("rules"), &*end("rules"));
        check(&[], &[], &[]);
        check(&["one", a, "x", "", z, "two"], &[("toolbox", 2, "x\n\n")], &[]);
        check(&[a, z], &[("toolbox", 1, "")], &[]);
        check(&[a, z, b, y, a, z, ""], &[("toolbox", 1, ""), ("rules", 3, ""), ("toolbox", 5, "")], &[]);
        check(&["", &format!("  {a}\t"), &format!(" {z} ")], &[("toolbox", 2, "")], &[]);
        check(&[&format!("{a}\r"), "x\r", &format!("{z}\r"), ""], &[("toolbox", 1, "x\r\n")], &[]);
    }

    #[test]
    fn what_belongs_to_no_block_is_broken() {
        let (a, z, b, y) = (&*start("toolbox"), &*end("toolbox"), &*start("rules"), &*end("rules"));
        check(&["", a], &[], &[(2, "the protected block `toolbox` has no end")]);
        check(&[z], &[], &[(1, "the protected block `toolbox` ends and did not begin")]);
        check(&[a, y], &[], &[(1, "the protected block `toolbox` begins, and `rules` ends")]);
        check(
            &[a, b, y, z],
            &[("rules", 2, "")],
            &[
                (1, "the protected block `rules` begins within `toolbox`"),
                (4, "the protected block `toolbox` ends and did not begin"),
            ],
        );
        check(
            &[a, a, z],
            &[("toolbox", 2, "")],
            &[(1, "the protected block `toolbox` begins within `toolbox`")],
        );
    }

    #[test]
    fn what_is_nearly_a_mark_is_none() {
        for line in [
            "see <!-- ateam-protect:start:toolbox -->",
            "<!-- ateam-protect:start:Toolbox -->",
            "<!-- ateam-protect:start: -->",
            "<!-- ateam-protect:begin:toolbox -->",
            "<!-- Ateam-Protect:start:toolbox -->",
            "ateam-protect:start:toolbox",
            "<!-- ateam-protect:start:tool box -->",
            "<!-- ateam-protect:start:toolbox --> <!-- ateam-protect:end:toolbox -->",
        ] {
            check(&[line], &[], &[(1, "this looks like the mark of a protected block and is none")]);
        }
        for line in ["ateam-protect", "<!-- toolbox -->", "ateam_protect:start:toolbox"] {
            check(&[line], &[], &[]);
        }
        // What some editors put before a text does not hide its first mark.
        check(&[&format!("\u{feff}{}", start("a")), "x", &end("a")], &[("a", 1, "x\n")], &[]);
        // Without spaces it says the same, and any reader would take it for a mark.
        check(&["<!--ateam-protect:start:a-->", "<!-- ateam-protect:end:a-->"], &[("a", 1, "")], &[]);
    }
}
