//! Errors of git operations.

use std::io;
use std::time::Duration;

use crate::revision::RevisionError;

/// The maximum length of a repeated message of git, in characters.
const MAX_MESSAGE: usize = 300;

/// Why a git operation failed. It does not contain secrets, and can be printed to a terminal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}{}", format_message(.message))]
pub struct GitError {
    kind: GitErrorKind,
    /// The message that git printed, sanitized.
    message: String,
}

/// The reasons for which a git operation fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GitErrorKind {
    /// No directory with an absolute path in `PATH` contains a git program.
    #[error("`git` was not found in `PATH`")]
    Missing,
    /// The version of git is too old.
    #[error("`git` {found} is too old: {} or newer is needed", super::program::MIN_VERSION)]
    TooOld {
        /// Its version.
        found: String,
    },
    /// The name of a branch, tag or commit is not valid.
    #[error("the name of the branch, tag or commit is not valid: {0}")]
    Revision(RevisionError),
    /// The repository does not exist, or is not visible without authentication.
    #[error("the repository was not found")]
    NotFound,
    /// The repository does not have the branch, tag or commit, or has no commits at all.
    #[error("the repository has no such branch, tag or commit")]
    NoRevision,
    /// The repository requires authentication, which failed.
    #[error("the repository requires authentication, and no valid credentials were found")]
    Authentication,
    /// The protocol is not allowed.
    #[error("the protocol is not allowed")]
    Protocol,
    /// The two repositories use different object formats.
    #[error("the repository uses a different object format")]
    ObjectFormat,
    /// The repository contains malformed objects.
    #[error("the repository contains objects that git rejects as malformed")]
    Malformed,
    /// The operation reached its timeout.
    #[error("the operation took longer than {} seconds", .0.as_secs())]
    TimedOut(Duration),
    /// The repository exceeds a limit.
    #[error("the repository has more than {0}")]
    TooLarge(String),
    /// Git printed unexpected output.
    #[error("`git` printed unexpected output")]
    Unexpected,
    /// Any other failure.
    #[error("`git` failed")]
    Failed,
}

fn format_message(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {message}") }
}

impl GitError {
    pub(crate) fn new(kind: GitErrorKind) -> Self {
        Self { kind, message: String::new() }
    }

    pub(crate) fn with(kind: GitErrorKind, message: &str) -> Self {
        Self { kind, message: sanitize(message) }
    }

    /// Returns the error that corresponds to git's standard error output.
    pub(crate) fn of_output(errors: &[u8]) -> Self {
        let text = String::from_utf8_lossy(errors);
        let is_message = |line: &&str| {
            ["fatal: ", "error: ", "remote: ", "ssh: "].iter().any(|prefix| line.starts_with(prefix))
        };
        // A `fatal` line ends the output; messages of the remote come first.
        let lines: Vec<&str> = text.split(['\n', '\r']).map(str::trim).filter(is_message).collect();
        let last = lines.iter().find(|line| line.starts_with("fatal: ")).or(lines.first());
        let message = last.map_or("", |line| line.split_once(": ").map_or("", |(_, rest)| rest));
        Self::with(kind_of(&text.to_lowercase()), message)
    }

    /// Returns the reason.
    pub fn kind(&self) -> &GitErrorKind {
        &self.kind
    }

    /// Returns whether authentication failed.
    pub fn is_authentication(&self) -> bool {
        self.kind == GitErrorKind::Authentication
    }
}

impl GitErrorKind {
    /// Returns a stable identifier of the reason, for programs.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Missing => "git-missing",
            Self::TooOld { .. } => "git-too-old",
            Self::Revision(_) => "invalid-revision",
            Self::NotFound => "repository-not-found",
            Self::NoRevision => "revision-not-found",
            Self::Authentication => "authentication-failed",
            Self::Protocol => "protocol-not-allowed",
            Self::ObjectFormat => "object-format",
            Self::Malformed => "malformed-repository",
            Self::TimedOut(_) => "timed-out",
            Self::TooLarge(_) => "too-large",
            Self::Unexpected => "unexpected-answer",
            Self::Failed => "git-failed",
        }
    }
}

impl From<io::Error> for GitError {
    fn from(error: io::Error) -> Self {
        Self::with(GitErrorKind::Failed, &minds_process::describe_io_error(&error))
    }
}

impl From<RevisionError> for GitError {
    fn from(error: RevisionError) -> Self {
        Self::new(GitErrorKind::Revision(error))
    }
}

/// Determines the reason from git's output in lower case. Git runs in the locale `C`, so its messages do not
/// depend on the user's language; messages of the remote may, and then the result is
/// [`GitErrorKind::Failed`].
fn kind_of(text: &str) -> GitErrorKind {
    const WORDS: &[(&[&str], GitErrorKind)] = &[
        (
            &[
                "authentication failed",
                "permission denied (",
                "could not read username",
                "could not read password",
                "terminal prompts disabled",
                "returned error: 401",
                "returned error: 403",
                "invalid username or",
                "invalid credentials",
                "access denied",
                "unable to authenticate",
            ],
            GitErrorKind::Authentication,
        ),
        (&["mismatched algorithms"], GitErrorKind::ObjectFormat),
        (&["fsck error", "fsck_", "malformed object"], GitErrorKind::Malformed),
        (&["transport '", "not allowed"], GitErrorKind::Protocol),
        (
            &[
                "couldn't find remote ref",
                "not our ref",
                "no such ref",
                "needed a single revision",
                "unadvertised object",
            ],
            GitErrorKind::NoRevision,
        ),
        (
            &[
                "does not appear to be a git repository",
                "' not found",
                "does not exist",
                "repository not found",
                "returned error: 404",
            ],
            GitErrorKind::NotFound,
        ),
    ];
    let matches = |words: &[&str], kind: &GitErrorKind| match kind {
        // Each of the two words alone is common.
        GitErrorKind::Protocol => words.iter().all(|word| text.contains(word)),
        _ => words.iter().any(|word| text.contains(word)),
    };
    WORDS
        .iter()
        .find(|(words, kind)| matches(words, kind))
        .map_or(GitErrorKind::Failed, |(_, kind)| kind.clone())
}

/// Returns text that can be printed: without control and directional characters, without credentials in URLs,
/// and not too long.
pub(crate) fn sanitize(text: &str) -> String {
    let mut shown = String::new();
    for word in text.split_inclusive(' ') {
        match word
            .split_once("://")
            .map(|(scheme, rest)| (scheme, rest, rest.split('/').next().unwrap_or(rest)))
        {
            Some((scheme, rest, authority)) if authority.contains('@') => {
                let host = authority.rsplit('@').next().unwrap_or_default();
                let path = rest.get(authority.len()..).unwrap_or_default();
                shown.extend([scheme, "://", host, path]);
            }
            _ => shown.push_str(word),
        }
    }
    let is_printable =
        |c: &char| !minds_vfs::portable::is_control(*c) && !minds_vfs::portable::is_directional(*c);
    shown.chars().map(|c| if is_printable(&c) { c } else { '\u{fffd}' }).take(MAX_MESSAGE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_is_determined_from_the_output() {
        let cases = [
            (
                "fatal: could not read Username for 'https://h': terminal prompts disabled\n",
                "authentication-failed",
            ),
            (
                "git@h: Permission denied (publickey).\nfatal: Could not read from remote repository.\n",
                "authentication-failed",
            ),
            ("fatal: Authentication failed for 'https://h/o/r'\n", "authentication-failed"),
            (
                "fatal: unable to access 'https://h/': The requested URL returned error: 403\n",
                "authentication-failed",
            ),
            ("fatal: couldn't find remote ref refs/heads/x\n", "revision-not-found"),
            ("error: Server does not allow request for unadvertised object 12\n", "revision-not-found"),
            ("fatal: '/x' does not appear to be a git repository\n", "repository-not-found"),
            ("fatal: repository 'https://h/o/r/' not found\n", "repository-not-found"),
            (
                "error: object 12: hasDotgit: contains '.git'\nfatal: fsck error in packed object\n",
                "malformed-repository",
            ),
            ("fatal: transport 'ext' not allowed\n", "protocol-not-allowed"),
            ("fatal: mismatched algorithms: client sha1; server sha256\n", "object-format"),
            ("fatal: the remote end hung up unexpectedly\n", "git-failed"),
            ("", "git-failed"),
        ];
        for (text, expected) in cases {
            assert_eq!(GitError::of_output(text.as_bytes()).kind().name(), expected, "{text}");
        }
    }

    #[test]
    fn repeated_messages_are_sanitized() {
        let text = "fatal: no \u{1b}[2J at https://me:secret@host/o/r?x@y now\u{202e}\r\n";
        let shown = GitError::of_output(text.as_bytes()).to_string();
        assert_eq!(shown, "`git` failed: no \u{fffd}[2J at https://host/o/r?x@y now\u{fffd}");
        let long = format!("fatal: {}", "x".repeat(10_000));
        assert!(GitError::of_output(long.as_bytes()).to_string().len() < 400);
    }
}
