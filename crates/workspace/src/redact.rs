//! Redacts secrets in findings and values.
//!
//! Any finding can quote a value or be located on a line with a key, and every output format prints messages, excerpts or
//! fixes. Therefore secrets are redacted once, in the findings themselves, and emitters do not need to handle them. Spans
//! stay valid, because a secret is replaced by `*` characters of the same length.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use minds_diagnostics::{Diagnostic, Label, SourceFile};
use minds_text::secrets::{self, TextKind};
use serde_json::Value;

/// The minimum length in characters of a string that may be the end of a key.
const MIN_REST: usize = 16;
/// The minimum length in bytes of a value that is redacted wherever a message contains it.
const MIN_REPEATED: usize = 6;
/// The minimum length in bytes of a value that is redacted where a message quotes it.
const MIN_VALUE: usize = 2;
/// The minimum length in bytes of the beginning of a value that is redacted before `…`.
const MIN_BEGINNING: usize = 4;

/// Returns the text of a file with secrets redacted.
pub fn without_secrets<'t>(file: &str, text: &'t str) -> Cow<'t, str> {
    secrets::mask_secrets(text, TextKind::of(file))
}

/// Returns the output of a program with secrets redacted, such as the password of a URL.
pub fn message_without_secrets(text: &str) -> Cow<'_, str> {
    secrets::mask_secrets(text, TextKind::Message)
}

/// Redacts the secrets in everything that findings display.
pub fn redact_findings(found: &mut [Diagnostic]) {
    let mut sources = BTreeMap::new();
    for diagnostic in found {
        // A message quotes a value without its key, although the key may be the only indication that it is a secret.
        let mut values = BTreeSet::new();
        for label in diagnostic.primary.iter_mut().chain(&mut diagnostic.secondary) {
            values.extend(redact_source(label, &mut sources));
        }
        let redact = |text: &mut String| {
            redact_values(text, &values);
            redact_text(text, TextKind::Message);
        };
        diagnostic
            .primary
            .iter_mut()
            .chain(&mut diagnostic.secondary)
            .for_each(|label| redact(&mut label.message));
        redact(&mut diagnostic.message);
        diagnostic.notes.iter_mut().chain(&mut diagnostic.help).for_each(redact);
        diagnostic.pointer.iter_mut().for_each(redact);
        // A fix that writes a secret cannot be displayed; it can still be applied.
        let shows_secret = |text: &str, reading| {
            let mut redacted = text.to_owned();
            redact_values(&mut redacted, &values);
            redacted != text || !secrets::find_hidden_ranges(text, reading).is_empty()
        };
        diagnostic.fix.take_if(|fix| {
            shows_secret(&fix.title, TextKind::Message)
                || fix.edits.iter().any(|edit| shows_secret(&edit.new_text, TextKind::Settings))
        });
    }
}

/// Redacts the secrets in every string of a value that is located below `keys`.
pub(crate) fn redact_value(keys: &[&str], value: Value) -> Value {
    redact_partial_keys(secrets::redact_value(keys, value))
}

fn redact_partial_keys(value: Value) -> Value {
    match value {
        Value::String(mut text) => {
            redact_partial_key(&mut text);
            Value::String(text)
        }
        Value::Array(items) => items.into_iter().map(redact_partial_keys).collect(),
        Value::Object(entries) => {
            let redact = |(mut key, value): (String, Value)| {
                redact_partial_key(&mut key);
                (key, redact_partial_keys(value))
            };
            entries.into_iter().map(redact).collect()
        }
        other => other,
    }
}

fn redact_text(text: &mut String, reading: TextKind) {
    if let Cow::Owned(redacted) = secrets::mask_secrets(text, reading) {
        *text = redacted;
    }
    redact_partial_key(text);
}

/// Redacts secret values wherever `text` contains them. Short values are only redacted where they are quoted, because they
/// may be ordinary words.
fn redact_values(text: &mut String, values: &BTreeSet<String>) {
    for value in values {
        let mut hidden = Vec::new();
        let mut end = 0;
        for (at, part) in text.match_indices(value.as_str()) {
            let before = text.get(..at).and_then(|text| text.chars().next_back());
            let after = text.get(at + part.len()..).and_then(|text| text.chars().next());
            let is_quote = |c: Option<char>| c.is_some_and(|c| "`\"'".contains(c));
            if at >= end && (value.len() >= MIN_REPEATED || (is_quote(before) && is_quote(after))) {
                end = at + part.len();
                hidden.push(at..end);
            }
        }
        // A long value is displayed without its middle or its end.
        for (at, sign) in text.match_indices('…') {
            let before = text.get(..at).unwrap_or_default();
            let start = before.rfind(['`', '"', '\'']).map_or(0, |quote| quote + 1);
            let after = text.get(at + sign.len()..).unwrap_or_default();
            let length = after.find(['`', '"', '\'']).unwrap_or(after.len());
            let (first, last) =
                (before.get(start..).unwrap_or_default(), after.get(..length).unwrap_or_default());
            if start >= end && first.len() >= MIN_BEGINNING && value.starts_with(first) {
                hidden.push(start..at);
                if value.ends_with(last) {
                    hidden.push(at + sign.len()..at + sign.len() + length);
                }
            }
        }
        hidden.sort_by_key(|range| range.start);
        if let Cow::Owned(redacted) = secrets::mask_ranges(text, &hidden) {
            *text = redacted;
        }
    }
}

/// Redacts what may be the end of a key whose beginning was elided from a long message.
fn redact_partial_key(text: &mut String) {
    let Some(start) = text.rfind('…').map(|at| at + '…'.len_utf8()) else { return };
    let rest = text.get(start..).unwrap_or_default();
    let is_part = |c: &char| c.is_ascii_alphanumeric() || "_-.=+/".contains(*c);
    let length = rest.chars().take_while(is_part).count();
    let has_digit = rest.chars().take(length).any(|c| c.is_ascii_digit());
    if length >= MIN_REST && has_digit {
        text.replace_range(start..start + length, &"*".repeat(length));
    }
}

/// A file with redacted secrets, and the secrets that it contains.
type RedactedSource = (SourceFile, BTreeSet<String>);

/// Replaces the source of a label by a redacted one and returns its secrets. Each file is scanned only once.
fn redact_source(label: &mut Label, sources: &mut BTreeMap<String, RedactedSource>) -> BTreeSet<String> {
    let source = &label.source;
    let known = sources.get(source.name()).filter(|(known, _)| known.bytes().len() == source.bytes().len());
    let (redacted, values) = known.cloned().unwrap_or_else(|| {
        // Text that is not valid UTF-8 is never displayed.
        let text = source.text().unwrap_or_default();
        let hidden = secrets::find_hidden_ranges(text, TextKind::of(source.name()));
        let redacted = match secrets::mask_ranges(text, &hidden) {
            Cow::Owned(text) => SourceFile::new(source.name(), text),
            Cow::Borrowed(_) => source.clone(),
        };
        let values = hidden.into_iter().filter_map(|range| text.get(range)).flat_map(spellings);
        let redacted = (redacted, values.collect());
        sources.insert(source.name().to_owned(), redacted.clone());
        redacted
    });
    label.source = redacted;
    values
}

/// Returns the written and the parsed forms of a secret.
fn spellings(written: &str) -> Vec<String> {
    let read = serde_json::from_str::<String>(&format!("\"{written}\"")).ok();
    let single = written.contains("''").then(|| written.replace("''", "'"));
    let all = [Some(written.trim().to_owned()), read, single];
    all.into_iter().flatten().filter(|value| value.len() >= MIN_VALUE).collect()
}
