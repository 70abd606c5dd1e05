//! Wrapper of all system calls.

use std::io;

use rustix::io::Errno;

/// Makes a system call, and repeats it while it is interrupted by a signal.
#[inline]
pub(super) fn call<T>(name: &'static str, mut attempt: impl FnMut() -> Result<T, Errno>) -> io::Result<T> {
    loop {
        match attempt_once(name, &mut attempt) {
            Err(Errno::INTR) => {}
            result => return result.map_err(io::Error::from),
        }
    }
}

#[cfg(not(feature = "faults"))]
#[inline]
fn attempt_once<T>(_: &'static str, attempt: &mut impl FnMut() -> Result<T, Errno>) -> Result<T, Errno> {
    attempt()
}

#[cfg(feature = "faults")]
fn attempt_once<T>(name: &'static str, attempt: &mut impl FnMut() -> Result<T, Errno>) -> Result<T, Errno> {
    let after = super::faults::before(name)?;
    let result = attempt();
    after.apply();
    result
}
