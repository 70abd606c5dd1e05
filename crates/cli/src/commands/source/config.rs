//! `minds source config`

use std::path::Path;
use std::process::ExitCode;

use clap::Subcommand;
use minds_diagnostics::emit::printable;
use minds_installer::{
    AgentHomeChange, AgentHomeChangeDocument, AgentHomeOutcome, AgentHomesDocument, ConfigDocument,
    ConfigReport,
};
use minds_inventory::LobeMode;

use super::flags::{EarlyFlags, FormatFlags, YesFlag};
use minds_output::{Failure, Output};

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
        ConfigCommand::Show { .. } => show(&minds_installer::config(directory)?, json, out),
        ConfigCommand::Lobes { command: LobesCommand::List { .. }, .. } => {
            let config = minds_installer::config(directory)?;
            if json {
                out.document(&AgentHomesDocument::from(&config));
            } else {
                config.lobes.iter().for_each(|lobe| out.data(&format!("{}\n", printable(&lobe.path))));
            }
        }
        ConfigCommand::Lobes { command: LobesCommand::Add { home, .. }, .. } => {
            let (path, is_new) = minds_installer::add_lobe(directory, home)?;
            let outcome = if is_new { AgentHomeOutcome::Added } else { AgentHomeOutcome::NoOp };
            print_change(AgentHomeChange::Add, &path, outcome, json, out);
        }
        ConfigCommand::Lobes { command: LobesCommand::Remove { home, .. }, .. } => {
            let path = minds_installer::remove_lobe(directory, home)?;
            print_change(AgentHomeChange::Remove, &path, AgentHomeOutcome::Removed, json, out);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn show(config: &ConfigReport, json: bool, out: &mut Output) {
    if json {
        out.document(&ConfigDocument::from(config));
        return;
    }
    out.data(&format!("home        {}\n", printable(&config.home)));
    for mode in LobeMode::ALL {
        for lobe in config.lobes.iter().filter(|lobe| lobe.mode == mode) {
            let (path, mode, from) = (printable(&lobe.path), mode.name(), config.from.name());
            out.data(&format!("agent home  {path} ({mode}, from {from})\n"));
        }
    }
    out.data(&format!("ssh         {}\n", config.ssh));
}

fn print_change(
    action: AgentHomeChange,
    path: &str,
    outcome: AgentHomeOutcome,
    json: bool,
    out: &mut Output,
) {
    if json {
        out.document(&AgentHomeChangeDocument { action, outcome, target: path });
        return;
    }
    let path = printable(path);
    out.data(&match outcome {
        AgentHomeOutcome::Added => format!("added {path}\n"),
        AgentHomeOutcome::Removed => format!("removed {path}\n"),
        AgentHomeOutcome::NoOp => format!("{path} is already an agent home\n"),
    });
}
