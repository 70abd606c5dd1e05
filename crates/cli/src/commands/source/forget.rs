//! `minds source uninstall`

use std::path::Path;
use std::process::ExitCode;

use minds_installer::ForgetRequest;

use super::flags::{ConsentFlags, FormatFlags, HookFlags};
use super::outcome;
use super::terminal::TerminalInteraction;
use minds_output::{Failure, Output};

/// Uninstall items
///
/// Removes the item and the links to it in agent homes. A file of yours at the path of a link is kept. Without a
/// terminal, --yes is needed to remove more than one item, or an item that other items depend on.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds source uninstall skill:review      Uninstall a skill
  minds source uninstall 'skill:*' --yes   Uninstall all skills
  minds source uninstall --unmanaged --dry-run
                                           Show items that minds did not install")]
pub(crate) struct ForgetArgs {
    /// The item, or a pattern of items
    #[arg(value_name = "ITEM", required_unless_present = "unmanaged")]
    item: Option<String>,
    /// Uninstall items even if other items depend on them
    #[arg(short, long)]
    force: bool,
    /// Remove items from agent homes that minds did not install
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
    let mut interaction = TerminalInteraction::new(args.format.wants_json(out));
    let done = minds_installer::forget(directory, &request, &consent, &mut interaction);
    drop(interaction);
    outcome::print(done, args.format.wants_json(out), out)
}
