//! Large numbers in arguments.

/// Parses an integer, whose digits may be separated by `_`.
///
/// # Errors
///
/// Fails if the string is not a number.
pub(crate) fn parse_number(text: &str) -> Result<usize, std::num::ParseIntError> {
    text.replace('_', "").parse()
}
