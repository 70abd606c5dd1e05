//! `minds source`, and its verbs at the top level under the names of the program `mind`

mod config;
mod dump;
pub(crate) mod flags;
mod forget;
mod init_source;
mod introspect;
mod learn;
mod meld;
mod outcome;
mod probe;
mod recall;
mod review;
mod sync;
mod terminal;
mod unmeld;

use std::path::Path;
use std::process::ExitCode;

use clap::{ArgMatches, FromArgMatches, Subcommand};

use self::flags::{EarlyFlags, FormatFlags};
use minds_output::{Failure, Output};

/// Add sources of skills, agents, rules and tools, and install items
///
/// A source is a repository or directory that offers items: skills (`skills/NAME/SKILL.md`), agents (`agents/NAME.md`),
/// rules (`rules/NAME.md`) and tools (`tools/NAME/`), or the items that its `mind.toml` declares. Installed items are stored
/// in `$MINDS_HOME/store` and linked into agent homes, such as `~/.claude`.
///
/// The names in brackets are those of the program `mind`. They also work without `source`, as in `minds meld`.
///
/// Exits with 0 on success, with 1 if something was refused or failed, and with 2 on wrong usage.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds source add acme/agents             Add a source and install its items
  minds source list                        List sources and installed items
  minds source sync --upgrade              Fetch and install changes")]
pub(crate) struct SourceArgs {
    #[command(flatten)]
    early: EarlyFlags,
    #[command(subcommand)]
    verb: Box<SourceVerb>,
}

/// The verbs, by everyday names first and by the names of the program `mind` second.
#[derive(Debug, Subcommand)]
pub(crate) enum SourceVerb {
    #[command(name = "add", visible_alias = "meld")]
    Meld(meld::MeldArgs),
    #[command(name = "remove", visible_aliases = ["unmeld", "detach"])]
    Unmeld(unmeld::UnmeldArgs),
    #[command(name = "search", visible_alias = "probe")]
    Probe(probe::ProbeArgs),
    #[command(name = "install", visible_alias = "learn")]
    Learn(learn::LearnArgs),
    #[command(name = "uninstall", visible_aliases = ["forget", "unlearn"])]
    Forget(forget::ForgetArgs),
    #[command(name = "list", visible_aliases = ["recall", "status"])]
    Recall(recall::RecallArgs),
    Sync(sync::SyncArgs),
    Upgrade(sync::UpgradeArgs),
    #[command(name = "doctor", visible_alias = "introspect")]
    Introspect(introspect::IntrospectArgs),
    Verify(introspect::VerifyArgs),
    #[command(name = "export", visible_alias = "dump")]
    Dump(dump::DumpArgs),
    Config(config::ConfigArgs),
    #[command(name = "init", visible_alias = "init-source")]
    InitSource(init_source::InitSourceArgs),
    Review(review::ReviewArgs),
}

/// A verb at the top level, where the program `mind` has them. It is accepted there, but not listed.
#[derive(Debug)]
pub(crate) struct TopLevelVerb(pub(crate) SourceVerb);

/// The names of the verbs in the program `mind`.
#[derive(Debug, Subcommand)]
enum InheritedVerb {
    #[command(hide = true)]
    Meld(meld::MeldArgs),
    #[command(hide = true, alias = "detach")]
    Unmeld(unmeld::UnmeldArgs),
    #[command(hide = true)]
    Learn(learn::LearnArgs),
    #[command(hide = true, alias = "unlearn")]
    Forget(forget::ForgetArgs),
    #[command(hide = true)]
    Probe(probe::ProbeArgs),
    #[command(hide = true, alias = "status")]
    Recall(recall::RecallArgs),
    #[command(hide = true)]
    Sync(sync::SyncArgs),
    #[command(hide = true)]
    Upgrade(sync::UpgradeArgs),
    #[command(hide = true)]
    Review(review::ReviewArgs),
    #[command(hide = true)]
    Dump(dump::DumpArgs),
    #[command(hide = true)]
    Introspect(introspect::IntrospectArgs),
    #[command(hide = true)]
    Config(config::ConfigArgs),
    #[command(hide = true)]
    InitSource(init_source::InitSourceArgs),
}

impl From<InheritedVerb> for SourceVerb {
    fn from(verb: InheritedVerb) -> Self {
        match verb {
            InheritedVerb::Meld(args) => Self::Meld(args),
            InheritedVerb::Unmeld(args) => Self::Unmeld(args),
            InheritedVerb::Learn(args) => Self::Learn(args),
            InheritedVerb::Forget(args) => Self::Forget(args),
            InheritedVerb::Probe(args) => Self::Probe(args),
            InheritedVerb::Recall(args) => Self::Recall(args),
            InheritedVerb::Sync(args) => Self::Sync(args),
            InheritedVerb::Upgrade(args) => Self::Upgrade(args),
            InheritedVerb::Review(args) => Self::Review(args),
            InheritedVerb::Dump(args) => Self::Dump(args),
            InheritedVerb::Introspect(args) => Self::Introspect(args),
            InheritedVerb::Config(args) => Self::Config(args),
            InheritedVerb::InitSource(args) => Self::InitSource(args),
        }
    }
}

impl FromArgMatches for TopLevelVerb {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        InheritedVerb::from_arg_matches(matches).map(|verb| Self(verb.into()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Subcommand for TopLevelVerb {
    fn augment_subcommands(command: clap::Command) -> clap::Command {
        InheritedVerb::augment_subcommands(command)
    }

    fn augment_subcommands_for_update(command: clap::Command) -> clap::Command {
        InheritedVerb::augment_subcommands_for_update(command)
    }

    fn has_subcommand(name: &str) -> bool {
        InheritedVerb::has_subcommand(name)
    }
}

impl SourceArgs {
    /// Applies options that were given before `source`, or before the name of the verb.
    pub(crate) fn adopt(&mut self, early: EarlyFlags) {
        for early in [early, self.early] {
            self.verb.adopt(early);
        }
    }

    pub(crate) fn wants_ascii(&self) -> bool {
        self.verb.wants_ascii()
    }
}

impl SourceVerb {
    /// Applies options that were given before the name of the verb.
    pub(crate) fn adopt(&mut self, early: EarlyFlags) {
        let (format, consent) = match self {
            Self::Meld(args) => (&mut args.format, Some(&mut args.consent)),
            Self::Unmeld(args) => (&mut args.format, Some(&mut args.consent)),
            Self::Learn(args) => (&mut args.format, Some(&mut args.consent)),
            Self::Forget(args) => (&mut args.format, Some(&mut args.consent)),
            Self::Sync(args) => (&mut args.format, Some(&mut args.consent)),
            Self::Upgrade(args) => (&mut args.format, Some(&mut args.consent)),
            Self::Introspect(args) => (&mut args.format, Some(&mut args.consent)),
            Self::Probe(args) => (&mut args.format, None),
            Self::Recall(args) => (&mut args.format, None),
            Self::Dump(args) => (&mut args.format, None),
            Self::InitSource(args) => (&mut args.format, None),
            Self::Verify(args) => (&mut args.format, None),
            Self::Review(args) => return args.adopt(early),
            Self::Config(args) => return args.adopt(early),
        };
        format.adopt(early);
        if let Some(consent) = consent {
            consent.adopt(early);
        }
    }

    pub(crate) fn wants_ascii(&self) -> bool {
        match self {
            Self::Review(args) => args.wants_ascii(),
            _ => self.format().is_some_and(FormatFlags::wants_ascii),
        }
    }

    /// Returns the output options; `review` has more formats and declares its own.
    fn format(&self) -> Option<&FormatFlags> {
        Some(match self {
            Self::Meld(args) => &args.format,
            Self::Unmeld(args) => &args.format,
            Self::Learn(args) => &args.format,
            Self::Forget(args) => &args.format,
            Self::Probe(args) => &args.format,
            Self::Recall(args) => &args.format,
            Self::Sync(args) => &args.format,
            Self::Upgrade(args) => &args.format,
            Self::Dump(args) => &args.format,
            Self::Introspect(args) => &args.format,
            Self::Config(args) => args.format(),
            Self::InitSource(args) => &args.format,
            Self::Verify(args) => &args.format,
            Self::Review(_) => return None,
        })
    }
}

pub(crate) fn run(directory: &Path, args: &SourceArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    run_verb(directory, &args.verb, out)
}

pub(crate) fn run_verb(directory: &Path, verb: &SourceVerb, out: &mut Output) -> Result<ExitCode, Failure> {
    // An exported file must stay exactly as it is.
    if !matches!(verb, SourceVerb::Dump(_)) {
        out.redact_secrets();
    }
    match verb {
        SourceVerb::Meld(args) => meld::run(directory, args, out),
        SourceVerb::Unmeld(args) => unmeld::run(directory, args, out),
        SourceVerb::Learn(args) => learn::run(directory, args, out),
        SourceVerb::Forget(args) => forget::run(directory, args, out),
        SourceVerb::Probe(args) => probe::run(directory, args, out),
        SourceVerb::Recall(args) => recall::run(directory, args, out),
        SourceVerb::Sync(args) => sync::sync(directory, args, out),
        SourceVerb::Upgrade(args) => sync::upgrade(directory, args, out),
        SourceVerb::Review(args) => review::run(directory, args, out),
        SourceVerb::Dump(args) => dump::run(directory, args, out),
        SourceVerb::Introspect(args) => introspect::introspect(directory, args, out),
        SourceVerb::Verify(args) => introspect::verify(directory, args, out),
        SourceVerb::Config(args) => config::run(directory, args, out),
        SourceVerb::InitSource(args) => init_source::run(directory, args, out),
    }
}
