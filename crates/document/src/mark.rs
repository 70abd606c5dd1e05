//! Marks, by which most different texts are told apart at once.

/// Returns one of 64 bits. Texts with different marks are different.
pub(crate) fn mark(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else { return 1 };
    let mixed = bytes.len() ^ usize::from(*first) ^ usize::from(*last) << 2;
    1 << (mixed & 63)
}

#[cfg(test)]
mod tests {
    use super::mark;

    #[test]
    fn a_mark_is_one_bit_and_tells_keys_apart() {
        let keys =
            ["", "a", "é", "name", "icon", "gofor", "nogo", "toolsets", "tools", "read_dirs", "write_dirs"];
        let marks = keys.iter().fold(0, |marks, key| {
            assert_eq!(mark(key).count_ones(), 1, "{key:?}");
            marks | mark(key)
        });
        assert!(marks.count_ones() > 8);
    }
}
