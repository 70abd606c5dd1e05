//! Large numbers in arguments.

/// Reads a whole number, whose digits may be set apart by `_`.
///
/// # Errors
///
/// Says why the text is no number.
pub(crate) fn number(text: &str) -> Result<usize, std::num::ParseIntError> {
    text.replace('_', "").parse()
}
