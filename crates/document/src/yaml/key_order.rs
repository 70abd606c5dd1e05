//! The order of keys in mappings.

use crate::{Key, Keys};

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
#[derive(Clone, Copy, Debug)]
pub enum KeyOrder {
    /// The order of the file, at all levels.
    Free,
    /// A mapping with known keys, in their order; other keys follow them in the order of the file.
    Fields(&'static [(&'static str, KeyOrder)]),
    /// A mapping with declared keys, in their order; other keys follow them in the order of the file.
    Keys(&'static [Key]),
    /// A mapping from names chosen by the user, which stay in their order; this is the order of each value.
    Named(&'static KeyOrder),
    /// A list; this is the order of each item.
    Items(&'static KeyOrder),
}

impl KeyOrder {
    /// Returns the order of the keys of a mapping.
    pub const fn of<T: Keys>() -> Self {
        Self::Keys(T::KEYS)
    }

    /// Returns the order of each value of a mapping from names chosen by the user to mappings with declared keys.
    pub const fn named<T: Keys>() -> Self {
        Self::Named(const { &Self::of::<T>() })
    }

    /// Returns the known keys of a mapping with their values.
    pub fn fields(&self) -> impl Iterator<Item = (&'static str, &Self)> {
        let (fields, keys): (&[(&str, Self)], &[Key]) = match *self {
            Self::Fields(fields) => (fields, &[]),
            Self::Keys(keys) => (&[], keys),
            Self::Free | Self::Named(_) | Self::Items(_) => (&[], &[]),
        };
        let fields = fields.iter().map(|(name, order)| (*name, order));
        fields.chain(keys.iter().map(|key| (key.name, &key.order)))
    }
}
