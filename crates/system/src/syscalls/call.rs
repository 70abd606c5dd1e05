//! The one way to the system.

use std::io;

use rustix::io::Errno;

/// Makes a call, and makes it again as long as a signal interrupts it.
#[inline]
pub(super) fn call<T>(name: &'static str, mut attempt: impl FnMut() -> Result<T, Errno>) -> io::Result<T> {
    loop {
        match attend(name, &mut attempt) {
            Err(Errno::INTR) => {}
            result => return result.map_err(io::Error::from),
        }
    }
}

#[cfg(not(feature = "faults"))]
#[inline]
fn attend<T>(_: &'static str, attempt: &mut impl FnMut() -> Result<T, Errno>) -> Result<T, Errno> {
    attempt()
}

#[cfg(feature = "faults")]
fn attend<T>(name: &'static str, attempt: &mut impl FnMut() -> Result<T, Errno>) -> Result<T, Errno> {
    let after = super::faults::before(name)?;
    let result = attempt();
    after.happen();
    result
}
