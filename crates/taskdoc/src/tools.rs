//! The names of the function tools for tasks, and notes about packages in tool descriptions.

use crate::package::ENCAPSULATED;
use crate::section::{BEAR_IN_MIND, BEAR_IN_MIND_BLOCK, CONSTRAINTS, PROGRESS};
use crate::{BearInMind, TopLevel, text};

/// The tool that replaces a section.
pub const CHANGE_MIND: &str = "change_mind";
/// The tool that creates a section.
pub const DO_MIND: &str = "do_mind";
/// The tool that appends to a section.
pub const MIND_MORE: &str = "mind_more";
/// The tool that removes a section of a category.
pub const NEVER_MIND: &str = "never_mind";
/// The tool that reads a section.
pub const RECALL_TASKDOC: &str = "recall_taskdoc";
/// The tool that creates a package.
pub const TASK_NEW: &str = "task_new";
/// The tool that converts a Markdown file to a package.
pub const TASK_MIGRATE: &str = "task_migrate";
/// The tool that lists the changes of a package.
pub const TASK_LOG: &str = "task_log";
/// The tool that undoes a change of a section.
pub const TASK_UNDO: &str = "task_undo";

/// Examples of general file tools, all of which refuse packages.
pub const GENERAL_TOOLS: &[&str] =
    &["read_file", "create_new_file", "overwrite_entire_file", "list_dir", "search_text"];

/// The note on access, given once before the first call: what general file tools refuse, and which tools to
/// use instead.
pub const ACCESS_NOTE: &str = text!(
    "General file tools refuse task packages, `",
    ENCAPSULATED,
    "`: `",
    RECALL_TASKDOC,
    "` reads their sections, `",
    CHANGE_MIND,
    "` changes them."
);

/// The part of a description of a task tool about the context of a session.
pub const INJECTION_NOTE: &str = text!(
    "If the session has one task, your context has its ",
    TopLevel::FILES,
    ", and of `",
    BEAR_IN_MIND,
    "/` those of ",
    BearInMind::FILES,
    " that exist, as `",
    BEAR_IN_MIND_BLOCK,
    "` between `",
    CONSTRAINTS,
    "` and `",
    PROGRESS,
    "`. Other sections, and several tasks, are only listed: read them with `",
    RECALL_TASKDOC,
    "`."
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_use_the_constants() {
        assert_eq!(
            ACCESS_NOTE,
            "General file tools refuse task packages, `**/*.tsk/**`: `recall_taskdoc` reads their sections, `change_mind` \
             changes them."
        );
        assert_eq!(
            INJECTION_NOTE,
            "If the session has one task, your context has its `goals.md`, `constraints.md`, `progress.md`, and of \
             `bearinmind/` those of `contracts.md`, `acceptance.md`, `grants.md`, `runbook.md`, `decisions.md`, `risks.md` \
             that exist, as `## Bear In Mind` between `## Constraints` and `## Progress`. Other sections, and several \
             tasks, are only listed: read them with `recall_taskdoc`."
        );
    }
}
