//! How long the tests run.

/// Returns the number of a variable, or the default if it is not set.
pub(crate) fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |count| count.parse().unwrap())
}
