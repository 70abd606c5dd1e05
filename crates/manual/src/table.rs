//! Tables in Markdown.

use minds_diagnostics::emit::printable;

/// A table that escapes its cells.
#[derive(Debug)]
pub(crate) struct Table {
    text: String,
    left_out: usize,
}

impl Table {
    /// Returns an empty table.
    pub(crate) fn new(heads: &[&str]) -> Self {
        let line = "---|".repeat(heads.len());
        Self { text: format!("| {} |\n|{line}\n", heads.join(" | ")), left_out: 0 }
    }

    /// Adds a row.
    pub(crate) fn row<'c>(&mut self, cells: impl IntoIterator<Item = &'c str>) {
        self.row_within(usize::MAX, cells);
    }

    /// Adds a row with data from a file of the workspace. Once the table would exceed `max_bytes`, rows are only counted.
    pub(crate) fn row_within<'c>(&mut self, max_bytes: usize, cells: impl IntoIterator<Item = &'c str>) {
        let cells: Vec<String> = cells.into_iter().map(cell).collect();
        let row = format!("| {} |\n", cells.join(" | "));
        let fits = self.text.len().saturating_add(row.len()) <= max_bytes;
        if max_bytes < usize::MAX && (self.left_out > 0 || !fits) {
            self.left_out += 1;
        } else {
            self.text.push_str(&row);
        }
    }

    /// Returns the text and the number of omitted rows.
    pub(crate) fn finish(self) -> (String, usize) {
        (self.text, self.left_out)
    }
}

/// Escapes the text of a cell.
fn cell(text: &str) -> String {
    let mut cell = String::new();
    for c in text.chars() {
        match c {
            '|' => cell.push_str("\\|"),
            '\n' => cell.push(' '),
            c if c.is_control() => cell.extend(c.escape_default()),
            c => cell.push(c),
        }
    }
    cell
}

/// The maximum length of text from a file of the workspace, in characters.
const MAX_TEXT_CHARACTERS: usize = 160;

/// Truncates and escapes text from a file of the workspace.
pub(crate) fn brief(text: &str) -> String {
    printable(&truncate(text, MAX_TEXT_CHARACTERS)).into_owned()
}

fn truncate(text: &str, max: usize) -> String {
    let mut shown: String = text.chars().take(max).collect();
    if text.chars().nth(max).is_some() {
        shown.push('…');
    }
    shown
}

/// The maximum length of a name, in characters.
const MAX_NAME_CHARACTERS: usize = 64;

/// Formats a name from a file of the workspace as code.
pub(crate) fn code(name: &str) -> String {
    format!("`{}`", printable(&truncate(name, MAX_NAME_CHARACTERS)).replace('`', "'"))
}

/// Formats at most `max` names as code, with the number of omitted ones.
pub(crate) fn codes<'n>(names: impl IntoIterator<Item = &'n str>, max: usize) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    let shown: Vec<String> = names.iter().take(max).map(|name| code(name)).collect();
    let more = names.len().saturating_sub(max);
    if more == 0 { shown.join(", ") } else { format!("{} (+{more})", shown.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_always_one_line() {
        let mut table = Table::new(&["a", "b"]);
        table.row(["x|y\nz\u{1b}", "w"]);
        let (text, left_out) = table.finish();
        assert_eq!((text.as_str(), left_out), ("| a | b |\n|---|---|\n| x\\|y z\\u{1b} | w |\n", 0));
    }

    #[test]
    fn too_many_rows_are_counted_except_built_in_ones() {
        let mut table = Table::new(&["a"]);
        for row in ["1234567890", "1234567890", "1234567890", "1"] {
            table.row_within(40, [row]);
        }
        table.row(["ours"]);
        let (text, left_out) = table.finish();
        assert_eq!((text.lines().count(), left_out), (4, 3), "{text}");
        assert!(text.ends_with("| ours |\n"));
    }

    #[test]
    fn names_cannot_leave_their_backticks() {
        assert_eq!(code("a`b"), "`a'b`");
        assert_eq!((code("a\n\u{202e}"), brief("\u{1b}")), ("`a\\n\\u{202e}`".into(), "\\u{1b}".into()));
        assert_eq!(codes(["a", "b", "c"], 2), "`a`, `b` (+1)");
        assert_eq!(code(&"x".repeat(70)).chars().count(), 64 + 3);
    }
}
