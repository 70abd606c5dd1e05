//! Finding text in a line.

/// The maximum length of a reported line, in characters.
const MAX_REPORTED: usize = 240;
/// The number of characters before the match in a longer line.
const CONTEXT_BEFORE: usize = 60;

/// The text to search for.
#[derive(Debug)]
pub struct Needle {
    text: String,
    /// The text in lower case, if letter case is ignored.
    folded: Option<Vec<char>>,
}

impl Needle {
    /// Returns a string to search for, which should be part of one line.
    pub fn new(text: &str, is_case_sensitive: bool) -> Self {
        let folded = (!is_case_sensitive).then(|| text.chars().flat_map(char::to_lowercase).collect());
        Self { text: text.to_owned(), folded }
    }

    /// Returns the string.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the column of the first match in a line, in characters from 1, and an excerpt of the line.
    pub fn find(&self, line: &str) -> Option<(usize, String)> {
        let before = match &self.folded {
            None => line.split_once(&self.text)?.0.chars().count(),
            Some(folded) => position(line, folded)?,
        };
        Some((before + 1, excerpt(line, before)))
    }
}

/// Returns the number of characters in front of the first match of a lower-case text.
fn position(line: &str, folded: &[char]) -> Option<usize> {
    let mut rest = line.chars();
    let mut before = 0;
    loop {
        let mut here = rest.clone().flat_map(char::to_lowercase);
        if folded.iter().all(|c| here.next() == Some(*c)) {
            return Some(before);
        }
        rest.next()?;
        before += 1;
    }
}

/// Returns the line, or an excerpt around the match with `…` at omitted ends.
fn excerpt(line: &str, before: usize) -> String {
    if line.chars().nth(MAX_REPORTED).is_none() {
        return line.to_owned();
    }
    let start = before.saturating_sub(CONTEXT_BEFORE);
    let mut excerpt: String = if start > 0 { "…".to_owned() } else { String::new() };
    let mut rest = line.chars().skip(start);
    excerpt.extend(rest.by_ref().take(MAX_REPORTED));
    if rest.next().is_some() {
        excerpt.push('…');
    }
    excerpt
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, is_case_sensitive: bool, line: &str, column: Option<usize>) {
        let found = Needle::new(text, is_case_sensitive).find(line).map(|(column, _)| column);
        assert_eq!(found, column, "`{text}` in `{line}`");
    }

    #[test]
    fn columns_count_characters() {
        check("b", true, "abab", Some(2));
        check("b", true, "äöb", Some(3));
        check("B", true, "ab", None);
        check("a.c", true, "abc a.c", Some(5));
        check("ab", true, "a", None);
        check("B", false, "ab", Some(2));
        check("ÄB", false, "xäb", Some(2));
        check("straße", false, "STRASSE STRAßE", Some(9));
        check("i\u{307}", false, "\u{130}", Some(1));
        check("ab", false, "aab", Some(2));
        check("ab", false, "a", None);
    }

    #[test]
    fn a_long_line_is_shortened_around_the_match() {
        let line = format!("{}needle{}", "é".repeat(1_000), "x".repeat(1_000));
        let (column, text) = Needle::new("needle", true).find(&line).unwrap();
        assert_eq!(column, 1_001);
        assert!(text.starts_with("…é") && text.contains("needle") && text.ends_with("x…"), "{text}");
        assert_eq!(text.chars().count(), MAX_REPORTED + 2);
        let (_, text) = Needle::new("x", true).find(&"x".repeat(MAX_REPORTED)).unwrap();
        assert_eq!(text, "x".repeat(MAX_REPORTED));
        let (_, text) = Needle::new("x", true).find(&"x".repeat(MAX_REPORTED + 1)).unwrap();
        assert_eq!(text, format!("{}…", "x".repeat(MAX_REPORTED)));
    }
}
