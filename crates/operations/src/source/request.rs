//! What a verb is asked to do, and what it may do without being asked again.

/// What may be done without a question.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct Consent {
    /// Whether to do what is planned without asking. It never covers hooks.
    pub yes: bool,
    /// Whether only to plan.
    pub dry_run: bool,
    /// Whether to replace what is not ours, or was edited, and to remove what others need.
    pub force: bool,
    /// Whether to run hooks of sources that the command line names, without asking.
    pub skip_hook_check: bool,
    /// Hashes of hooks that may run.
    pub accepted_hooks: Vec<String>,
    /// Names of environment variables that hooks are given, besides those that every hook has.
    pub hook_variables: Vec<String>,
}

/// Which commit a user asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PinRequest {
    /// The newest of a branch.
    Branch(String),
    /// That of a tag.
    Tag(String),
    /// One commit.
    Ref(String),
}

/// On which terms repositories are fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// How many seconds a fetch takes at most.
    pub seconds: u64,
    /// Whether git reads the configuration of the user.
    pub use_git_config: bool,
}

impl Default for Terms {
    fn default() -> Self {
        Self { seconds: 300, use_git_config: false }
    }
}

/// What [`meld`](super::meld) is asked for.
#[derive(Clone, Debug, Default)]
pub struct MeldRequest {
    /// The repository or the folder; none is the directory in which the verb runs.
    pub repo: Option<String>,
    /// The prefix that the source gets; empty is none, absent is the one that it declares.
    pub alias: Option<String>,
    /// Where the convention is followed, instead of where the source says.
    pub roots: Vec<String>,
    /// Which commit counts, instead of the one that the source says.
    pub pin: Option<PinRequest>,
    /// A command that runs instead of the install hooks of the source.
    pub install_hook: Option<String>,
    /// Whether only to register.
    pub link_only: bool,
    /// Whether to install all of what curated sources offer.
    pub recursive: bool,
    /// Whether to reproduce the lock file of the source, or refuse.
    pub locked: bool,
}

/// What [`unmeld`](super::unmeld) is asked for.
#[derive(Clone, Debug, Default)]
pub struct UnmeldRequest {
    /// An identity, the end of one behind a `/`, or a pattern.
    pub source: String,
    /// Whether to keep what was installed.
    pub unlink_only: bool,
    /// A command that runs instead of the uninstall hooks of the source.
    pub uninstall_hook: Option<String>,
}

/// What [`learn`](super::learn) is asked for.
#[derive(Clone, Debug, Default)]
pub struct LearnRequest {
    /// A reference to items; none is all of every source.
    pub item: Option<String>,
}

/// What [`forget`](super::forget) is asked for.
#[derive(Clone, Debug, Default)]
pub struct ForgetRequest {
    /// A reference to installed items.
    pub item: Option<String>,
    /// Whether what was not installed here is meant.
    pub unmanaged: bool,
}

/// What [`sync`](super::sync) is asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct SyncRequest {
    /// Whether to install what changed.
    pub upgrade: bool,
}

/// What [`upgrade`](super::upgrade) is asked for.
#[derive(Clone, Debug, Default)]
pub struct UpgradeRequest {
    /// A reference to installed items; none is all of them.
    pub item: Option<String>,
}
