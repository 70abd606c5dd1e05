use minds_diagnostics::{Candidates, Diagnostic, rule};

use super::{Check, shorten, version_note};
use crate::family::ClientFile;
use crate::shape::Type;

rule! {
    pub(crate) static RULE {
        code: "client/unknown-model",
        summary: "a file names a model that its client does not know",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "unknown_model.md",
    }
}

/// The number of similar names in a help.
const MAX_NEAREST: usize = 3;

pub(super) fn check(check: &mut Check<'_>, file: &ClientFile) {
    let Some(known) = &file.client.models else { return };
    let is_model = file.known.shape.keys.get("model").is_some_and(|shape| shape.types.contains(&Type::Model));
    let Some(item) = file.get("model").filter(|_| is_model) else { return };
    let Some(name) = item.text().map(str::trim).filter(|name| !name.is_empty() && !known.accepts(name))
    else {
        return;
    };
    let candidates = Candidates::new(known.names.iter().map(String::as_str));
    let near: Vec<String> =
        candidates.find_nearest(name, MAX_NEAREST).iter().map(|name| format!("`{name}`")).collect();
    check.report(&RULE, file, item.span, |label| {
        let help = match near.as_slice() {
            [] => "write the name of a model that the provider of this client has".to_owned(),
            [one] => format!("did you mean {one}?"),
            several => format!("did you mean one of {}?", several.join(", ")),
        };
        Diagnostic::new(&RULE, format!("unknown model `{}`", shorten(name)))
            .primary(label)
            .note(format!("{} sends the name to the provider as it is", file.client.name))
            .note(version_note(file))
            .help(help)
    });
}
