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

/// Closes all descriptors but those of the standard streams, for a process that is to have no files of the one that started it.
///
/// Must be called before this process opens anything: it closes files of every owner.
///
/// # Errors
///
/// Fails if the system does not list the descriptors of this process.
pub fn close_inherited_descriptors() -> io::Result<()> {
    let folder = if cfg!(target_os = "linux") { "/proc/self/fd" } else { "/dev/fd" };
    let listed = std::fs::read_dir(folder)?;
    let numbers: Vec<i32> =
        listed.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect();
    for number in numbers.into_iter().filter(|number| *number > 2) {
        // The descriptor of the listing is closed already.
        let _ = nix::unistd::close(number);
    }
    Ok(())
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
