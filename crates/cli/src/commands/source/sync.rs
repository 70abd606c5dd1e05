//! `minds source sync` and `minds source upgrade`

use std::path::Path;
use std::process::ExitCode;

use minds_installer::{SyncRequest, UpgradeRequest};

use super::flags::{ConsentFlags, FetchFlags, FormatFlags, HookFlags};
use super::outcome;
use super::terminal::TerminalInteraction;
use minds_output::{Failure, Output};

/// Fetch changes of all sources
///
/// Fetches each source to the commit that its pin selects, several sources at a time, and adds the sources that it newly
/// lists. Nothing is installed; `minds source upgrade` does that. A source that cannot be fetched stays at its old
/// commit.
///
/// Install hooks of new sources are confirmed on a terminal; elsewhere each needs --accept-hooks. With --upgrade, fetching
/// and installing is one plan with one confirmation.
///
/// Exits with 1 if any source failed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds source sync                        Fetch all sources
  minds source sync --upgrade --yes        Also install what changed
  minds source sync --json                 Print the result as JSON")]
pub(crate) struct SyncArgs {
    /// Also install what changed
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

/// Install the changes of sources
///
/// Compares installed items with their sources, and reinstalls an item if its content, name or links changed. Nothing
/// is fetched; `minds source sync` does that. An installed copy that was edited is reported, and replaced only with
/// --force.
///
/// Install hooks that did not run at the current commit of their source are offered again. If a hook fails, the items of
/// its source stay unchanged.
///
/// Without a terminal --yes is needed; it does not apply to hooks.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds source upgrade                     Show changes, and install them
  minds source upgrade skill:review --yes  Reinstall one item
  minds source upgrade --dry-run           Show what changed")]
pub(crate) struct UpgradeArgs {
    /// The item, or a pattern of items [default: all items]
    #[arg(value_name = "ITEM")]
    item: Option<String>,
    /// Replace installed copies that were edited, and your own files at the paths where items are linked
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
    let mut interaction = TerminalInteraction::new(args.format.wants_json(out));
    let done = minds_installer::sync(directory, &request, &consent, &args.fetch.terms(), &mut interaction);
    drop(interaction);
    outcome::print(done, args.format.wants_json(out), out)
}

pub(super) fn upgrade(directory: &Path, args: &UpgradeArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let request = UpgradeRequest { item: args.item.clone() };
    let consent = args.consent.consent(args.force, Some(&args.hooks));
    let mut interaction = TerminalInteraction::new(args.format.wants_json(out));
    let done = minds_installer::upgrade(directory, &request, &consent, &mut interaction);
    drop(interaction);
    outcome::print(done, args.format.wants_json(out), out)
}
