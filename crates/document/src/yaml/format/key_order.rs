//! The order of keys in mappings.

/// The order in which the keys of a document, or of a part of it, are written.
///
/// Each kind of file has its own.
///
/// ```
/// use minds_document::yaml::KeyOrder;
///
/// static SERVER: KeyOrder = KeyOrder::Fields(&[("command", KeyOrder::Free), ("args", KeyOrder::Free)]);
/// static FILE: KeyOrder = KeyOrder::Fields(&[("version", KeyOrder::Free), ("servers", KeyOrder::Named(&SERVER))]);
/// ```
#[derive(Debug)]
pub enum KeyOrder {
    /// The order of the file, at all levels.
    Free,
    /// A mapping with known keys, in their order; other keys follow them in the order of the file.
    Fields(&'static [(&'static str, KeyOrder)]),
    /// A mapping from names chosen by the user, which stay in their order; this is the order of each value.
    Named(&'static KeyOrder),
    /// A list; this is the order of each item.
    Items(&'static KeyOrder),
}
