//! Reports text that models read and people do not see.

use std::collections::BTreeSet;

use minds_diagnostics::{Diagnostic, Problems, Severity, SourceFile, Span};
use minds_text::{HiddenKind, HiddenText, hidden_text, hidden_text_of_bytes, is_control};

use crate::{Format, Node, rules};

/// Reports hidden characters in files that are given to a model, in linear time. A file that is listed twice is
/// checked once.
pub fn check_hidden_text<'s>(texts: impl IntoIterator<Item = &'s SourceFile>) -> Problems {
    let mut problems = Problems::new();
    let mut seen = BTreeSet::new();
    for source in texts {
        if !seen.insert(source.name()) {
            continue;
        }
        // A file that is not UTF-8 may still reach a model, with replacement characters.
        let format = Format::of(source.name());
        for found in hidden_text_of_bytes(source.bytes()) {
            if !format.is_some_and(|format| is_refused(format, found.first)) {
                report(source, span(found.start, found.end), &found, false, &mut problems);
            }
        }
        if let (Some(format), Ok(text)) = (format, source.text())
            && may_have_escapes(text)
        {
            check_escapes(source, format, &mut problems);
        }
    }
    problems
}

/// Returns whether a control character is already a syntax error in a format.
fn is_refused(format: Format, c: char) -> bool {
    match format {
        Format::Yaml => is_control(c),
        Format::Toml => c < ' ' || c == '\u{7f}',
    }
}

/// Returns whether a string contains something that looks like an escape of a character that may be hidden.
fn may_have_escapes(text: &str) -> bool {
    const LETTERS: &[u8] = b"uUxeabv0NLP";
    let bytes = text.as_bytes();
    text.match_indices('\\').any(|(at, _)| bytes.get(at + 1).is_some_and(|letter| LETTERS.contains(letter)))
}

/// Reports hidden characters that quoted strings contain as escapes. The quotes determine what is an escape, so the
/// document is parsed again; this is rare.
fn check_escapes(source: &SourceFile, format: Format, problems: &mut Problems) {
    let Some(document) = format.parse(source).value else { return };
    for node in document.iter() {
        let Some(text) = node.scalar_text() else { continue };
        let written = source.slice(node.span());
        if !written.contains('\\') {
            continue;
        }
        for found in hidden_text(text) {
            // A character that is not written as an escape was already reported.
            if !written.contains(found.first) {
                report_escape(source, node, &found, problems);
            }
        }
    }
}

fn report_escape(source: &SourceFile, node: Node<'_>, found: &HiddenText, problems: &mut Problems) {
    report(source, node.span(), found, true, problems);
}

fn span(start: usize, end: usize) -> Span {
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span::new(offset(start), offset(end))
}

fn report(source: &SourceFile, span: Span, found: &HiddenText, is_escaped: bool, problems: &mut Problems) {
    let (rule, severity, what) = match found.kind {
        HiddenKind::Control => (&rules::CONTROL_CHARACTER, Severity::Error, "control character"),
        HiddenKind::Direction => (&rules::HIDDEN_TEXT, Severity::Error, "bidirectional control character"),
        HiddenKind::Tag => (&rules::HIDDEN_TEXT, Severity::Error, "hidden text"),
        HiddenKind::Invisible => (&rules::HIDDEN_TEXT, Severity::Warning, "invisible character"),
    };
    problems.report(source, span, rule, || {
        let more = if found.count > 1 { format!(" and {} more", found.count - 1) } else { String::new() };
        let label = match (is_escaped, found.kind) {
            (true, _) => "written as an escape",
            (false, HiddenKind::Direction) => "models read this text in another order",
            (false, _) => "models read this, and it is not displayed",
        };
        Diagnostic::new(rule, format!("{what} U+{:04X}{more}", u32::from(found.first)))
            .severity(severity)
            .primary(source.label(span).message(label))
            .help(if found.count > 1 { "remove the characters" } else { "remove the character" })
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding_lines(name: &str, text: impl AsRef<[u8]>) -> Vec<String> {
        let source = SourceFile::new(name, text.as_ref().to_vec());
        let problems = check_hidden_text([&source, &source]).into_sorted();
        let shown = |found: Diagnostic| {
            let start = found.primary.as_ref().map(|label| label.span.start()).unwrap_or_default();
            format!("{} {} {start} {}", found.severity, found.rule.code, found.message)
        };
        problems.into_iter().map(shown).collect()
    }

    #[test]
    fn each_kind_is_reported_with_its_severity() {
        for (text, expected) in [
            ("a\u{202e}b", "error text/hidden-text 1 bidirectional control character U+202E"),
            ("x\u{e0061}\u{e0062}", "error text/hidden-text 1 hidden text U+E0061 and 1 more"),
            ("a\u{200b}b", "warning text/hidden-text 1 invisible character U+200B"),
            ("a\u{1b}[2J", "error text/control-character 1 control character U+001B"),
        ] {
            assert_eq!(finding_lines("persona.md", text), [expected], "{text:?}");
        }
        assert_eq!(finding_lines("persona.md", "\u{feff}plain 👩\u{200d}💻\n"), [] as [String; 0]);
        let latin = finding_lines("persona.md", b"caf\xe9 \xf3\xa0\x81\xa1");
        assert_eq!(latin, ["error text/hidden-text 5 hidden text U+E0061"]);
    }

    #[test]
    fn escapes_count_where_they_are_escapes() {
        let order = "error text/hidden-text 3 bidirectional control character U+202E";
        let escape = "error text/control-character 3 control character U+001B";
        for (name, text, expected) in [
            ("a.yaml", "a: \"\\u202e\"\n", Some(order)),
            ("a.toml", "a =\"\\u202e\"\n", Some(order)),
            ("a.yaml", "a: \"\\e[2J\"\n", Some(escape)),
            ("a.yaml", "a: \"\\x1b[2J\"\n", Some(escape)),
            ("a.toml", "a =\"\\u001b\"\n", Some(escape)),
            ("a.yaml", "a: \"👩\\u200d💻 \\n\\t\"\n", None),
            ("a.yaml", "a: '\\u202e'\n", None),
            ("a.yaml", "a: b # \\u202e\n", None),
            ("a.yaml", "a: \"\\\\u202e\"\n", None),
            ("a.yaml", "a: \"\\u0041\"\n", None),
            ("a.md", "\"\\u202e\"", None),
        ] {
            assert_eq!(finding_lines(name, text).first().map(String::as_str), expected, "{name}: {text}");
        }
        let tag = finding_lines("a.yaml", "a: \"x\\U000E0041\"\n");
        assert_eq!(tag, ["error text/hidden-text 3 hidden text U+E0041"]);
        // One that is written as it is, and one that is an escape.
        let both = finding_lines("a.yaml", "a: \"x\u{e0041} \\u200b\"\n");
        assert_eq!(
            both,
            [
                "warning text/hidden-text 3 invisible character U+200B",
                "error text/hidden-text 5 hidden text U+E0041"
            ]
        );
    }
}
