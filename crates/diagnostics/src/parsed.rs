//! A value together with what was wrong on the way to it.

use crate::Problems;

/// What reading gives: a value as far as there is one, and every problem.
///
/// Reading never fails on content.
#[derive(Debug)]
#[must_use]
pub struct Parsed<T> {
    /// What could be read.
    pub value: T,
    /// What was wrong.
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
