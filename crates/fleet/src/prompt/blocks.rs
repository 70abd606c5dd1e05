//! Finding protected blocks.

use std::ops::Range;

use super::lines::{lines, without_break, without_byte_order_mark};
use super::neutralize;

/// The name of the generated block.
pub const TOOLBOX: &str = "toolbox";

/// The word in every marker; elsewhere it only looks like a marker.
pub(super) const WORD: &str = "ateam-protect:";

/// A protected block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The name.
    pub name: String,
    /// The byte range of the block, including its markers and the final line break.
    pub range: Range<usize>,
    /// The byte range between the markers.
    pub body: Range<usize>,
    /// The line of the first marker, from 1.
    pub line: usize,
}

/// A broken marker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidMarker {
    /// The problem.
    pub kind: MarkerProblem,
    /// The byte range of its line, without the line break.
    pub range: Range<usize>,
    /// Its line, from 1.
    pub line: usize,
}

/// The problem with a marker.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MarkerProblem {
    /// A block has no end.
    #[error("the protected block `{0}` has no end")]
    Unclosed(String),
    /// A block has no start.
    #[error("the protected block `{0}` ends without a start")]
    StrayEnd(String),
    /// The names of start and end differ.
    #[error("the protected block `{0}` starts, but `{1}` ends")]
    NameMismatch(String, String),
    /// A block starts within another one.
    #[error("the protected block `{1}` starts within `{0}`")]
    Nested(String, String),
    /// Something looks like a marker.
    #[error("this looks like a marker of a protected block, but is not valid")]
    NotAMarker,
}

/// The protected blocks and broken markers of a prompt.
///
/// A marker is a line `<!-- ateam-protect:start:NAME -->` or `<!-- ateam-protect:end:NAME -->`, with nothing but white space
/// around it; names are lower-case letters, digits, `_` and `-`. Blocks cannot be nested.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blocks {
    /// The blocks, in order.
    pub blocks: Vec<Block>,
    /// The broken markers, in order.
    pub broken: Vec<InvalidMarker>,
}

/// A line with a marker, or something that looks like one.
struct Marker<'t> {
    is_start: bool,
    /// `None` if it only looks like a marker.
    name: Option<&'t str>,
    /// The byte range of the line, with and without its line break.
    range: Range<usize>,
    line: usize,
    length: usize,
}

impl Blocks {
    /// Finds the blocks of any text.
    pub fn find(text: &str) -> Self {
        let markers = markers(text);
        let mut found = Self::default();
        let mut open: Option<&Marker<'_>> = None;
        for marker in &markers {
            let Some(name) = marker.name else {
                // It is reported within a block too.
                found.broken.push(marker.broken(MarkerProblem::NotAMarker));
                continue;
            };
            match open.take() {
                Some(start) if marker.is_start => {
                    let outer = start.name.unwrap_or_default().to_owned();
                    found.broken.push(start.broken(MarkerProblem::Nested(outer, name.to_owned())));
                    open = Some(marker);
                }
                None if marker.is_start => open = Some(marker),
                Some(start) if start.name == Some(name) => found.blocks.push(Block {
                    name: name.to_owned(),
                    range: start.range.start..marker.range.end,
                    body: start.range.end..marker.range.start,
                    line: start.line,
                }),
                Some(start) => {
                    let start_name = start.name.unwrap_or_default().to_owned();
                    found.broken.push(start.broken(MarkerProblem::NameMismatch(start_name, name.to_owned())));
                }
                None => found.broken.push(marker.broken(MarkerProblem::StrayEnd(name.to_owned()))),
            }
        }
        if let Some(start) = open {
            let name = start.name.unwrap_or_default().to_owned();
            found.broken.push(start.broken(MarkerProblem::Unclosed(name)));
        }
        found.broken.sort_by_key(|broken| broken.line);
        found
    }

    /// Returns the blocks with a name.
    pub fn with_name(&self, name: &str) -> impl Iterator<Item = &Block> {
        self.blocks.iter().filter(move |block| block.name == name)
    }
}

impl Block {
    /// Returns the text between the markers; `text` is the text of the block.
    pub fn body<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.body.clone()).unwrap_or_default()
    }
}

impl Marker<'_> {
    fn broken(&self, kind: MarkerProblem) -> InvalidMarker {
        InvalidMarker { kind, range: self.range.start..self.range.start + self.length, line: self.line }
    }
}

fn markers(text: &str) -> Vec<Marker<'_>> {
    let mut markers = Vec::new();
    // A byte order mark is not part of the first line.
    let text_without_byte_order_mark = without_byte_order_mark(text);
    let mut start = text.len() - text_without_byte_order_mark.len();
    for (index, line) in lines(text_without_byte_order_mark).enumerate() {
        let range = start..start + line.len();
        start = range.end;
        let content = without_break(line);
        let (line, length) = (index + 1, content.len());
        if let Some((is_start, name)) = marker(content) {
            markers.push(Marker { is_start, name: Some(name), range, line, length });
        } else if neutralize::looks_like_marker(content) {
            markers.push(Marker { is_start: false, name: None, range, line, length });
        }
    }
    markers
}

/// Parses a marker: whether it is a start, and the name.
fn marker(line: &str) -> Option<(bool, &str)> {
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

/// Returns the start or end marker of a block.
pub(super) fn write_marker(is_start: bool, name: &str) -> String {
    format!("<!-- {WORD}{}:{name} -->", if is_start { "start" } else { "end" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(name: &str) -> String {
        write_marker(true, name)
    }

    fn end(name: &str) -> String {
        write_marker(false, name)
    }

    /// Blocks with their lines and bodies, and what is broken with its line.
    type Summary = (Vec<(String, usize, String)>, Vec<(usize, String)>);

    fn show(text: &str) -> Summary {
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
    fn a_block_is_between_two_markers() {
        let (a, z, b, y) = (&*start("toolbox"), &*end("toolbox"), &*start("rules"), &*end("rules"));
        check(&[], &[], &[]);
        check(&["one", a, "x", "", z, "two"], &[("toolbox", 2, "x\n\n")], &[]);
        check(&[a, z], &[("toolbox", 1, "")], &[]);
        check(&[a, z, b, y, a, z, ""], &[("toolbox", 1, ""), ("rules", 3, ""), ("toolbox", 5, "")], &[]);
        check(&["", &format!("  {a}\t"), &format!(" {z} ")], &[("toolbox", 2, "")], &[]);
        check(&[&format!("{a}\r"), "x\r", &format!("{z}\r"), ""], &[("toolbox", 1, "x\r\n")], &[]);
    }

    #[test]
    fn unmatched_markers_are_broken() {
        let (a, z, b, y) = (&*start("toolbox"), &*end("toolbox"), &*start("rules"), &*end("rules"));
        check(&["", a], &[], &[(2, "the protected block `toolbox` has no end")]);
        check(&[z], &[], &[(1, "the protected block `toolbox` ends without a start")]);
        check(&[a, y], &[], &[(1, "the protected block `toolbox` starts, but `rules` ends")]);
        check(
            &[a, b, y, z],
            &[("rules", 2, "")],
            &[
                (1, "the protected block `rules` starts within `toolbox`"),
                (4, "the protected block `toolbox` ends without a start"),
            ],
        );
        check(
            &[a, a, z],
            &[("toolbox", 2, "")],
            &[(1, "the protected block `toolbox` starts within `toolbox`")],
        );
    }

    #[test]
    fn near_misses_are_broken_markers() {
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
            check(&[line], &[], &[(1, "this looks like a marker of a protected block, but is not valid")]);
        }
        for line in ["ateam-protect", "<!-- toolbox -->", "ateam_protect:start:toolbox"] {
            check(&[line], &[], &[]);
        }
        // A byte order mark does not hide the first marker.
        check(&[&format!("\u{feff}{}", start("a")), "x", &end("a")], &[("a", 1, "x\n")], &[]);
        // Without spaces it still looks like a marker.
        check(&["<!--ateam-protect:start:a-->", "<!-- ateam-protect:end:a-->"], &[("a", 1, "")], &[]);
    }
}
