//! Strings that are concatenated at compile time from the constants used by the code.
//!
//! ```
//! const WHAT: &str = minds_taskdoc::text!("`", minds_taskdoc::package::ENCAPSULATED, "` is refused");
//! assert_eq!(WHAT, "`**/*.tsk/**` is refused");
//! ```

/// Concatenates constant strings.
#[macro_export]
macro_rules! text {
    ($($part:expr),+ $(,)?) => {{
        const PARTS: &[&str] = &[$($part),+];
        const BYTES: [u8; $crate::text::total_length(PARTS)] = $crate::text::concatenate(PARTS);
        const TEXT: &str = $crate::text::from_bytes(&BYTES);
        TEXT
    }};
}

/// Returns the total length of several strings in bytes.
pub const fn total_length(parts: &[&str]) -> usize {
    let (mut parts, mut length) = (parts, 0);
    while let Some((part, rest)) = parts.split_first() {
        length += part.len();
        parts = rest;
    }
    length
}

/// Returns the first `N` bytes of several concatenated strings.
#[expect(clippy::mem_replace_with_default, reason = "`take` cannot be called while compiling")]
pub const fn concatenate<const N: usize>(parts: &[&str]) -> [u8; N] {
    let mut bytes = [0; N];
    let mut free: &mut [u8] = &mut bytes;
    let mut parts = parts;
    while let Some((part, remaining_parts)) = parts.split_first() {
        let mut rest = part.as_bytes();
        while let Some((byte, following)) = rest.split_first() {
            let available = std::mem::replace(&mut free, &mut []);
            let Some((place, left)) = available.split_first_mut() else { break };
            *place = *byte;
            free = left;
            rest = following;
        }
        parts = remaining_parts;
    }
    bytes
}

/// Returns bytes as a string; empty if they are not valid UTF-8.
pub const fn from_bytes(bytes: &[u8]) -> &str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => "",
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn parts_are_concatenated_in_order() {
        const FIRST: &str = "差遣牒";
        assert_eq!(crate::text!(FIRST, "", " = ", "taskdoc"), "差遣牒 = taskdoc");
        assert_eq!(crate::text!(""), "");
    }
}
