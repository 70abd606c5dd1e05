//! All that a source offers.

use crate::Item;

/// What a source offers, after discovery.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// The items in the order in which they were discovered. No two have the same kind and name.
    pub items: Vec<Item>,
    /// Whether `mind.toml` lists them, so that nothing is found by convention.
    pub is_authoritative: bool,
}
