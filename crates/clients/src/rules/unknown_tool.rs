use minds_diagnostics::{Candidates, Diagnostic, Severity, Span, find_misspelled, rule};

use super::{Check, shorten, tools, version_note};
use crate::client::Names;
use crate::family::ClientFile;
use crate::kind::Kind;

rule! {
    pub(crate) static RULE {
        code: "client/unknown-tool",
        summary: "a list of tools names one that its client does not have",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "unknown_tool.md",
    }
}

/// The number of names that a message has.
const MAX_NAMED: usize = 6;

pub(super) fn check(check: &mut Check<'_>, file: &ClientFile) {
    let Some(known) = &file.client.tools else { return };
    let names = || known.names.iter().map(String::as_str);
    let mut candidates = None;
    // Without a similar name, one finding is enough for all: the file may be one of another client.
    let mut others: Vec<(&str, Span)> = Vec::new();
    for entry in tools::entries(file) {
        let name = entry.name();
        if name.is_empty() || known.accepts(name) {
            continue;
        }
        let is_retired = known.retired.iter().any(|retired| retired == name);
        // Skills and commands are shared by clients, whose tools have other names.
        let is_shared = known.is_open || matches!(file.kind, Kind::Skill | Kind::Command);
        if is_shared
            && (is_retired || known.translate(name).is_some() || find_misspelled(name, names()).is_none())
        {
            continue;
        }
        if is_retired {
            report_retired(check, file, name, entry.span);
            continue;
        }
        let help = match known.translate(name) {
            Some(own) => Some(format!("write `{own}`, which is the tool of this client")),
            None => candidates.get_or_insert_with(|| Candidates::new(names())).did_you_mean(name),
        };
        match help {
            Some(help) => {
                report(check, file, known, format!("unknown tool `{}`", shorten(name)), entry.span, help)
            }
            None => others.push((name, entry.span)),
        }
    }
    if let Some((first, span)) = others.first() {
        let message = if others.len() == 1 {
            format!("unknown tool `{}`", shorten(first))
        } else {
            let mut named: Vec<String> =
                others.iter().take(MAX_NAMED).map(|(name, _)| format!("`{}`", shorten(name))).collect();
            if others.len() > MAX_NAMED {
                named.push(format!("{} more", others.len() - MAX_NAMED));
            }
            format!("unknown tools {}", named.join(", "))
        };
        let help = "write the names of tools of this client, or remove the entries".to_owned();
        report(check, file, known, message, *span, help);
    }
}

fn report(
    check: &mut Check<'_>,
    file: &ClientFile,
    known: &Names,
    message: String,
    span: Span,
    help: String,
) {
    check.report(&RULE, file, span, |label| {
        let label = label.message(format!("{} has no such tool", file.client.name));
        let found = Diagnostic::new(&RULE, message).primary(label).help(help);
        match &known.on_unknown {
            Some(effect) => found.severity(Severity::Error).note(effect.clone()).note(version_note(file)),
            None => found.note(version_note(file)),
        }
    });
}

fn report_retired(check: &mut Check<'_>, file: &ClientFile, name: &str, span: Span) {
    check.report(&RULE, file, span, |label| {
        Diagnostic::new(&RULE, format!("{} no longer has the tool `{name}`", file.client.name))
            .severity(Severity::Info)
            .primary(label)
            .note(version_note(file))
            .help("remove it")
    });
}
