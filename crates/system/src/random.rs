//! Numbers that nobody can guess.

use std::io;

/// Returns `N` random bytes, good enough for names and keys that nobody may guess.
///
/// # Errors
///
/// Fails if the system has none.
pub fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_are_the_same() {
        assert_ne!(random::<16>().unwrap(), random::<16>().unwrap());
    }
}
