//! `minds source config`

use std::path::Path;
use std::process::ExitCode;

use clap::Subcommand;
use minds_diagnostics::emit::printable;
use minds_operations::source::{self, ConfigShown};
use serde_json::json;

use super::flags::{EarlyFlags, FormatFlags, YesFlag};
use crate::output::{Failure, Output};

/// Look at the configuration of sources, and change where items are linked
///
/// Items are linked in agent homes. Which these are is said by the variable `MIND_AGENT_HOMES` (paths with `:` between
/// them), else by `$MINDS_HOME/config.toml`; else it is `~/.claude` alone.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds config show                Show the configuration
  minds config lobes list          Show the agent homes
  minds config lobes add ~/.codex  Link items there, too")]
pub(crate) struct ConfigArgs {
    #[command(flatten)]
    early: EarlyFlags,
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Show the configuration
    #[command(after_help = "\
Examples:
  minds config show
  minds config show --json")]
    Show {
        #[command(flatten)]
        format: FormatFlags,
        #[command(flatten)]
        yes: YesFlag,
    },
    /// Show and change the agent homes in which items are linked
    #[command(
        visible_alias = "target",
        after_help = "\
Examples:
  minds config lobes list
  minds config lobes add ~/.codex
  minds config lobes remove ~/.codex"
    )]
    Lobes {
        #[command(flatten)]
        early: EarlyFlags,
        #[command(subcommand)]
        command: LobesCommand,
    },
}

#[derive(Debug, Subcommand)]
enum LobesCommand {
    /// Show the agent homes, one a line
    #[command(after_help = "\
Examples:
  minds config lobes list
  minds config lobes list --json")]
    List {
        #[command(flatten)]
        format: FormatFlags,
        #[command(flatten)]
        yes: YesFlag,
    },
    /// Link items in another agent home, too; what is installed is linked there by the next `minds upgrade`
    #[command(after_help = "\
Examples:
  minds config lobes add ~/.codex")]
    Add {
        /// The agent home
        #[arg(value_name = "DIR")]
        home: String,
        #[command(flatten)]
        format: FormatFlags,
        #[command(flatten)]
        yes: YesFlag,
    },
    /// Link items in an agent home no longer; links that are there stay
    #[command(after_help = "\
Examples:
  minds config lobes remove ~/.codex")]
    Remove {
        /// The agent home
        #[arg(value_name = "DIR")]
        home: String,
        #[command(flatten)]
        format: FormatFlags,
        #[command(flatten)]
        yes: YesFlag,
    },
}

impl ConfigArgs {
    pub(super) fn format(&self) -> &FormatFlags {
        match &self.command {
            ConfigCommand::Show { format, .. } => format,
            ConfigCommand::Lobes { command, .. } => match command {
                LobesCommand::List { format, .. }
                | LobesCommand::Add { format, .. }
                | LobesCommand::Remove { format, .. } => format,
            },
        }
    }

    /// Takes over what stands before the verb, and between its words.
    pub(super) fn adopt(&mut self, early: EarlyFlags) {
        let own = self.early;
        let (format, between) = match &mut self.command {
            ConfigCommand::Show { format, .. } => (format, None),
            ConfigCommand::Lobes { early, command } => match command {
                LobesCommand::List { format, .. }
                | LobesCommand::Add { format, .. }
                | LobesCommand::Remove { format, .. } => (format, Some(*early)),
            },
        };
        [Some(early), Some(own), between].into_iter().flatten().for_each(|early| format.adopt(early));
    }
}

pub(super) fn run(directory: &Path, args: &ConfigArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let json = args.format().wants_json(out);
    match &args.command {
        ConfigCommand::Show { .. } => show(&source::config(directory)?, json, out),
        ConfigCommand::Lobes { command: LobesCommand::List { .. }, .. } => {
            let shown = source::config(directory)?;
            if json {
                let lobes: Vec<_> = shown.lobes.iter().map(|lobe| &lobe.path).collect();
                out.json(&json!({"lobes": lobes}));
            } else {
                shown.lobes.iter().for_each(|lobe| out.data(&format!("{}\n", printable(&lobe.path))));
            }
        }
        ConfigCommand::Lobes { command: LobesCommand::Add { home, .. }, .. } => {
            let (path, is_new) = source::add_lobe(directory, home)?;
            changed("add", &path, if is_new { "added" } else { "no-op" }, json, out);
        }
        ConfigCommand::Lobes { command: LobesCommand::Remove { home, .. }, .. } => {
            let path = source::remove_lobe(directory, home)?;
            changed("remove", &path, "removed", json, out);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn show(shown: &ConfigShown, json: bool, out: &mut Output) {
    let lobes = |mode: &'static str| {
        let of_mode = shown.lobes.iter().filter(move |lobe| lobe.mode == mode);
        of_mode.map(|lobe| lobe.path.as_str())
    };
    if json {
        let lobes: Vec<_> =
            shown.lobes.iter().map(|lobe| json!({"path": lobe.path, "mode": lobe.mode})).collect();
        out.json(&json!({
            "home": shown.home,
            "lobes": lobes,
            "from": shown.from,
            "ssh": shown.ssh,
        }));
        return;
    }
    out.data(&format!("home   {}\n", printable(&shown.home)));
    for mode in ["link", "copy"] {
        for lobe in lobes(mode) {
            out.data(&format!("lobe   {} ({mode}, from {})\n", printable(lobe), shown.from));
        }
    }
    out.data(&format!("ssh    {}\n", shown.ssh));
}

fn changed(action: &str, path: &str, outcome: &str, json: bool, out: &mut Output) {
    if json {
        out.json(&json!({"action": action, "target": path, "outcome": outcome}));
    } else if outcome == "no-op" {
        out.data(&format!("{} is an agent home already\n", printable(path)));
    } else {
        out.data(&format!("{outcome} {}\n", printable(path)));
    }
}
