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
/// Items that these need are installed along with them, before them. On a terminal the plan is asked for; without one,
/// only what ITEM names itself is installed without --yes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds learn skill:review           Install a skill, and what it needs
  minds learn acme/agents --all      Install all that a source offers
  minds learn --all --dry-run        Show what installing everything would do")]
pub(crate) struct LearnArgs {
    /// The item, or a pattern of items; with --all a source
    #[arg(value_name = "ITEM", required_unless_present = "all")]
    item: Option<String>,
    /// Install all that a source offers, or every source
    #[arg(long)]
    all: bool,
    /// Replace files of yours that are where an item would be linked
    #[arg(short, long)]
    force: bool,
    #[command(flatten)]
    consent: ConsentFlags,
    #[command(flatten)]
    hooks: HookFlags,
    #[command(flatten)]
    pub(super) format: FormatFlags,
}

pub(super) fn run(directory: &Path, args: &LearnArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let item = match (&args.item, args.all) {
        (Some(source), true) if source.contains('#') => {
            return Err(Failure::usage(format!("`{source}` is no source: `--all` takes one, without `#`")));
        }
        (Some(source), true) => Some(format!("{source}#*")),
        (item, _) => item.clone(),
    };
    let request = LearnRequest { item };
    let consent = args.consent.consent(args.force, Some(&args.hooks));
    let mut desk = TerminalDesk::new(args.format.wants_json());
    let done = source::learn(directory, &request, &consent, &mut desk);
    outcome::print(done, args.format.wants_json(), out)
}
