//! The flags that several verbs have.

use clap::ValueEnum;
use minds_operations::source::{Consent, PinRequest, Terms};
use minds_sources::ItemKind;

use crate::format::{Format, FormatArgs};
use crate::output::Output;

/// What may stand before a verb of sources as well as behind it.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct EarlyFlags {
    /// Print one JSON document; commands that print data also take it after their name
    #[arg(long)]
    pub(super) json: bool,
    /// For the verbs of sources: do it without asking; hooks are not covered
    #[arg(short, long)]
    pub(super) yes: bool,
    /// For the verbs of sources: print no colours, and no signs of our own that are not ASCII
    #[arg(long)]
    pub(super) ascii: bool,
}

impl EarlyFlags {
    /// Returns one that is given and that only verbs of sources take.
    pub(crate) fn for_sources(self) -> Option<&'static str> {
        let flags = [(self.yes, "--yes"), (self.ascii, "--ascii")];
        flags.into_iter().find_map(|(is_given, flag)| is_given.then_some(flag))
    }
}

/// How the answer of a verb of sources is printed.
#[derive(Debug, clap::Args)]
pub(crate) struct FormatFlags {
    #[command(flatten)]
    format: FormatArgs,
    /// Print no colours, and no signs of our own that are not ASCII
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

    /// Takes over what stands before the verb.
    pub(crate) fn adopt(&mut self, early: EarlyFlags) {
        self.ascii |= early.ascii;
    }
}

/// What scripts give every verb.
#[derive(Debug, clap::Args)]
pub(crate) struct YesFlag {
    /// Taken, as every verb takes it; this one asks nothing
    #[arg(short, long, hide = true)]
    yes: bool,
}

/// What may be done without being asked.
#[derive(Debug, clap::Args)]
pub(crate) struct ConsentFlags {
    /// Do it without asking; hooks are not covered
    #[arg(short, long)]
    yes: bool,
    /// Show what would be done, and do nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
}

impl ConsentFlags {
    /// Takes over what stands before the verb.
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

/// Which hooks may run without being asked for.
#[derive(Debug, clap::Args)]
pub(crate) struct HookFlags {
    /// Run the hooks of the sources that the command line names, without asking; those of nested sources are not covered
    #[arg(long = "dangerously-skip-install-hook-check")]
    skip_check: bool,
    /// Run the hook with this hash, which `--dry-run` prints and which covers its exact text, its source, and the commit and
    /// files with which it runs
    #[arg(long = "accept-hooks", value_name = "HASH", value_parser = hash)]
    accepted: Vec<String>,
    /// Give hooks this environment variable too; they have `PATH`, `HOME` and a few more
    #[arg(long = "hook-env", value_name = "NAME", value_parser = variable)]
    variables: Vec<String>,
}

/// Reads the name of an environment variable.
fn variable(text: &str) -> Result<String, &'static str> {
    let is_name = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_name {
        Ok(text.to_owned())
    } else {
        Err("a name has ASCII letters, digits and `_`, no digit first")
    }
}

/// Reads the hash of a hook, with or without the word for its kind.
fn hash(text: &str) -> Result<String, &'static str> {
    let digits = text.strip_prefix("sha256:").unwrap_or(text);
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    let is_hash = digits.len() == 64 && digits.bytes().all(is_digit);
    if is_hash { Ok(text.to_owned()) } else { Err("a hash is `sha256:` and 64 hexadecimal digits") }
}

/// Which commit counts.
#[derive(Debug, clap::Args)]
pub(crate) struct PinFlags {
    /// Follow this branch
    #[arg(long, value_name = "BRANCH", allow_hyphen_values = true, conflicts_with_all = ["pin_tag", "pin_ref"])]
    follow_branch: Option<String>,
    /// Stay at this tag
    #[arg(long, value_name = "TAG", allow_hyphen_values = true, conflicts_with = "pin_ref")]
    pin_tag: Option<String>,
    /// Stay at this commit
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
    /// End a fetch after so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
    /// Let git read your configuration, as for a proxy or a credential helper
    #[arg(long)]
    use_git_config: bool,
}

impl FetchFlags {
    pub(crate) fn terms(&self) -> Terms {
        Terms { seconds: self.timeout, use_git_config: self.use_git_config }
    }
}

/// A kind of item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum KindName {
    /// Folders with a `SKILL.md`
    Skill,
    /// Files that describe an agent
    Agent,
    /// Files with rules
    Rule,
    /// Folders with a program
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
