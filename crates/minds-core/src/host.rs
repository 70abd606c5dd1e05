//! The machine on which the team runs.

use std::collections::BTreeMap;

/// The environment variables that are set on a machine. Their values are deliberately not stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Host {
    /// For each name, whether the value is empty.
    variables: BTreeMap<String, bool>,
}

impl Host {
    /// Creates a host from the names of its variables and whether each value is empty.
    pub fn new(variables: impl IntoIterator<Item = (String, bool)>) -> Self {
        Self { variables: variables.into_iter().collect() }
    }

    /// Returns whether a variable is set, possibly to an empty string.
    pub fn has(&self, variable: &str) -> bool {
        self.variables.contains_key(variable)
    }

    /// Returns whether a variable is set to a non-empty string.
    pub fn has_text_in(&self, variable: &str) -> bool {
        self.variables.get(variable) == Some(&false)
    }
}
