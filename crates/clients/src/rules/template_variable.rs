use minds_diagnostics::{Diagnostic, Severity, rule};

use super::{Check, shorten, version_note};
use crate::family::ClientFile;
use crate::json::span;

rule! {
    pub(crate) static RULE {
        code: "client/template-variable",
        summary: "the body of an agent has `${NAME}`, which its client replaces or refuses",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "template_variable.md",
    }
}

pub(super) fn check(check: &mut Check<'_>, file: &ClientFile) {
    let (Some(effect), Some(body)) = (&file.known.template, file.content.body) else { return };
    let text = file.source.slice(body);
    for (at, _) in text.match_indices("${") {
        let rest = text.get(at + 2..).unwrap_or_default();
        let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let name = rest.get(..length).unwrap_or_default();
        if name.is_empty() || !rest.get(length..).unwrap_or_default().starts_with('}') {
            continue;
        }
        let start = body.start() as usize + at;
        let place = span(start, start + length + 3);
        let is_known = file.known.template_variables.iter().any(|known| known == name);
        check.report(&RULE, file, place, |label| {
            let client = &file.client.name;
            if is_known {
                return Diagnostic::new(&RULE, format!("{client} replaces `${{{name}}}` in the body"))
                    .severity(Severity::Info)
                    .primary(label)
                    .note(version_note(file))
                    .help("write it in another way if it is meant literally");
            }
            Diagnostic::new(&RULE, format!("`${{{}}}` is not a variable of {client}", shorten(name)))
                .primary(label)
                .note(effect.clone())
                .note(version_note(file))
                .help(format!("write `${}` or another form without braces", shorten(name)))
        });
    }
}
