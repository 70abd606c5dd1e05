//! What the process can do with file descriptors.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

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

/// Returns whether a read would not wait: there is something to read, the other end is closed, or the read would fail.
pub fn has_input(descriptor: &impl AsFd) -> bool {
    let mut descriptors = [PollFd::new(descriptor, PollFlags::IN)];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    // An interrupted call is made again by those who wait.
    poll(&mut descriptors, Some(&now)).is_ok_and(|count| count > 0)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn input_and_its_end_are_seen() {
        let (reader, mut writer) = io::pipe().unwrap();
        assert!(!has_input(&reader));
        writer.write_all(b"x").unwrap();
        assert!(has_input(&reader));
        let (reader, writer) = io::pipe().unwrap();
        drop(writer);
        assert!(has_input(&reader));
    }

    #[test]
    fn a_few_can_be_opened() {
        assert!(expect_descriptors(8).is_ok());
        assert!(expect_descriptors(0).is_ok());
    }
}
