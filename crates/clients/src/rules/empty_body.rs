use minds_diagnostics::{Diagnostic, rule};

use super::{Check, version_note};
use crate::family::ClientFile;

rule! {
    pub(crate) static RULE {
        code: "client/empty-body",
        summary: "an agent has no instructions after its front matter, which its client needs",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "empty_body.md",
    }
}

pub(super) fn check(check: &mut Check<'_>, file: &ClientFile) {
    let Some(effect) = &file.known.needs_body else { return };
    if file.content.data.is_none() || !file.body().trim().is_empty() {
        return;
    }
    let is_remote = file.get("kind").and_then(|kind| kind.text()) == Some("remote");
    if is_remote {
        return;
    }
    check.report(&RULE, file, file.content.place, |label| {
        Diagnostic::new(&RULE, "the agent has no instructions after its front matter")
            .primary(label)
            .note(effect.clone())
            .note(version_note(file))
            .help("write the instructions after the second `---`")
    });
}
