//! `minds init`

mod import;

use std::path::Path;
use std::process::ExitCode;

use clap::ValueEnum;
use minds_operations::documents::{InitDocument, InitRefusedDocument};
use minds_operations::{Editor, EditorSchema, InitDone, InitOutcome, InitRequest, Refusal, Scaffold};

use minds_output::FailureKind;
use minds_output::exit_codes::REFUSED;
use minds_output::format::{Format, FormatArgs};
use minds_output::{Failure, Output};

/// Create a configuration with comments
///
/// Writes `.minds/team.yaml` and the persona of a first member to the current directory, or to DIR of `-C`. Existing files
/// are never overwritten: if one of the files exists, nothing is written, and the exit code is 1.
///
/// With --fleet, writes `.ateam/` instead: a project, a model, the transport, and an agent with its prompt.
///
/// With --editor, also writes the JSON Schemas of the files to `.minds/.schema/`, and adds them to the workspace settings of
/// the editors, for completion and checks without a network. If `.minds/` exists, only this is written. Existing settings
/// are merged, and keep their comments, order and other keys. If settings cannot be merged safely, nothing is written,
/// the settings to add are printed, and the exit code is 1.
///
/// With --from, makes the team from the files of another client in the directory: agents become members, permissions
/// access lists, and MCP servers entries of `.minds/mcp.yaml`. What cannot be carried over is reported at its place. No
/// member may do what the client denies. If `.minds/` exists, or settings that limit agents cannot be read, nothing is
/// written, and the exit code is 1. It is also 1 if a single agent cannot be read, which is left out.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds init                            Write `.minds/` to the current directory
  minds -C app init                     Write `app/.minds/`
  minds init --compose                  Write a compose root to `.team/`
  minds init --fleet                    Write a fleet to `.ateam/`
  minds init --from claude-code         Make a team from the agents of Claude Code
  minds init --from auto --dry-run      Show the team that the files of all clients would become
  minds init --editor vscode            Also add the schemas to Visual Studio Code
  minds init --editor nvim,zed --dry-run
                                        Show what would be written for two editors")]
pub(crate) struct InitArgs {
    /// Add the schemas to the workspace settings of these editors
    #[arg(long = "editor", value_enum, value_name = "EDITOR", value_delimiter = ',')]
    editors: Vec<EditorName>,
    /// Write a compose root to `.team/` instead: a project with two agents for `minds render`
    #[arg(long, conflicts_with_all = ["editors", "fleet"])]
    compose: bool,
    /// Write a fleet to `.ateam/` instead
    #[arg(long, conflicts_with = "editors")]
    fleet: bool,
    /// Make the team from the files of this client
    #[arg(long, value_enum, value_name = "CLIENT", conflicts_with_all = ["editors", "fleet", "compose"])]
    from: Option<ClientName>,
    /// Show what would be written as a unified diff, without writing it
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    format: FormatArgs,
}

/// A client whose files are imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ClientName {
    /// All clients that have files; of agents with one name, the first client in this list takes precedence
    Auto,
    /// Claude Code: `.claude/`, `.mcp.json`
    ClaudeCode,
    /// Codex: `.codex/`
    Codex,
    /// Gemini CLI: `.gemini/`, `.geminiignore`
    Gemini,
    /// opencode: `opencode.json`, `.opencode/`
    Opencode,
    /// Cursor: `.cursor/`, `.cursorignore`
    Cursor,
    /// Copilot and VS Code: `.github/agents/`, `.github/mcp.json`, `.vscode/mcp.json`
    Copilot,
}

impl ClientName {
    /// Returns the id of the client; none for all clients.
    pub(super) fn id(self) -> Option<&'static str> {
        Some(match self {
            Self::Auto => return None,
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
            Self::Cursor => "cursor",
            Self::Copilot => "copilot",
        })
    }
}

/// An editor that reads settings from the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum EditorName {
    /// Visual Studio Code: `.vscode/`
    Vscode,
    /// Helix: `.helix/languages.toml`
    Helix,
    /// Neovim 0.11 or later, with `exrc` set: `.nvim.lua`
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
    if let Some(client) = args.from {
        return import::run(directory, client, args.dry_run, args.format, out);
    }
    let editors: Vec<Editor> = args.editors.iter().copied().map(Editor::from).collect();
    let schemas = EditorSchema::all();
    let (scaffold, next) = if args.fleet {
        (Scaffold::Fleet, "next: edit `.ateam/agents/zeus/agent.yaml`, then run `minds check`\n")
    } else if args.compose {
        let next =
            "next: edit `.team/projects/main.yaml`, then run `minds check` and `minds render --write`\n";
        (Scaffold::Compose, next)
    } else {
        let scaffold = Scaffold::Team { editors: &editors, schemas: &schemas };
        (scaffold, "next: edit `.minds/team.yaml`, then run `minds check`\n")
    };
    let request = InitRequest { base: directory, scaffold, write: !args.dry_run };
    let outcome = minds_operations::init(&request)?;
    report(outcome, args, next, out)
}

fn report(outcome: InitOutcome, args: &InitArgs, next: &str, out: &mut Output) -> Result<ExitCode, Failure> {
    let is_json = args.format.chosen(out) == Format::Json;
    match outcome {
        InitOutcome::Done(done) if is_json => {
            out.document(&InitDocument::new(&done, args.dry_run));
            Ok(ExitCode::SUCCESS)
        }
        InitOutcome::Done(done) if args.dry_run => {
            out.data(&done.diff);
            let (written, unchanged) = (done.written.len(), done.unchanged.len());
            Output::remark(&format!(
                "dry run, nothing was written; files to write: {written}, unchanged: {unchanged}"
            ));
            Ok(ExitCode::SUCCESS)
        }
        InitOutcome::Done(done) => {
            print(&done, next, out);
            Ok(ExitCode::SUCCESS)
        }
        InitOutcome::Exists(file) => {
            let message = format!("`{file}` already exists; nothing was written");
            Err(Failure::refusal(FailureKind::Exists, message))
        }
        InitOutcome::Refused(refused) => {
            if is_json {
                out.document(&InitRefusedDocument::new(&refused));
            }
            for refusal in refused.iter().filter(|_| !is_json) {
                report_refusal(refusal, out);
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

fn report_refusal(refusal: &Refusal, out: &mut Output) {
    let Refusal { file, reason, snippet } = refusal;
    Output::error("unmergeable", &format!("`{file}` cannot be merged: {reason}; nothing was written"));
    out.data(&format!("add this to {file}:\n\n{snippet}\n"));
}
