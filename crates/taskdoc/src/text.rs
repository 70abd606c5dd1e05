//! Texts that are put together when they are compiled, from the constants that the code goes by.
//!
//! ```
//! const WHAT: &str = minds_taskdoc::text!("`", minds_taskdoc::package::ENCAPSULATED, "` is refused");
//! assert_eq!(WHAT, "`**/*.tsk/**` is refused");
//! ```

/// Returns several constant texts as one.
#[macro_export]
macro_rules! text {
    ($($part:expr),+ $(,)?) => {{
        const PARTS: &[&str] = &[$($part),+];
        const BYTES: [u8; $crate::text::length(PARTS)] = $crate::text::joined(PARTS);
        const TEXT: &str = $crate::text::read(&BYTES);
        TEXT
    }};
}

/// Returns how many bytes several texts have.
pub const fn length(parts: &[&str]) -> usize {
    let (mut parts, mut length) = (parts, 0);
    while let Some((part, others)) = parts.split_first() {
        length += part.len();
        parts = others;
    }
    length
}

/// Returns the first `N` bytes of several texts, one behind the other.
#[expect(clippy::mem_replace_with_default, reason = "`take` cannot be called while compiling")]
pub const fn joined<const N: usize>(parts: &[&str]) -> [u8; N] {
    let mut bytes = [0; N];
    let mut free: &mut [u8] = &mut bytes;
    let mut parts = parts;
    while let Some((part, others)) = parts.split_first() {
        let mut rest = part.as_bytes();
        while let Some((byte, behind)) = rest.split_first() {
            let whole = std::mem::replace(&mut free, &mut []);
            let Some((place, left)) = whole.split_first_mut() else { break };
            *place = *byte;
            free = left;
            rest = behind;
        }
        parts = others;
    }
    bytes
}

/// Returns the text of some bytes; an empty one if they are none.
pub const fn read(bytes: &[u8]) -> &str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => "",
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn parts_are_put_one_behind_the_other() {
        const FIRST: &str = "差遣牒";
        assert_eq!(crate::text!(FIRST, "", " = ", "taskdoc"), "差遣牒 = taskdoc");
        assert_eq!(crate::text!(""), "");
    }
}
