//! A parsed value together with the problems found.

use crate::Problems;

/// The result of reading: a value as far as there is one, and all problems.
///
/// Reading never fails because of content.
#[derive(Debug)]
#[must_use]
pub struct Parsed<T> {
    /// The value.
    pub value: T,
    /// The problems.
    pub problems: Problems,
}

impl<T> Parsed<T> {
    /// Returns a value without problems.
    pub fn clean(value: T) -> Self {
        Self { value, problems: Problems::new() }
    }

    /// Moves the problems to `problems` and returns the value.
    pub fn take(self, problems: &mut Problems) -> T {
        problems.append(self.problems);
        self.value
    }
}
