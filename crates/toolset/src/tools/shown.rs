//! Lines and numbers of lines as results show them.

use serde_json::{Value, json};

use crate::edit::is_blank;

/// How many characters of a line are shown.
const LONGEST: usize = 200;
/// How many lines are shown whole; of more, half of them at either end.
const MOST: usize = 6;
/// How many lines around something are shown.
const AROUND: usize = 2;

/// Returns lines as they are shown: not too many, none too long.
pub(super) fn some(lines: &[&str]) -> Value {
    if lines.len() <= MOST {
        return lines.iter().map(|line| cut(line)).collect();
    }
    let ends = (lines.get(..MOST / 2), lines.get(lines.len() - MOST / 2..));
    let (first, last) = (ends.0.unwrap_or_default(), ends.1.unwrap_or_default());
    let left_out = format!("… {} more lines …", lines.len() - MOST);
    first
        .iter()
        .map(|line| cut(line))
        .chain([Value::from(left_out)])
        .chain(last.iter().map(|line| cut(line)))
        .collect()
}

/// Returns the last lines before something.
pub(super) fn last(lines: &[&str]) -> Value {
    lines.iter().skip(lines.len().saturating_sub(AROUND)).map(|line| cut(line)).collect()
}

/// Returns the first lines behind something.
pub(super) fn first(lines: &[&str]) -> Value {
    lines.iter().take(AROUND).map(|line| cut(line)).collect()
}

fn cut(line: &str) -> Value {
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()).into(),
        None => line.into(),
    }
}

/// Returns how many lines there were, are, and the difference.
pub(super) fn lines_of(old: usize, new: usize) -> Value {
    let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    json!({"old": old, "new": new, "delta": number(new) - number(old)})
}

/// Returns how many blank lines are at the end and at the beginning.
pub(super) fn past(lines: &[&str]) -> (usize, usize) {
    let end = lines.iter().rev().take_while(|line| is_blank(line)).count();
    (end, lines.iter().take_while(|line| is_blank(line)).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_lines_both_ends_are_shown() {
        assert_eq!(some(&["1"; 6]), json!(["1", "1", "1", "1", "1", "1"]));
        let many: Vec<String> = (1..=9).map(|number| number.to_string()).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(some(&many), json!(["1", "2", "3", "… 3 more lines …", "7", "8", "9"]));
        assert_eq!((last(&many), first(&many)), (json!(["8", "9"]), json!(["1", "2"])));
        assert_eq!(first(&[&"ä".repeat(201)]), json!([format!("{}…", "ä".repeat(200))]));
    }

    #[test]
    fn blank_lines_are_counted_at_both_ends() {
        assert_eq!(past(&["", "a", "", " "]), (2, 1));
        assert_eq!(past(&[]), (0, 0));
        assert_eq!(lines_of(3, 1), json!({"old": 3, "new": 1, "delta": -2}));
    }
}
