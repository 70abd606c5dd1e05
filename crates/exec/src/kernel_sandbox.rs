//! The sandbox of the kernel. Only this module knows Landlock.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::rule_paths::OpenRule;

/// How much of the rules the kernel enforces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Nothing: the system has no sandbox, or the command runs without one.
    None,
    /// A part: the kernel does not know all accesses to files, or the command can read all of `/proc`.
    Partial,
    /// Every access to a file: reading, executing, changing, creating, removing, moving and truncating.
    Full,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::Partial => "partial",
            Self::Full => "full",
        })
    }
}

/// Whether the supervisor uses the sandbox of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelSandbox {
    /// It does.
    Used,
    /// It behaves as on a kernel that has none, for tests.
    Unused,
}

/// Returns the level that this system offers. Nothing is confined.
pub fn available_level() -> Level {
    system::available_level()
}

/// Restricts this thread, and what it starts afterwards, to what the rules permit.
pub(crate) fn restrict_thread(rules: &[OpenRule]) -> Result<Level, String> {
    system::restrict_thread(rules)
}

#[cfg(target_os = "linux")]
mod system {
    use landlock::{
        ABI, Access as _, AccessFs, BitFlags, CompatLevel, Compatible as _, PathBeneath, Ruleset,
        RulesetAttr as _, RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope,
    };

    use super::Level;
    use crate::rule_paths::{Access, OpenRule};

    /// The latest version with an access to files that the rules use: control of devices.
    const FILES: ABI = ABI::V5;
    /// The first version that knows every other access: moving came with the second, truncating with the third.
    const COMPLETE: ABI = ABI::V3;
    /// The version that came with the limits on signals and abstract sockets.
    const SCOPES: ABI = ABI::V6;

    pub(super) fn available_level() -> Level {
        let has = |version: ABI| {
            let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
            ruleset.handle_access(AccessFs::from_all(version)).and_then(Ruleset::create).is_ok()
        };
        if has(COMPLETE) {
            Level::Full
        } else if has(ABI::V1) {
            Level::Partial
        } else {
            Level::None
        }
    }

    pub(super) fn restrict_thread(rules: &[OpenRule]) -> Result<Level, String> {
        let enforced = enforce(rules).map_err(|error| error.to_string())?;
        Ok(if enforced == RulesetStatus::NotEnforced { Level::None } else { available_level() })
    }

    fn enforce(rules: &[OpenRule]) -> Result<RulesetStatus, RulesetError> {
        let ruleset = Ruleset::default().handle_access(AccessFs::from_all(FILES))?;
        let mut ruleset = ruleset.scope(Scope::from_all(SCOPES))?.create()?;
        for rule in rules {
            ruleset = ruleset.add_rule(PathBeneath::new(&rule.file, rights(rule)))?;
        }
        Ok(ruleset.restrict_self()?.ruleset)
    }

    fn rights(rule: &OpenRule) -> BitFlags<AccessFs> {
        let rights = match rule.access {
            Access::Read => AccessFs::from_read(FILES),
            // A command of root could make a device file of a disk, and read the disk with it.
            Access::Write => {
                AccessFs::from_all(FILES) & !(AccessFs::MakeBlock | AccessFs::MakeChar | AccessFs::IoctlDev)
            }
            Access::Device => AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::IoctlDev,
        };
        if rule.is_folder { rights } else { rights & AccessFs::from_file(FILES) }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use super::Level;
    use crate::rule_paths::OpenRule;

    pub(super) fn available_level() -> Level {
        Level::None
    }

    #[expect(clippy::unnecessary_wraps, reason = "Linux has a failure")]
    pub(super) fn restrict_thread(_: &[OpenRule]) -> Result<Level, String> {
        Ok(Level::None)
    }
}
