use minds_diagnostics::{Diagnostic, rule};
use minds_document::{Document, Field, Spanned};

use super::Check;
use crate::family::FleetFamily;
use crate::model::{DEFAULT_URL, Transport, TransportKind, TransportValue};

rule! {
    pub(crate) static RULE {
        code: "fleet/tls-mismatch",
        summary: "the URL of the transport and `tls` contradict each other",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "tls_mismatch.md",
    }
}

/// The effective value of a key.
enum Setting<'f, T> {
    /// The value of the nearest layer that has one, with the index and file of the layer.
    Here(usize, &'f Document, &'f Spanned<T>),
    /// No layer has one.
    Nowhere,
    /// The value cannot be read.
    Unknown,
}

/// Compares the effective values: a value that a nearer layer replaces is not a contradiction.
pub(super) fn check(check: &mut Check<'_>) {
    let family = check.family;
    let Setting::Here(tls_layer, tls_document, tls) = find_nearest(family, |transport| &transport.tls) else {
        return;
    };
    let kind = find_nearest(family, |transport| &transport.kind);
    let url = find_nearest(family, |transport| &transport.url);
    let is_redis = match kind {
        Setting::Here(_, _, kind) => kind.value == TransportKind::Redis,
        // A URL without a kind means a Redis server.
        Setting::Nowhere => !matches!(url, Setting::Nowhere),
        Setting::Unknown => false,
    };
    if !is_redis {
        return;
    }
    let (url, place) = match url {
        Setting::Here(layer, document, url) => {
            // The value of a variable is unknown.
            let TransportValue::Literal(text) = &url.value else { return };
            (text.as_str(), Some((layer, document, url.span, url.node)))
        }
        Setting::Nowhere => (DEFAULT_URL, None),
        Setting::Unknown => return,
    };
    if url.starts_with("rediss://") == tls.value {
        return;
    }
    let (state, scheme, expected) =
        if tls.value { ("encrypted", "redis", "rediss") } else { ("not encrypted", "rediss", "redis") };
    let message = format!("`tls` means {state}, but the URL begins with `{scheme}://`");
    let at_tls = || tls_document.source().label(tls.span).message(state);
    let help = format!("write `{expected}://` in the URL, or remove `tls`");
    match place {
        // The nearer value causes the contradiction.
        Some((layer, document, span, node)) if layer < tls_layer => {
            let url = Spanned { value: (), span, node };
            check.report(&RULE, document, &url, |label| {
                Diagnostic::new(&RULE, message)
                    .primary(label.message(format!("begins with `{scheme}://`")))
                    .secondary(at_tls())
                    .help(help)
            });
        }
        Some((_, document, span, _)) => check.report(&RULE, tls_document, tls, |label| {
            Diagnostic::new(&RULE, message)
                .primary(label.message(state))
                .secondary(document.source().label(span).message("contradicts `tls`"))
                .help(help)
        }),
        None => check.report(&RULE, tls_document, tls, |label| {
            Diagnostic::new(&RULE, message)
                .primary(label.message(state))
                .note(format!("no layer has a URL, so the built-in one is used: `{DEFAULT_URL}`"))
                .help(format!("write a `url` with `{expected}://`, or remove `tls`"))
        }),
    }
}

fn find_nearest<'f, T>(
    family: &'f FleetFamily,
    get: impl Fn(&'f Transport) -> &'f Field<T>,
) -> Setting<'f, T> {
    for (at, layer) in family.layers.iter().enumerate() {
        if layer.is_closed {
            return Setting::Unknown;
        }
        let Some(file) = &layer.tools else { continue };
        let (Some(tools), Some(document)) = (&file.content, family.document(file)) else {
            return Setting::Unknown;
        };
        let transport = match &tools.mcp {
            Field::Given(mcp) => &mcp.value.transport,
            Field::Unreadable(_) => return Setting::Unknown,
            Field::Absent => &Field::Absent,
        };
        let field = match transport {
            Field::Given(transport) => get(&transport.value),
            Field::Unreadable(_) => return Setting::Unknown,
            Field::Absent => &Field::Absent,
        };
        match field {
            Field::Given(value) => return Setting::Here(at, document, value),
            Field::Unreadable(_) => return Setting::Unknown,
            // It may be in the unreadable part.
            Field::Absent if document.is_partial() => return Setting::Unknown,
            Field::Absent => {}
        }
    }
    Setting::Nowhere
}
