//! The rules about the files of a source.

use minds_diagnostics::{Rule, Severity};

/// Every rule of this part, by code.
pub(crate) static ALL: &[&Rule] = &[
    &DANGLING_LINK,
    &INVALID_ROOT,
    &ITEM_SHAPE,
    &LINK_OUTSIDE,
    &MISSING_ITEM,
    &NO_FOLDER,
    &NO_ITEM,
    &NO_SKILL_FILE,
    &PASSED_OVER,
    &TOO_LARGE,
    &UNFIT_MATCH,
    &UNREADABLE_ITEM,
    &UNREADABLE_MANIFEST,
    &UNSAFE_NAME,
];

pub(crate) static UNSAFE_NAME: Rule = Rule {
    code: "source/unsafe-name",
    summary: "a name is not valid for an installed item",
    default_severity: Severity::Error,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("rules/unsafe_name.md"),
};

pub(crate) static PASSED_OVER: Rule = Rule {
    code: "source/passed-over",
    summary: "an item is not offered because its name is hidden or the name of a vendored folder",
    default_severity: Severity::Info,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("rules/passed_over.md"),
};

pub(crate) static LINK_OUTSIDE: Rule = Rule {
    code: "source/link-outside",
    summary: "a symbolic link escapes the source",
    default_severity: Severity::Error,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("rules/link_outside.md"),
};

pub(crate) static DANGLING_LINK: Rule = Rule {
    code: "source/dangling-link",
    summary: "a symbolic link to an item is dangling",
    default_severity: Severity::Info,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("rules/dangling_link.md"),
};

pub(crate) static NO_FOLDER: Rule = Rule {
    code: "source/no-folder",
    summary: "the path of a folder of items is not a folder",
    default_severity: Severity::Warning,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("rules/no_folder.md"),
};

pub(crate) static NO_ITEM: Rule = Rule {
    code: "source/no-item",
    summary: "an entry in a folder of items does not have the form of an item",
    default_severity: Severity::Info,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("rules/no_item.md"),
};

pub(crate) static INVALID_ROOT: Rule = Rule {
    code: "source/invalid-root",
    summary: "a root is not a folder of the source",
    default_severity: Severity::Error,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("rules/invalid_root.md"),
};

pub(crate) static UNFIT_MATCH: Rule = Rule {
    code: "source/unfit-match",
    summary: "a pattern matches something that is not an item of its kind",
    default_severity: Severity::Info,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("rules/unfit_match.md"),
};

pub(crate) static MISSING_ITEM: Rule = Rule {
    code: "source/missing-item",
    summary: "an item that `mind.toml` lists does not exist",
    default_severity: Severity::Error,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("rules/missing_item.md"),
};

pub(crate) static ITEM_SHAPE: Rule = Rule {
    code: "source/item-shape",
    summary: "an item that `mind.toml` lists is a file instead of a folder, or vice versa",
    default_severity: Severity::Error,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("rules/item_shape.md"),
};

pub(crate) static NO_SKILL_FILE: Rule = Rule {
    code: "source/no-skill-file",
    summary: "a skill that `mind.toml` lists does not contain a `SKILL.md`",
    default_severity: Severity::Warning,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("rules/no_skill_file.md"),
};

pub(crate) static TOO_LARGE: Rule = Rule {
    code: "source/too-large",
    summary: "a source is too large",
    default_severity: Severity::Error,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("rules/too_large.md"),
};

pub(crate) static UNREADABLE_ITEM: Rule = Rule {
    code: "source/unreadable-item",
    summary: "an item cannot be read",
    default_severity: Severity::Error,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("rules/unreadable_item.md"),
};

pub(crate) static UNREADABLE_MANIFEST: Rule = Rule {
    code: "source/unreadable-manifest",
    summary: "a `mind.toml` cannot be read",
    default_severity: Severity::Error,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("rules/unreadable_manifest.md"),
};
