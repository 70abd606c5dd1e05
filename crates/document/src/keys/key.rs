//! Keys and their order.

use crate::yaml::KeyOrder;

/// A key of a mapping.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// The key as written.
    pub name: &'static str,
    /// The preferred spelling of the key.
    pub field: &'static str,
    /// The order of the keys in its value.
    pub order: KeyOrder,
}

impl Key {
    /// Returns the number of keys in several slices.
    pub const fn count(parts: &[&[Self]]) -> usize {
        let mut count = 0;
        let mut rest = parts;
        while let [first, others @ ..] = rest {
            count += first.len();
            rest = others;
        }
        count
    }

    /// Returns the keys of several slices; `N` is their [`count`](Self::count).
    pub const fn join<const N: usize>(parts: &[&[Self]]) -> [Self; N] {
        let mut all = [Self { name: "", field: "", order: KeyOrder::Free }; N];
        let mut free: &mut [Self] = &mut all;
        let mut rest = parts;
        while let [first, others @ ..] = rest {
            let mut keys = *first;
            while let [key, following @ ..] = keys {
                let Some((place, after)) = free.split_first_mut() else { return all };
                *place = *key;
                free = after;
                keys = following;
            }
            rest = others;
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn key(name: &'static str) -> Key {
        Key { name, field: name, order: KeyOrder::Free }
    }

    #[test]
    fn joined_keys_keep_their_order() {
        const PARTS: &[&[Key]] = &[&[key("a"), key("b")], &[], &[key("c")]];
        const ALL: [Key; Key::count(PARTS)] = Key::join(PARTS);
        assert_eq!(ALL.map(|key| key.name), ["a", "b", "c"]);
    }
}
