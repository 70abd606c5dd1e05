use minds_diagnostics::{Diagnostic, Severity, rule};

use super::{Check, version_note};
use crate::client::BrokenYaml;
use crate::decode::Flaw;
use crate::family::ClientFile;

rule! {
    pub(crate) static RULE {
        code: "client/broken-front-matter",
        summary: "the front matter of a file for a client is not valid YAML",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "broken_front_matter.md",
    }
}

pub(super) fn check(check: &mut Check<'_>, file: &ClientFile) {
    for flaw in &file.content.flaws {
        let Flaw::FrontMatter { span, why } = flaw else { continue };
        let is_lenient = file.known.broken_yaml == BrokenYaml::Lenient;
        check.report(&RULE, file, *span, |label| {
            let found = Diagnostic::new(&RULE, format!("the front matter is not valid YAML: {why}"))
                .primary(label)
                .help("put the value in quotes, or write it after `>-` on lines of its own");
            match &file.known.on_broken {
                Some(effect) => found.note(effect.clone()).note(version_note(file)),
                None if is_lenient => found
                    .severity(Severity::Warning)
                    .note(format!("{} reads what it can; other programs refuse the file", file.client.name)),
                None => found,
            }
        });
    }
}
