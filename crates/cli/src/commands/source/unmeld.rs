//! `minds source unmeld`

use std::path::Path;
use std::process::ExitCode;

use minds_operations::source::{self, UnmeldRequest};

use super::desk::TerminalDesk;
use super::flags::{ConsentFlags, FormatFlags, HookFlags};
use super::outcome;
use crate::output::{Failure, Output};

/// Remove a source, and what was installed from it
///
/// SOURCE is what it is known by, or the end of that behind a `/`, or a pattern. Only links and copies that are provably
/// those that were installed are removed, and an item that somebody changed stays, with its source, unless forced; a folder
/// that is linked as a source is never touched.
///
/// Asks first on a terminal. Without one, removing more than one item needs --yes.
#[derive(Debug, clap::Args)]
#[command(
    visible_alias = "detach",
    after_help = "\
Examples:
  minds unmeld agents                Remove the source that ends with `/agents`
  minds unmeld 'github.com/acme/*' --yes
                                     Remove several without being asked
  minds unmeld agents --unlink-only  Forget the source, and keep what was installed"
)]
pub(crate) struct UnmeldArgs {
    /// The source
    #[arg(value_name = "SOURCE")]
    source: String,
    /// Forget the source only, and keep what was installed from it
    #[arg(long)]
    unlink_only: bool,
    /// Run COMMAND before it is removed, instead of the uninstall hooks of the source
    #[arg(long, value_name = "COMMAND")]
    uninstall_hook: Option<String>,
    /// Remove what somebody changed, too
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
    let mut desk = TerminalDesk::new(args.format.wants_json(out));
    let done = source::unmeld(directory, &request, &consent, &mut desk);
    drop(desk);
    outcome::print(done, args.format.wants_json(out), out)
}
