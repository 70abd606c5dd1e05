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

use crate::discovery::rules as found;
use crate::manifest::Manifest;
use crate::review::rules as review;

/// All rules of this crate, by code.
pub static ALL: &[&Rule] = &[
    &review::INVALID_DESCRIPTION,
    &review::INVALID_HEAD,
    &review::INVALID_NAME,
    &review::INVALID_VALUE,
    &review::UNKNOWN_KEY,
    &review::BAD_REFERENCE,
    &review::BARE_TOOL_REFERENCE,
    &blank_hook::RULE,
    &conflicting_link::RULE,
    &conflicting_pins::RULE,
    &conflicting_selection::RULE,
    &review::CONTROL_CHARACTER,
    &found::DANGLING_LINK,
    &deprecated_install::RULE,
    &review::DIFFERENT_READING,
    &duplicate_item::RULE,
    &review::DUPLICATE_TOOLING,
    &review::EXECUTABLE,
    &review::HARDCODED_PATH,
    &hidden_character::RULE,
    &review::HIDDEN_TEXT,
    &incompatible_version::RULE,
    &review::INSTALL_HOOK,
    &invalid_glob::RULE,
    &invalid_link::RULE,
    &invalid_name::RULE,
    &invalid_path::RULE,
    &invalid_reference::RULE,
    &invalid_revision::RULE,
    &found::INVALID_ROOT,
    &invalid_spec::RULE,
    &review::ITEM_HOOK,
    &found::ITEM_SHAPE,
    &found::LINK_OUTSIDE,
    &review::MISPLACED_REFERENCE,
    &review::MISSING_DESCRIPTION,
    &found::MISSING_ITEM,
    &found::NO_FOLDER,
    &found::NO_ITEM,
    &found::NO_SKILL_FILE,
    &found::PASSED_OVER,
    &review::POINTER_FILE,
    &repeated_source::RULE,
    &found::TOO_LARGE,
    &tool_only_key::RULE,
    &found::UNFIT_MATCH,
    &review::UNGUARDED_REFERENCE,
    &found::UNREADABLE_ITEM,
    &found::UNREADABLE_MANIFEST,
    &found::UNSAFE_NAME,
    &review::UNUSABLE_CONTENT,
    &unused_exclude::RULE,
    &unused_roots::RULE,
];

/// Declares the rule of a module: the code, the severity, whether comments can suppress findings, the summary
/// and the page.
///
/// Findings that make a source invalid cannot be suppressed: its comments are untrusted.
macro_rules! rule {
    ($code:literal, $severity:ident, $allowable:literal, $summary:literal, $page:literal) => {
        pub(crate) static RULE: minds_diagnostics::Rule = minds_diagnostics::Rule {
            code: $code,
            summary: $summary,
            default_severity: minds_diagnostics::Severity::$severity,
            is_suppressible: $allowable,
            since: "0.1.0",
            page: include_str!($page),
        };
    };
}
pub(crate) use rule;

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
