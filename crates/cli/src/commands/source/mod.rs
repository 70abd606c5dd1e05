//! `minds source`, and its verbs at the top level

mod config;
mod desk;
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
mod unmeld;

use std::path::Path;
use std::process::ExitCode;

use clap::Subcommand;

use self::flags::{EarlyFlags, FormatFlags};
use crate::output::{Failure, Output};

/// Install skills, agents, rules and tools from repositories and folders
///
/// A source is a repository or a folder that offers items: skills (`skills/NAME/SKILL.md`), agents (`agents/NAME.md`),
/// rules (`rules/NAME.md`) and tools (`tools/NAME/`), or what its `mind.toml` says. Installed items lie in
/// `$MINDS_HOME/store` and are linked in agent homes, such as `~/.claude`.
///
/// All verbs are also commands of their own: `minds meld` is `minds source meld`.
///
/// Exits with 0 if all was done, with 1 if something was refused or failed, and with 2 on wrong usage or environment.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds source meld acme/agents      Register a source, and install what it offers
  minds source probe                 Show what all sources offer
  minds source sync --upgrade        Fetch what is new, and install it")]
pub(crate) struct SourceArgs {
    #[command(flatten)]
    early: EarlyFlags,
    #[command(subcommand)]
    command: SourceCommand,
}

#[derive(Debug, Subcommand)]
enum SourceCommand {
    #[command(flatten)]
    Verb(Box<SourceVerb>),
    Verify(introspect::VerifyArgs),
}

/// The verbs, which are commands of their own too.
#[derive(Debug, Subcommand)]
pub(crate) enum SourceVerb {
    Meld(meld::MeldArgs),
    Unmeld(unmeld::UnmeldArgs),
    Learn(learn::LearnArgs),
    Forget(forget::ForgetArgs),
    Probe(probe::ProbeArgs),
    Recall(recall::RecallArgs),
    Sync(sync::SyncArgs),
    Upgrade(sync::UpgradeArgs),
    Review(review::ReviewArgs),
    Dump(dump::DumpArgs),
    Introspect(introspect::IntrospectArgs),
    Config(config::ConfigArgs),
    InitSource(init_source::InitSourceArgs),
}

impl SourceArgs {
    /// Takes over what stands before `source`, and before the verb.
    pub(crate) fn adopt(&mut self, early: EarlyFlags) {
        for early in [early, self.early] {
            match &mut self.command {
                SourceCommand::Verb(verb) => verb.adopt(early),
                SourceCommand::Verify(args) => args.format.adopt(early),
            }
        }
    }

    pub(crate) fn wants_ascii(&self) -> bool {
        match &self.command {
            SourceCommand::Verb(verb) => verb.wants_ascii(),
            SourceCommand::Verify(args) => args.format.wants_ascii(),
        }
    }
}

impl SourceVerb {
    /// Takes over what stands before the verb.
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

    /// Returns how the answer is printed; a review has more ways of its own.
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
            Self::Review(_) => return None,
        })
    }
}

pub(crate) fn run(directory: &Path, args: &SourceArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    match &args.command {
        SourceCommand::Verb(verb) => run_verb(directory, verb, out),
        SourceCommand::Verify(args) => introspect::verify(directory, args, out),
    }
}

pub(crate) fn run_verb(directory: &Path, verb: &SourceVerb, out: &mut Output) -> Result<ExitCode, Failure> {
    // A dump is a file that is used as it is.
    if !matches!(verb, SourceVerb::Dump(_)) {
        out.cover_secrets();
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
        SourceVerb::Config(args) => config::run(directory, args, out),
        SourceVerb::InitSource(args) => init_source::run(directory, args, out),
    }
}
