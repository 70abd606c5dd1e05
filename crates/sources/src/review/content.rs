//! What of an item somebody who reads it would not see, and what can be run.

use minds_diagnostics::{Diagnostic, Problems, Severity, SourceFile};
use minds_paths::portable;

use super::{Review, Subject, files, is_markdown, rules, span};
use crate::{Item, ItemContent};

/// How a pointer of git's extension for large files begins, and how long it is at most, by its specification.
const POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";
const MOST_POINTER: usize = 1_023;
const FLAG: char = '\u{1f3f4}';
/// How many letters follow a flag at most, with the sign that ends them.
const MOST_FLAG_LETTERS: usize = 6;

/// Looks at what an item consists of, as it is done before it is installed: text that is not shown, control characters,
/// programs, pointers to what is not there. What is of error severity should not be installed. Time is linear in the size.
pub fn scan(item: &Item, content: &ItemContent) -> Problems {
    let mut problems = Problems::new();
    for (source, (_, file)) in files(item, content).iter().zip(content.files()) {
        look(source, file.is_executable, &mut problems);
    }
    problems
}

pub(super) fn check(review: &mut Review<'_>, content: &ItemContent, subject: &Subject<'_>) {
    for (source, (_, file)) in subject.files.iter().zip(content.files()) {
        look(source, file.is_executable, &mut review.problems);
    }
}

fn look(source: &SourceFile, is_executable: bool, problems: &mut Problems) {
    if is_executable {
        let start = span(0, 0);
        problems.report(source, start, &rules::EXECUTABLE, || {
            Diagnostic::new(&rules::EXECUTABLE, format!("`{}` can be run", source.name()))
                .primary(source.label(start))
        });
    }
    let bytes = source.bytes();
    if bytes.len() <= MOST_POINTER && bytes.starts_with(POINTER) {
        let start = span(0, 0);
        problems.report(source, start, &rules::POINTER_FILE, || {
            let message =
                format!("`{}` only points to its content, which is not in the repository", source.name());
            Diagnostic::new(&rules::POINTER_FILE, message)
                .primary(source.label(start))
                .help("keep the file in the repository itself")
        });
    }
    // What holds a zero byte, or is not UTF-8, is no text; but agents read Markdown whatever it holds.
    let is_text = !bytes.contains(&0) && source.text().is_ok();
    if !is_text && !is_markdown(source) {
        return;
    }
    if bytes.is_ascii() && !bytes.iter().any(|byte| byte.is_ascii_control() && !is_layout(char::from(*byte)))
    {
        return;
    }
    let mut start = 0;
    for chunk in bytes.utf8_chunks() {
        look_at_text(source, start, chunk.valid(), problems);
        start += chunk.valid().len() + chunk.invalid().len();
    }
}

/// Looks at a text that begins at an offset of the file.
fn look_at_text(source: &SourceFile, offset: usize, text: &str, problems: &mut Problems) {
    let mut characters = text.char_indices().map(|(at, c)| (offset + at, c)).peekable();
    while let Some((start, c)) = characters.next() {
        if c == FLAG {
            // Flags of parts of countries are a flag and a few such letters.
            for _ in 0..MOST_FLAG_LETTERS {
                let _ = characters.next_if(|(_, c)| matches!(c, '\u{e0020}'..='\u{e007f}'));
            }
        }
        let Some(kind) = Unseen::of(start, c) else { continue };
        // What stands together is one finding.
        let (mut end, mut count) = (start + c.len_utf8(), 1);
        while let Some((at, c)) = characters.next_if(|(at, c)| Unseen::of(*at, *c) == Some(kind)) {
            end = at + c.len_utf8();
            count += 1;
        }
        report(source, kind, c, count, (start, end), problems);
    }
}

fn report(
    source: &SourceFile,
    kind: Unseen,
    first: char,
    count: usize,
    (start, end): (usize, usize),
    problems: &mut Problems,
) {
    let span = span(start, end);
    let code = format!("U+{:04X}", u32::from(first));
    let more = if count > 1 { format!(" and {} more", count - 1) } else { String::new() };
    let (rule, severity, message) = match kind {
        Unseen::Control => {
            let severity = if is_markdown(source) { Severity::Error } else { Severity::Warning };
            (&rules::CONTROL_CHARACTER, severity, format!("a control character: {code}{more}"))
        }
        Unseen::Direction => (
            &rules::HIDDEN_TEXT,
            Severity::Error,
            format!("text is shown in another order than it has: {code}{more}"),
        ),
        Unseen::Tag => (&rules::HIDDEN_TEXT, Severity::Error, format!("text that nobody sees: {code}{more}")),
        Unseen::Invisible => {
            (&rules::HIDDEN_TEXT, Severity::Warning, format!("a character that nobody sees: {code}{more}"))
        }
    };
    problems.report(source, span, rule, || {
        Diagnostic::new(rule, message).severity(severity).primary(source.label(span)).help("remove it")
    });
}

/// What is not seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unseen {
    Control,
    /// It changes the order in which text is shown.
    Direction,
    /// It carries text that only programs read.
    Tag,
    Invisible,
}

impl Unseen {
    fn of(at: usize, c: char) -> Option<Self> {
        match c {
            ' '..='~' => None,
            // A byte order mark.
            '\u{feff}' if at == 0 => None,
            _ if c.is_control() => (!is_layout(c)).then_some(Self::Control),
            // Marks that lay text out in scripts from right to left are in use there.
            '\u{061c}' | '\u{200e}' | '\u{200f}' => Some(Self::Invisible),
            _ if portable::is_directional(c) => Some(Self::Direction),
            '\u{e0000}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}' => Some(Self::Tag),
            '\u{00ad}' | '\u{180e}' | '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}' => {
                Some(Self::Invisible)
            }
            _ => None,
        }
    }
}

fn is_layout(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | '\u{c}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, text: &str) -> Vec<String> {
        let mut problems = Problems::new();
        look(&SourceFile::new(name, text), false, &mut problems);
        let shown = |found: Diagnostic| format!("{} {} {}", found.severity, found.rule.name(), found.message);
        problems.into_sorted().into_iter().map(shown).collect()
    }

    #[test]
    fn what_nobody_sees_is_found() {
        for (text, expected) in [
            ("a\u{202e}b", "error hidden-text text is shown in another order than it has: U+202E"),
            (
                "\u{2066}\u{2067}",
                "error hidden-text text is shown in another order than it has: U+2066 and 1 more",
            ),
            ("x\u{e0061}\u{e0062}", "error hidden-text text that nobody sees: U+E0061 and 1 more"),
            (
                "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}\u{e0061}",
                "error hidden-text text that nobody sees: U+E0061",
            ),
            ("x\u{e0100}", "error hidden-text text that nobody sees: U+E0100"),
            ("a\u{200b}b", "warning hidden-text a character that nobody sees: U+200B"),
            ("a\u{feff}b", "warning hidden-text a character that nobody sees: U+FEFF"),
            ("\u{1b}[2J", "error control-character a control character: U+001B"),
            ("\u{7f}", "error control-character a control character: U+007F"),
            ("\u{85}", "error control-character a control character: U+0085"),
            ("bytes\0", "error control-character a control character: U+0000"),
        ] {
            assert_eq!(found("a.md", text), [expected], "{text:?}");
        }
        assert_eq!(found("a.sh", "\u{1b}"), ["warning control-character a control character: U+001B"]);
    }

    #[test]
    fn what_is_in_use_is_not() {
        for text in [
            "plain\ttext\r\n\u{c}",
            "\u{feff}é 日本 ä",
            "👩\u{200d}💻 ❤\u{fe0f}",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
        ] {
            assert_eq!(found("a.md", text), [] as [String; 0], "{text:?}");
        }
        assert_eq!(found("a.bin", "bytes\0\u{202e}"), [] as [String; 0]);
    }

    #[test]
    fn no_byte_keeps_markdown_from_being_looked_at() {
        let looked = |name: &str| {
            let mut problems = Problems::new();
            look(&SourceFile::new(name, b"a\xff\xe2\x80\xaeb\xe2\x80\xaf".to_vec()), false, &mut problems);
            problems.into_sorted()
        };
        let found = looked("a.md");
        let place = found[0].primary.as_ref().map(|label| (label.span.start(), label.span.end()));
        assert_eq!((found.len(), found[0].rule.code, place), (1, "source/hidden-text", Some((2, 5))));
        assert!(looked("a.bin").is_empty());
    }
}
