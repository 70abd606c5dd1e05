//! A one-word Bloom filter for keys, which rules out most absent keys without a search.

/// Returns the bit of a key, one of 64. Keys with different bits are different.
pub(crate) fn filter_bit(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else { return 1 };
    let mixed = bytes.len() ^ usize::from(*first) ^ usize::from(*last) << 2;
    1 << (mixed & 63)
}

#[cfg(test)]
mod tests {
    use super::filter_bit;

    #[test]
    fn a_filter_bit_is_a_single_bit_and_differs_between_most_keys() {
        let keys =
            ["", "a", "é", "name", "icon", "gofor", "nogo", "toolsets", "tools", "read_dirs", "write_dirs"];
        let marks = keys.iter().fold(0, |marks, key| {
            assert_eq!(filter_bit(key).count_ones(), 1, "{key:?}");
            marks | filter_bit(key)
        });
        assert!(marks.count_ones() > 8);
    }
}
