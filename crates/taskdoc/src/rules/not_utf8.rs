use minds_diagnostics::{Diagnostic, Problems, SourceFile, Span, rule};
use minds_vfs::SnapshotEntry;

use crate::layout::Layout;
use crate::role::Role;

rule! {
    pub(super) static RULE {
        code: "task/not-utf8",
        summary: "a section is not valid UTF-8",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "not_utf8.md",
    }
}

pub(super) fn check(layout: &Layout<'_>, problems: &mut Problems) {
    for entry in &layout.entries {
        let Role::Section(section) = &entry.role else { continue };
        let SnapshotEntry::File { bytes, .. } = entry.state else { continue };
        let Err(error) = bytes.text() else { continue };
        let start = error.valid_up_to();
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let span = Span::new(offset(start), offset(start + error.error_len().unwrap_or(1)));
        let byte = bytes.get(start).copied().unwrap_or_default();
        let source = SourceFile::new(entry.path, bytes.clone());
        let label = source.label(span).message(format!("byte 0x{byte:02x} does not start a character"));
        problems.push(
            Diagnostic::new(&RULE, format!("the section `{section}` is not valid UTF-8"))
                .primary(label)
                .note("the section cannot be displayed, and the text for agents cannot be generated")
                .help("save the file as UTF-8"),
        );
    }
}
