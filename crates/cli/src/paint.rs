//! Colours of what is printed for people.

use minds_diagnostics::emit::visible;

const RESET: &str = "\u{1b}[0m";

/// How a text looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// What is added.
    Green,
    /// What is taken away, and errors.
    Red,
    /// Warnings.
    Yellow,
    /// Where something is.
    Cyan,
    /// What heads a part.
    Bold,
}

impl Style {
    fn start(self) -> &'static str {
        match self {
            Self::Green => "\u{1b}[32m",
            Self::Red => "\u{1b}[31m",
            Self::Yellow => "\u{1b}[33m",
            Self::Cyan => "\u{1b}[36m",
            Self::Bold => "\u{1b}[1m",
        }
    }
}

/// Returns a text that is safe for terminals in a style, or as it is where colours are not wanted.
pub(crate) fn paint(text: &str, style: Style, is_coloured: bool) -> String {
    if is_coloured { format!("{}{text}{RESET}", style.start()) } else { text.to_owned() }
}

/// Returns a unified diff for people: safe for terminals, and in colours if these are wanted.
pub(crate) fn diff(diff: &str, is_coloured: bool) -> String {
    let mut shown = String::new();
    // Behind the head a line that begins with two signs is a line of the file that begins with one.
    let mut in_head = true;
    for line in diff.lines() {
        in_head &= !line.starts_with("@@");
        let style = match line.chars().next() {
            _ if in_head => Some(Style::Bold),
            Some('@') => Some(Style::Cyan),
            Some('+') => Some(Style::Green),
            Some('-') => Some(Style::Red),
            _ => None,
        };
        let line = visible(line);
        match style {
            Some(style) => shown.push_str(&paint(&line, style, is_coloured)),
            None => shown.push_str(&line),
        }
        shown.push('\n');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIFF: &str = "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n same\n--- old\n+\tnew\u{1b}[2J\n";

    #[test]
    fn a_diff_without_colours_is_itself_without_tricks() {
        assert_eq!(
            diff(DIFF, false),
            "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n same\n--- old\n+\tnew\\u{1b}[2J\n"
        );
    }

    #[test]
    fn lines_of_a_diff_have_the_colour_of_what_they_say() {
        assert_eq!(
            diff(DIFF, true),
            "\u{1b}[1m--- a/x\u{1b}[0m\n\u{1b}[1m+++ b/x\u{1b}[0m\n\u{1b}[36m@@ -1,3 +1,3 @@\u{1b}[0m\n same\n\
             \u{1b}[31m--- old\u{1b}[0m\n\u{1b}[32m+\tnew\\u{1b}[2J\u{1b}[0m\n"
        );
    }
}
