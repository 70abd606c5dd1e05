use minds_diagnostics::{AllowComment, AllowedCode, Diagnostic, Rule, Severity, SourceFile, Span};

use super::Check;

pub(super) static RULE: Rule = Rule {
    code: "allow/unused",
    summary: "a comment allows a finding that is not there",
    default_severity: Severity::Warning,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("unused.md"),
};

pub(super) fn check(check: &mut Check<'_>, comment: &AllowComment, code: &AllowedCode, rule: &'static Rule) {
    // A text that was not read may hold what is allowed, in this file or in another one.
    if !comment.has_reason || !check.is_read {
        return;
    }
    let file = check.file;
    let first = code.line.and_then(|line| file.allowances.find(file.source, line, rule.code));
    let repeats = first.filter(|first| first.span != code.span);
    if repeats.is_none() && code.line.is_some_and(|line| file.has_allowed(line, rule.code)) {
        return;
    }
    let is_whole = check.is_whole;
    check.report_code(&RULE, code, |label| {
        if let Some(first) = repeats {
            let found = Diagnostic::new(&RULE, format!("`{}` is allowed twice for one line", rule.code))
                .primary(label.message("allows nothing"))
                .secondary(file.source.label(first.span).message("allowed here already"));
            return removed(found, file.source, comment, code);
        }
        let said = match code.line {
            Some(line) => format!("not found on line {line}"),
            None => "nothing stands below".to_owned(),
        };
        let found = Diagnostic::new(&RULE, format!("`{}` is allowed where it is not found", rule.code))
            .primary(label.message(said))
            .note(
                "a comment allows what starts on its line; one on a line of its own, what starts on the next",
            );
        if file.has_found(rule.code) {
            // The reason may be about that one.
            return found.help("move the comment to the line of the finding, or remove it");
        }
        if !is_whole {
            // What follows from a value that was not understood is not known, so nothing is taken away.
            return found.help("mend the errors first if the comment is about something there, or remove it");
        }
        removed(found, file.source, comment, code)
    });
}

/// Offers to remove a code, or the comment if there is no other code in it.
fn removed(found: Diagnostic, source: &SourceFile, comment: &AllowComment, code: &AllowedCode) -> Diagnostic {
    let (title, span) = if comment.codes == 1 {
        ("remove the comment", whole_comment(source, comment.span))
    } else {
        ("remove the code", with_comma(source, comment.span, code.span))
    };
    found.help(title).fix(title, source, span, "")
}

/// Returns a comment with the white space before it, and with its line if nothing else stands there.
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
    // The last line has no next one, and its end is that of the text.
    let end = if next > start { next } else { comment.end() };
    Span::new(start, end)
}

/// Returns a code of several with the comma behind it, or, of the last one, before it.
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
