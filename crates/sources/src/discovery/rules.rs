//! The rules about the files of a source.

use minds_diagnostics::rules;

rules! {
    /// Every rule of this part, by code.
    pub(crate) static ALL;

    pub(crate) static DANGLING_LINK {
        code: "source/dangling-link",
        summary: "a symbolic link to an item is dangling",
        severity: Info,
        suppressible: false,
        since: "0.1.0",
        page: "rules/dangling_link.md",
    }

    pub(crate) static INVALID_ROOT {
        code: "source/invalid-root",
        summary: "a root is not a folder of the source",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "rules/invalid_root.md",
    }

    pub(crate) static ITEM_SHAPE {
        code: "source/item-shape",
        summary: "an item that `mind.toml` lists is a file instead of a folder, or vice versa",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "rules/item_shape.md",
    }

    pub(crate) static LINK_OUTSIDE {
        code: "source/link-outside",
        summary: "a symbolic link escapes the source",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "rules/link_outside.md",
    }

    pub(crate) static MISSING_ITEM {
        code: "source/missing-item",
        summary: "an item that `mind.toml` lists does not exist",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "rules/missing_item.md",
    }

    pub(crate) static NO_FOLDER {
        code: "source/no-folder",
        summary: "the path of a folder of items is not a folder",
        severity: Warning,
        suppressible: false,
        since: "0.1.0",
        page: "rules/no_folder.md",
    }

    pub(crate) static NO_ITEM {
        code: "source/no-item",
        summary: "an entry in a folder of items does not have the form of an item",
        severity: Info,
        suppressible: false,
        since: "0.1.0",
        page: "rules/no_item.md",
    }

    pub(crate) static NO_SKILL_FILE {
        code: "source/no-skill-file",
        summary: "a skill that `mind.toml` lists does not contain a `SKILL.md`",
        severity: Warning,
        suppressible: false,
        since: "0.1.0",
        page: "rules/no_skill_file.md",
    }

    pub(crate) static PASSED_OVER {
        code: "source/passed-over",
        summary: "an item is not offered because its name is hidden or the name of a vendored folder",
        severity: Info,
        suppressible: false,
        since: "0.1.0",
        page: "rules/passed_over.md",
    }

    pub(crate) static TOO_LARGE {
        code: "source/too-large",
        summary: "a source is too large",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "rules/too_large.md",
    }

    pub(crate) static UNFIT_MATCH {
        code: "source/unfit-match",
        summary: "a pattern matches something that is not an item of its kind",
        severity: Info,
        suppressible: false,
        since: "0.1.0",
        page: "rules/unfit_match.md",
    }

    pub(crate) static UNREADABLE_ITEM {
        code: "source/unreadable-item",
        summary: "an item cannot be read",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "rules/unreadable_item.md",
    }

    pub(crate) static UNREADABLE_MANIFEST {
        code: "source/unreadable-manifest",
        summary: "a `mind.toml` cannot be read",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "rules/unreadable_manifest.md",
    }

    pub(crate) static UNSAFE_NAME {
        code: "source/unsafe-name",
        summary: "a name is not valid for an installed item",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "rules/unsafe_name.md",
    }
}
