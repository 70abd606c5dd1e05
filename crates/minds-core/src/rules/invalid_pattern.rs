use minds_access_control::{PatternError, PatternErrorKind};
use minds_diagnostics::{Diagnostic, rule};
use minds_document::{Context, Node};

rule! {
    pub(crate) static RULE {
        code: "access/invalid-pattern",
        summary: "an entry of a directory list is not a valid pattern",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "invalid_pattern.md",
    }
}

pub(crate) fn report(node: Node<'_>, written: &str, error: &PatternError, cx: &mut Context) {
    cx.report(node, &RULE, || {
        let help = match error.kind() {
            PatternErrorKind::Blank => "remove the entry; `.` covers the whole workspace",
            PatternErrorKind::ParentDirectory => "write the path relative to the root of the workspace",
            PatternErrorKind::HiddenCharacter => "remove the character",
            PatternErrorKind::DoubleStarInSegment => "use `*` within a segment, or `**` between slashes",
            _ => "write several shorter patterns",
        };
        Diagnostic::new(&RULE, format!("invalid directory pattern `{}`: {}", shorten(written), error.kind()))
            .primary(node.label().message("invalid entry"))
            .note("until this is fixed, the whole list denies access")
            .help(help)
    });
}

/// Returns the pattern, truncated to fit into a message.
fn shorten(text: &str) -> String {
    const MAX_CHARACTERS: usize = 60;
    match text.char_indices().nth(MAX_CHARACTERS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
