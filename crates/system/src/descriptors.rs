//! How many files the process may still open.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};

/// Makes sure that the process can open `count` more files; those that it opens for that are closed again.
///
/// # Errors
///
/// Fails as the system does where it cannot.
pub fn expect_descriptors(count: usize) -> io::Result<()> {
    // A server may be allowed to open nothing by a path.
    let stderr = io::stderr();
    let opened: io::Result<Vec<OwnedFd>> = (0..count).map(|_| stderr.as_fd().try_clone_to_owned()).collect();
    opened.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_can_be_opened() {
        assert!(expect_descriptors(8).is_ok());
        assert!(expect_descriptors(0).is_ok());
    }
}
