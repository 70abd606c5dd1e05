use minds_diagnostics::{Diagnostic, rule};

use super::{Check, shorten};
use crate::model::is_name;

rule! {
    pub(crate) static RULE {
        code: "fleet/name-mismatch",
        summary: "the name of an agent differs from its directory",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "name_mismatch.md",
    }
}

pub(super) fn check(check: &mut Check<'_>) {
    for readable in check.readable() {
        let Some(name) = readable.agent.name.as_given() else { continue };
        if name.value == readable.name {
            continue;
        }
        // No agent can have the name of such a directory.
        let help = if is_name(readable.name) {
            format!("write `name: {}`, or rename the directory", shorten(readable.name))
        } else {
            "rename the directory: a name has letters, digits, `_` and `-`".to_owned()
        };
        check.report(&RULE, readable.document, name, |label| {
            let message =
                format!("agent `{}` is defined in directory `{}`", name.value, shorten(readable.name));
            Diagnostic::new(&RULE, message).primary(label.message("not the name of the directory")).help(help)
        });
    }
}
