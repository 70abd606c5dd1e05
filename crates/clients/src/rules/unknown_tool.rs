use minds_diagnostics::{Candidates, Diagnostic, Severity, find_misspelled, rule};

use super::{Check, shorten, tools, version_note};
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

pub(super) fn check(check: &mut Check<'_>, file: &ClientFile) {
    let Some(known) = &file.client.tools else { return };
    let mut candidates = None;
    for entry in tools::entries(file) {
        let name = entry.name();
        if name.is_empty() || known.accepts(name) {
            continue;
        }
        let is_retired = known.retired.iter().any(|retired| retired == name);
        // Skills and commands are shared by clients, whose tools have other names.
        let is_shared = matches!(file.kind, Kind::Skill | Kind::Command);
        let names = || known.names.iter().map(String::as_str);
        if is_shared && (is_retired || find_misspelled(name, names()).is_none()) {
            continue;
        }
        let candidates = candidates.get_or_insert_with(|| Candidates::new(names()));
        let client = &file.client.name;
        check.report(&RULE, file, entry.span, |label| {
            if is_retired {
                return Diagnostic::new(&RULE, format!("{client} no longer has the tool `{name}`"))
                    .severity(Severity::Info)
                    .primary(label)
                    .note(version_note(file))
                    .help("remove it");
            }
            let help = candidates
                .did_you_mean(name)
                .unwrap_or_else(|| "write the name of a tool of this client, or remove the entry".to_owned());
            let found = Diagnostic::new(&RULE, format!("unknown tool `{}`", shorten(name)))
                .primary(label.message(format!("{client} has no such tool")))
                .help(help);
            match &known.on_unknown {
                Some(effect) => found.severity(Severity::Error).note(effect.clone()).note(version_note(file)),
                None => found.note(version_note(file)),
            }
        });
    }
}
