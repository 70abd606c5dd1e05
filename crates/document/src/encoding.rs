//! Decoding of bytes to text.

use std::str::Utf8Error;

use minds_diagnostics::{Diagnostic, Problems, SourceFile, Span};

use crate::format::Format;
use crate::limits::{self, MAX_BYTES};

/// The byte order mark, which some editors write at the start of a file.
pub const BOM: &str = "\u{feff}";

/// Returns the part of a file to parse: everything but a byte order mark. Reports a file that is too large or not
/// UTF-8.
pub(crate) fn text_of(source: &SourceFile, format: Format, problems: &mut Problems) -> Option<Span> {
    if source.bytes().len() > MAX_BYTES {
        problems.push(limits::too_large(source, format));
        return None;
    }
    match source.text() {
        Ok(text) => {
            let start = if text.starts_with(BOM) { BOM.len() } else { 0 };
            Some(Span::new(offset(start), offset(text.len())))
        }
        Err(error) => {
            problems.push(not_utf8(source, format, error));
            None
        }
    }
}

fn not_utf8(source: &SourceFile, format: Format, error: Utf8Error) -> Diagnostic {
    let start = error.valid_up_to();
    let length = error.error_len().unwrap_or(source.bytes().len() - start).max(1);
    let span = Span::new(offset(start), offset(start + length));
    let byte = source.bytes().get(start).copied().unwrap_or_default();
    let help = if source.bytes().starts_with(b"\xff\xfe") || source.bytes().starts_with(b"\xfe\xff") {
        "the file seems to be UTF-16: save it as UTF-8"
    } else {
        "save the file as UTF-8"
    };
    Diagnostic::new(format.not_utf8(), "the file is not valid UTF-8")
        .primary(source.label(span).message(format!("byte 0x{byte:02x} does not start a character")))
        .help(help)
}

fn offset(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
