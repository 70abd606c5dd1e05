//! Tables of short cells.

use minds_diagnostics::emit::printable;
use minds_output::paint::{Style, paint};

/// Renders rows below a heading. Columns are two spaces apart, and no line ends with spaces.
pub(crate) fn render(heading: &[&str], rows: &[Vec<String>], is_colored: bool) -> String {
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| printable(cell).into_owned()).collect()).collect();
    let widths: Vec<usize> = heading
        .iter()
        .enumerate()
        .map(|(at, title)| {
            let cells = rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count());
            cells.max().unwrap_or_default().max(title.len())
        })
        .collect();
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let mut line = String::new();
        for (cell, width) in cells.zip(&widths) {
            line.push_str(cell);
            line.extend(std::iter::repeat_n(' ', (width + 2).saturating_sub(cell.chars().count())));
        }
        line.trim_end().to_owned()
    };
    let mut text = paint(&line(&mut heading.iter().copied()), Style::Bold, is_colored);
    text.push('\n');
    for row in &rows {
        text.push_str(&line(&mut row.iter().map(String::as_str)));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_cells_cannot_control_the_terminal() {
        let rows =
            [vec!["shop/zeus".to_owned(), "idle".to_owned()], vec!["a\u{1b}[2J".to_owned(), String::new()]];
        let expected = "agent       state\nshop/zeus   idle\na\\u{1b}[2J\n";
        assert_eq!(render(&["agent", "state"], &rows, false), expected);
    }
}
