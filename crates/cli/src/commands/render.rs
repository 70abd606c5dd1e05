//! `minds render`

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;
use clap::builder::NonEmptyStringValueParser;
use minds_diagnostics::emit;
use minds_operations::{RenderOutcome, RenderRequest, RenderedFile};
use minds_render::clients::Client;
use minds_render::{DriftedFile, Refused, State, Target};
use minds_system::terminal_width;
use serde::Serialize;

use super::check::WIDTH;
use super::unless_nothing;
use crate::format::{Format, FormatArgs};
use crate::output::{Failure, Output};
use crate::paint::{self, Style, paint};

/// Render what agents are started with, what keeps them running, and the files of MCP clients
///
/// The target `artifacts` makes, for each agent of a compose root, its environment in `state/envs/`, its MCP servers in `state/mcp/` and, where its role prompt is
/// a list of files, that prompt in `state/role_prompts/`. Without --write only shows what would change.
///
/// Other targets make units, property lists or tasks in `state/services/`, and containers in `state/docker/`. Where
/// nothing is named and the supervisor of the compose root is `systemd` or `launchd`, its units are made too. Where there
/// is no compose root but a fleet, these are for its agents, in `.ateam/state/`. What other targets made before stays.
///
/// The command behind --exec runs an agent. In it `{project}`, `{agent}`, `{root}` and `{cwd}` stand for what the agent is
/// called, for the compose root or the workspace, and for the directory in which it works; `{env_file}` for the
/// environment of an agent of a compose root, `{redis_url}` for the address of the transport of a fleet; `{{` and `}}`
/// for braces. Without it agents of a compose root are run as `teamctl` runs them.
///
/// The compose root is DIR of --root, else that of the variable `TEAMCTL_ROOT`, else the nearest `.team/` at or above the
/// current directory, within its repository. Errors in its files stop everything; warnings do not.
///
/// A target `mcp:CLIENT` puts the servers of `.minds/mcp.yaml`, and a server for each agent of the compose root, into the
/// file of that client in the workspace, and leaves everything else in it alone. Such targets alone need no compose root:
/// DIR may be a workspace.
///
/// Files that were not rendered here, or changed since, are left alone unless --force says otherwise. What was rendered
/// and is not any more is removed. All is written or nothing.
///
/// Exits with 0 if that is done or there is nothing to render, with 1 if there are errors, if --check finds that anything
/// would change, or if --write is refused, and with 2 if the DIR of --root is nothing that can be rendered.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[command(after_help = "\
Examples:
  minds render                     Show which files would change
  minds render --diff              Show how they would change
  minds render --write             Write them
  minds render --check             Fail if they are not current, as in CI
  minds render --target mcp:vscode --target mcp:codex --write
                                   Put the servers of the team into files of clients
  minds render --root ops/.team --write
                                   Render another compose root
  minds render --target artifacts --target systemd-user --write
                                   Write units for systemd too
  minds render --target docker --write --exec ateam agent --project {project} --name {agent}
                                   Write containers for the agents of a fleet
  minds render --format json | jq -r '.artifacts[] | select(.state == \"drifted\").path'
                                   Let a program read what would happen")]
pub(crate) struct RenderArgs {
    /// The compose root: the directory that holds `team-compose.yaml`; the `.ateam` directory of a fleet; for files of
    /// clients alone also a workspace
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// What to render; `artifacts` if nothing is named
    #[arg(long = "target", value_enum, value_name = "TARGET")]
    targets: Vec<TargetName>,
    /// Show how files would change as a unified diff
    #[arg(long, conflicts_with_all = ["check", "write"])]
    diff: bool,
    /// Exit with 1 if anything would change, and write nothing
    #[arg(long, conflicts_with = "write")]
    check: bool,
    /// Write what changes
    #[arg(long)]
    write: bool,
    /// Overwrite files that were not rendered here, or changed since, and remove those of them that are not rendered any
    /// more
    #[arg(long, requires = "write")]
    force: bool,
    /// Let the files of a compose root name files outside the repository; findings quote nothing of them
    #[arg(long)]
    allow_outside: bool,
    /// The command that serves the tools of the team; that of the variable `TEAMCTL_TEAM_MCP`, else `team-mcp`
    #[arg(long, value_name = "PATH", value_parser = NonEmptyStringValueParser::new())]
    mcp_bin: Option<String>,
    /// The command that runs an agent, with placeholders; all that follows belongs to it, up to a lone `;`
    #[arg(long, value_name = "CMD", action = clap::ArgAction::Set, num_args = 1.., allow_hyphen_values = true, value_terminator = ";")]
    exec: Vec<String>,
    #[command(flatten)]
    format: FormatArgs,
}

/// What can be rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TargetName {
    /// What agents are started with
    Artifacts,
    /// `.mcp.json` of Claude Code
    #[value(name = "mcp:claude-code")]
    McpClaudeCode,
    /// `.codex/config.toml` of Codex
    #[value(name = "mcp:codex")]
    McpCodex,
    /// `.gemini/settings.json` of Gemini CLI
    #[value(name = "mcp:gemini")]
    McpGemini,
    /// `.vscode/mcp.json` of VS Code
    #[value(name = "mcp:vscode")]
    McpVsCode,
    /// `.cursor/mcp.json` of Cursor
    #[value(name = "mcp:cursor")]
    McpCursor,
    /// `opencode.json` of opencode
    #[value(name = "mcp:opencode")]
    McpOpenCode,
    /// Units of systemd for a user
    SystemdUser,
    /// Units of systemd for the machine, an instance for a user
    Systemd,
    /// Property lists of launchd
    Launchd,
    /// Tasks of the Windows Task Scheduler
    WindowsTask,
    /// An image and containers
    Docker,
}

impl From<TargetName> for Target {
    fn from(name: TargetName) -> Self {
        match name {
            TargetName::Artifacts => Self::Artifacts,
            TargetName::McpClaudeCode => Self::Mcp(Client::ClaudeCode),
            TargetName::McpCodex => Self::Mcp(Client::Codex),
            TargetName::McpGemini => Self::Mcp(Client::Gemini),
            TargetName::McpVsCode => Self::Mcp(Client::VsCode),
            TargetName::McpCursor => Self::Mcp(Client::Cursor),
            TargetName::McpOpenCode => Self::Mcp(Client::OpenCode),
            TargetName::SystemdUser => Self::SystemdUser,
            TargetName::Systemd => Self::Systemd,
            TargetName::Launchd => Self::Launchd,
            TargetName::WindowsTask => Self::WindowsTask,
            TargetName::Docker => Self::Docker,
        }
    }
}

/// Returns the flag that was probably meant for this command and became a word of the command that runs an agent: one that
/// says what is done, where nothing else says it.
fn taken_by_command(args: &RenderArgs) -> Option<&str> {
    let is_said = args.write || args.diff || args.check;
    let is_flag = |word: &&str| ["--write", "--diff", "--check"].contains(word);
    args.exec.iter().map(String::as_str).find(is_flag).filter(|_| !is_said)
}

pub(crate) fn run(directory: &Path, args: &RenderArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    if let Some(flag) = taken_by_command(args) {
        return Err(Failure::usage(format!(
            "`{flag}` after `--exec` belongs to the command that runs an agent: write `{flag}` before `--exec`, or \
             `--exec CMD ';' {flag}`; if the command itself needs `{flag}`, give `--write`, `--diff` or `--check` \
             before `--exec` as well"
        )));
    }
    let targets: Vec<Target> = args.targets.iter().copied().map(Target::from).collect();
    let request = RenderRequest {
        root: args.root.as_deref(),
        targets: &targets,
        command: &args.exec,
        mcp_command: args.mcp_bin.as_deref(),
        write: args.write,
        force: args.force,
        allows_outside: args.allow_outside,
    };
    let Some(outcome) = unless_nothing(minds_operations::render(directory, &request), out)? else {
        if args.format.chosen(out) == Format::Json {
            out.json(&Document { artifacts: Vec::new(), diagnostics: emit::json_findings(&[]) });
        }
        return Ok(ExitCode::SUCCESS);
    };
    let errors = outcome.report.summary().errors;
    match args.format.chosen(out) {
        Format::Json => out.json(&document(&outcome)),
        Format::Human => print(args, &outcome, out),
    }
    if errors > 0 {
        let errors = if errors == 1 { "an error".to_owned() } else { format!("{errors} errors") };
        out.error_behind("errors-found", &format!("the files have {errors}, so nothing is rendered"));
        return Ok(ExitCode::from(1));
    }
    if let Some(refused) = &outcome.refused {
        let advice = match refused {
            Refused::Drifted(files) => forced(files),
            _ => "",
        };
        out.error_behind("refused", &format!("{refused}{advice}; nothing was written"));
        return Ok(ExitCode::from(1));
    }
    let is_stale = args.check && outcome.would_change;
    Ok(if is_stale { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// Returns what `--force` does to files that have drifted.
fn forced(files: &[DriftedFile]) -> &'static str {
    let removed = files.iter().filter(|file| file.is_removed).count();
    match (files.len() - removed, removed) {
        (1, 0) => "; `--force` overwrites it",
        (_, 0) => "; `--force` overwrites them",
        (0, 1) => "; `--force` removes it",
        (0, _) => "; `--force` removes them",
        _ => "; `--force` overwrites them, and removes those that are not rendered any more",
    }
}

fn print(args: &RenderArgs, outcome: &RenderOutcome, out: &mut Output) {
    let width = terminal_width().unwrap_or(WIDTH);
    let color = out.are_remarks_coloured();
    Output::remarks(&emit::human_findings(&outcome.report, emit::Human { color, width }));
    if outcome.report.summary().errors > 0 {
        return;
    }
    let is_coloured = out.is_coloured();
    let changing = outcome.files.iter().filter(|file| file.state != State::Unchanged);
    let changed = changing.clone().count();
    if args.diff {
        for file in &outcome.files {
            out.painted(&paint::diff(&file.diff, is_coloured));
        }
    } else {
        out.painted(&list(changing, is_coloured));
    }
    // Why nothing was written is said in any case.
    if outcome.refused.is_none() {
        out.remark_behind(&summary(changed, outcome.files.len() - changed, args.write, &outcome.report.root));
    }
}

/// Returns how many files change and how many need not.
fn summary(changed: usize, current: usize, write: bool, root: &str) -> String {
    let files = |count: usize| if count == 1 { "1 file".to_owned() } else { format!("{count} files") };
    let rest = if current == 0 { String::new() } else { format!(", {current} up to date") };
    match (changed, current) {
        (0, 0) => "there is nothing to render".to_owned(),
        (0, 1) => "the file is up to date".to_owned(),
        (0, _) => format!("all {current} files are up to date"),
        _ if write => format!("wrote {} in `{root}`{rest}", files(changed)),
        _ => format!("{} would change{rest}; nothing was written", files(changed)),
    }
}

/// Returns a line for each file.
fn list<'f>(files: impl Iterator<Item = &'f RenderedFile>, is_coloured: bool) -> String {
    let mut text = String::new();
    for file in files {
        let style = match file.state {
            State::Created => Some(Style::Green),
            State::Changed => Some(Style::Yellow),
            State::Stale | State::Drifted => Some(Style::Red),
            State::Unchanged => None,
        };
        let word = format!("{:9}", file.state.name());
        let word = style.map_or_else(|| word.clone(), |style| paint(&word, style, is_coloured));
        // Writing to a string cannot fail.
        let _ = write!(text, "{word}  {}", emit::printable(&file.path));
        for (at, server) in file.drifted_servers.iter().enumerate() {
            let before = if at == 0 { " (" } else { ", " };
            let _ = write!(text, "{before}`{}`", emit::printable(server));
        }
        text.push_str(if file.drifted_servers.is_empty() { "\n" } else { ")\n" });
    }
    text
}

#[derive(Serialize)]
struct Document<'a, F> {
    artifacts: Vec<Artifact<'a>>,
    diagnostics: F,
}

#[derive(Serialize)]
struct Artifact<'a> {
    path: &'a str,
    state: &'static str,
    diff: &'a str,
    drifted_servers: &'a [String],
}

fn document(outcome: &RenderOutcome) -> impl Serialize {
    fn artifact(file: &RenderedFile) -> Artifact<'_> {
        Artifact {
            path: &file.path,
            state: file.state.name(),
            diff: &file.diff,
            drifted_servers: &file.drifted_servers,
        }
    }
    Document {
        artifacts: outcome.files.iter().map(artifact).collect(),
        diagnostics: emit::json_findings(&outcome.report.diagnostics),
    }
}
