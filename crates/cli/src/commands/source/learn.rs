//! `minds source install`

use std::path::Path;
use std::process::ExitCode;

use minds_installer::LearnRequest;

use super::flags::{ConsentFlags, FormatFlags, HookFlags};
use super::outcome;
use super::terminal::TerminalInteraction;
use minds_output::{Failure, Output};

/// Install items of sources
///
/// ITEM is `name` or `kind:name`. If several sources offer the same name, prepend the source and `#`, as in
/// `agents#skill:review`. In a name `*`, `?` and `[…]` match any characters.
///
/// With --all, ITEM is a source, and all of its items are installed; without ITEM, the items of every source.
///
/// Items that the named items depend on are installed first. On a terminal the plan is shown for confirmation. Without a
/// terminal, dependencies are installed only with --yes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds source install skill:review        Install a skill and its dependencies
  minds source install acme/agents --all   Install all items of a source
  minds source install --all --dry-run     Show what would be installed")]
pub(crate) struct LearnArgs {
    /// The item, or a pattern of items
    #[arg(value_name = "ITEM", required_unless_present = "all")]
    item: Option<String>,
    /// Install all items of the source ITEM, as `ITEM#*` does, or of every source without ITEM
    #[arg(long)]
    all: bool,
    /// Replace your own files at the paths where items are linked
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
            let message =
                format!("`--all` selects all items of a source, so it cannot be used with `{item}`");
            return Err(Failure::usage(message));
        }
        Some(source) if args.all => Some(format!("{source}#*")),
        item => item.clone(),
    };
    let request = LearnRequest { item };
    let consent = args.consent.consent(args.force, Some(&args.hooks));
    let mut interaction = TerminalInteraction::new(args.format.wants_json(out));
    let done = minds_installer::learn(directory, &request, &consent, &mut interaction);
    drop(interaction);
    outcome::print(done, args.format.wants_json(out), out)
}
