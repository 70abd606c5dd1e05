//! Compatibility with the version of the source format.

use std::cmp::Ordering;

/// The version of the source format that this program reads.
pub const COMPATIBILITY: &str = "0.8.0";

/// Returns whether this program can read a source that requires at least version `least`.
///
/// Versions are compared number by number. White space around a number and a `+` in front of it are ignored;
/// a missing or non-numeric part counts as 0.
pub fn is_compatible(least: &str) -> bool {
    let (mut least, mut ours) = (numbers(least), numbers(COMPATIBILITY));
    loop {
        match (least.next(), ours.next()) {
            (None, _) => return true,
            (Some(asked), ours) => match asked.cmp(&ours.unwrap_or_default()) {
                Ordering::Less => return true,
                Ordering::Greater => return false,
                Ordering::Equal => {}
            },
        }
    }
}

fn numbers(version: &str) -> impl Iterator<Item = u64> {
    version.split('.').map(|part| {
        let part = part.trim();
        let part = part.strip_prefix('+').unwrap_or(part);
        let is_number = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        // A number that does not fit is newer than any version of this program.
        if is_number { part.parse().unwrap_or(u64::MAX) } else { 0 }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_number_by_number() {
        let read = [
            "0.8.0",
            "0.8",
            "0.7.99",
            "0",
            "",
            "abc",
            "v0.5",
            "0.8.0-rc1",
            "0.8.0.0",
            "0.7.9.9",
            ".",
            "++1",
            ">=9",
        ];
        for version in read {
            assert!(is_compatible(version), "{version}");
        }
        let newer = [
            "0.8.1",
            "9",
            "0.9.0-beta",
            "v9.9",
            "0.8.0.1",
            "1",
            "0.10",
            "99999999999999999999999",
            "0.08.01",
            " 9",
            "0. 9 ",
            "+1",
        ];
        for version in newer {
            assert!(!is_compatible(version), "{version}");
        }
    }
}
