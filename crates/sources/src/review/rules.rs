//! The rules about the content of items.

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
    summary: "a reference to another item cannot be resolved",
    default_severity: Severity::Error,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("rules/bad_reference.md"),
};

pub(crate) static BARE_TOOL_REFERENCE: Rule = Rule {
    code: "source/bare-tool-reference",
    summary: "a tool is referenced by a path that it does not have after installation",
    default_severity: Severity::Warning,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("rules/bare_tool_reference.md"),
};

pub(crate) static CONTROL_CHARACTER: Rule = Rule {
    code: "source/control-character",
    summary: "text of an item has a control character",
    default_severity: Severity::Error,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("rules/control_character.md"),
};

pub(crate) static DIFFERENT_READING: Rule = Rule {
    code: "source/different-reading",
    summary: "front matter has another meaning as YAML",
    default_severity: Severity::Warning,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("rules/different_reading.md"),
};

pub(crate) static DUPLICATE_TOOLING: Rule = Rule {
    code: "source/duplicate-tooling",
    summary: "two items contain the same program",
    default_severity: Severity::Warning,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("rules/duplicate_tooling.md"),
};

pub(crate) static POINTER_FILE: Rule = Rule {
    code: "source/pointer-file",
    summary: "a file is a Git LFS pointer, whose content is outside of the repository",
    default_severity: Severity::Warning,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("rules/pointer_file.md"),
};

pub(crate) static EXECUTABLE: Rule = Rule {
    code: "source/executable",
    summary: "a file of an item is executable",
    default_severity: Severity::Info,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("rules/executable.md"),
};

pub(crate) static HARDCODED_PATH: Rule = Rule {
    code: "source/hardcoded-path",
    summary: "text has a machine-specific path",
    default_severity: Severity::Warning,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("rules/hardcoded_path.md"),
};

pub(crate) static HIDDEN_TEXT: Rule = Rule {
    code: "source/hidden-text",
    summary: "text of an item has characters that are hidden, or displayed in another order",
    default_severity: Severity::Error,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("rules/hidden_text.md"),
};

pub(crate) static INSTALL_HOOK: Rule = Rule {
    code: "source/install-hook",
    summary: "the source runs a command on the machines of its users",
    default_severity: Severity::Info,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("rules/install_hook.md"),
};

pub(crate) static ITEM_HOOK: Rule = Rule {
    code: "source/item-hook",
    summary: "an item runs a command on the machines of its users",
    default_severity: Severity::Info,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("rules/item_hook.md"),
};

pub(crate) static MISPLACED_REFERENCE: Rule = Rule {
    code: "source/misplaced-reference",
    summary: "a reference in braces is in the front matter of an item",
    default_severity: Severity::Warning,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("rules/misplaced_reference.md"),
};

pub(crate) static MISSING_DESCRIPTION: Rule = Rule {
    code: "source/missing-description",
    summary: "an item has no description",
    default_severity: Severity::Warning,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("rules/missing_description.md"),
};

pub(crate) static UNGUARDED_REFERENCE: Rule = Rule {
    code: "source/unguarded-reference",
    summary: "text names another item without the prefix that it has after installation",
    default_severity: Severity::Warning,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("rules/unguarded_reference.md"),
};

pub(crate) static UNUSABLE_CONTENT: Rule = Rule {
    code: "source/unusable-content",
    summary: "the content of an item cannot be installed",
    default_severity: Severity::Error,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("rules/unusable_content.md"),
};

pub(crate) static INVALID_DESCRIPTION: Rule = Rule {
    code: "skill/invalid-description",
    summary: "the description of a skill is missing or does not conform to the specification",
    default_severity: Severity::Warning,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("rules/skill_invalid_description.md"),
};

pub(crate) static INVALID_HEAD: Rule = Rule {
    code: "skill/invalid-head",
    summary: "a skill has no valid YAML front matter",
    default_severity: Severity::Warning,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("rules/skill_invalid_head.md"),
};

pub(crate) static INVALID_NAME: Rule = Rule {
    code: "skill/invalid-name",
    summary: "the name of a skill is missing or does not conform to the specification",
    default_severity: Severity::Warning,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("rules/skill_invalid_name.md"),
};

pub(crate) static INVALID_VALUE: Rule = Rule {
    code: "skill/invalid-value",
    summary: "a value in the front matter of a skill does not conform to the specification",
    default_severity: Severity::Warning,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("rules/skill_invalid_value.md"),
};

pub(crate) static UNKNOWN_KEY: Rule = Rule {
    code: "skill/unknown-key",
    summary: "the front matter of a skill has a key that is not in the specification",
    default_severity: Severity::Warning,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("rules/skill_unknown_key.md"),
};
