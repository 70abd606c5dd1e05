//! Limits of the size of documents.

use minds_diagnostics::{Diagnostic, SourceFile, Span};

use crate::format::Format;
use crate::rules;

/// The maximum number of bytes of a file: 16 MiB.
pub const MAX_BYTES: usize = 16 << 20;

/// The maximum nesting depth of lists and mappings.
pub const MAX_DEPTH: usize = 64;

/// The maximum number of nodes of a document, keys included. A team of 10,000 members has about 500,000.
pub const MAX_NODES: usize = 1_000_000;

/// The maximum number of bytes of one scalar: 1 MiB.
pub const MAX_SCALAR_BYTES: usize = 1 << 20;

/// The maximum number of tokens of one line of TOML, with the following lines that its brackets include.
pub(crate) const MAX_WORDS: usize = 4 * MAX_NODES;

/// The maximum number of nodes that all aliases of a document stand for in total.
pub const MAX_ALIASED_NODES: u64 = 100_000;

/// The note of a finding at which reading stops.
pub(crate) const STOPPED: &str = "the rest of the file was not checked";

pub(crate) fn too_large(source: &SourceFile, format: Format) -> Diagnostic {
    Diagnostic::new(format.limit(), format!("the file is larger than {} MiB", MAX_BYTES >> 20))
        .primary(source.label(Span::at(0)))
        .help("split the file, or check whether it is the right one")
}

pub(crate) fn too_deep(source: &SourceFile, format: Format, span: Span) -> Diagnostic {
    let message = format!("lists and mappings are nested more than {MAX_DEPTH} levels deep");
    Diagnostic::new(format.limit(), message)
        .primary(source.label(span).message("too deep"))
        .note(STOPPED)
        .help("reduce the nesting")
}

pub(crate) fn too_many_nodes(source: &SourceFile, format: Format, span: Span) -> Diagnostic {
    Diagnostic::new(format.limit(), "the file has more than 1,000,000 keys and values")
        .primary(source.label(Span::at(span.start())).message("the first one beyond"))
        .note(STOPPED)
        .help("split the file")
}

pub(crate) fn too_long(source: &SourceFile, format: Format, span: Span) -> Diagnostic {
    Diagnostic::new(format.limit(), "a string is longer than 1 MiB")
        .primary(source.label(span).message("too long"))
        .help("shorten the text")
}

pub(crate) fn too_many_aliased(source: &SourceFile, span: Span) -> Diagnostic {
    Diagnostic::new(&rules::LIMIT, "the aliases of this file stand for more than 100,000 values")
        .primary(source.label(span).message("the first alias beyond"))
        .help("write the values out instead of using aliases")
}

pub(crate) fn too_many_words(source: &SourceFile, span: Span) -> Diagnostic {
    Diagnostic::new(&rules::TOML_LIMIT, "a value has more than 4,000,000 tokens")
        .primary(source.label(Span::at(span.start())).message("the first one beyond"))
        .note(STOPPED)
        .help("split the value")
}
