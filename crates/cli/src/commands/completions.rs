//! `minds completions`

use std::process::ExitCode;

use clap_complete::Shell;

use crate::args::listed_command;
use minds_output::Output;

/// Print shell completions
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds completions bash > ~/.local/share/bash-completion/completions/minds
  minds completions zsh > ~/.zfunc/_minds
  minds completions fish > ~/.config/fish/completions/minds.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

pub(crate) fn run(args: &CompletionsArgs, out: &mut Output) -> ExitCode {
    let mut script = Vec::new();
    // The generators do not know hidden commands.
    clap_complete::generate(args.shell, &mut listed_command(), "minds", &mut script);
    out.data(&String::from_utf8_lossy(&script));
    ExitCode::SUCCESS
}
