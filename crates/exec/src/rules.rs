//! What a command can access.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The folders that every command can read and execute.
const SYSTEM: &[&str] = &["/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/opt", "/nix", "/sys"];

/// What every command can read of `/proc`. The folders of processes are not part of it: they have the environment of the agent.
const PROC: &[&str] = &["cpuinfo", "meminfo", "stat", "loadavg", "version", "filesystems", "uptime", "sys"];

/// The devices that every command can read and write. Terminals of other sessions and shared memory are not part of it.
const DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom", "tty"];

/// The folders that an agent gives its commands.
#[derive(Clone, Copy, Debug)]
pub struct Folders<'f> {
    /// The working folder of the agent.
    pub working_folder: &'f Path,
    /// The entries of `fs.whitelist`.
    pub whitelist: &'f [PathBuf],
    /// The entries of `exec.read`.
    pub exec_read: &'f [PathBuf],
    /// The entries of `exec.write`.
    pub exec_write: &'f [PathBuf],
}

/// The files that a command can access, as absolute paths. Each names a file, or a folder with everything below it.
///
/// A path that does not exist when the command starts gives nothing, and neither does one with a symbolic link that lies in a
/// folder which the command can write: a command could have made it. Both are reported as a [`SkippedRule`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SandboxRules {
    /// What it can read and execute.
    pub read: Vec<PathBuf>,
    /// What it can read, execute, change, create and remove, except for device files.
    pub write: Vec<PathBuf>,
    /// The devices that it can read, write and control.
    pub devices: Vec<PathBuf>,
    /// Whether it can read all of `/proc`, for engines that need the folder of their own process. It limits the level to
    /// [`Level::Partial`](crate::Level::Partial), because the folders of other processes are readable too.
    pub reads_proc: bool,
    /// Whether a command is not started below [`Level::Full`](crate::Level::Full).
    pub is_required: bool,
}

impl SandboxRules {
    /// Returns the rules for the commands of an agent.
    pub fn new(folders: &Folders<'_>) -> Self {
        let system = SYSTEM.iter().map(PathBuf::from);
        let proc = PROC.iter().map(|name| Path::new("/proc").join(name));
        let own = std::iter::once(folders.working_folder.to_owned());
        Self {
            read: system.chain(proc).chain(folders.exec_read.iter().cloned()).collect(),
            write: own
                .chain(folders.whitelist.iter().cloned())
                .chain(folders.exec_write.iter().cloned())
                .collect(),
            devices: DEVICES.iter().map(|name| Path::new("/dev").join(name)).collect(),
            reads_proc: false,
            is_required: false,
        }
    }
}

/// A path of the rules that gives nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedRule {
    /// The path as given.
    #[serde(with = "crate::messages::path")]
    pub path: PathBuf,
    /// Why.
    pub reason: String,
}

/// Returns the path of an entry of `exec.read` or `exec.write`: `~/…` is below `home`. None if it is neither that nor an
/// absolute path.
pub fn expand_home(entry: &str, home: Option<&Path>) -> Option<PathBuf> {
    let below = match entry.strip_prefix("~/") {
        Some(rest) => Some(home?.join(rest.trim_start_matches('/'))),
        None if entry == "~" => home.map(Path::to_owned),
        None => Some(PathBuf::from(OsString::from(entry))),
    };
    below.filter(|path| path.is_absolute())
}
