//! Decoding single values to types that cannot hold an invalid one.

use minds_diagnostics::did_you_mean;
use minds_document::json_schema::{Keywords as _, Schema, SchemaGenerator, list, string, string_values};
use minds_document::{Completeness, Context, Decode, List, ListItem, Node, Text, decode_list, inline_schema};
use minds_vfs::{PathErrorKind, WorkspacePath};

use crate::manifest::AuthFailureAction;
use crate::rules::escape;
use crate::rules::{
    hidden_character, invalid_glob, invalid_name, invalid_path, invalid_reference, invalid_revision,
};
use crate::{GlobPattern, HookEvent, ItemKey, ItemKind, ItemName, Prefix, RevisionName};

/// Decodes a string for people.
pub(in crate::manifest) fn description(node: Node<'_>, cx: &mut Context) -> Option<Text> {
    let text = Text::decode(node, cx)?;
    hidden_character::check(node, &text, cx).then_some(text)
}

/// Decodes a command for a shell.
pub(in crate::manifest) fn command(node: Node<'_>, cx: &mut Context) -> Option<Text> {
    description(node, cx)
}

impl Completeness for Prefix {}

impl Decode for RevisionName {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let text = Text::decode(node, cx)?;
        Self::parse(&text).map_err(|error| invalid_revision::report(node, &text, error, cx)).ok()
    }
}

impl Completeness for RevisionName {}

inline_schema!(RevisionName, |_| {
    string().pattern(r"^[^~^:?*\[\\ -][^~^:?*\[\\ ]*$", "must be a branch, a tag or a commit")
});

impl Decode for ItemName {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let text = Text::decode(node, cx)?;
        Self::parse(&text)
            .map_err(|error| invalid_name::report(node, &text, "the name of an item", error, cx))
            .ok()
    }
}

impl Completeness for ItemName {}

inline_schema!(ItemName, |_| {
    string().pattern(r#"^[^./\\ -][^/\\:*?"<>|#\[\]{}]*$"#, "must be a single file name")
});

#[expect(clippy::option_option, reason = "an empty string is a prefix that means none")]
pub(in crate::manifest) fn prefix(node: Node<'_>, cx: &mut Context) -> Option<Option<Prefix>> {
    let text = Text::decode(node, cx)?;
    Prefix::parse(&text).map_err(|error| invalid_name::report(node, &text, "a prefix", error, cx)).ok()
}

pub(in crate::manifest) fn prefix_schema(_: &mut SchemaGenerator) -> Schema {
    string().pattern(r#"^([^./\\ -][^/\\:*?"<>|#\[\]{}]*)?$"#, "must be a single file name, or empty")
}

/// Decodes a path relative to the root of the source, which may be the root itself.
pub(in crate::manifest) fn path(node: Node<'_>, cx: &mut Context) -> Option<WorkspacePath> {
    let text = Text::decode(node, cx)?;
    let path = if text.is_empty() { Err(PathErrorKind::EmptySegment) } else { parse(&text) };
    path.map_err(|kind| invalid_path::report(node, &text, kind, cx)).ok()
}

/// Decodes the path of something below a folder.
pub(in crate::manifest) fn relative_path(node: Node<'_>, cx: &mut Context) -> Option<WorkspacePath> {
    let path = path(node, cx)?;
    if path.is_root() {
        invalid_path::report(node, ".", PathErrorKind::DotSegment, cx);
        return None;
    }
    Some(path)
}

pub(in crate::manifest) fn path_schema(_: &mut SchemaGenerator) -> Schema {
    any_path()
}

fn any_path() -> Schema {
    string().pattern(r"^[^/\\][^\\]*$", "must be a relative path with `/` as separator")
}

/// Parses a path lexically; `..` is not even allowed where it returns to the folder.
fn parse(text: &str) -> Result<WorkspacePath, PathErrorKind> {
    if text.split('/').any(|name| name == "..") {
        return Err(PathErrorKind::LeavesRoot);
    }
    WorkspacePath::normalize(text).map_err(|error| error.kind())
}

pub(in crate::manifest) fn roots(node: Node<'_>, cx: &mut Context) -> Option<List<WorkspacePath>> {
    decode_list(node, cx, "a list of folders", path)
}

pub(in crate::manifest) fn roots_schema(_: &mut SchemaGenerator) -> Schema {
    list(any_path())
}

impl Decode for GlobPattern {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let text = Text::decode(node, cx)?;
        Self::parse(&text).map_err(|error| invalid_glob::report(node, &text, error, cx)).ok()
    }
}

impl Completeness for GlobPattern {}

impl ListItem for GlobPattern {
    const LIST: &'static str = "a list of patterns";
}

inline_schema!(GlobPattern, |_| any_path());

/// A reference to an item of another source: a kind and a name.
impl Decode for ItemKey {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let text = Text::decode(node, cx)?;
        Self::parse(&text).map_err(|error| invalid_reference::report(node, &text, &error, cx)).ok()
    }
}

impl Completeness for ItemKey {}

impl ListItem for ItemKey {
    const LIST: &'static str = "a list of `kind:name`";
}

inline_schema!(ItemKey, |_| {
    string().pattern("^(skill|agent|rule|tool):[^./\\\\ -]", "must be `kind:name`")
});

/// The decoding of a source is part of its rule.
pub(in crate::manifest) fn spec_schema(_: &mut SchemaGenerator) -> Schema {
    string().pattern("^[^-]", "must be `owner/name`, a URL or a path")
}

impl Decode for ItemKind {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        keyword(node, &Self::ALL.map(Self::name), cx, Self::find)
    }
}

impl Completeness for ItemKind {}

inline_schema!(ItemKind, |_| {
    string_values([
        (ItemKind::Skill.name(), "a folder with a `SKILL.md`"),
        (ItemKind::Agent.name(), "a Markdown file that describes an agent"),
        (ItemKind::Rule.name(), "a Markdown file with rules"),
        (ItemKind::Tool.name(), "a folder with a program and the files that it needs"),
    ])
});

impl Decode for HookEvent {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        keyword(node, &Self::ALL.map(Self::name), cx, Self::find)
    }
}

impl Completeness for HookEvent {}

inline_schema!(HookEvent, |_| {
    string_values([
        (HookEvent::Install.name(), "after the source or item is installed"),
        (HookEvent::Uninstall.name(), "before the source or item is removed"),
    ])
});

impl Decode for AuthFailureAction {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        keyword(node, &Self::ALL.map(Self::name), cx, Self::find)
    }
}

impl Completeness for AuthFailureAction {}

inline_schema!(AuthFailureAction, |_| {
    string_values([
        (AuthFailureAction::Skip.name(), "skip the source, with a message"),
        (AuthFailureAction::Error.name(), "fail"),
    ])
});

/// Decodes one of some keywords.
fn keyword<T>(
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
