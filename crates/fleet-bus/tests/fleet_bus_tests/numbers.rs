//! How long the tests run.

/// Returns the number of a variable, or the default if it is not set.
fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |count| count.parse().unwrap())
}

/// Returns the number of seeds for each law: that of the variable `MINDS_TEST_SEEDS` if it is set.
pub(crate) fn seeds(default: u64) -> u64 {
    number("MINDS_TEST_SEEDS", default)
}

/// Returns the number of claims in a race: that of the variable `MINDS_TEST_RACES` if it is set.
pub(crate) fn races(default: u64) -> u64 {
    number("MINDS_TEST_RACES", default)
}

/// Returns the number of events that followers read: that of the variable `MINDS_TEST_EVENTS`, or 20,000.
pub(crate) fn events() -> u64 {
    number("MINDS_TEST_EVENTS", 20_000)
}
