//! What can go wrong with git.

use std::io;
use std::time::Duration;

use super::revision::RevisionError;

/// How much of what git prints is repeated.
const MAX_MESSAGE: usize = 300;

/// Why something was not done by git. Nothing in it is a secret, and a terminal can show it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}{}", said(.message))]
pub struct GitError {
    kind: GitErrorKind,
    /// What git printed about it, made harmless.
    message: String,
}

/// The ways in which git can fail.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GitErrorKind {
    /// There is no git program in a directory that `PATH` names absolutely.
    #[error("there is no `git` on this machine")]
    Missing,
    /// It is older than what it is asked for.
    #[error("`git` {found} is too old: {} or newer is needed", super::program::OLDEST)]
    TooOld {
        /// What it calls itself.
        found: String,
    },
    /// The name of a branch, a tag or a commit is none.
    #[error("the name of the branch, tag or commit is not valid: {0}")]
    Revision(RevisionError),
    /// There is no such repository, or none that one may see without signing in.
    #[error("there is no such repository")]
    NotFound,
    /// The repository has no such branch, tag or commit, or no commit at all.
    #[error("the repository has no such branch, tag or commit")]
    NoRevision,
    /// Who fetches must sign in, and could not.
    #[error("the repository wants a login, and there is none that works")]
    Authentication,
    /// The protocol is not allowed.
    #[error("the protocol is not allowed")]
    Protocol,
    /// The two sides name objects by other hashes.
    #[error("the repository names its objects by another hash")]
    ObjectFormat,
    /// The repository holds objects that are made to harm.
    #[error("the repository holds something that git refuses as malformed")]
    Malformed,
    /// It took longer.
    #[error("it took longer than {} seconds", .0.as_secs())]
    TimedOut(Duration),
    /// There is more of it.
    #[error("it has more than {0}")]
    TooLarge(String),
    /// Git answers something else than it should.
    #[error("`git` answered something unexpected")]
    Unexpected,
    /// Anything else.
    #[error("`git` failed")]
    Failed,
}

fn said(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {message}") }
}

impl GitError {
    pub(super) fn new(kind: GitErrorKind) -> Self {
        Self { kind, message: String::new() }
    }

    pub(super) fn with(kind: GitErrorKind, message: &str) -> Self {
        Self { kind, message: harmless(message) }
    }

    /// Returns the error that git reports by what it printed to standard error.
    pub(super) fn of_output(errors: &[u8]) -> Self {
        let text = String::from_utf8_lossy(errors);
        let told = |line: &&str| {
            ["fatal: ", "error: ", "remote: ", "ssh: "].iter().any(|mark| line.starts_with(mark))
        };
        // What begins with `fatal` ends it; what the other side says comes before.
        let lines: Vec<&str> = text.split(['\n', '\r']).map(str::trim).filter(told).collect();
        let last = lines.iter().find(|line| line.starts_with("fatal: ")).or(lines.first());
        let message = last.map_or("", |line| line.split_once(": ").map_or("", |(_, rest)| rest));
        Self::with(kind_of(&text.to_lowercase()), message)
    }

    /// Returns what went wrong.
    pub fn kind(&self) -> &GitErrorKind {
        &self.kind
    }

    /// Returns whether nobody could sign in.
    pub fn is_authentication(&self) -> bool {
        self.kind == GitErrorKind::Authentication
    }
}

impl GitErrorKind {
    /// Returns a stable word for it, for programs.
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
        Self::with(GitErrorKind::Failed, &crate::error::reason(&error))
    }
}

impl From<RevisionError> for GitError {
    fn from(error: RevisionError) -> Self {
        Self::new(GitErrorKind::Revision(error))
    }
}

/// Tells what happened from what git prints, in lower case. It is started with the messages of the locale `C`, so these words
/// do not depend on the user's language; those of the other side may, and then it is [`GitErrorKind::Failed`].
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
    let all = |words: &[&str], kind: &GitErrorKind| match kind {
        // Both are common alone.
        GitErrorKind::Protocol => words.iter().all(|word| text.contains(word)),
        _ => words.iter().any(|word| text.contains(word)),
    };
    WORDS.iter().find(|(words, kind)| all(words, kind)).map_or(GitErrorKind::Failed, |(_, kind)| kind.clone())
}

/// Returns a text that can be shown: no control or directional character, no name or password before a host, not too long.
pub(super) fn harmless(text: &str) -> String {
    let mut shown = String::new();
    for word in text.split_inclusive(' ') {
        match word
            .split_once("://")
            .map(|(scheme, rest)| (scheme, rest, rest.split('/').next().unwrap_or(rest)))
        {
            Some((scheme, rest, authority)) if authority.contains('@') => {
                let behind = authority.rsplit('@').next().unwrap_or_default();
                let path = rest.get(authority.len()..).unwrap_or_default();
                shown.extend([scheme, "://", behind, path]);
            }
            _ => shown.push_str(word),
        }
    }
    let is_shown =
        |c: &char| !minds_paths::portable::is_control(*c) && !minds_paths::portable::is_directional(*c);
    shown.chars().map(|c| if is_shown(&c) { c } else { '\u{fffd}' }).take(MAX_MESSAGE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_prints_tells_what_happened() {
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
    fn what_is_repeated_is_harmless() {
        let text = "fatal: no \u{1b}[2J at https://me:secret@host/o/r?x@y now\u{202e}\r\n";
        let shown = GitError::of_output(text.as_bytes()).to_string();
        assert_eq!(shown, "`git` failed: no \u{fffd}[2J at https://host/o/r?x@y now\u{fffd}");
        let long = format!("fatal: {}", "x".repeat(10_000));
        assert!(GitError::of_output(long.as_bytes()).to_string().len() < 400);
    }
}
