//! The items that a source offers.

use crate::Item;

/// The items that a source offers, after discovery.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// The items in discovery order. No two have the same kind and name.
    pub items: Vec<Item>,
    /// Whether `mind.toml` lists the items, so that nothing is found by convention.
    pub is_authoritative: bool,
}
