//! Errors of operations.

use minds_fleet::ErrorCode;
use minds_fs::{ApplyError, FileError};
use minds_process::SystemError;
use minds_trust::UntrustedDirectory;

/// The code of an error of an operation, which is more specific than its kind.
pub type OperationErrorCode = ErrorCode;

minds_diagnostics::kinds! {
    /// The kind of an error of an operation, for programs.
    pub enum OperationErrorKind {
        /// A given path does not exist.
        NotFound = "not-found";
        /// A path is not a directory.
        NotADirectory = "not-a-directory";
        /// A directory cannot be created.
        UnusablePath = "unusable-path";
        /// An error of the system.
        System = "system";
        /// The given paths belong to different workspaces.
        SeveralWorkspaces = "several-workspaces";
        /// A directory has too many entries.
        TooManyEntries = "too-many-entries";
        /// Another user controls the configuration.
        Untrusted = "untrusted";
        /// No rule has the code.
        UnknownCode = "unknown-code";
        /// The team has no such member.
        UnknownMember = "unknown-member";
        /// There is no team.
        NoTeam = "no-team";
        /// There is no compose root.
        NoCompose = "no-compose";
        /// There are no files of clients to import.
        NoClientFiles = "no-client-files";
        /// There are no servers.
        NoServers = "no-servers";
        /// The compose root cannot be used.
        UnusableRoot = "unusable-root";
        /// There is no such agent.
        UnknownAgent = "unknown-agent";
        /// The manifest of generated files cannot be read, or belongs to another program.
        ForeignManifest = "foreign-manifest";
        /// The files cannot be generated.
        Render = "render";
        /// The operation is refused, because the files have errors.
        Refused = "refused";
        /// A program cannot be run by a service.
        UnusableCommand = "unusable-command";
        /// A fleet has no such files.
        NoArtifacts = "no-artifacts";
        /// A prompt cannot be used.
        UnusablePrompt = "unusable-prompt";
        /// The files of a fleet do not say where it is.
        UnusableFleet = "unusable-fleet";
        /// Another program is editing the prompt.
        InUse = "in-use";
        /// Settings cannot be merged into existing ones.
        Unmergeable = "unmergeable";
    }
}

/// Why an operation failed. Problems in the user's files are findings and never errors.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OperationError {
    /// A given path does not exist.
    #[error("{0}")]
    NotFound(SystemError),
    /// Another error of the system.
    #[error("{0}")]
    System(SystemError),
    /// A path is not a directory.
    #[error("`{path}` is not a directory")]
    NotADirectory {
        /// The path as given.
        path: String,
    },
    /// A directory cannot be created.
    #[error("cannot create the directory `{path}`")]
    UnusablePath {
        /// The path as given.
        path: String,
    },
    /// The given paths belong to different workspaces.
    #[error("`{first}` and `{second}` belong to different workspaces; name them one by one")]
    SeveralWorkspaces {
        /// The first path.
        first: String,
        /// The first path of another workspace.
        second: String,
    },
    /// A directory has too many entries to find the workspaces in it.
    #[error(
        "`{path}` has more than {limit} files and directories, so not all workspaces in it can be found; name the workspaces, or exclude directories in `.ignore`"
    )]
    TooManyEntries {
        /// The directory.
        path: String,
        /// The maximum number of entries.
        limit: usize,
    },
    /// A workspace or compose root is not used, because another user owns it or can write to it.
    #[error("{0}")]
    Untrusted(Box<UntrustedDirectory>),
    /// No rule has this code.
    #[error("unknown rule `{code}`{}", find_nearest(.near))]
    UnknownCode {
        /// The given code.
        code: String,
        /// The nearest codes.
        near: Vec<&'static str>,
    },
    /// No member has this id.
    #[error("the team has no member `{id}`{}", find_nearest(.near))]
    UnknownMember {
        /// The given id.
        id: String,
        /// The nearest ids.
        near: Vec<String>,
    },
    /// There is no team file.
    #[error("there is no `.minds/team.yaml` {place}, so the team has no members; `minds init` writes one")]
    NoTeam {
        /// Where it was searched for, for a message.
        place: String,
    },
    /// There is no compose root.
    #[error("{place}")]
    NoCompose {
        /// The message.
        place: String,
        /// Whether a path was given by an argument or the environment, or must be given.
        is_named: bool,
    },
    /// There is no workspace for client files.
    #[error("{place}")]
    NoServers {
        /// The message.
        place: String,
        /// Whether a path was given by an argument or the environment, or must be given.
        is_named: bool,
    },
    /// There are no files of clients to import.
    #[error("nothing to import: there are no agents or MCP servers of {client} in {}{hint}", quote(.searched))]
    NothingToImport {
        /// The name of the client.
        client: String,
        /// Where they were searched for.
        searched: Vec<&'static str>,
        /// What exists instead, as the end of the message.
        hint: &'static str,
    },
    /// The path of a compose root or workspace cannot be written into rendered files.
    #[error("the path cannot be used for rendering: {reason}")]
    UnusableRoot {
        /// The reason.
        reason: &'static str,
    },
    /// No agent has this name.
    #[error("unknown agent `{id}`{}", find_nearest(.near))]
    UnknownAgent {
        /// The given name.
        id: String,
        /// The nearest names.
        near: Vec<String>,
    },
    /// The manifest was not written by this version of `minds`.
    #[error(
        "`{file}` is not a manifest of this version of minds, so it is unknown which files were rendered"
    )]
    ForeignManifest {
        /// The file.
        file: &'static str,
    },
    /// The manifest cannot be read.
    #[error("cannot read `{file}`, so it is unknown which files were rendered: {reason}")]
    UnreadableManifest {
        /// The file.
        file: &'static str,
        /// The reason.
        reason: String,
    },
    /// A planned removal was refused.
    #[error("{0}")]
    Refused(minds_render::PlanRefusal),
    /// The command that runs agents is invalid.
    #[error("{reason}")]
    UnusableCommand {
        /// The message.
        reason: String,
    },
    /// The agents of a fleet have no launch files.
    #[error("the agents of a fleet have no launch files; pass a target, such as `--target systemd-user`")]
    NoFleetArtifacts,
    /// Rendering failed although the check found no errors.
    #[error("{0}")]
    Render(#[from] minds_render::RenderError),
    /// No agent of the fleet has this name.
    #[error("the fleet has no agent `{name}`{}", find_nearest(.near))]
    UnknownFleetAgent {
        /// The given name.
        name: String,
        /// The nearest names.
        near: Vec<String>,
    },
    /// The prompt of an agent cannot be shown or changed.
    #[error("{reason}")]
    UnusablePrompt {
        /// The message.
        reason: String,
    },
    /// A fleet cannot be used as its files configure it.
    #[error("{reason}")]
    UnusableFleet {
        /// The message.
        reason: String,
    },
    /// A prompt file is being changed by another process.
    #[error("`{file}` is being changed by another process, so nothing was written; run the command again")]
    PromptInUse {
        /// The file.
        file: String,
    },
    /// A file of a prompt could not be written.
    #[error("{0}")]
    File(#[from] FileError),
    /// Files could not be written.
    #[error("{0}")]
    Apply(#[from] ApplyError),
}

impl OperationError {
    /// Returns the code that a specification defines for the error, if any.
    pub fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::UnknownFleetAgent { .. } => Some(ErrorCode::AgentNotFound),
            Self::UnusablePrompt { .. } | Self::UnusableFleet { .. } => Some(ErrorCode::ConfigInvalid),
            _ => None,
        }
    }

    /// Returns whether the error only means that there is nothing to do, and no given path is missing.
    pub fn is_nothing_to_do(&self) -> bool {
        match self {
            Self::NoTeam { .. } | Self::NothingToImport { .. } => true,
            Self::NoCompose { is_named, .. } | Self::NoServers { is_named, .. } => !is_named,
            _ => false,
        }
    }

    /// Returns the kind of error.
    pub fn kind(&self) -> OperationErrorKind {
        match self {
            Self::NotFound(_) => OperationErrorKind::NotFound,
            Self::NotADirectory { .. } => OperationErrorKind::NotADirectory,
            Self::UnusablePath { .. } => OperationErrorKind::UnusablePath,
            Self::System(_) | Self::Apply(_) | Self::File(_) => OperationErrorKind::System,
            Self::SeveralWorkspaces { .. } => OperationErrorKind::SeveralWorkspaces,
            Self::TooManyEntries { .. } => OperationErrorKind::TooManyEntries,
            Self::Untrusted(_) => OperationErrorKind::Untrusted,
            Self::UnknownCode { .. } => OperationErrorKind::UnknownCode,
            Self::UnknownMember { .. } => OperationErrorKind::UnknownMember,
            Self::NoTeam { .. } => OperationErrorKind::NoTeam,
            Self::NoCompose { .. } => OperationErrorKind::NoCompose,
            Self::NoServers { .. } => OperationErrorKind::NoServers,
            Self::NothingToImport { .. } => OperationErrorKind::NoClientFiles,
            Self::UnusableRoot { .. } => OperationErrorKind::UnusableRoot,
            Self::UnknownAgent { .. } | Self::UnknownFleetAgent { .. } => OperationErrorKind::UnknownAgent,
            Self::ForeignManifest { .. } | Self::UnreadableManifest { .. } => {
                OperationErrorKind::ForeignManifest
            }
            Self::Render(_) => OperationErrorKind::Render,
            Self::Refused(_) => OperationErrorKind::Refused,
            Self::UnusableCommand { .. } => OperationErrorKind::UnusableCommand,
            Self::NoFleetArtifacts => OperationErrorKind::NoArtifacts,
            Self::UnusablePrompt { .. } => OperationErrorKind::UnusablePrompt,
            Self::UnusableFleet { .. } => OperationErrorKind::UnusableFleet,
            Self::PromptInUse { .. } => OperationErrorKind::InUse,
        }
    }
}

impl From<SystemError> for OperationError {
    fn from(error: SystemError) -> Self {
        if matches!(error, SystemError::NotFound { .. }) {
            Self::NotFound(error)
        } else {
            Self::System(error)
        }
    }
}

fn find_nearest(names: &[impl AsRef<str>]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{}`", name.as_ref())).collect();
    match quoted.split_last() {
        None => String::new(),
        Some((only, [])) => format!("; did you mean {only}?"),
        Some((last, others)) => format!("; did you mean {} or {last}?", others.join(", ")),
    }
}

fn quote(paths: &[&str]) -> String {
    paths.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ")
}
