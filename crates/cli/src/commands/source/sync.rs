//! `minds source sync` and `minds source upgrade`

use std::path::Path;
use std::process::ExitCode;

use minds_operations::source::{self, SyncRequest, UpgradeRequest};

use super::desk::TerminalDesk;
use super::flags::{ConsentFlags, FetchFlags, FormatFlags, HookFlags};
use super::outcome;
use crate::output::{Failure, Output};

/// Fetch what is new in registered sources
///
/// Fetches all sources, several at a time, each to the commit that its pin names, and registers what they newly curate.
/// Installs nothing: `minds upgrade` does. A source that fails keeps its old commit, and the others go on.
///
/// Install hooks of new sources are asked for on a terminal; elsewhere each needs --accept-hooks. With --upgrade all of it is
/// one plan, which is asked for once.
///
/// Exits with 1 if any source failed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds sync                   Fetch everything
  minds sync --upgrade --yes   Install what changed, too
  minds sync --json            Let a program read what came of it")]
pub(crate) struct SyncArgs {
    /// Install what changed, too
    #[arg(long)]
    upgrade: bool,
    #[command(flatten)]
    pub(super) consent: ConsentFlags,
    #[command(flatten)]
    hooks: HookFlags,
    #[command(flatten)]
    fetch: FetchFlags,
    #[command(flatten)]
    pub(super) format: FormatFlags,
}

/// Install what changed in registered sources
///
/// Compares what is installed with what its source says now, and installs again what differs: content, name or links.
/// Nothing is fetched. An installed copy that somebody edited is reported, and only replaced with --force.
///
/// Install hooks of sources are offered again that did not run at the commit that counts now. The items of a source whose
/// hook fails stay what they were.
///
/// Without a terminal it needs --yes, which does not cover hooks.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds upgrade                Show what changed, and ask
  minds upgrade skill:review --yes
                               Install one item again
  minds upgrade --dry-run      Show what changed")]
pub(crate) struct UpgradeArgs {
    /// The item, or a pattern of items; all if none is named
    #[arg(value_name = "ITEM")]
    item: Option<String>,
    /// Replace installed copies that were edited, and files of yours that are where an item would be linked
    #[arg(short, long)]
    force: bool,
    #[command(flatten)]
    pub(super) consent: ConsentFlags,
    #[command(flatten)]
    hooks: HookFlags,
    #[command(flatten)]
    pub(super) format: FormatFlags,
}

pub(super) fn sync(directory: &Path, args: &SyncArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let request = SyncRequest { upgrade: args.upgrade };
    let consent = args.consent.consent(false, Some(&args.hooks));
    let mut desk = TerminalDesk::new(args.format.wants_json(out));
    let done = source::sync(directory, &request, &consent, &args.fetch.terms(), &mut desk);
    drop(desk);
    outcome::print(done, args.format.wants_json(out), out)
}

pub(super) fn upgrade(directory: &Path, args: &UpgradeArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let request = UpgradeRequest { item: args.item.clone() };
    let consent = args.consent.consent(args.force, Some(&args.hooks));
    let mut desk = TerminalDesk::new(args.format.wants_json(out));
    let done = source::upgrade(directory, &request, &consent, &mut desk);
    drop(desk);
    outcome::print(done, args.format.wants_json(out), out)
}
