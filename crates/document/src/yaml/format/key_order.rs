//! Which mappings have an order of keys.

/// The order in which the keys of a document, or of a part of it, are written.
///
/// Each family of documents has one for each of its files.
///
/// ```
/// use minds_document::yaml::KeyOrder;
///
/// static SERVER: KeyOrder = KeyOrder::Fields(&[("command", KeyOrder::Free), ("args", KeyOrder::Free)]);
/// static FILE: KeyOrder = KeyOrder::Fields(&[("version", KeyOrder::Free), ("servers", KeyOrder::Named(&SERVER))]);
/// ```
#[derive(Debug)]
pub enum KeyOrder {
    /// The order of the file, all the way down.
    Free,
    /// A mapping with keys that the format knows, in their order; others come behind them, as they are written.
    Fields(&'static [(&'static str, KeyOrder)]),
    /// A mapping from names that people give, which stay in their order; this is the order of each value.
    Named(&'static KeyOrder),
    /// A list; this is the order of each item.
    Items(&'static KeyOrder),
}
