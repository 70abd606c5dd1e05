//! `minds source remove`

use std::path::Path;
use std::process::ExitCode;

use minds_installer::UnmeldRequest;

use super::flags::{ConsentFlags, FormatFlags, HookFlags};
use super::outcome;
use super::terminal::TerminalInteraction;
use minds_output::{Failure, Output};

/// Remove a source, and the items that were installed from it
///
/// SOURCE is the name of the source, the part of its name after a `/`, or a pattern. Only links and copies that are
/// known to be unchanged are removed. An item that was edited is kept, and so is its source, unless --force is given. A
/// directory that was added as a source is never touched.
///
/// Asks for confirmation on a terminal. Without a terminal, removing more than one item needs --yes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds source remove agents                Remove a source and its items
  minds source remove 'github.com/acme/*' --yes
                                            Remove several sources
  minds source remove agents --unlink-only  Remove the source, and keep its items")]
pub(crate) struct UnmeldArgs {
    /// The source, or a pattern of sources
    #[arg(value_name = "SOURCE")]
    source: String,
    /// Remove only the source, and keep the items that were installed from it
    #[arg(long)]
    unlink_only: bool,
    /// Run COMMAND instead of the uninstall hooks of the source
    #[arg(long, value_name = "COMMAND")]
    uninstall_hook: Option<String>,
    /// Also remove items that were edited
    #[arg(short, long)]
    force: bool,
    #[command(flatten)]
    pub(super) consent: ConsentFlags,
    #[command(flatten)]
    hooks: HookFlags,
    #[command(flatten)]
    pub(super) format: FormatFlags,
}

pub(super) fn run(directory: &Path, args: &UnmeldArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let request = UnmeldRequest {
        source: args.source.clone(),
        unlink_only: args.unlink_only,
        uninstall_hook: args.uninstall_hook.clone(),
    };
    let consent = args.consent.consent(args.force, Some(&args.hooks));
    let mut interaction = TerminalInteraction::new(args.format.wants_json(out));
    let done = minds_installer::unmeld(directory, &request, &consent, &mut interaction);
    drop(interaction);
    outcome::print(done, args.format.wants_json(out), out)
}
