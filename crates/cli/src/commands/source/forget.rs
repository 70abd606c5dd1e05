//! `minds source forget`

use std::path::Path;
use std::process::ExitCode;

use minds_operations::source::{self, ForgetRequest};

use super::desk::TerminalDesk;
use super::flags::{ConsentFlags, FormatFlags, HookFlags};
use super::outcome;
use crate::output::{Failure, Output};

/// Remove items that were installed
///
/// Removes the links in agent homes that lead to the item, and the item. A file of yours that stands where a link was is
/// left alone. Without a terminal, removing more than one item, or one that others need, wants --yes.
#[derive(Debug, clap::Args)]
#[command(
    visible_alias = "unlearn",
    after_help = "\
Examples:
  minds forget skill:review          Remove a skill
  minds forget 'skill:*' --yes       Remove all skills without being asked
  minds forget --unmanaged --dry-run Show what lies in agent homes and was not installed by minds"
)]
pub(crate) struct ForgetArgs {
    /// The item, or a pattern of items
    #[arg(value_name = "ITEM", required_unless_present = "unmanaged")]
    item: Option<String>,
    /// Remove it though others need it
    #[arg(short, long)]
    force: bool,
    /// Remove what lies in agent homes and was not installed by minds
    #[arg(long)]
    unmanaged: bool,
    #[command(flatten)]
    pub(super) consent: ConsentFlags,
    #[command(flatten)]
    hooks: HookFlags,
    #[command(flatten)]
    pub(super) format: FormatFlags,
}

pub(super) fn run(directory: &Path, args: &ForgetArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let request = ForgetRequest { item: args.item.clone(), unmanaged: args.unmanaged };
    let consent = args.consent.consent(args.force, Some(&args.hooks));
    let mut desk = TerminalDesk::new(args.format.wants_json(out));
    let done = source::forget(directory, &request, &consent, &mut desk);
    drop(desk);
    outcome::print(done, args.format.wants_json(out), out)
}
