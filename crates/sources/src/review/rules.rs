//! The rules about the content of items.

use minds_diagnostics::rules;

rules! {
    /// Every rule of this part, by code.
    pub(crate) static ALL;

    pub(crate) static INVALID_DESCRIPTION {
        code: "skill/invalid-description",
        summary: "the description of a skill is missing or does not conform to the specification",
        severity: Warning,
        suppressible: false,
        since: "0.1.0",
        page: "rules/skill_invalid_description.md",
    }

    pub(crate) static INVALID_HEAD {
        code: "skill/invalid-head",
        summary: "a skill has no valid YAML front matter",
        severity: Warning,
        suppressible: false,
        since: "0.1.0",
        page: "rules/skill_invalid_head.md",
    }

    pub(crate) static INVALID_NAME {
        code: "skill/invalid-name",
        summary: "the name of a skill is missing or does not conform to the specification",
        severity: Warning,
        suppressible: false,
        since: "0.1.0",
        page: "rules/skill_invalid_name.md",
    }

    pub(crate) static INVALID_VALUE {
        code: "skill/invalid-value",
        summary: "a value in the front matter of a skill does not conform to the specification",
        severity: Warning,
        suppressible: false,
        since: "0.1.0",
        page: "rules/skill_invalid_value.md",
    }

    pub(crate) static UNKNOWN_KEY {
        code: "skill/unknown-key",
        summary: "the front matter of a skill has a key that is not in the specification",
        severity: Warning,
        suppressible: false,
        since: "0.1.0",
        page: "rules/skill_unknown_key.md",
    }

    pub(crate) static BAD_REFERENCE {
        code: "source/bad-reference",
        summary: "a reference to another item cannot be resolved",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "rules/bad_reference.md",
    }

    pub(crate) static BARE_TOOL_REFERENCE {
        code: "source/bare-tool-reference",
        summary: "a tool is referenced by a path that it does not have after installation",
        severity: Warning,
        suppressible: false,
        since: "0.1.0",
        page: "rules/bare_tool_reference.md",
    }

    pub(crate) static CONTROL_CHARACTER {
        code: "source/control-character",
        summary: "text of an item has a control character",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "rules/control_character.md",
    }

    pub(crate) static DIFFERENT_READING {
        code: "source/different-reading",
        summary: "front matter has another meaning as YAML",
        severity: Warning,
        suppressible: false,
        since: "0.1.0",
        page: "rules/different_reading.md",
    }

    pub(crate) static DUPLICATE_TOOLING {
        code: "source/duplicate-tooling",
        summary: "two items contain the same program",
        severity: Warning,
        suppressible: false,
        since: "0.1.0",
        page: "rules/duplicate_tooling.md",
    }

    pub(crate) static EXECUTABLE {
        code: "source/executable",
        summary: "a file of an item is executable",
        severity: Info,
        suppressible: false,
        since: "0.1.0",
        page: "rules/executable.md",
    }

    pub(crate) static HARDCODED_PATH {
        code: "source/hardcoded-path",
        summary: "text has a machine-specific path",
        severity: Warning,
        suppressible: false,
        since: "0.1.0",
        page: "rules/hardcoded_path.md",
    }

    pub(crate) static HIDDEN_TEXT {
        code: "source/hidden-text",
        summary: "text of an item has characters that are hidden, or displayed in another order",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "rules/hidden_text.md",
    }

    pub(crate) static INSTALL_HOOK {
        code: "source/install-hook",
        summary: "the source runs a command on the machines of its users",
        severity: Info,
        suppressible: false,
        since: "0.1.0",
        page: "rules/install_hook.md",
    }

    pub(crate) static ITEM_HOOK {
        code: "source/item-hook",
        summary: "an item runs a command on the machines of its users",
        severity: Info,
        suppressible: false,
        since: "0.1.0",
        page: "rules/item_hook.md",
    }

    pub(crate) static MISPLACED_REFERENCE {
        code: "source/misplaced-reference",
        summary: "a reference in braces is in the front matter of an item",
        severity: Warning,
        suppressible: false,
        since: "0.1.0",
        page: "rules/misplaced_reference.md",
    }

    pub(crate) static MISSING_DESCRIPTION {
        code: "source/missing-description",
        summary: "an item has no description",
        severity: Warning,
        suppressible: false,
        since: "0.1.0",
        page: "rules/missing_description.md",
    }

    pub(crate) static POINTER_FILE {
        code: "source/pointer-file",
        summary: "a file is a Git LFS pointer, whose content is outside of the repository",
        severity: Warning,
        suppressible: false,
        since: "0.1.0",
        page: "rules/pointer_file.md",
    }

    pub(crate) static UNGUARDED_REFERENCE {
        code: "source/unguarded-reference",
        summary: "text names another item without the prefix that it has after installation",
        severity: Warning,
        suppressible: false,
        since: "0.1.0",
        page: "rules/unguarded_reference.md",
    }

    pub(crate) static UNUSABLE_CONTENT {
        code: "source/unusable-content",
        summary: "the content of an item cannot be installed",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "rules/unusable_content.md",
    }
}
