//! What leaves a check shows no secret.
//!
//! Any finding may quote a value or stand on a line with a key, and every format prints messages, excerpts or fixes. So
//! the secrets are covered once, in the findings themselves, and no emitter has to know about them. Spans stay true:
//! what covers a secret is as long as the secret.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use minds_diagnostics::{Diagnostic, Label, SourceFile};
use minds_document::secrets::{self, Reading};
use serde_json::Value;

/// From how many characters on a text may be the end of a key.
const MIN_REST: usize = 16;
/// From how many bytes on a value is covered wherever a message repeats it.
const MIN_REPEATED: usize = 6;
/// From how many bytes on a value is covered where a message quotes it.
const MIN_VALUE: usize = 2;
/// From how many bytes on the beginning of a value is covered before `…`.
const MIN_BEGINNING: usize = 4;

/// Returns the text of a file with its secrets covered.
pub fn without_secrets<'t>(file: &str, text: &'t str) -> Cow<'t, str> {
    secrets::masked(text, Reading::of(file))
}

/// Returns what a program says without the secrets in it, such as the password of a URL.
pub fn message_without_secrets(text: &str) -> Cow<'_, str> {
    secrets::masked(text, Reading::Message)
}

/// Covers the secrets in everything that findings show.
pub fn cover(found: &mut [Diagnostic]) {
    let mut sources = BTreeMap::new();
    for diagnostic in found {
        // A message quotes a value without its key, which alone may say that it is a secret.
        let mut values = BTreeSet::new();
        for label in diagnostic.primary.iter_mut().chain(&mut diagnostic.secondary) {
            values.extend(cover_source(label, &mut sources));
        }
        let cover = |text: &mut String| {
            cover_values(text, &values);
            cover_text(text, Reading::Message);
        };
        diagnostic
            .primary
            .iter_mut()
            .chain(&mut diagnostic.secondary)
            .for_each(|label| cover(&mut label.message));
        cover(&mut diagnostic.message);
        diagnostic.notes.iter_mut().chain(&mut diagnostic.help).for_each(cover);
        diagnostic.pointer.iter_mut().for_each(cover);
        // A fix that writes a secret cannot be shown; it can still be applied.
        let shows_secret = |text: &str, reading| {
            let mut covered = text.to_owned();
            cover_values(&mut covered, &values);
            covered != text || !secrets::hidden(text, reading).is_empty()
        };
        diagnostic.fix.take_if(|fix| {
            shows_secret(&fix.title, Reading::Message)
                || fix.edits.iter().any(|edit| shows_secret(&edit.new_text, Reading::Settings))
        });
    }
}

/// Covers the secrets in every string of a value to which `keys` lead.
pub(crate) fn covered(keys: &[&str], value: Value) -> Value {
    without_rests(secrets::covered_below(keys, value))
}

fn without_rests(value: Value) -> Value {
    match value {
        Value::String(mut text) => {
            cover_rest(&mut text);
            Value::String(text)
        }
        Value::Array(items) => items.into_iter().map(without_rests).collect(),
        Value::Object(entries) => {
            let cover = |(mut key, value): (String, Value)| {
                cover_rest(&mut key);
                (key, without_rests(value))
            };
            entries.into_iter().map(cover).collect()
        }
        other => other,
    }
}

fn cover_text(text: &mut String, reading: Reading) {
    if let Cow::Owned(covered) = secrets::masked(text, reading) {
        *text = covered;
    }
    cover_rest(text);
}

/// Covers values that are secrets wherever a text repeats them: a short one where it is quoted, as it may be a word.
fn cover_values(text: &mut String, values: &BTreeSet<String>) {
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
        // A long value is shown without its middle or its end.
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
        if let Cow::Owned(covered) = secrets::masked_at(text, &hidden) {
            *text = covered;
        }
    }
}

/// Covers what may be the end of a key whose beginning was left out, in the middle of a long message.
fn cover_rest(text: &mut String) {
    let Some(start) = text.rfind('…').map(|at| at + '…'.len_utf8()) else { return };
    let rest = text.get(start..).unwrap_or_default();
    let is_part = |c: &char| c.is_ascii_alphanumeric() || "_-.=+/".contains(*c);
    let length = rest.chars().take_while(is_part).count();
    let has_digit = rest.chars().take(length).any(|c| c.is_ascii_digit());
    if length >= MIN_REST && has_digit {
        text.replace_range(start..start + length, &"*".repeat(length));
    }
}

/// A file in which secrets are covered, and those that it holds.
type Covered = (SourceFile, BTreeSet<String>);

/// Replaces the file of a label by one in which secrets are covered, and returns them; each file is looked at once.
fn cover_source(label: &mut Label, sources: &mut BTreeMap<String, Covered>) -> BTreeSet<String> {
    let source = &label.source;
    let known = sources.get(source.name()).filter(|(known, _)| known.bytes().len() == source.bytes().len());
    let (covered, values) = known.cloned().unwrap_or_else(|| {
        // A text that is not UTF-8 is never shown.
        let text = source.text().unwrap_or_default();
        let hidden = secrets::hidden(text, Reading::of(source.name()));
        let covered = match secrets::masked_at(text, &hidden) {
            Cow::Owned(text) => SourceFile::new(source.name(), text),
            Cow::Borrowed(_) => source.clone(),
        };
        let values = hidden.into_iter().filter_map(|range| text.get(range)).flat_map(spellings);
        let covered = (covered, values.collect());
        sources.insert(source.name().to_owned(), covered.clone());
        covered
    });
    label.source = covered;
    values
}

/// Returns a secret as it is written and as it is read.
fn spellings(written: &str) -> Vec<String> {
    let read = serde_json::from_str::<String>(&format!("\"{written}\"")).ok();
    let single = written.contains("''").then(|| written.replace("''", "'"));
    let all = [Some(written.trim().to_owned()), read, single];
    all.into_iter().flatten().filter(|value| value.len() >= MIN_VALUE).collect()
}
