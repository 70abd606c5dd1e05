use minds_diagnostics::Diagnostic;
use minds_document::{Document, Field, Spanned};

use super::{Check, rule};
use crate::effective::DEFAULT_URL;
use crate::family::FleetFamily;
use crate::model::{Transport, TransportValue};

rule!(
    "fleet/tls-mismatch",
    Warning,
    true,
    "the URL of the transport and `tls` say different things about encryption",
    "tls_mismatch.md"
);

/// What counts of one key after all layers are put together.
enum Said<'f, T> {
    /// The value of the nearest layer that has one: which layer that is, and its file.
    Here(usize, &'f Document, &'f Spanned<T>),
    /// No layer has one.
    Nowhere,
    /// What counts cannot be read.
    Unknown,
}

/// Judges what counts in the end: a value that a nearer layer replaces contradicts nothing.
pub(super) fn check(check: &mut Check<'_>) {
    let family = check.family;
    let Said::Here(tls_layer, tls_document, tls) = nearest(family, |transport| &transport.tls) else {
        return;
    };
    let (url, place) = match nearest(family, |transport| &transport.url) {
        Said::Here(layer, document, url) => {
            // What a variable holds is not known.
            let TransportValue::Literal(text) = &url.value else { return };
            (text.as_str(), Some((layer, document, url.span, url.node)))
        }
        Said::Nowhere => (DEFAULT_URL, None),
        Said::Unknown => return,
    };
    if url.starts_with("rediss://") == tls.value {
        return;
    }
    let (said, scheme, meant) =
        if tls.value { ("encrypted", "redis", "rediss") } else { ("not encrypted", "rediss", "redis") };
    let message = format!("`tls` says {said}, and the URL says `{scheme}://`");
    let at_tls = || tls_document.source().label(tls.span).message(said);
    let help = format!("write `{meant}://` in the URL, or remove `tls`");
    match place {
        // The nearer value is the one that makes the contradiction.
        Some((layer, document, span, node)) if layer < tls_layer => {
            let url = Spanned { value: (), span, node };
            check.report(&RULE, document, &url, |label| {
                Diagnostic::new(&RULE, message)
                    .primary(label.message(format!("says `{scheme}://`")))
                    .secondary(at_tls())
                    .help(help)
            });
        }
        Some((_, document, span, _)) => check.report(&RULE, tls_document, tls, |label| {
            Diagnostic::new(&RULE, message)
                .primary(label.message(said))
                .secondary(document.source().label(span).message("says the opposite"))
                .help(help)
        }),
        None => check.report(&RULE, tls_document, tls, |label| {
            Diagnostic::new(&RULE, message)
                .primary(label.message(said))
                .note(format!("no layer has a URL, so the one that is built in counts: `{DEFAULT_URL}`"))
                .help(format!("write a `url` with `{meant}://`, or remove `tls`"))
        }),
    }
}

fn nearest<'f, T>(family: &'f FleetFamily, get: impl Fn(&'f Transport) -> &'f Field<T>) -> Said<'f, T> {
    for (at, layer) in family.layers.iter().enumerate() {
        if layer.is_closed {
            return Said::Unknown;
        }
        let Some(file) = &layer.tools else { continue };
        let (Some(tools), Some(document)) = (&file.content, family.document(file)) else {
            return Said::Unknown;
        };
        let field = match &tools.transport {
            Field::Given(transport) => get(&transport.value),
            Field::Unreadable(_) => return Said::Unknown,
            Field::Absent => &Field::Absent,
        };
        match field {
            Field::Given(value) => return Said::Here(at, document, value),
            Field::Unreadable(_) => return Said::Unknown,
            // It may stand in the part that was not read.
            Field::Absent if document.is_partial() => return Said::Unknown,
            Field::Absent => {}
        }
    }
    Said::Nowhere
}
