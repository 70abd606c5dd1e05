use minds_diagnostics::Diagnostic;

use super::{Check, rule};

rule!(
    "fleet/tls-mismatch",
    Warning,
    true,
    "the URL of the transport and `tls` say different things about encryption",
    "tls_mismatch.md"
);

pub(super) fn check(check: &mut Check<'_>) {
    let family = check.family;
    for layer in &family.layers {
        let Some(file) = &layer.tools else { continue };
        let (Some(tools), Some(document)) = (&file.content, family.document(file)) else { continue };
        let Some(transport) = tools.transport.given().map(|transport| &transport.value) else { continue };
        let (Some(url), Some(tls)) = (transport.url.given(), transport.tls.given()) else { continue };
        let is_encrypted = url.value.starts_with("rediss://");
        if is_encrypted == tls.value {
            continue;
        }
        check.report(&RULE, document, tls, |label| {
            let (said, scheme) = if tls.value { ("encrypted", "redis") } else { ("not encrypted", "rediss") };
            let meant = if tls.value { "rediss" } else { "redis" };
            Diagnostic::new(&RULE, format!("`tls` says {said}, and the URL says `{scheme}://`"))
                .primary(label.message(said))
                .secondary(document.source().label(url.span).message("says the opposite"))
                .help(format!("write `{meant}://` in the URL, or remove `tls`"))
        });
    }
}
