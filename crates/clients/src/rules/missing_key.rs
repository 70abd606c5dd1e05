use minds_diagnostics::{Diagnostic, Severity, rule};

use super::{Check, version_note};
use crate::client::Format;
use crate::family::ClientFile;
use crate::kind::Kind;
use crate::tree::Value;

rule! {
    pub(crate) static RULE {
        code: "client/missing-key",
        summary: "a file lacks a key without which its client does not use it",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "missing_key.md",
    }
}

pub(super) fn check(check: &mut Check<'_>, file: &ClientFile) {
    let known = file.known;
    // What is missing in a file that cannot be read is not known.
    let has_front_matter = matches!(known.format, Format::Markdown | Format::Lines);
    if file.content.data.is_none() && !(has_front_matter && file.content.flaws.is_empty()) {
        return;
    }
    // A key of another client may be what is meant instead, which is another finding.
    let is_misplaced = known
        .without_effect
        .iter()
        .any(|(key, reason)| file.get(key).is_some() && reason.contains("write `"));
    for key in &known.required {
        let value = file.get(key).map(|item| &item.value);
        let is_present = match value {
            None | Some(Value::Null) => false,
            Some(Value::String(text)) => !text.trim().is_empty(),
            Some(_) => true,
        };
        if is_present || (file.kind == Kind::Mcp && is_misplaced) {
            continue;
        }
        check.report(&RULE, file, file.content.place, |label| {
            let message = match value {
                None if file.content.data.is_none() => {
                    format!("the file has no front matter, so it is not {}", file.kind)
                }
                None => format!("{} has no `{key}`", file.kind),
                Some(_) => format!("`{key}` of {} is empty", file.kind),
            };
            let found = Diagnostic::new(&RULE, message).primary(label).help(help(file, key));
            let found = if let Some(effect) = &known.on_missing { found.note(effect.clone()) } else { found };
            if known.required_is_advice || file.content.data.is_none() {
                found.severity(Severity::Warning)
            } else {
                found.note(version_note(file))
            }
        });
        // Without front matter, one finding is enough.
        if file.content.data.is_none() {
            return;
        }
    }
}

fn help(file: &ClientFile, key: &str) -> String {
    match (key, file.known.format) {
        ("description", Format::Markdown) if file.content.data.is_none() => {
            "begin the file with `---`, `description: …`, `---`".to_owned()
        }
        (_, Format::Markdown) if file.content.data.is_none() => {
            "begin the file with `---`, `name: …`, `description: …`, `---`".to_owned()
        }
        ("name", Format::Markdown | Format::Lines) => format!("add `name: {}`", file.stem()),
        ("description", _) => "add a `description` that says when to use it".to_owned(),
        _ => format!("add `{key}`"),
    }
}
