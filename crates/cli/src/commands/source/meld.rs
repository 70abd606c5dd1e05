//! `minds source meld`

use std::path::Path;
use std::process::ExitCode;

use minds_operations::source::{self, MeldRequest};

use super::desk::TerminalDesk;
use super::flags::{ConsentFlags, FetchFlags, FormatFlags, HookFlags, PinFlags};
use super::outcome;
use crate::output::{Failure, Output};

/// Register a source, and install what it offers
///
/// REPO is `owner/name` on GitHub, `github:owner/name`, a URL (`https`, `ssh`, `file`), `git@host:owner/name`, or a path;
/// without it the current directory, which is asked for on a terminal and refused elsewhere without --yes. Where a folder is
/// called like `owner/name`, it is asked which one is meant, and refused without a terminal. A path is linked: it is read live and never copied, unless a pin asks for a commit of
/// it. Anything else is cloned, without a working tree, below `$MINDS_HOME/sources`.
///
/// The source and all that it curates are read and checked before anything is registered or run. Then the whole plan is
/// shown and asked for once; without a terminal the source is registered, and its items are only installed with --yes.
/// Hooks are never covered by --yes. On a terminal it asks for a prefix first, where the source proposes one or names of its
/// items are taken.
///
/// Exits with 1 if the source, one that it curates, or an item is refused. What is valid is registered all the same.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[command(after_help = "\
Examples:
  minds meld acme/agents                Register a repository of GitHub, and install its items
  minds meld ./agents --link-only       Register a folder, and install nothing
  minds meld acme/agents --as acme --pin-tag v2 --yes
                                        Install a tag of it, each name with `acme-` before it
  minds meld acme/agents --dry-run --json
                                        Let a program read what would happen, hooks included
  minds meld --locked ./dump --yes      Reproduce what `minds dump --output ./dump` wrote down")]
pub(crate) struct MeldArgs {
    /// The repository or the folder; the current directory if none is named
    #[arg(value_name = "REPO", allow_hyphen_values = true)]
    repo: Option<String>,
    /// Begin the name of each item with PREFIX and a hyphen; an empty one drops the prefix of the source
    #[arg(long = "as", value_name = "PREFIX", allow_hyphen_values = true)]
    alias: Option<String>,
    /// Follow the convention below DIR, instead of where the source says; may be given several times
    #[arg(long = "root", value_name = "DIR")]
    roots: Vec<String>,
    #[command(flatten)]
    pin: PinFlags,
    /// Run COMMAND when it is installed, instead of the install hooks of the source
    #[arg(long, value_name = "COMMAND")]
    install_hook: Option<String>,
    /// Register it, and install nothing
    #[arg(long)]
    link_only: bool,
    /// Install what the sources offer that it curates, too
    #[arg(short, long)]
    recursive: bool,
    /// Replace files of yours that are where an item would be linked
    #[arg(short, long)]
    force: bool,
    /// Reproduce the `mind.lock` beside its `mind.toml`, or refuse
    #[arg(long)]
    locked: bool,
    #[command(flatten)]
    pub(super) consent: ConsentFlags,
    #[command(flatten)]
    hooks: HookFlags,
    #[command(flatten)]
    fetch: FetchFlags,
    #[command(flatten)]
    pub(super) format: FormatFlags,
}

pub(super) fn run(directory: &Path, args: &MeldArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let request = MeldRequest {
        repo: args.repo.clone(),
        alias: args.alias.clone(),
        roots: args.roots.clone(),
        pin: args.pin.request(),
        install_hook: args.install_hook.clone(),
        link_only: args.link_only,
        recursive: args.recursive,
        locked: args.locked,
    };
    let consent = args.consent.consent(args.force, Some(&args.hooks));
    let mut desk = TerminalDesk::new(args.format.wants_json(out));
    let done = source::meld(directory, &request, &consent, &args.fetch.terms(), &mut desk);
    drop(desk);
    outcome::print(done, args.format.wants_json(out), out)
}
