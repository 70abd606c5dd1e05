//! `minds source add`

use std::path::Path;
use std::process::ExitCode;

use minds_installer::MeldRequest;

use super::flags::{ConsentFlags, FetchFlags, FormatFlags, HookFlags, PinFlags};
use super::outcome;
use super::terminal::TerminalInteraction;
use minds_output::{Failure, Output};

/// Add a source, and install the items that it offers
///
/// REPO is `owner/name` on GitHub, `github:owner/name`, a URL (`https`, `ssh` or `file`), `git@host:owner/name`, or a path.
/// Without REPO, the current directory is added after a confirmation; without a terminal this needs --yes. If a local
/// directory has the name `owner/name`, the command asks which one to add, and fails without a terminal.
///
/// A directory is linked: it is read in place and never copied, unless a pin selects one of its commits. A repository is
/// cloned without a working tree into `$MINDS_HOME/sources`.
///
/// The source and all sources that its `mind.toml` lists are read and checked before anything is registered or run. The
/// whole plan is then shown for confirmation. Without a terminal the source is registered, but its items are installed
/// only with --yes. --yes never applies to hooks. On a terminal the command asks for a prefix if the source suggests one
/// or if names of its items are already in use.
///
/// Exits with 1 if the source, a source that it lists, or an item is refused. Everything that is valid is still added.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[command(after_help = "\
Examples:
  minds source add acme/agents             Add a repository of GitHub
  minds source add ./agents --link-only    Add a directory, install nothing
  minds source add acme/agents --as acme --pin-tag v2 --yes
                                           Add a tag, with a prefix for names
  minds source add acme/agents --dry-run --json
                                           Print the plan, with hooks, as JSON
  minds source add --locked ./export --yes
                                           Reproduce an export")]
pub(crate) struct MeldArgs {
    /// The repository or directory [default: the current directory]
    #[arg(value_name = "REPO", allow_hyphen_values = true)]
    repo: Option<String>,
    /// Prepend PREFIX and a hyphen to the name of each item; an empty PREFIX removes the prefix of the source
    #[arg(long = "as", value_name = "PREFIX", allow_hyphen_values = true)]
    alias: Option<String>,
    /// Look for items in DIR instead of the directories that the source declares; can be repeated
    #[arg(long = "root", value_name = "DIR")]
    roots: Vec<String>,
    #[command(flatten)]
    pin: PinFlags,
    /// Run COMMAND instead of the install hooks of the source
    #[arg(long, value_name = "COMMAND")]
    install_hook: Option<String>,
    /// Add the source without installing items
    #[arg(long)]
    link_only: bool,
    /// Also install the items of the sources that it lists
    #[arg(short, long)]
    recursive: bool,
    /// Replace your own files at the paths where items are linked
    #[arg(short, long)]
    force: bool,
    /// Install exactly what the `mind.lock` next to its `mind.toml` records, or fail
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
    let mut interaction = TerminalInteraction::new(args.format.wants_json(out));
    let done = minds_installer::meld(directory, &request, &consent, &args.fetch.terms(), &mut interaction);
    drop(interaction);
    outcome::print(done, args.format.wants_json(out), out)
}
