//! Random numbers for cryptographic use.

use std::io;

/// Returns `N` random bytes suitable for unpredictable names and keys.
///
/// # Errors
///
/// Fails if the system has no source of randomness.
pub fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_results_differ() {
        assert_ne!(random::<16>().unwrap(), random::<16>().unwrap());
    }
}
