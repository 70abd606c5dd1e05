//! What a vendor announced about the end of a client.

use super::values::text;
use crate::tree::Item;

/// The end of a client, as its vendor announced it.
#[derive(Clone, Debug, Default)]
pub struct Retirement {
    /// The date from which it holds, as `YYYY-MM-DD`.
    pub since: String,
    /// What ends.
    pub what: String,
    /// What to use instead, imperative.
    pub instead: String,
}

impl Retirement {
    pub(super) fn decode(item: &Item) -> Result<Self, String> {
        let get = |key| item.get(key).map_or_else(|| Err(format!("`{key}` is missing")), text);
        Ok(Self { since: get("since")?, what: get("what")?, instead: get("instead")? })
    }
}
