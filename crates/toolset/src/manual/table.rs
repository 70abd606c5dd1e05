//! Tables in Markdown.

use minds_diagnostics::emit::printable;

/// A table that never breaks, whatever its cells say.
#[derive(Debug)]
pub(super) struct Table {
    text: String,
    left_out: usize,
}

impl Table {
    /// Returns a table without rows.
    pub(super) fn new(heads: &[&str]) -> Self {
        let line = "---|".repeat(heads.len());
        Self { text: format!("| {} |\n|{line}\n", heads.join(" | ")), left_out: 0 }
    }

    /// Adds a row.
    pub(super) fn row<'c>(&mut self, cells: impl IntoIterator<Item = &'c str>) {
        self.row_within(usize::MAX, cells);
    }

    /// Adds a row about what somebody's file says, of which there may be any number: one with which the table would have
    /// more than `most_bytes`, and those behind it, are counted instead.
    pub(super) fn row_within<'c>(&mut self, most_bytes: usize, cells: impl IntoIterator<Item = &'c str>) {
        let cells: Vec<String> = cells.into_iter().map(cell).collect();
        let row = format!("| {} |\n", cells.join(" | "));
        let fits = self.text.len().saturating_add(row.len()) <= most_bytes;
        if most_bytes < usize::MAX && (self.left_out > 0 || !fits) {
            self.left_out += 1;
        } else {
            self.text.push_str(&row);
        }
    }

    /// Returns the text, and how many rows are not in it.
    pub(super) fn finish(self) -> (String, usize) {
        (self.text, self.left_out)
    }
}

/// Returns a text that keeps its cell together.
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

/// How many characters of a text of somebody's file are shown.
const MAX_TEXT_CHARACTERS: usize = 160;

/// Returns the beginning of a text of somebody's file.
pub(super) fn brief(text: &str) -> String {
    printable(&cut(text, MAX_TEXT_CHARACTERS)).into_owned()
}

fn cut(text: &str, most: usize) -> String {
    let mut shown: String = text.chars().take(most).collect();
    if text.chars().nth(most).is_some() {
        shown.push('…');
    }
    shown
}

/// How many characters of a name are shown.
const MAX_NAME_CHARACTERS: usize = 64;

/// Returns a name of somebody's file as code.
pub(super) fn code(name: &str) -> String {
    format!("`{}`", printable(&cut(name, MAX_NAME_CHARACTERS)).replace('`', "'"))
}

/// Returns names as code, at most `most` of them, and how many more there are.
pub(super) fn codes<'n>(names: impl IntoIterator<Item = &'n str>, most: usize) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    let shown: Vec<String> = names.iter().take(most).map(|name| code(name)).collect();
    let more = names.len().saturating_sub(most);
    if more == 0 { shown.join(", ") } else { format!("{} (+{more})", shown.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_one_line_whatever_it_says() {
        let mut table = Table::new(&["a", "b"]);
        table.row(["x|y\nz\u{1b}", "w"]);
        let (text, left_out) = table.finish();
        assert_eq!((text.as_str(), left_out), ("| a | b |\n|---|---|\n| x\\|y z\\u{1b} | w |\n", 0));
    }

    #[test]
    fn rows_that_are_too_many_are_counted_and_ours_are_there() {
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
    fn names_stay_in_their_ticks() {
        assert_eq!(code("a`b"), "`a'b`");
        assert_eq!((code("a\n\u{202e}"), brief("\u{1b}")), ("`a\\n\\u{202e}`".into(), "\\u{1b}".into()));
        assert_eq!(codes(["a", "b", "c"], 2), "`a`, `b` (+1)");
        assert_eq!(code(&"x".repeat(70)).chars().count(), 64 + 3);
    }
}
