//! The arguments of verbs.

/// The consent that the user gives in advance.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct Consent {
    /// Whether to apply the plan without asking. It never covers hooks.
    pub yes: bool,
    /// Whether only to plan.
    pub dry_run: bool,
    /// Whether to replace foreign and modified files, and to remove items that have dependents.
    pub force: bool,
    /// Whether to run hooks of sources that the command line names, without asking.
    pub skip_hook_check: bool,
    /// The hashes of hooks that may run.
    pub accepted_hooks: Vec<String>,
    /// The names of additional environment variables for hooks.
    pub hook_variables: Vec<String>,
}

/// The pin that a user sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PinRequest {
    /// The newest commit of a branch.
    Branch(String),
    /// The commit of a tag.
    Tag(String),
    /// A commit.
    Ref(String),
}

/// Settings for fetching.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FetchSettings {
    /// The timeout of a fetch in seconds.
    pub seconds: u64,
    /// Whether git reads the configuration of the user.
    pub use_git_config: bool,
}

impl Default for FetchSettings {
    fn default() -> Self {
        Self { seconds: 300, use_git_config: false }
    }
}

/// The arguments of [`meld`](crate::meld).
#[derive(Clone, Debug, Default)]
pub struct MeldRequest {
    /// The repository or the folder; `None` for the working directory of the verb.
    pub repo: Option<String>,
    /// The prefix of the source; empty for no prefix, `None` for the one that it declares.
    pub alias: Option<String>,
    /// The folders in which items are found by convention, instead of those of the source.
    pub roots: Vec<String>,
    /// The pin, instead of the one of the source.
    pub pin: Option<PinRequest>,
    /// A command that runs instead of the install hooks of the source.
    pub install_hook: Option<String>,
    /// Whether only to register.
    pub link_only: bool,
    /// Whether to install all items of nested sources.
    pub recursive: bool,
    /// Whether to reproduce the lock file of the source exactly.
    pub locked: bool,
}

/// The arguments of [`unmeld`](crate::unmeld).
#[derive(Clone, Debug, Default)]
pub struct UnmeldRequest {
    /// An identity, the end of one after a `/`, or a pattern.
    pub source: String,
    /// Whether to keep the installed items.
    pub unlink_only: bool,
    /// A command that runs instead of the uninstall hooks of the source.
    pub uninstall_hook: Option<String>,
}

/// The arguments of [`learn`](crate::learn).
#[derive(Clone, Debug, Default)]
pub struct LearnRequest {
    /// A reference to items; `None` for all items of all sources.
    pub item: Option<String>,
}

/// The arguments of [`forget`](crate::forget).
#[derive(Clone, Debug, Default)]
pub struct ForgetRequest {
    /// A reference to installed items.
    pub item: Option<String>,
    /// Whether to remove unmanaged items instead.
    pub unmanaged: bool,
}

/// The arguments of [`sync`](crate::sync).
#[derive(Clone, Copy, Debug, Default)]
pub struct SyncRequest {
    /// Whether to upgrade installed items.
    pub upgrade: bool,
}

/// The arguments of [`upgrade`](crate::upgrade).
#[derive(Clone, Debug, Default)]
pub struct UpgradeRequest {
    /// A reference to installed items; `None` for all of them.
    pub item: Option<String>,
}
