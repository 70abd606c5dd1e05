//! `minds init`

use std::path::Path;
use std::process::ExitCode;

use clap::ValueEnum;
use minds_operations::{Editor, EditorSchema, InitDone, InitOutcome, Refusal, Seed};
use serde_json::{Value, json};

use crate::exit_codes::REFUSED;
use crate::format::{Format, FormatArgs};
use crate::output::{Failure, Output};

/// Write a first, commented configuration that checks clean
///
/// Writes `.minds/team.yaml` and the persona of a first member into the current directory, or into that of `-C`.
/// Never overwrites: if one of the files is there, nothing is written, and the exit code is 1.
///
/// With --fleet, writes `.ateam/` instead: a project, a model, the transport, and an agent with its prompt.
///
/// With --editor, also writes the JSON Schemas of the files to `.minds/.schema/`, and tells editors about them in the
/// settings that they read from the workspace, so that they complete and check without a network. Where `.minds/` is
/// there already, only this is written. Settings that are there are merged: comments, order and other keys stay. If that
/// cannot be done surely, nothing is written, what to put in is printed, and the exit code is 1.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds init                            Write `.minds/` here
  minds -C app init                     Write `app/.minds/`
  minds init --compose                  Write a first compose root to `.team/`
  minds init --fleet                    Write `.ateam/` here
  minds init --editor vscode            Tell Visual Studio Code about the schemas as well
  minds init --editor nvim,zed --dry-run
                                        Show what would be written for two editors")]
pub(crate) struct InitArgs {
    /// Editors to tell about the schemas
    #[arg(long = "editor", value_enum, value_name = "EDITOR", value_delimiter = ',')]
    editors: Vec<EditorName>,
    /// Write a compose root to `.team/` instead: a project with two agents, ready for `minds render`
    #[arg(long, conflicts_with_all = ["editors", "fleet"])]
    compose: bool,
    /// Write a first fleet, `.ateam/`
    #[arg(long, conflicts_with = "editors")]
    fleet: bool,
    /// Print what would be written as a unified diff, and write nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    format: FormatArgs,
}

/// An editor that reads settings from the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum EditorName {
    /// Visual Studio Code: `.vscode/`
    Vscode,
    /// Helix: `.helix/languages.toml`
    Helix,
    /// Neovim 0.11 or later, where `exrc` is set: `.nvim.lua`
    Nvim,
    /// Zed: `.zed/settings.json`
    Zed,
}

impl From<EditorName> for Editor {
    fn from(name: EditorName) -> Self {
        match name {
            EditorName::Vscode => Self::VsCode,
            EditorName::Helix => Self::Helix,
            EditorName::Nvim => Self::Neovim,
            EditorName::Zed => Self::Zed,
        }
    }
}

pub(crate) fn run(directory: &Path, args: &InitArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let (outcome, next) = if args.fleet {
        let outcome = minds_operations::init_fleet(directory, !args.dry_run)?;
        (outcome, "next: edit `.ateam/agents/zeus/agent.yaml`, then run `minds check`\n")
    } else if args.compose {
        let outcome = minds_operations::plant(directory, Seed::Compose, !args.dry_run)?;
        (
            outcome,
            "next: edit `.team/projects/main.yaml`, then run `minds check` and `minds render --write`\n",
        )
    } else {
        let editors: Vec<Editor> = args.editors.iter().copied().map(Editor::from).collect();
        let outcome = minds_operations::init(directory, &editors, &EditorSchema::all(), !args.dry_run)?;
        (outcome, "next: edit `.minds/team.yaml`, then run `minds check`\n")
    };
    report(outcome, args, next, out)
}

fn report(outcome: InitOutcome, args: &InitArgs, next: &str, out: &mut Output) -> Result<ExitCode, Failure> {
    let is_json = args.format.chosen(out) == Format::Json;
    match outcome {
        InitOutcome::Done(done) if is_json => {
            out.json(&json!({
                "dry_run": args.dry_run,
                "written": done.written,
                "unchanged": done.unchanged,
                "diff": done.diff,
            }));
            Ok(ExitCode::SUCCESS)
        }
        InitOutcome::Done(done) if args.dry_run => {
            out.data(&done.diff);
            let (written, unchanged) = (done.written.len(), done.unchanged.len());
            Output::remark(&format!("nothing was written; {written} to write, {unchanged} unchanged"));
            Ok(ExitCode::SUCCESS)
        }
        InitOutcome::Done(done) => {
            print(&done, next, out);
            Ok(ExitCode::SUCCESS)
        }
        InitOutcome::Exists(file) => {
            let message = format!("`{file}` already exists; nothing was written");
            Err(Failure::refused("exists", message))
        }
        InitOutcome::Refused(refused) => {
            if is_json {
                let refused: Vec<Value> = refused.iter().map(refusal_document).collect();
                let message = "settings cannot be merged; nothing was written";
                out.json(&json!({
                    "refused": refused,
                    "error": {"kind": "unmergeable", "message": message},
                }));
            }
            for refusal in refused.iter().filter(|_| !is_json) {
                refuse(refusal, out);
            }
            Ok(ExitCode::from(REFUSED))
        }
    }
}

fn print(done: &InitDone, next: &str, out: &mut Output) {
    for file in &done.written {
        out.data(&format!("wrote {file}\n"));
    }
    for file in &done.unchanged {
        out.data(&format!("unchanged {file}\n"));
    }
    if done.is_first {
        out.data(next);
    }
}

fn refuse(refusal: &Refusal, out: &mut Output) {
    let Refusal { file, reason, snippet } = refusal;
    Output::error("unmergeable", &format!("`{file}` cannot be merged: {reason}; nothing was written"));
    out.data(&format!("put this into {file}:\n\n{snippet}\n"));
}

fn refusal_document(refusal: &Refusal) -> Value {
    json!({"file": refusal.file, "reason": refusal.reason, "snippet": refusal.snippet})
}
