//! A second wall, which the kernel keeps.

use crate::{Root, SystemError};

/// How much of a confinement the kernel keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confinement {
    /// All of it.
    Full,
    /// What this kernel knows of it.
    Partial,
    /// Nothing: the system has no such thing, or it is turned off.
    None,
}

/// Lets this thread, and all threads and processes that it starts from now on, only read below `readable`, and read and
/// write below `writable`. Files that are open already stay open. There is no way back.
///
/// It is meant for servers, called before they start any thread. It is no more than a backstop: it holds what a mistake
/// elsewhere would let through, and the verbs of [`Root`] do not rely on it. What is below a root is not told apart, and a
/// hard link below it leads to the same file as any other name.
///
/// # Errors
///
/// Fails if the kernel refuses it although it could; then nothing is confined.
#[cfg(target_os = "linux")]
pub fn confine(writable: &[&Root], readable: &[&Root]) -> Result<Confinement, SystemError> {
    use landlock::{
        ABI, Access as _, AccessFs, PathBeneath, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _,
    };
    use landlock::{RulesetError, RulesetStatus};

    // The last one that adds a kind of access to files.
    const KNOWN: ABI = ABI::V5;
    let confined = || -> Result<RulesetStatus, RulesetError> {
        let mut ruleset = Ruleset::default().handle_access(AccessFs::from_all(KNOWN))?.create()?;
        for (roots, access) in [(readable, AccessFs::from_read(KNOWN)), (writable, AccessFs::from_all(KNOWN))]
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

/// Here there is nothing of the kind.
///
/// # Errors
///
/// Never fails.
#[cfg(not(target_os = "linux"))]
pub fn confine(_: &[&Root], _: &[&Root]) -> Result<Confinement, SystemError> {
    Ok(Confinement::None)
}
