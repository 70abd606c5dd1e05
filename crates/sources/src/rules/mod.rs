//! The rules about `mind.toml`: one module and one page per rule.

pub(crate) mod blank_hook;
pub(crate) mod conflicting_link;
pub(crate) mod conflicting_pins;
pub(crate) mod conflicting_selection;
pub(crate) mod deprecated_install;
pub(crate) mod duplicate_item;
pub(crate) mod hidden_character;
pub(crate) mod incompatible_version;
pub(crate) mod invalid_glob;
pub(crate) mod invalid_link;
pub(crate) mod invalid_name;
pub(crate) mod invalid_path;
pub(crate) mod invalid_reference;
pub(crate) mod invalid_revision;
pub(crate) mod invalid_spec;
pub(crate) mod repeated_source;
pub(crate) mod tool_only_key;
pub(crate) mod unused_exclude;
pub(crate) mod unused_roots;

use minds_diagnostics::Rule;
use minds_document::{Context, Document};

use crate::manifest::Manifest;
use crate::{discovery, review};

/// The rules about `mind.toml`, by code.
static MANIFEST: &[&Rule] = &[
    &blank_hook::RULE,
    &conflicting_link::RULE,
    &conflicting_pins::RULE,
    &conflicting_selection::RULE,
    &deprecated_install::RULE,
    &duplicate_item::RULE,
    &hidden_character::RULE,
    &incompatible_version::RULE,
    &invalid_glob::RULE,
    &invalid_link::RULE,
    &invalid_name::RULE,
    &invalid_path::RULE,
    &invalid_reference::RULE,
    &invalid_revision::RULE,
    &invalid_spec::RULE,
    &repeated_source::RULE,
    &tool_only_key::RULE,
    &unused_exclude::RULE,
    &unused_roots::RULE,
];

/// Returns every rule of this crate: about `mind.toml`, about the files of a source and about the content of items.
///
/// Findings that make a source invalid cannot be suppressed: its comments are untrusted.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    [MANIFEST, discovery::rules::ALL, review::rules::ALL].into_iter().flatten().copied()
}

/// Applies the rules that compare parts of `mind.toml` with each other.
pub(crate) fn check_manifest(document: &Document, manifest: &Manifest, cx: &mut Context) {
    deprecated_install::check(document, manifest, cx);
    unused_roots::check(document, manifest, cx);
    blank_hook::check(document, manifest, cx);
    duplicate_item::check(document, manifest, cx);
    conflicting_link::check(document, manifest, cx);
    unused_exclude::check(document, manifest, cx);
    repeated_source::check(document, manifest, cx);
}

/// Returns text of a source for a message: escaped, and truncated to 60 characters.
pub(crate) fn escape(text: &str) -> String {
    const MAX_CHARACTERS: usize = 60;
    let escaped: String = text.chars().take(MAX_CHARACTERS).flat_map(char::escape_debug).collect();
    if text.chars().nth(MAX_CHARACTERS).is_some() { format!("{escaped}…") } else { escaped }
}
