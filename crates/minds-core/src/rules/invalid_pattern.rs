use minds_access_control::{PatternError, PatternErrorKind};
use minds_diagnostics::{Diagnostic, Rule, Severity};
use minds_document::{Context, Node};

pub(crate) static RULE: Rule = Rule {
    code: "access/invalid-pattern",
    summary: "an entry of a directory list is no pattern",
    default_severity: Severity::Error,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("invalid_pattern.md"),
};

pub(crate) fn report(node: Node<'_>, written: &str, error: &PatternError, cx: &mut Context) {
    cx.report(node, &RULE, || {
        let help = match error.kind() {
            PatternErrorKind::Blank => "remove the entry; `.` covers the whole workspace",
            PatternErrorKind::ParentDirectory => "write the path from the top of the workspace",
            PatternErrorKind::HiddenCharacter => "remove the character",
            PatternErrorKind::DoubleStarInSegment => "use `*` within a segment, or `**` between slashes",
            _ => "write several shorter patterns",
        };
        Diagnostic::new(&RULE, format!("`{}` is no directory pattern: {}", shortened(written), error.kind()))
            .primary(node.label().message("cannot be read"))
            .note("until it is mended, the list denies everything that it is about")
            .help(help)
    });
}

/// Returns a text that fits into a message.
fn shortened(text: &str) -> String {
    const SHOWN: usize = 60;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
