//! Options that several verbs share.

use clap::ValueEnum;
use minds_installer::{Consent, FetchSettings, PinRequest};
use minds_sources::ItemKind;

use minds_output::Output;
use minds_output::format::{Format, FormatArgs};

/// Options that are accepted before the name of a verb as well as after it. They are hidden, because the help of each verb
/// lists them; only `minds source` shows them.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct EarlyFlags {
    /// Print one JSON document
    #[arg(long, hide = true)]
    pub(super) json: bool,
    /// Do not ask for confirmation; does not apply to hooks
    #[arg(short, long, hide = true)]
    pub(super) yes: bool,
    /// Print no colors, and use only ASCII characters in the layout
    #[arg(long, hide = true)]
    pub(super) ascii: bool,
}

impl EarlyFlags {
    /// Returns an option that is given and that only verbs of sources accept.
    pub(crate) fn source_only(self) -> Option<&'static str> {
        let flags = [(self.yes, "--yes"), (self.ascii, "--ascii")];
        flags.into_iter().find_map(|(is_given, flag)| is_given.then_some(flag))
    }
}

/// The output format of a verb of sources.
#[derive(Debug, clap::Args)]
pub(crate) struct FormatFlags {
    #[command(flatten)]
    format: FormatArgs,
    /// Print no colors, and use only ASCII characters in the layout
    #[arg(long)]
    ascii: bool,
}

impl FormatFlags {
    pub(crate) fn wants_json(&self, out: &Output) -> bool {
        self.format.chosen(out) == Format::Json
    }

    pub(crate) fn wants_ascii(&self) -> bool {
        self.ascii
    }

    /// Applies options that were given before the name of the verb.
    pub(crate) fn adopt(&mut self, early: EarlyFlags) {
        self.ascii |= early.ascii;
    }
}

/// Scripts pass `--yes` to every verb, also to those that never ask.
#[derive(Debug, clap::Args)]
pub(crate) struct YesFlag {
    /// Accepted for consistency; this command never asks
    #[arg(short, long, hide = true)]
    yes: bool,
}

/// What is done without confirmation.
#[derive(Debug, clap::Args)]
pub(crate) struct ConsentFlags {
    /// Do not ask for confirmation; does not apply to hooks
    #[arg(short, long)]
    yes: bool,
    /// Show the plan, and change nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
}

impl ConsentFlags {
    /// Applies options that were given before the name of the verb.
    pub(crate) fn adopt(&mut self, early: EarlyFlags) {
        self.yes |= early.yes;
    }

    pub(crate) fn consent(&self, force: bool, hooks: Option<&HookFlags>) -> Consent {
        Consent {
            yes: self.yes,
            dry_run: self.dry_run,
            force,
            skip_hook_check: hooks.is_some_and(|hooks| hooks.skip_check),
            accepted_hooks: hooks.map(|hooks| hooks.accepted.clone()).unwrap_or_default(),
            hook_variables: hooks.map(|hooks| hooks.variables.clone()).unwrap_or_default(),
        }
    }
}

/// Which hooks run without confirmation.
#[derive(Debug, clap::Args)]
pub(crate) struct HookFlags {
    /// Run the hooks of the sources that the command line names without confirmation; does not apply to nested sources
    #[arg(long = "dangerously-skip-install-hook-check")]
    skip_check: bool,
    /// Run the hook with this hash without confirmation; `--dry-run` prints the hash, which identifies the command, the
    /// source, the commit and the files of the hook
    #[arg(long = "accept-hooks", value_name = "HASH", value_parser = parse_hash)]
    accepted: Vec<String>,
    /// Pass this environment variable to hooks, in addition to `PATH`, `HOME` and a few more
    #[arg(long = "hook-env", value_name = "NAME", value_parser = parse_variable)]
    variables: Vec<String>,
}

/// Parses the name of an environment variable.
fn parse_variable(text: &str) -> Result<String, &'static str> {
    let is_name = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_name {
        Ok(text.to_owned())
    } else {
        Err("a name consists of ASCII letters, digits and `_`, and does not begin with a digit")
    }
}

/// Parses the hash of a hook, with or without the prefix `sha256:`.
fn parse_hash(text: &str) -> Result<String, &'static str> {
    let digits = text.strip_prefix("sha256:").unwrap_or(text);
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    let is_hash = digits.len() == 64 && digits.bytes().all(is_digit);
    if is_hash { Ok(text.to_owned()) } else { Err("a hash consists of `sha256:` and 64 hexadecimal digits") }
}

/// Which commit of a repository is used.
#[derive(Debug, clap::Args)]
pub(crate) struct PinFlags {
    /// Follow this branch
    #[arg(long, value_name = "BRANCH", allow_hyphen_values = true, conflicts_with_all = ["pin_tag", "pin_ref"])]
    follow_branch: Option<String>,
    /// Use this tag
    #[arg(long, value_name = "TAG", allow_hyphen_values = true, conflicts_with = "pin_ref")]
    pin_tag: Option<String>,
    /// Use this commit
    #[arg(long, value_name = "COMMIT", allow_hyphen_values = true)]
    pin_ref: Option<String>,
}

impl PinFlags {
    pub(crate) fn request(&self) -> Option<PinRequest> {
        let branch = self.follow_branch.clone().map(PinRequest::Branch);
        let tag = self.pin_tag.clone().map(PinRequest::Tag);
        let commit = self.pin_ref.clone().map(PinRequest::Ref);
        branch.or(tag).or(commit)
    }
}

/// How repositories are fetched.
#[derive(Debug, clap::Args)]
pub(crate) struct FetchFlags {
    /// Abort a fetch after this number of seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
    /// Let git read your configuration, for example for a proxy or a credential helper
    #[arg(long)]
    use_git_config: bool,
}

impl FetchFlags {
    pub(crate) fn terms(&self) -> FetchSettings {
        FetchSettings { seconds: self.timeout, use_git_config: self.use_git_config }
    }
}

/// A kind of item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum KindName {
    /// Directories with a `SKILL.md`
    Skill,
    /// Files that describe an agent
    Agent,
    /// Files with rules
    Rule,
    /// Directories with a program
    Tool,
}

impl From<KindName> for ItemKind {
    fn from(kind: KindName) -> Self {
        match kind {
            KindName::Skill => Self::Skill,
            KindName::Agent => Self::Agent,
            KindName::Rule => Self::Rule,
            KindName::Tool => Self::Tool,
        }
    }
}
