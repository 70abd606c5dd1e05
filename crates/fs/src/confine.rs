//! Sandboxing of the process by the kernel.

use minds_process::SystemError;

use crate::Root;

/// How much of a confinement the kernel enforces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confinement {
    /// All of it.
    Full,
    /// The part that this kernel supports.
    Partial,
    /// Nothing: the system does not support confinement, or it is disabled.
    None,
}

/// Restricts this thread, and all threads and processes it starts afterwards, to reading below `readable` and
/// reading and writing below `writable`. Files that are already open stay open. The restriction cannot be
/// lifted.
///
/// Intended for servers, which call it before they start any thread. It is a backstop that contains the
/// effects of a defect elsewhere; the methods of [`Root`] do not rely on it. It does not distinguish between
/// files below a root, and a hard link below a root gives access to the same file as any other name.
///
/// # Errors
///
/// Fails if the kernel supports confinement but refuses it; in that case nothing is confined.
#[cfg(target_os = "linux")]
pub fn confine(writable: &[&Root], readable: &[&Root]) -> Result<Confinement, SystemError> {
    use landlock::{
        ABI, Access as _, AccessFs, PathBeneath, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _,
    };
    use landlock::{RulesetError, RulesetStatus};

    // The latest ABI that adds a kind of file access.
    const LATEST: ABI = ABI::V5;
    let confined = || -> Result<RulesetStatus, RulesetError> {
        let mut ruleset = Ruleset::default().handle_access(AccessFs::from_all(LATEST))?.create()?;
        for (roots, access) in
            [(readable, AccessFs::from_read(LATEST)), (writable, AccessFs::from_all(LATEST))]
        {
            for root in roots {
                ruleset = ruleset.add_rule(PathBeneath::new(&root.handle, access))?;
            }
        }
        Ok(ruleset.restrict_self()?.ruleset)
    };
    match confined() {
        Ok(RulesetStatus::FullyEnforced) => Ok(Confinement::Full),
        Ok(RulesetStatus::PartiallyEnforced) => Ok(Confinement::Partial),
        Ok(RulesetStatus::NotEnforced) => Ok(Confinement::None),
        Err(error) => {
            let source = std::io::Error::other(error.to_string());
            Err(SystemError::new("confine", std::path::Path::new("this process"), source))
        }
    }
}

/// Returns the version of Landlock that the kernel offers, from 1; none if the kernel has no Landlock or it is disabled.
///
/// The kernel is asked by a thread that confines itself and ends, so nothing else is restricted.
#[cfg(target_os = "linux")]
pub fn landlock_version() -> Option<u32> {
    use landlock::{AccessFs, LandlockStatus, Ruleset, RulesetAttr as _};

    let ask = || {
        let ruleset = Ruleset::default().handle_access(AccessFs::Execute).ok()?.create().ok()?;
        match ruleset.restrict_self().ok()?.landlock {
            LandlockStatus::Available { effective_abi, kernel_abi } => {
                u32::try_from(kernel_abi.unwrap_or(effective_abi as i32)).ok()
            }
            LandlockStatus::NotEnabled | LandlockStatus::NotImplemented => None,
        }
    };
    std::thread::spawn(ask).join().ok().flatten()
}

/// Landlock does not exist on this system.
#[cfg(not(target_os = "linux"))]
pub fn landlock_version() -> Option<u32> {
    None
}

/// Confinement is not supported on this system.
///
/// # Errors
///
/// Never fails.
#[cfg(not(target_os = "linux"))]
pub fn confine(_: &[&Root], _: &[&Root]) -> Result<Confinement, SystemError> {
    Ok(Confinement::None)
}
