//! Text that cannot play tricks on a terminal.

use std::borrow::Cow;
use std::fmt::Write as _;

use minds_text::hidden_text;

/// Returns a string for one line of a terminal: control characters and hidden text are written as `\u{…}`, line breaks and
/// tabs as `\n` and `\t`.
pub fn printable(text: &str) -> Cow<'_, str> {
    escape(text, |c, _| matches!(c, '\n' | '\r' | '\t' | '\u{c}' | '\u{feff}'))
}

/// Returns a string of several lines, such as the content of a file, in which everything is displayed and nothing is a command
/// for a terminal: what [`printable`] escapes is escaped, except tabs and line breaks. A carriage return is a line break
/// only together with a line feed.
pub fn visible(text: &str) -> Cow<'_, str> {
    escape(text, |c, next| c == '\u{c}' || (c == '\r' && next != Some('\n')))
}

/// Escapes hidden text, and the characters for which `is_escaped` holds, given the character after them.
fn escape(text: &str, is_escaped: impl Fn(char, Option<char>) -> bool) -> Cow<'_, str> {
    let mut hidden = hidden_text(text).peekable();
    let mut characters = text.char_indices().peekable();
    let mut safe = String::new();
    let mut copied = 0;
    while let Some((at, c)) = characters.next() {
        while hidden.next_if(|run| run.end <= at).is_some() {}
        let is_hidden = hidden.peek().is_some_and(|run| run.start <= at);
        if !is_hidden && !is_escaped(c, characters.peek().map(|(_, next)| *next)) {
            continue;
        }
        safe.push_str(text.get(copied..at).unwrap_or_default());
        copied = at + c.len_utf8();
        match c {
            '\n' => safe.push_str("\\n"),
            '\r' => safe.push_str("\\r"),
            '\t' => safe.push_str("\\t"),
            c => {
                // Writing to a string cannot fail.
                let _ = write!(safe, "\\u{{{:x}}}", u32::from(c));
            }
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    safe.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(safe)
}

#[cfg(test)]
mod tests {
    use super::{printable, visible};

    #[test]
    fn terminal_control_characters_are_escaped() {
        assert_eq!(printable("plain é 日本 🧑‍💻"), "plain é 日本 🧑‍💻");
        assert_eq!(printable("a\u{1b}[31mb\u{7}"), "a\\u{1b}[31mb\\u{7}");
        assert_eq!(printable("x\ny\tz\r"), "x\\ny\\tz\\r");
        assert_eq!(printable("\u{202e}gnp.exe"), "\\u{202e}gnp.exe");
        assert_eq!(printable("\u{feff}a\u{e0041}\u{c}"), "\\u{feff}a\\u{e0041}\\u{c}");
    }

    #[test]
    fn lines_stay_and_nothing_else_is_a_command() {
        for (text, expected) in [
            ("a\tb\r\nc\n", "a\tb\r\nc\n"),
            ("evil\rgood\n", "evil\\rgood\n"),
            ("\r\n\r", "\r\n\\r"),
            ("\u{1b}[31mred\u{1b}[0m", "\\u{1b}[31mred\\u{1b}[0m"),
            ("\u{1b}]0;t\u{7}", "\\u{1b}]0;t\\u{7}"),
            ("\u{9b}31m \u{202e}x\u{200b}", "\\u{9b}31m \\u{202e}x\\u{200b}"),
            ("\u{1b}", "\\u{1b}"),
        ] {
            assert_eq!(visible(text), expected, "{text:?}");
        }
        let plain = "\u{feff}plain\r\n日本 👩\u{200d}💻\n";
        assert!(matches!(visible(plain), std::borrow::Cow::Borrowed(_)));
    }
}
