//! Why something could not be done at all.

use minds_system::{ApplyError, FileError, SystemError};

use crate::trust::Distrusted;

/// Why an operation gave no answer. What is wrong in the user's files is never one of these.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OperationError {
    /// A path that was named does not exist.
    #[error("{0}")]
    NotFound(SystemError),
    /// The system refused something else.
    #[error("{0}")]
    System(SystemError),
    /// Something else than a directory was named where one is needed.
    #[error("`{path}` is not a directory")]
    NotADirectory {
        /// The path, as it was given.
        path: String,
    },
    /// A path cannot be used for what it was named for.
    #[error("cannot make the directory `{path}`")]
    UnusablePath {
        /// The path, as it was given.
        path: String,
    },
    /// Paths that were named belong to different workspaces.
    #[error("`{first}` and `{second}` belong to different workspaces; check them one by one")]
    SeveralWorkspaces {
        /// The first path.
        first: String,
        /// The first path of another workspace.
        second: String,
    },
    /// A workspace, a compose root or a part of it is not used, because another user owns it or can write it.
    #[error("{}", untrusted(.0))]
    Untrusted(Box<Distrusted>),
    /// No rule has this code.
    #[error("there is no rule `{code}`{}", find_nearest(.near))]
    UnknownCode {
        /// The code that was asked for.
        code: String,
        /// The codes that are nearest to it.
        near: Vec<&'static str>,
    },
    /// No member has this id.
    #[error("the team has no member `{id}`{}", find_nearest(.near))]
    UnknownMember {
        /// The id that was asked for.
        id: String,
        /// The ids that are nearest to it.
        near: Vec<String>,
    },
    /// There is no team that could be asked.
    #[error("there is no `.minds/team.yaml` {place}, so nobody is on the team; `minds init` writes one")]
    NoTeam {
        /// Where it was looked for, in words.
        place: String,
    },
    /// There is no compose root.
    #[error("{place}")]
    NoCompose {
        /// What was looked for where, in words.
        place: String,
        /// Whether it was named, by an argument or the environment, or is here and must be named.
        is_named: bool,
    },
    /// There is nothing from which files of MCP clients could be rendered, and none that were.
    #[error("{place}")]
    NoServers {
        /// What was looked for where, in words.
        place: String,
        /// Whether it was named, by an argument or the environment, or is here and must be named.
        is_named: bool,
    },
    /// The path of a compose root or a workspace cannot be written into the files that are rendered.
    #[error("the path of what is rendered cannot be used: {reason}")]
    UnusableRoot {
        /// Why not.
        reason: &'static str,
    },
    /// No agent has this name.
    #[error("there is no agent `{id}`{}", find_nearest(.near))]
    UnknownAgent {
        /// The name that was asked for.
        id: String,
        /// The names that are nearest to it.
        near: Vec<String>,
    },
    /// The manifest of what was rendered was not written by this program, or not by this version of it.
    #[error("`{file}` is no list of rendered files, so it is not known what was rendered")]
    ForeignManifest {
        /// The file.
        file: &'static str,
    },
    /// It cannot be found out what was rendered.
    #[error("`{file}` cannot be read, so it is not known what was rendered: {reason}")]
    UnreadableManifest {
        /// The file.
        file: &'static str,
        /// Why not, in words.
        reason: String,
    },
    /// Something stands in the way of what was to be removed.
    #[error("{0}")]
    Refused(minds_render::Refused),
    /// The command that is to run agents cannot be used.
    #[error("{reason}")]
    UnusableCommand {
        /// Why, in words.
        reason: String,
    },
    /// The agents of a fleet are not started with files of their own.
    #[error("the agents of a fleet have no artifacts; name what to render, as with `--target systemd-user`")]
    NoFleetArtifacts,
    /// Something was not rendered although the check found no error.
    #[error("{0}")]
    Render(#[from] minds_render::RenderError),
    /// No agent of the fleet has this name.
    #[error("the fleet has no agent `{name}`{}", find_nearest(.near))]
    UnknownFleetAgent {
        /// The name that was asked for.
        name: String,
        /// The names that are nearest to it.
        near: Vec<String>,
    },
    /// What an agent is told cannot be shown or changed.
    #[error("{reason}")]
    UnusablePrompt {
        /// Why, in words.
        reason: String,
    },
    /// A file of a prompt was changed by others whenever it was to be changed.
    #[error("others change `{file}` again and again, so nothing was written; run the command again")]
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
    /// Returns the stable code of the error, where a specification gives it one.
    pub fn code(&self) -> Option<&'static str> {
        match self {
            Self::UnknownFleetAgent { .. } => Some(minds_fleet::ErrorCode::AgentNotFound.as_str()),
            Self::UnusablePrompt { .. } => Some(minds_fleet::ErrorCode::ConfigInvalid.as_str()),
            _ => None,
        }
    }

    /// Returns whether the error means only that the place holds nothing to work on: nothing that was named is missing.
    pub fn is_nothing_to_do(&self) -> bool {
        match self {
            Self::NoTeam { .. } => true,
            Self::NoCompose { is_named, .. } | Self::NoServers { is_named, .. } => !is_named,
            _ => false,
        }
    }

    /// Returns the kind of the error in one stable word, for machines.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NotFound(_) => "not-found",
            Self::NotADirectory { .. } => "not-a-directory",
            Self::UnusablePath { .. } => "unusable-path",
            Self::System(_) | Self::Apply(_) | Self::File(_) => "system",
            Self::SeveralWorkspaces { .. } => "several-workspaces",
            Self::Untrusted(_) => "untrusted",
            Self::UnknownCode { .. } => "unknown-code",
            Self::UnknownMember { .. } => "unknown-member",
            Self::NoTeam { .. } => "no-team",
            Self::NoCompose { .. } => "no-compose",
            Self::NoServers { .. } => "no-servers",
            Self::UnusableRoot { .. } => "unusable-root",
            Self::UnknownAgent { .. } | Self::UnknownFleetAgent { .. } => "unknown-agent",
            Self::ForeignManifest { .. } | Self::UnreadableManifest { .. } => "foreign-manifest",
            Self::Render(_) => "render",
            Self::Refused(_) => "refused",
            Self::UnusableCommand { .. } => "unusable-command",
            Self::NoFleetArtifacts => "no-artifacts",
            Self::UnusablePrompt { .. } => "unusable-prompt",
            Self::PromptInUse { .. } => "in-use",
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

fn untrusted(found: &Distrusted) -> String {
    let place = found.directory.join(&found.name);
    let place = if found.name == "." { &found.directory } else { &place };
    format!("`{}` is not trusted: {}; {}", place.display(), found.reason, found.remedy)
}

fn find_nearest(names: &[impl AsRef<str>]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{}`", name.as_ref())).collect();
    match quoted.split_last() {
        None => String::new(),
        Some((only, [])) => format!("; did you mean {only}?"),
        Some((last, others)) => format!("; did you mean {} or {last}?", others.join(", ")),
    }
}
