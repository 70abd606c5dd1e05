//! The number of files that the process can still open.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};

/// Checks that the process can open `count` more files. The descriptors opened for the check are closed
/// again.
///
/// # Errors
///
/// Fails with the error of the system if it cannot.
pub fn expect_descriptors(count: usize) -> io::Result<()> {
    // A confined server may not be allowed to open any path.
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
