//! Content of items that readers would not see, and executable files.

use minds_diagnostics::{Diagnostic, Problems, Severity, SourceFile};
use minds_text::{HiddenKind, HiddenText, hidden_text_of_bytes};

use super::{Review, ReviewedItem, files, is_markdown, rules, span};
use crate::{Item, ItemContent};

/// The prefix and the maximum length of a Git LFS pointer file, from its specification.
const POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";
const MAX_POINTER: usize = 1_023;

/// Scans the content of an item before installation: hidden text, control characters, executable files,
/// pointers to missing content. Items with findings of severity error should not be installed. Takes time
/// linear in the size.
pub fn scan(item: &Item, content: &ItemContent) -> Problems {
    let mut problems = Problems::new();
    for (source, (_, file)) in files(item, content).iter().zip(content.files()) {
        check_file(source, file.is_executable, &mut problems);
    }
    problems
}

pub(super) fn check(review: &mut Review<'_>, content: &ItemContent, subject: &ReviewedItem<'_>) {
    for (source, (_, file)) in subject.files.iter().zip(content.files()) {
        check_file(source, file.is_executable, &mut review.problems);
    }
}

fn check_file(source: &SourceFile, is_executable: bool, problems: &mut Problems) {
    if is_executable {
        let start = span(0, 0);
        problems.report(source, start, &rules::EXECUTABLE, || {
            Diagnostic::new(&rules::EXECUTABLE, format!("`{}` is executable", source.name()))
                .primary(source.label(start))
                .help("read the file before you install the source")
        });
    }
    let bytes = source.bytes();
    if bytes.len() <= MAX_POINTER && bytes.starts_with(POINTER) {
        let start = span(0, 0);
        problems.report(source, start, &rules::POINTER_FILE, || {
            let message =
                format!("`{}` is a Git LFS pointer; its content is not in the repository", source.name());
            Diagnostic::new(&rules::POINTER_FILE, message)
                .primary(source.label(start))
                .help("store the content in the repository itself")
        });
    }
    // A file with a NUL byte, or that is not UTF-8, is binary; but agents read every Markdown file.
    let is_text = !bytes.contains(&0) && source.text().is_ok();
    if !is_text && !is_markdown(source) {
        return;
    }
    for found in hidden_text_of_bytes(bytes) {
        report(source, &found, problems);
    }
}

fn report(source: &SourceFile, found: &HiddenText, problems: &mut Problems) {
    let span = span(found.start, found.end);
    let code = format!("U+{:04X}", u32::from(found.first));
    let more = if found.count > 1 { format!(" and {} more", found.count - 1) } else { String::new() };
    let (rule, severity, message) = match found.kind {
        HiddenKind::Control => {
            let severity = if is_markdown(source) { Severity::Error } else { Severity::Warning };
            (&rules::CONTROL_CHARACTER, severity, format!("control character: {code}{more}"))
        }
        HiddenKind::Direction => (
            &rules::HIDDEN_TEXT,
            Severity::Error,
            format!("text is displayed in another order: {code}{more}"),
        ),
        HiddenKind::Tag => (&rules::HIDDEN_TEXT, Severity::Error, format!("hidden text: {code}{more}")),
        HiddenKind::Invisible => {
            (&rules::HIDDEN_TEXT, Severity::Warning, format!("invisible character: {code}{more}"))
        }
    };
    problems.report(source, span, rule, || {
        Diagnostic::new(rule, message).severity(severity).primary(source.label(span)).help("remove it")
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan_findings(name: &str, text: &str) -> Vec<String> {
        let mut problems = Problems::new();
        check_file(&SourceFile::new(name, text), false, &mut problems);
        let summary =
            |found: Diagnostic| format!("{} {} {}", found.severity, found.rule.name(), found.message);
        problems.into_sorted().into_iter().map(summary).collect()
    }

    #[test]
    fn hidden_text_is_found() {
        for (text, expected) in [
            ("a\u{202e}b", "error hidden-text text is displayed in another order: U+202E"),
            ("\u{2066}\u{2067}", "error hidden-text text is displayed in another order: U+2066 and 1 more"),
            ("x\u{e0061}\u{e0062}", "error hidden-text hidden text: U+E0061 and 1 more"),
            (
                "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}\u{e0061}",
                "error hidden-text hidden text: U+E0061",
            ),
            ("x\u{e0100}", "error hidden-text hidden text: U+E0100"),
            ("a\u{200b}b", "warning hidden-text invisible character: U+200B"),
            ("a\u{feff}b", "warning hidden-text invisible character: U+FEFF"),
            ("\u{1b}[2J", "error control-character control character: U+001B"),
            ("\u{7f}", "error control-character control character: U+007F"),
            ("\u{85}", "error control-character control character: U+0085"),
            ("bytes\0", "error control-character control character: U+0000"),
        ] {
            assert_eq!(scan_findings("a.md", text), [expected], "{text:?}");
        }
        assert_eq!(scan_findings("a.sh", "\u{1b}"), ["warning control-character control character: U+001B"]);
    }

    #[test]
    fn characters_in_common_use_are_not_findings() {
        for text in [
            "plain\ttext\r\n\u{c}",
            "\u{feff}é 日本 ä",
            "👩\u{200d}💻 ❤\u{fe0f}",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
        ] {
            assert_eq!(scan_findings("a.md", text), [] as [String; 0], "{text:?}");
        }
        assert_eq!(scan_findings("a.bin", "bytes\0\u{202e}"), [] as [String; 0]);
    }

    #[test]
    fn markdown_with_any_bytes_is_scanned() {
        let is_flagged = |name: &str| {
            let mut problems = Problems::new();
            check_file(
                &SourceFile::new(name, b"a\xff\xe2\x80\xaeb\xe2\x80\xaf".to_vec()),
                false,
                &mut problems,
            );
            problems.into_sorted()
        };
        let found = is_flagged("a.md");
        let place = found[0].primary.as_ref().map(|label| (label.span.start(), label.span.end()));
        assert_eq!((found.len(), found[0].rule.code, place), (1, "source/hidden-text", Some((2, 5))));
        assert!(is_flagged("a.bin").is_empty());
    }
}
