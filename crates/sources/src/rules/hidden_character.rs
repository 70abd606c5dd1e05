use minds_diagnostics::{Diagnostic, rule};
use minds_document::{Context, Node};
use minds_vfs::portable::{is_control, is_directional};

rule! {
    pub(crate) static RULE {
        code: "source/hidden-character",
        summary: "text for people has a control character, or one that changes the direction of text",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "hidden_character.md",
    }
}

/// Returns whether `text` is displayed as it is; reports it otherwise.
pub(crate) fn check(node: Node<'_>, text: &str, cx: &mut Context) -> bool {
    let Some(hidden) = find(text) else { return true };
    cx.report(node, &RULE, || {
        let number = u32::from(hidden);
        Diagnostic::new(&RULE, format!("invisible character U+{number:04X}"))
            .primary(node.label())
            .note("a terminal would display something else than the actual text")
            .help("remove the character")
    });
    false
}

/// Returns the first character that is not displayed as itself. Line breaks and tabs are allowed.
pub(crate) fn find(text: &str) -> Option<char> {
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let is_plain = match c {
            '\n' | '\t' => true,
            '\r' => characters.peek() == Some(&'\n'),
            c => !is_control(c) && !is_directional(c),
        };
        if !is_plain {
            return Some(c);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_change_the_displayed_text_are_found() {
        for text in ["plain", "two\nlines", "two\r\nlines", "\tx", "日本 👩‍💻", ""] {
            assert_eq!(find(text), None, "{text:?}");
        }
        for (text, hidden) in [
            ("a\u{1b}[2J", '\u{1b}'),
            ("evil\rmake build", '\r'),
            ("a\u{202e}b", '\u{202e}'),
            ("a\u{7f}", '\u{7f}'),
        ] {
            assert_eq!(find(text), Some(hidden), "{text:?}");
        }
        assert_eq!(find("x\r"), Some('\r'));
    }
}
