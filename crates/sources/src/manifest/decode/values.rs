//! Decoding single values to types that cannot hold an invalid one.

use minds_diagnostics::did_you_mean;
use minds_document::{Context, Decode, List, Node, Text, decode_list};
use minds_paths::{PathErrorKind, WorkspacePath};

use crate::rules::escape;
use crate::rules::{hidden_character, invalid_name, invalid_path, invalid_revision};
use crate::{ItemName, Prefix, RevisionName};

/// Decodes a string for people.
pub(super) fn description(node: Node<'_>, cx: &mut Context) -> Option<Text> {
    let text = Text::decode(node, cx)?;
    hidden_character::check(node, &text, cx).then_some(text)
}

/// Decodes a command for a shell.
pub(super) fn command(node: Node<'_>, cx: &mut Context) -> Option<Text> {
    description(node, cx)
}

pub(super) fn revision(node: Node<'_>, cx: &mut Context) -> Option<RevisionName> {
    let text = Text::decode(node, cx)?;
    RevisionName::parse(&text).map_err(|error| invalid_revision::report(node, &text, error, cx)).ok()
}

pub(super) fn name(node: Node<'_>, cx: &mut Context) -> Option<ItemName> {
    let text = Text::decode(node, cx)?;
    ItemName::parse(&text)
        .map_err(|error| invalid_name::report(node, &text, "the name of an item", error, cx))
        .ok()
}

#[expect(clippy::option_option, reason = "an empty string is a prefix that means none")]
pub(super) fn prefix(node: Node<'_>, cx: &mut Context) -> Option<Option<Prefix>> {
    let text = Text::decode(node, cx)?;
    Prefix::parse(&text).map_err(|error| invalid_name::report(node, &text, "a prefix", error, cx)).ok()
}

/// Decodes a path relative to the root of the source, which may be the root itself.
pub(super) fn path(node: Node<'_>, cx: &mut Context) -> Option<WorkspacePath> {
    let text = Text::decode(node, cx)?;
    let path = if text.is_empty() { Err(PathErrorKind::EmptySegment) } else { parse(&text) };
    path.map_err(|kind| invalid_path::report(node, &text, kind, cx)).ok()
}

/// Decodes the path of something below a folder.
pub(super) fn relative_path(node: Node<'_>, cx: &mut Context) -> Option<WorkspacePath> {
    let path = path(node, cx)?;
    if path.is_root() {
        invalid_path::report(node, ".", PathErrorKind::DotSegment, cx);
        return None;
    }
    Some(path)
}

/// Parses a path lexically; `..` is not even allowed where it returns to the folder.
fn parse(text: &str) -> Result<WorkspacePath, PathErrorKind> {
    if text.split('/').any(|name| name == "..") {
        return Err(PathErrorKind::LeavesRoot);
    }
    WorkspacePath::normalize(text).map_err(|error| error.kind())
}

pub(super) fn roots(node: Node<'_>, cx: &mut Context) -> Option<List<WorkspacePath>> {
    decode_list(node, cx, "a list of folders", path)
}

/// Decodes one of some keywords.
pub(super) fn keyword<T>(
    node: Node<'_>,
    words: &[&'static str],
    cx: &mut Context,
    find: impl FnOnce(&str) -> Option<T>,
) -> Option<T> {
    let text = Text::decode(node, cx)?;
    if let Some(found) = find(&text) {
        return Some(found);
    }
    let listed: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    // `meld` shows only the message, without the help.
    let expected = format!("one of {}, not `{}`", listed.join(", "), escape(&text));
    cx.value_error(node, &expected, |found| {
        let lower = text.to_ascii_lowercase();
        let same = words.iter().find(|word| **word == lower).map(|word| format!("did you mean `{word}`?"));
        let near = same.or_else(|| did_you_mean(&text, words.iter().copied()));
        found.help(near.unwrap_or_else(|| format!("write one of {}", listed.join(", "))))
    });
    None
}
