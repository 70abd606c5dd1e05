//! The rules about what items consist of.

use minds_diagnostics::{Rule, Severity};

/// Every rule of this part, by code.
pub(crate) static ALL: &[&Rule] = &[
    &INVALID_DESCRIPTION,
    &INVALID_HEAD,
    &INVALID_NAME,
    &INVALID_VALUE,
    &UNKNOWN_KEY,
    &BAD_REFERENCE,
    &BARE_TOOL_REFERENCE,
    &CONTROL_CHARACTER,
    &DIFFERENT_READING,
    &DUPLICATE_TOOLING,
    &EXECUTABLE,
    &HARDCODED_PATH,
    &HIDDEN_TEXT,
    &INSTALL_HOOK,
    &ITEM_HOOK,
    &MISPLACED_REFERENCE,
    &MISSING_DESCRIPTION,
    &POINTER_FILE,
    &UNGUARDED_REFERENCE,
    &UNUSABLE_CONTENT,
];

pub(crate) static BAD_REFERENCE: Rule = Rule {
    code: "source/bad-reference",
    summary: "a reference to another item means nothing",
    default_severity: Severity::Error,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("rules/bad_reference.md"),
};

pub(crate) static BARE_TOOL_REFERENCE: Rule = Rule {
    code: "source/bare-tool-reference",
    summary: "a tool is named by a path that it will not have",
    default_severity: Severity::Warning,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("rules/bare_tool_reference.md"),
};

pub(crate) static CONTROL_CHARACTER: Rule = Rule {
    code: "source/control-character",
    summary: "a text of an item has a control character",
    default_severity: Severity::Error,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("rules/control_character.md"),
};

pub(crate) static DIFFERENT_READING: Rule = Rule {
    code: "source/different-reading",
    summary: "a head means something else to readers of YAML",
    default_severity: Severity::Warning,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("rules/different_reading.md"),
};

pub(crate) static DUPLICATE_TOOLING: Rule = Rule {
    code: "source/duplicate-tooling",
    summary: "two items bring along the same program",
    default_severity: Severity::Warning,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("rules/duplicate_tooling.md"),
};

pub(crate) static POINTER_FILE: Rule = Rule {
    code: "source/pointer-file",
    summary: "a file only points to its content, which is kept outside of the repository",
    default_severity: Severity::Warning,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("rules/pointer_file.md"),
};

pub(crate) static EXECUTABLE: Rule = Rule {
    code: "source/executable",
    summary: "a file of an item can be run",
    default_severity: Severity::Info,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("rules/executable.md"),
};

pub(crate) static HARDCODED_PATH: Rule = Rule {
    code: "source/hardcoded-path",
    summary: "a text names a place on one machine",
    default_severity: Severity::Warning,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("rules/hardcoded_path.md"),
};

pub(crate) static HIDDEN_TEXT: Rule = Rule {
    code: "source/hidden-text",
    summary: "a text of an item has characters that are not shown, or shown in another order",
    default_severity: Severity::Error,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("rules/hidden_text.md"),
};

pub(crate) static INSTALL_HOOK: Rule = Rule {
    code: "source/install-hook",
    summary: "the source has a command run on the machine of whoever melds it",
    default_severity: Severity::Info,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("rules/install_hook.md"),
};

pub(crate) static ITEM_HOOK: Rule = Rule {
    code: "source/item-hook",
    summary: "an item has a command run on the machine of whoever installs it",
    default_severity: Severity::Info,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("rules/item_hook.md"),
};

pub(crate) static MISPLACED_REFERENCE: Rule = Rule {
    code: "source/misplaced-reference",
    summary: "a reference in braces stands in the head of an item",
    default_severity: Severity::Warning,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("rules/misplaced_reference.md"),
};

pub(crate) static MISSING_DESCRIPTION: Rule = Rule {
    code: "source/missing-description",
    summary: "an item does not say what it is for",
    default_severity: Severity::Warning,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("rules/missing_description.md"),
};

pub(crate) static UNGUARDED_REFERENCE: Rule = Rule {
    code: "source/unguarded-reference",
    summary: "a text names another item without the prefix that it will have",
    default_severity: Severity::Warning,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("rules/unguarded_reference.md"),
};

pub(crate) static UNUSABLE_CONTENT: Rule = Rule {
    code: "source/unusable-content",
    summary: "what an item consists of cannot be installed",
    default_severity: Severity::Error,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("rules/unusable_content.md"),
};

pub(crate) static INVALID_DESCRIPTION: Rule = Rule {
    code: "skill/invalid-description",
    summary: "the description of a skill is missing or not as the specification wants it",
    default_severity: Severity::Warning,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("rules/skill_invalid_description.md"),
};

pub(crate) static INVALID_HEAD: Rule = Rule {
    code: "skill/invalid-head",
    summary: "a skill has no head that can be read as YAML",
    default_severity: Severity::Warning,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("rules/skill_invalid_head.md"),
};

pub(crate) static INVALID_NAME: Rule = Rule {
    code: "skill/invalid-name",
    summary: "the name of a skill is missing or not as the specification wants it",
    default_severity: Severity::Warning,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("rules/skill_invalid_name.md"),
};

pub(crate) static INVALID_VALUE: Rule = Rule {
    code: "skill/invalid-value",
    summary: "a value in the head of a skill is not as the specification wants it",
    default_severity: Severity::Warning,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("rules/skill_invalid_value.md"),
};

pub(crate) static UNKNOWN_KEY: Rule = Rule {
    code: "skill/unknown-key",
    summary: "the head of a skill has a key that the specification does not have",
    default_severity: Severity::Warning,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("rules/skill_unknown_key.md"),
};
