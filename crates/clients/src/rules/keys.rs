use minds_diagnostics::{Diagnostic, Severity, find_misspelled, find_nearest, rule};

use super::{Check, shorten, version_note};
use crate::client::{Format, clients};
use crate::family::ClientFile;
use crate::shape::{Shape, Type};
use crate::tree::{Entry, Item, Value};

rule! {
    pub(crate) static UNKNOWN_KEY {
        code: "client/unknown-key",
        summary: "a file has a key that its client does not know",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "unknown_key.md",
    }
    pub(crate) static KEY_WITHOUT_EFFECT {
        code: "client/key-without-effect",
        summary: "a file has a key that has no effect there",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "key_without_effect.md",
    }
    pub(crate) static WRONG_TYPE {
        code: "client/wrong-type",
        summary: "a value has another type than its client expects",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "wrong_type.md",
    }
    pub(crate) static INVALID_VALUE {
        code: "client/invalid-value",
        summary: "a value is not one of those that its client accepts",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "invalid_value.md",
    }
}

/// The number of unknown keys of a mapping that are compared with the known ones.
const MAX_UNKNOWN: usize = 1_000;
/// The actions of permissions of opencode.
const ACTIONS: [&str; 3] = ["allow", "ask", "deny"];

pub(super) fn check(check: &mut Check<'_>, file: &ClientFile) {
    let Some(data) = &file.content.data else { return };
    if file.known.format != Format::Markdown && !matches!(data.value, Value::Mapping(_) | Value::Unknown) {
        return report_type(check, file, data, "the document", &[Type::Mapping]);
    }
    check_mapping(check, file, data, &file.known.shape, true);
}

// The depth of the shape limits the recursion.
fn check_mapping(check: &mut Check<'_>, file: &ClientFile, mapping: &Item, shape: &Shape, is_top: bool) {
    let mut unknown = 0;
    for entry in mapping.entries() {
        if is_top
            && let Some((_, reason)) = file.known.without_effect.iter().find(|(key, _)| *key == entry.key)
        {
            report_without_effect(check, file, entry, reason);
            continue;
        }
        match shape.keys.get(&entry.key).or(shape.each_value.as_deref()) {
            Some(below) => check_value(check, file, &entry.item, below, &entry.key),
            None if unknown < MAX_UNKNOWN => {
                unknown += 1;
                report_unknown(check, file, entry, shape, is_top);
            }
            None => {}
        }
    }
}

fn check_value(check: &mut Check<'_>, file: &ClientFile, item: &Item, shape: &Shape, key: &str) {
    let expected = shape.expected_types();
    let is_text = matches!(file.known.format, Format::Markdown | Format::Lines);
    // An empty value in front matter is the same as none.
    if is_text && item.value == Value::Null {
        return;
    }
    if file.content.is_untyped && !expected.iter().all(|kind| matches!(kind, Type::Literal(_))) {
        return;
    }
    if !expected.iter().any(|kind| kind.accepts(item)) {
        let has_literals = expected.iter().any(|kind| matches!(kind, Type::Literal(_)));
        return match item.text() {
            Some(text) if has_literals => report_value(check, file, item, key, text, &expected),
            _ => report_type(check, file, item, &format!("`{}`", shorten(key)), &expected),
        };
    }
    if expected.contains(&Type::Permission) {
        check_permission(check, file, item, true);
    }
    if let (Type::ProviderModel, Some(text)) = (expected.first().unwrap_or(&Type::Any), item.text())
        && !text.contains('/')
        && !text.starts_with('{')
    {
        report_model_without_provider(check, file, item, text);
    }
    check_mapping(check, file, item, shape, false);
    if let Some(each) = &shape.each_item {
        for inner in item.items() {
            check_value(check, file, inner, each, key);
        }
    }
}

/// Checks permissions of opencode: a word, or a mapping whose values are words or mappings from patterns to words.
fn check_permission(check: &mut Check<'_>, file: &ClientFile, item: &Item, is_top: bool) {
    match &item.value {
        Value::String(text) if !ACTIONS.contains(&text.as_str()) => {
            let actions = ACTIONS.map(|action| Type::Literal(action.to_owned()));
            report_value(check, file, item, "permission", text, &actions);
        }
        Value::Mapping(entries) => {
            for (at, entry) in entries.iter().enumerate() {
                let names = file.client.permissions.names.iter().map(String::as_str);
                let is_known = at >= MAX_UNKNOWN || file.client.permissions.names.contains(&entry.key);
                if is_top
                    && !is_known
                    && let Some(meant) = find_misspelled(&entry.key, names)
                {
                    let note = "opencode takes it for the name of a tool of an MCP server";
                    report_misspelled(check, file, entry, Some(meant), note);
                }
                if is_top || !matches!(entry.item.value, Value::Mapping(_)) {
                    check_permission(check, file, &entry.item, false);
                }
            }
        }
        Value::String(_) | Value::Unknown => {}
        _ => {
            let actions = ACTIONS.map(|action| Type::Literal(action.to_owned()));
            report_type(check, file, item, "a permission", &actions);
        }
    }
}

fn report_unknown(check: &mut Check<'_>, file: &ClientFile, entry: &Entry, shape: &Shape, is_top: bool) {
    // A value without known keys holds data of the user.
    if shape.keys.is_empty() {
        return;
    }
    let names = || shape.keys.keys().map(String::as_str);
    let refused = file.known.on_unknown_key.as_ref().filter(|_| is_top);
    if let Some(effect) = refused {
        let meant = find_nearest(&entry.key, names(), 1).first().copied();
        check.report(&UNKNOWN_KEY, file, entry.key_span, |label| {
            let message = format!("unknown key `{}` of {}", shorten(&entry.key), file.kind);
            let help =
                meant.map_or_else(|| "remove it".to_owned(), |meant| format!("did you mean `{meant}`?"));
            Diagnostic::new(&UNKNOWN_KEY, message)
                .severity(Severity::Error)
                .primary(label)
                .note(effect.clone())
                .note(version_note(file))
                .help(help)
        });
        return;
    }
    // Users add keys of their own, which clients ignore. Only a typo is a mistake.
    if entry.key.starts_with("x-") || entry.key.starts_with('_') || is_short(&entry.key) {
        return;
    }
    if let Some(meant) = find_misspelled(&entry.key, names()).filter(|_| !is_known_elsewhere(&entry.key)) {
        let note = format!("{} ignores unknown keys", file.client.name);
        report_misspelled(check, file, entry, Some(meant), &note);
    }
}

/// Returns whether a key is short: then a similar key is a coincidence more often than a typo.
fn is_short(key: &str) -> bool {
    const MIN_LENGTH: usize = 4;
    key.len() < MIN_LENGTH
}

/// Returns whether a file of another kind or client has this key, so that it is not a typo.
fn is_known_elsewhere(key: &str) -> bool {
    clients().iter().flat_map(|client| client.kinds.values()).any(|known| known.shape.keys.contains_key(key))
}

fn report_misspelled(
    check: &mut Check<'_>,
    file: &ClientFile,
    entry: &Entry,
    meant: Option<&str>,
    note: &str,
) {
    check.report(&UNKNOWN_KEY, file, entry.key_span, |label| {
        Diagnostic::new(&UNKNOWN_KEY, format!("unknown key `{}`", shorten(&entry.key)))
            .primary(label)
            .note(note)
            .maybe_help(meant.map(|meant| format!("did you mean `{meant}`?")))
    });
}

fn report_without_effect(check: &mut Check<'_>, file: &ClientFile, entry: &Entry, reason: &str) {
    check.report(&KEY_WITHOUT_EFFECT, file, entry.key_span, |label| {
        let message = format!("`{}` has no effect in {}", shorten(&entry.key), file.kind);
        Diagnostic::new(&KEY_WITHOUT_EFFECT, format!("{message} of {}", file.client.name))
            .primary(label.message(reason))
            .note(version_note(file))
            .help("remove it, or say the same in a way that this client knows")
    });
}

fn report_type(check: &mut Check<'_>, file: &ClientFile, item: &Item, what: &str, expected: &[Type]) {
    let known = file.known;
    let is_required = known.required.iter().any(|key| file.get(key) == Some(item));
    let effect = known.on_wrong_type.as_ref().or(known.on_missing.as_ref().filter(|_| is_required));
    check.report(&WRONG_TYPE, file, item.span, |label| {
        let found = Diagnostic::new(&WRONG_TYPE, format!("{what} is {}", item.type_name()))
            .primary(label)
            .help(format!("write {}", list(expected)));
        match effect {
            Some(effect) if !known.required_is_advice => {
                found.severity(Severity::Error).note(effect.clone()).note(version_note(file))
            }
            _ => found.note(format!("{} ignores the value", file.client.name)),
        }
    });
}

fn report_value(
    check: &mut Check<'_>,
    file: &ClientFile,
    item: &Item,
    key: &str,
    text: &str,
    expected: &[Type],
) {
    let known = file.known;
    let effect = known.on_value.as_ref().or(known.on_wrong_type.as_ref());
    let values = expected.iter().filter_map(|kind| match kind {
        Type::Literal(value) => Some(value.as_str()),
        _ => None,
    });
    let meant = find_nearest(text, values, 1).first().map(|meant| format!("did you mean `{meant}`?"));
    check.report(&INVALID_VALUE, file, item.span, |label| {
        let message = format!("`{}` is not a value of `{}`", shorten(text), shorten(key));
        let found = Diagnostic::new(&INVALID_VALUE, message)
            .primary(label)
            .help(meant.unwrap_or_else(|| format!("write {}", list(expected))));
        match effect {
            Some(effect) => found.severity(Severity::Error).note(effect.clone()).note(version_note(file)),
            None => found.note(format!("{} ignores the value", file.client.name)),
        }
    });
}

fn report_model_without_provider(check: &mut Check<'_>, file: &ClientFile, item: &Item, text: &str) {
    check.report(&INVALID_VALUE, file, item.span, |label| {
        Diagnostic::new(&INVALID_VALUE, format!("the model `{}` has no provider", shorten(text)))
            .severity(Severity::Error)
            .primary(label)
            .note("opencode takes the name for a provider, and the model is empty")
            .help(format!("write `PROVIDER/{}` with the id of the provider", shorten(text)))
    });
}

/// Returns the types as "a, b or c".
fn list(expected: &[Type]) -> String {
    let mut names: Vec<String> = expected.iter().map(Type::describe).collect();
    names.dedup();
    match names.pop() {
        Some(last) if names.is_empty() => last,
        Some(last) => format!("{} or {last}", names.join(", ")),
        None => "a value".to_owned(),
    }
}
