//! Prompt files.

use minds_diagnostics::{Diagnostic, Problems, SourceFile, Span};
use minds_vfs::rules;

use crate::prompt::MAX_PROMPT_BYTES;

/// Returns whether a file is valid text within the size limit, and reports it otherwise.
pub(crate) fn readable(source: &SourceFile, problems: &mut Problems) -> bool {
    let unreadable = |why: &str, span: Span| {
        Diagnostic::new(&rules::UNREADABLE, format!("`{}` cannot be read: {why}", source.name()))
            .primary(source.label(span))
    };
    if source.bytes().len() > MAX_PROMPT_BYTES {
        problems.push(
            unreadable("it is larger than 1 MiB", Span::at(0)).note("a model receives the complete prompt"),
        );
        return false;
    }
    if let Err(error) = source.text() {
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let start = error.valid_up_to();
        let span = Span::new(offset(start), offset(start + error.error_len().unwrap_or(1)));
        problems.push(unreadable("it is not valid UTF-8", span).help("save the file as UTF-8"));
        return false;
    }
    true
}
