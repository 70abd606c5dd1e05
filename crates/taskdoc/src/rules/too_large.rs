use minds_diagnostics::{Diagnostic, Problems, rule};
use minds_vfs::SnapshotEntry;

use crate::layout::Layout;
use crate::package::MAX_SECTION_BYTES;
use crate::role::Role;

rule! {
    pub(super) static RULE {
        code: "task/too-large",
        summary: "a section is too large",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "too_large.md",
    }
}

pub(super) fn check(layout: &Layout<'_>, problems: &mut Problems) {
    for entry in &layout.entries {
        let Role::Section(section) = &entry.role else { continue };
        let is_too_large = match entry.state {
            SnapshotEntry::TooLarge { .. } => true,
            SnapshotEntry::File { bytes, .. } => bytes.len() as u64 > MAX_SECTION_BYTES,
            _ => false,
        };
        if is_too_large {
            let message = format!("the section `{section}` is larger than {} MiB", MAX_SECTION_BYTES >> 20);
            problems.push(
                Diagnostic::new(&RULE, message)
                    .primary(entry.label())
                    .note("a section of this size cannot be read or changed")
                    .help("shorten it, or divide it into several sections of a category"),
            );
        }
    }
}
