//! The machine on which the team would run.

use std::collections::BTreeMap;

/// What is known of a machine: which environment variables are set. Their values are nobody's business.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Host {
    /// The names, and whether the value is empty.
    variables: BTreeMap<String, bool>,
}

impl Host {
    /// Returns a machine on which these variables are set: each name, and whether its value is empty.
    pub fn new(variables: impl IntoIterator<Item = (String, bool)>) -> Self {
        Self { variables: variables.into_iter().collect() }
    }

    /// Returns whether a variable is set, if only to an empty text.
    pub fn has(&self, variable: &str) -> bool {
        self.variables.contains_key(variable)
    }

    /// Returns whether a variable is set to a text that is not empty.
    pub fn has_text_in(&self, variable: &str) -> bool {
        self.variables.get(variable) == Some(&false)
    }
}
