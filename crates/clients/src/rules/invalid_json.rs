use minds_diagnostics::{Diagnostic, rule};

use super::Check;
use crate::decode::Flaw;
use crate::family::ClientFile;
use crate::kind::Kind;

rule! {
    pub(crate) static RULE {
        code: "client/invalid-json",
        summary: "a JSON file has something that its client does not accept, such as a comment",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "invalid_json.md",
    }
    pub(crate) static REPEATED_KEY {
        code: "client/repeated-key",
        summary: "a JSON file has a key twice, and the last one replaces the others",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "repeated_key.md",
    }
}

pub(super) fn check(check: &mut Check<'_>, file: &ClientFile) {
    let client = &file.client.name;
    let effect = match file.kind {
        Kind::Settings => format!("{client} then skips the whole file, with all its permissions"),
        _ => format!("{client} then does not read the file"),
    };
    for flaw in &file.content.flaws {
        match flaw {
            Flaw::Syntax { span, why } => check.report(&RULE, file, *span, |label| {
                Diagnostic::new(&RULE, format!("the file is not valid JSON: {why}"))
                    .primary(label)
                    .note(effect.clone())
                    .help("correct the syntax")
            }),
            Flaw::Extension { span, what } => check.report(&RULE, file, *span, |label| {
                Diagnostic::new(&RULE, format!("{client} does not accept {what}"))
                    .primary(label)
                    .note(effect.clone())
                    .help("remove it")
            }),
            Flaw::Repeated { span, first } => {
                let key = file.source.slice(*span).trim_matches('"');
                check.report(&REPEATED_KEY, file, *span, |label| {
                    Diagnostic::new(&REPEATED_KEY, format!("the key `{}` is repeated", super::shorten(key)))
                        .primary(label.message("this one counts"))
                        .secondary(file.source.label(*first).message("without effect"))
                        .help("merge both values under one key")
                });
            }
            Flaw::FrontMatter { .. } => {}
        }
    }
}
