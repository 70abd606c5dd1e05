//! Colors of human-readable output.

use minds_diagnostics::emit::visible;

const RESET: &str = "\u{1b}[0m";

/// A style of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Added lines.
    Green,
    /// Removed lines, and errors.
    Red,
    /// Warnings.
    Yellow,
    /// Places.
    Cyan,
    /// Headings.
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

/// Applies a style to text that is safe for terminals, unless colors are disabled.
pub fn paint(text: &str, style: Style, is_colored: bool) -> String {
    if is_colored { format!("{}{text}{RESET}", style.start()) } else { text.to_owned() }
}

/// Renders a unified diff so that it is safe for terminals, in colors unless these are disabled.
pub fn diff(diff: &str, is_colored: bool) -> String {
    let mut rendered = String::new();
    // After the header, a line that begins with `--` or `++` is a line of the file that begins with one such character.
    let mut in_header = true;
    for line in diff.lines() {
        in_header &= !line.starts_with("@@");
        let style = match line.chars().next() {
            _ if in_header => Some(Style::Bold),
            Some('@') => Some(Style::Cyan),
            Some('+') => Some(Style::Green),
            Some('-') => Some(Style::Red),
            _ => None,
        };
        let line = visible(line);
        match style {
            Some(style) => rendered.push_str(&paint(&line, style, is_colored)),
            None => rendered.push_str(&line),
        }
        rendered.push('\n');
    }
    rendered
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIFF: &str = "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n same\n--- old\n+\tnew\u{1b}[2J\n";

    #[test]
    fn a_diff_without_colors_only_has_escapes() {
        assert_eq!(
            diff(DIFF, false),
            "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n same\n--- old\n+\tnew\\u{1b}[2J\n"
        );
    }

    #[test]
    fn each_kind_of_line_in_a_diff_has_its_color() {
        assert_eq!(
            diff(DIFF, true),
            "\u{1b}[1m--- a/x\u{1b}[0m\n\u{1b}[1m+++ b/x\u{1b}[0m\n\u{1b}[36m@@ -1,3 +1,3 @@\u{1b}[0m\n same\n\
             \u{1b}[31m--- old\u{1b}[0m\n\u{1b}[32m+\tnew\\u{1b}[2J\u{1b}[0m\n"
        );
    }
}
