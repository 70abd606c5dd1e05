//! Checks of the places of findings.

use minds_diagnostics::Diagnostic;

/// Expects every place to lie in its text, at the boundaries of characters where there are such.
pub(crate) fn expect_true(found: &[Diagnostic]) {
    for found in found {
        for label in found.primary.iter().chain(&found.secondary) {
            match label.source.text() {
                Ok(text) => assert!(text.get(label.span.range()).is_some(), "{found:?}"),
                Err(_) => assert!(label.source.bytes().get(label.span.range()).is_some(), "{found:?}"),
            }
        }
    }
}
