//! Line counts in answers.

use schemars::JsonSchema;
use serde::Serialize;

/// The old and new number of lines, and the change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct LineCounts {
    old: usize,
    new: usize,
    delta: i64,
}

impl LineCounts {
    pub(super) fn new(old: usize, new: usize) -> Self {
        let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        Self { old, new, delta: number(new) - number(old) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_change_of_the_line_count_is_signed() {
        assert_eq!(LineCounts::new(3, 1), LineCounts { old: 3, new: 1, delta: -2 });
    }
}
