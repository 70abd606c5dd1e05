//! What leaves a check shows no secret.
//!
//! Any finding may quote a value or stand on a line with a key, and every format prints messages, excerpts or fixes. So
//! the secrets are covered once, in the findings themselves, and no emitter has to know about them. Spans stay true:
//! what covers a secret is as long as the secret.

use std::borrow::Cow;
use std::collections::BTreeMap;

use minds_core::secrets::{self, Reading};
use minds_diagnostics::{Diagnostic, Label, SourceFile};
use serde_json::Value;

/// From how many characters on a text may be the end of a key.
const LEAST_REST: usize = 16;

/// Returns the text of a file with its secrets covered.
pub fn without_secrets<'t>(file: &str, text: &'t str) -> Cow<'t, str> {
    secrets::masked(text, Reading::of(file))
}

/// Covers the secrets in everything that findings show.
pub fn cover(found: &mut [Diagnostic]) {
    let mut sources = BTreeMap::new();
    for diagnostic in found {
        for label in diagnostic.primary.iter_mut().chain(&mut diagnostic.secondary) {
            cover_text(&mut label.message);
            cover_source(label, &mut sources);
        }
        cover_text(&mut diagnostic.message);
        diagnostic.notes.iter_mut().chain(&mut diagnostic.help).for_each(cover_text);
        diagnostic.pointer.iter_mut().for_each(cover_text);
        // A fix that writes a secret cannot be shown; it can still be applied.
        let shows_secret = |text: &str| !secrets::find(text, Reading::Settings).is_empty();
        diagnostic.fix.take_if(|fix| {
            shows_secret(&fix.title) || fix.edits.iter().any(|edit| shows_secret(&edit.new_text))
        });
    }
}

/// Covers the secrets in every string of a value.
pub(crate) fn covered(value: Value) -> Value {
    match value {
        Value::String(mut text) => {
            cover_text(&mut text);
            Value::String(text)
        }
        Value::Array(items) => items.into_iter().map(covered).collect(),
        Value::Object(entries) => {
            let cover = |(mut key, value): (String, Value)| {
                cover_text(&mut key);
                (key, covered(value))
            };
            entries.into_iter().map(cover).collect()
        }
        other => other,
    }
}

fn cover_text(text: &mut String) {
    if let Cow::Owned(covered) = secrets::masked(text, Reading::Settings) {
        *text = covered;
    }
    cover_rest(text);
}

/// Covers what may be the end of a key whose beginning was left out, in the middle of a long message.
fn cover_rest(text: &mut String) {
    let Some(start) = text.rfind('…').map(|at| at + '…'.len_utf8()) else { return };
    let rest = text.get(start..).unwrap_or_default();
    let is_part = |c: &char| c.is_ascii_alphanumeric() || "_-.=+/".contains(*c);
    let length = rest.chars().take_while(is_part).count();
    let has_digit = rest.chars().take(length).any(|c| c.is_ascii_digit());
    if length >= LEAST_REST && has_digit {
        text.replace_range(start..start + length, &"*".repeat(length));
    }
}

/// Replaces the file of a label by one in which secrets are covered; each file is looked at once.
fn cover_source(label: &mut Label, sources: &mut BTreeMap<String, SourceFile>) {
    let source = &label.source;
    let known = sources.get(source.name()).filter(|known| known.bytes().len() == source.bytes().len());
    let covered = known.cloned().unwrap_or_else(|| {
        let covered = match source.text().map(|text| without_secrets(source.name(), text)) {
            Ok(Cow::Owned(text)) => SourceFile::new(source.name(), text),
            // A text that is not UTF-8 is never shown.
            Ok(Cow::Borrowed(_)) | Err(_) => source.clone(),
        };
        sources.insert(source.name().to_owned(), covered.clone());
        covered
    });
    label.source = covered;
}
