use minds_diagnostics::{Diagnostic, Rule, SourceFile, Span, SuppressedCode, SuppressionComment, rule};

use super::Check;

rule! {
    pub(super) static RULE {
        code: "allow/unused",
        summary: "a comment suppresses a finding that does not exist",
        severity: Warning,
        suppressible: false,
        since: "0.1.0",
        page: "unused.md",
    }
}

pub(super) fn check(
    check: &mut Check<'_>,
    comment: &SuppressionComment,
    code: &SuppressedCode,
    rule: &'static Rule,
) {
    // An unreadable file may contain the suppressed finding or its cause.
    if !comment.has_reason || !check.is_read {
        return;
    }
    let file = check.file;
    let first = code.line.and_then(|line| file.suppressions.find(file.source, line, rule.code));
    let repeats = first.filter(|first| first.span != code.span);
    if repeats.is_none() && code.line.is_some_and(|line| file.has_suppressed(line, rule.code)) {
        return;
    }
    let is_whole = check.is_whole;
    check.report_code(&RULE, code, |label| {
        if let Some(first) = repeats {
            let found = Diagnostic::new(&RULE, format!("`{}` is suppressed twice for one line", rule.code))
                .primary(label.message("suppresses nothing"))
                .secondary(file.source.label(first.span).message("already suppressed here"));
            return offer_removal(found, file.source, comment, code);
        }
        let detail = match code.line {
            Some(line) => format!("not found on line {line}"),
            None => "no line follows".to_owned(),
        };
        let found = Diagnostic::new(&RULE, format!("`{}` is suppressed but not reported on this line", rule.code))
            .primary(label.message(detail))
            .note(
                "a comment applies to findings that start on its line; on a line of its own, to those on the next line",
            );
        if file.has_found(rule.code) {
            // The comment may be intended for that finding.
            return found.help("move the comment to the line of the finding, or remove it");
        }
        if !is_whole {
            // The finding may be missing because of an invalid value, so no removal is offered.
            return found.help("fix the errors first if the comment applies to one of them, or remove it");
        }
        offer_removal(found, file.source, comment, code)
    });
}

/// Offers to remove a code, or the comment if it contains no other code.
fn offer_removal(
    found: Diagnostic,
    source: &SourceFile,
    comment: &SuppressionComment,
    code: &SuppressedCode,
) -> Diagnostic {
    let (title, span) = if comment.codes == 1 {
        ("remove the comment", whole_comment(source, comment.span))
    } else {
        ("remove the code", with_comma(source, comment.span, code.span))
    };
    found.help(title).fix(title, source, span, "")
}

/// Returns the span of a comment with the preceding white space, or of its whole line if there is nothing else on it.
fn whole_comment(source: &SourceFile, comment: Span) -> Span {
    let lines = source.lines();
    let line = lines.line_of(comment.start());
    let start = lines.start_of(line);
    let before = source.slice(Span::new(start, comment.start()));
    let kept = before.trim_end_matches([' ', '\t']);
    let kept_end = start + u32::try_from(kept.len()).unwrap_or_default();
    if !kept.is_empty() {
        return Span::new(kept_end, comment.end());
    }
    let next = lines.start_of(line + 1);
    // The last line ends at the end of the text.
    let end = if next > start { next } else { comment.end() };
    Span::new(start, end)
}

/// Returns the span of one of several codes with the comma after it, or for the last one with the comma before it.
fn with_comma(source: &SourceFile, comment: Span, code: Span) -> Span {
    let behind = source.slice(Span::new(code.end(), comment.end()));
    let rest = behind.trim_start_matches([' ', '\t']);
    if let Some(rest) = rest.strip_prefix(',') {
        let rest = rest.trim_start_matches([' ', '\t']);
        return Span::new(code.start(), comment.end() - u32::try_from(rest.len()).unwrap_or_default());
    }
    let before = source.slice(Span::new(comment.start(), code.start()));
    let kept = before.trim_end_matches([' ', '\t', ',']);
    Span::new(comment.start() + u32::try_from(kept.len()).unwrap_or_default(), code.end())
}
