//! `minds source learn`

use std::path::Path;
use std::process::ExitCode;

use minds_operations::source::{self, LearnRequest};

use super::desk::TerminalDesk;
use super::flags::{ConsentFlags, FormatFlags, HookFlags};
use super::outcome;
use crate::output::{Failure, Output};

/// Install items of registered sources
///
/// ITEM is a name, or `kind:name`, with a source and `#` before it where several offer the same: `agents#skill:review`.
/// `*`, `?` and `[…]` in the name stand for any characters.
///
/// With --all, ITEM is a source, and all that it offers is meant; without ITEM, all that every source offers.
///
/// Items that these need are installed along with them, before them. On a terminal the plan is asked for; without one,
/// only what ITEM names itself is installed without --yes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds learn skill:review           Install a skill, and what it needs
  minds learn acme/agents --all      Install all that a source offers
  minds learn --all --dry-run        Show what installing everything would do")]
pub(crate) struct LearnArgs {
    /// The item, or a pattern of items
    #[arg(value_name = "ITEM", required_unless_present = "all")]
    item: Option<String>,
    /// Install all that the source offers, as `SOURCE#*`, or that every source offers if none is named
    #[arg(long)]
    all: bool,
    /// Replace files of yours that are where an item would be linked
    #[arg(short, long)]
    force: bool,
    #[command(flatten)]
    pub(super) consent: ConsentFlags,
    #[command(flatten)]
    hooks: HookFlags,
    #[command(flatten)]
    pub(super) format: FormatFlags,
}

pub(super) fn run(directory: &Path, args: &LearnArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let item = match &args.item {
        Some(item) if args.all && item.contains('#') => {
            let message = format!("`--all` means all items of a source, so it does not go with `{item}`");
            return Err(Failure::usage(message));
        }
        Some(source) if args.all => Some(format!("{source}#*")),
        item => item.clone(),
    };
    let request = LearnRequest { item };
    let consent = args.consent.consent(args.force, Some(&args.hooks));
    let mut desk = TerminalDesk::new(args.format.wants_json(out));
    let done = source::learn(directory, &request, &consent, &mut desk);
    drop(desk);
    outcome::print(done, args.format.wants_json(out), out)
}
