//! `minds source config`

use std::path::Path;
use std::process::ExitCode;

use clap::Subcommand;
use minds_diagnostics::emit::printable;
use minds_operations::source::{self, ConfigReport};
use serde_json::json;

use super::flags::{EarlyFlags, FormatFlags, YesFlag};
use crate::output::{Failure, Output};

/// Show the configuration of sources, and change agent homes
///
/// Items are linked into agent homes. These are set by the variable `MIND_AGENT_HOMES` (paths separated by `:`), or by
/// `$MINDS_HOME/config.toml`; the default is `~/.claude`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds source config show                 Show the configuration
  minds source config homes list           List the agent homes
  minds source config homes add ~/.codex   Also link items into `~/.codex`")]
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
  minds source config show
  minds source config show --json")]
    Show {
        #[command(flatten)]
        format: FormatFlags,
        #[command(flatten)]
        yes: YesFlag,
    },
    /// List and change the agent homes, into which items are linked
    #[command(
        name = "homes",
        visible_aliases = ["lobes", "target"],
        after_help = "\
Examples:
  minds source config homes list
  minds source config homes add ~/.codex
  minds source config homes remove ~/.codex"
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
    /// List the agent homes, one per line
    #[command(after_help = "\
Examples:
  minds source config homes list
  minds source config homes list --json")]
    List {
        #[command(flatten)]
        format: FormatFlags,
        #[command(flatten)]
        yes: YesFlag,
    },
    /// Add an agent home; the next `minds source upgrade` links installed items into it
    #[command(after_help = "\
Examples:
  minds source config homes add ~/.codex")]
    Add {
        /// The agent home
        #[arg(value_name = "DIR")]
        home: String,
        #[command(flatten)]
        format: FormatFlags,
        #[command(flatten)]
        yes: YesFlag,
    },
    /// Remove an agent home; existing links in it are kept
    #[command(after_help = "\
Examples:
  minds source config homes remove ~/.codex")]
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

    /// Applies options that were given before `config`, or between its words.
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
            let config = source::config(directory)?;
            if json {
                let lobes: Vec<_> = config.lobes.iter().map(|lobe| &lobe.path).collect();
                out.json(&json!({"lobes": lobes}));
            } else {
                config.lobes.iter().for_each(|lobe| out.data(&format!("{}\n", printable(&lobe.path))));
            }
        }
        ConfigCommand::Lobes { command: LobesCommand::Add { home, .. }, .. } => {
            let (path, is_new) = source::add_lobe(directory, home)?;
            print_change("add", &path, if is_new { "added" } else { "no-op" }, json, out);
        }
        ConfigCommand::Lobes { command: LobesCommand::Remove { home, .. }, .. } => {
            let path = source::remove_lobe(directory, home)?;
            print_change("remove", &path, "removed", json, out);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn show(config: &ConfigReport, json: bool, out: &mut Output) {
    let lobes = |mode: &'static str| {
        let of_mode = config.lobes.iter().filter(move |lobe| lobe.mode == mode);
        of_mode.map(|lobe| lobe.path.as_str())
    };
    if json {
        let lobes: Vec<_> =
            config.lobes.iter().map(|lobe| json!({"path": lobe.path, "mode": lobe.mode})).collect();
        out.json(&json!({
            "home": config.home,
            "lobes": lobes,
            "from": config.from,
            "ssh": config.ssh,
        }));
        return;
    }
    out.data(&format!("home   {}\n", printable(&config.home)));
    for mode in ["link", "copy"] {
        for lobe in lobes(mode) {
            out.data(&format!("lobe   {} ({mode}, from {})\n", printable(lobe), config.from));
        }
    }
    out.data(&format!("ssh    {}\n", config.ssh));
}

fn print_change(action: &str, path: &str, outcome: &str, json: bool, out: &mut Output) {
    if json {
        out.json(&json!({"action": action, "target": path, "outcome": outcome}));
    } else if outcome == "no-op" {
        out.data(&format!("{} is already an agent home\n", printable(path)));
    } else {
        out.data(&format!("{outcome} {}\n", printable(path)));
    }
}
