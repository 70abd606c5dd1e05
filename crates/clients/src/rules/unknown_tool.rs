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
    // One finding is enough for all names without a similar one, and for all of other clients: the file may be one of those.
    let mut others: Vec<(&str, Span)> = Vec::new();
    let mut translated: Vec<(&str, Span, &str)> = Vec::new();
    for entry in tools::entries(file) {
        let name = entry.name();
        if name.is_empty() || known.accepts(name) {
            continue;
        }
        let is_retired = known.retired.iter().any(|retired| retired == name);
        let own = known.translate(name);
        // Skills and commands are shared by clients, whose tools have other names.
        let is_shared = known.is_open || matches!(file.kind, Kind::Skill | Kind::Command);
        if is_shared && (is_retired || own.is_some() || find_misspelled(name, names()).is_none()) {
            continue;
        }
        if is_retired {
            report_retired(check, file, name, entry.span);
        } else if let Some(own) = own {
            translated.push((name, entry.span, own));
        } else {
            match candidates.get_or_insert_with(|| Candidates::new(names())).did_you_mean(name) {
                Some(help) => {
                    report(check, file, known, format!("unknown tool `{}`", shorten(name)), entry.span, help);
                }
                None => others.push((name, entry.span)),
            }
        }
    }
    if let Some((_, span, _)) = translated.first() {
        let listed = list(translated.iter().map(|(name, ..)| *name));
        let mut own: Vec<&str> = translated.iter().map(|(.., own)| *own).collect();
        own.sort_unstable();
        own.dedup();
        let message = format!("{listed} of another client");
        report(check, file, known, message, *span, format!("write {}", list_names(own.into_iter())));
    }
    if let Some((_, span)) = others.first() {
        let message = format!("unknown {}", list(others.iter().map(|(name, _)| *name)));
        let help = "write the names of tools of this client, or remove the entries".to_owned();
        report(check, file, known, message, *span, help);
    }
}

/// Returns names as "tool `a`" or "tools `a`, `b`".
fn list<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> String {
    let noun = if names.len() == 1 { "tool" } else { "tools" };
    format!("{noun} {}", list_names(names))
}

fn list_names<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> String {
    let count = names.len();
    let mut quoted: Vec<String> = names.take(MAX_NAMED).map(|name| format!("`{}`", shorten(name))).collect();
    if count > MAX_NAMED {
        quoted.push(format!("{} more", count - MAX_NAMED));
    }
    quoted.join(", ")
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
