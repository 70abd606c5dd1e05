//! Short excerpts of lines.

use crate::lines::is_blank;

/// The maximum length of a line in an excerpt, in characters.
const MAX_CHARACTERS: usize = 200;
/// The maximum number of lines; of more, half are taken from each end.
const MAX_LINES: usize = 6;
/// The number of lines before or after a change.
const CONTEXT_LINES: usize = 2;

/// Shortens lines, in number and length.
pub fn excerpt(lines: &[&str]) -> Vec<String> {
    if lines.len() <= MAX_LINES {
        return lines.iter().map(|line| cut(line)).collect();
    }
    let ends = (lines.get(..MAX_LINES / 2), lines.get(lines.len() - MAX_LINES / 2..));
    let (first, last) = (ends.0.unwrap_or_default(), ends.1.unwrap_or_default());
    let left_out = format!("… {} more lines …", lines.len() - MAX_LINES);
    first.iter().map(|line| cut(line)).chain([left_out]).chain(last.iter().map(|line| cut(line))).collect()
}

/// Returns the last lines before a change.
pub fn last_lines(lines: &[&str]) -> Vec<String> {
    lines.iter().skip(lines.len().saturating_sub(CONTEXT_LINES)).map(|line| cut(line)).collect()
}

/// Returns the first lines after a change.
pub fn first_lines(lines: &[&str]) -> Vec<String> {
    lines.iter().take(CONTEXT_LINES).map(|line| cut(line)).collect()
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(MAX_CHARACTERS) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    }
}

/// Counts the blank lines at the end and at the beginning.
pub fn blank_line_counts(lines: &[&str]) -> (usize, usize) {
    let end = lines.iter().rev().take_while(|line| is_blank(line)).count();
    (end, lines.iter().take_while(|line| is_blank(line)).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_lines_are_shortened_in_the_middle() {
        assert_eq!(excerpt(&["1"; 6]), ["1"; 6]);
        let many: Vec<String> = (1..=9).map(|number| number.to_string()).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(excerpt(&many), ["1", "2", "3", "… 3 more lines …", "7", "8", "9"]);
        assert_eq!(last_lines(&many), ["8", "9"]);
        assert_eq!(first_lines(&many), ["1", "2"]);
        assert_eq!(first_lines(&[&"ä".repeat(201)]), [format!("{}…", "ä".repeat(200))]);
    }

    #[test]
    fn blank_lines_are_counted_at_both_ends() {
        assert_eq!(blank_line_counts(&["", "a", "", " "]), (2, 1));
        assert_eq!(blank_line_counts(&[]), (0, 0));
    }
}
