//! `minds prompt`

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Subcommand;
use minds_diagnostics::emit::printable;
use minds_fs::read_named_file;
use minds_operations::documents::{PromptDocument, PromptFileDocument, ToolboxDocument};
use minds_operations::{AgentPrompt, OperationError, PromptRefusal, SavedFile, UNKNOWN_TOOLS};
use minds_process::{standard_input, variable};

use super::editing::{Editing, EditingEnd};
use minds_output::FailureKind;
use minds_output::format::{Format, FormatArgs};
use minds_output::{Failure, Output};

/// Show and edit the prompts of the agents of a fleet
///
/// A prompt consists of a base, an overlay, and a generated block that lists the tools of the agent. Blocks between
/// `<!-- ateam-protect:start:NAME -->` and `<!-- ateam-protect:end:NAME -->` are protected: lines are never added to them,
/// and an edit that changes one is refused with the code `prompt.protected_violation`, the file and the line.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds prompt show --agent zeus                    Show a complete prompt
  minds prompt append \"Be brief.\" --agent zeus      Add a line to its overlay
  minds prompt edit --agent zeus                    Edit its overlay
  minds prompt toolbox --check --agent zeus         Check the block of tools")]
pub(crate) struct PromptArgs {
    #[command(subcommand)]
    command: PromptCommand,
}

#[derive(Debug, Subcommand)]
enum PromptCommand {
    Show(ShowArgs),
    Append(AppendArgs),
    Edit(EditArgs),
    Toolbox(ToolboxArgs),
}

/// Show a complete prompt: base, overlay, and one block with its tools
///
/// Exits with 1 if a list of tools cannot be read, because tools may be missing then.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds prompt show --agent zeus")]
struct ShowArgs {
    #[command(flatten)]
    agent: AgentArgs,
}

/// Add a line to the overlay of an agent, outside of protected blocks
///
/// Creates the overlay if it does not exist. Exits with 1 if the line cannot be added; nothing is written then.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds prompt append \"Be brief.\" --agent zeus      Add a line
  minds prompt append \"- Be brief.\" --agent zeus    Add an item to a list
  minds prompt append --agent zeus -- --force        Add text that looks like an option")]
struct AppendArgs {
    /// The line; a single word that looks like an option must follow `--`
    #[arg(value_name = "LINE", allow_hyphen_values = true, value_parser = parse_line, required_unless_present = "literal")]
    line: Option<String>,
    /// The line, even if it looks like an option
    #[arg(value_name = "LINE", last = true, hide = true, conflicts_with = "line")]
    literal: Option<String>,
    #[command(flatten)]
    agent: AgentArgs,
}

/// Edit the overlay of an agent
///
/// Without --from, opens the editor in `ATEAM_EDITOR`, `VISUAL` or `EDITOR`, or else `vi`. If a protected block was
/// changed, nothing is written, the code, the file and the line are printed, your changes are kept in another file, and the
/// exit code is 1. If the editor fails, your changes are kept in the same way, and the exit code is 2.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds prompt edit --agent zeus                   Edit the overlay
  minds prompt edit --from new.md --agent zeus     Replace the overlay with a file")]
struct EditArgs {
    /// Read the new overlay from FILE; `-` reads stdin
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    #[command(flatten)]
    agent: AgentArgs,
}

/// Update the block of tools in the prompt of an agent
///
/// Replaces the block in the file that contains it, or appends it to the overlay. With --check nothing is written: the
/// diff is printed, and the exit code is 1 if there are changes. It is 2 if a list of tools cannot be read.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds prompt toolbox --agent zeus            Update the block
  minds prompt toolbox --check --agent zeus    Show what would change")]
struct ToolboxArgs {
    /// Check that the block is up to date, without writing
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    agent: AgentArgs,
}

#[derive(Debug, clap::Args)]
struct AgentArgs {
    /// The name of the agent [default: the one in `.ateam/defaults/agent`, or the only agent]
    #[arg(long = "agent", value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(directory: &Path, args: &PromptArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    match &args.command {
        PromptCommand::Show(args) => {
            let prompt = AgentPrompt::open(directory, args.agent.name.as_deref())?.effective()?;
            if args.agent.format.chosen(out) == Format::Json {
                out.document(&PromptDocument::from(&prompt));
                return Ok(ExitCode::from(u8::from(!prompt.has_all_tools)));
            }
            out.data(&prompt.text);
            if !prompt.text.ends_with('\n') {
                out.data("\n");
            }
            if !prompt.has_all_tools {
                out.trailing_warning(UNKNOWN_TOOLS);
            }
            Ok(ExitCode::from(u8::from(!prompt.has_all_tools)))
        }
        PromptCommand::Append(args) => {
            let prompt = AgentPrompt::open(directory, args.agent.name.as_deref())?;
            let line = args.line.as_ref().or(args.literal.as_ref()).map_or("", String::as_str);
            match prompt.append(line)? {
                Ok(saved) => Ok(report(&saved, out)),
                Err(refusal) => Err(refusal_failure(&refusal)),
            }
        }
        PromptCommand::Edit(args) => edit(directory, args, out),
        PromptCommand::Toolbox(args) => {
            let prompt = AgentPrompt::open(directory, args.agent.name.as_deref())?;
            match prompt.refresh_toolbox(!args.check)? {
                Err(refusal) => Err(refusal_failure(&refusal)),
                Ok(done) if args.check => {
                    let is_current = done.diff.is_empty();
                    let is_json = args.agent.format.chosen(out) == Format::Json;
                    if is_json {
                        out.document(&ToolboxDocument::from(&done));
                    } else {
                        out.data(&done.diff);
                    }
                    if !is_current && !is_json {
                        Output::remark(&format!("the block of tools in `{}` is not up to date", done.file));
                    }
                    Ok(ExitCode::from(u8::from(!is_current)))
                }
                Ok(done) => {
                    Ok(report(&SavedFile { is_changed: !done.diff.is_empty(), file: done.file }, out))
                }
            }
        }
    }
}

/// Rejects a misspelled option as a line. List items also begin with `-`, but a space follows it.
fn parse_line(line: &str) -> Result<String, String> {
    let name = line.trim_start_matches('-');
    let is_option = name.len() < line.len()
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && !line.contains(char::is_whitespace);
    if is_option {
        return Err("unknown option; to add it as a line, write `-- LINE`".to_owned());
    }
    Ok(line.to_owned())
}

fn edit(directory: &Path, args: &EditArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let prompt = AgentPrompt::open(directory, args.agent.name.as_deref())?;
    if let Some(from) = &args.from {
        let (bytes, name) = if from.as_os_str() == "-" {
            (standard_input(), "stdin".to_owned())
        } else {
            (read_named_file(&resolve(directory, from)), from.display().to_string())
        };
        let text = decode(bytes.map_err(OperationError::from)?)?;
        return match prompt.save_overlay(&text, &name)? {
            Ok(saved) => Ok(report(&saved, out)),
            Err(refusal) => Err(refusal_failure(&refusal)),
        };
    }
    let overlay = prompt.overlay_text()?;
    let editing = Editing::run(&editor(), &overlay.name, overlay.text)?;
    let failure = |message: &str| Err(Failure::environment(format!("{message}; nothing was written")));
    let bytes = match &editing.end {
        EditingEnd::Unchanged => {
            return Ok(report(&SavedFile { file: overlay.file, is_changed: false }, out));
        }
        EditingEnd::Removed => return failure("the editor removed the file"),
        EditingEnd::Failed { is_kept } => {
            if *is_kept {
                Output::warning(&editing.kept_copy_message());
            }
            return failure("the editor failed");
        }
        EditingEnd::Changed(bytes) => bytes.clone(),
    };
    let saved = match decode(bytes).map(|text| prompt.save_overlay(&text, &editing.name())) {
        Ok(Ok(Ok(saved))) => {
            editing.discard();
            return Ok(report(&saved, out));
        }
        Ok(Ok(Err(refusal))) => Err(refusal_failure(&refusal)),
        Ok(Err(error)) => Err(error.into()),
        Err(failure) => Err(failure),
    };
    // The changes of the user must not be lost.
    Output::warning(&editing.kept_copy_message());
    saved
}

/// Returns the path of a file relative to the directory of `-C`, unchanged if that is the current directory.
fn resolve(directory: &Path, file: &Path) -> PathBuf {
    if directory == Path::new(".") { file.to_owned() } else { directory.join(file) }
}

fn editor() -> String {
    let set =
        ["ATEAM_EDITOR", "VISUAL", "EDITOR"].into_iter().filter_map(|name| variable(name).ok().flatten());
    set.map(|command| command.trim().to_owned())
        .find(|command| !command.is_empty())
        .unwrap_or_else(|| "vi".to_owned())
}

fn decode(bytes: Vec<u8>) -> Result<String, Failure> {
    String::from_utf8(bytes).map_err(|_| Failure::usage("the new text is not valid UTF-8".to_owned()))
}

fn report(saved: &SavedFile, out: &mut Output) -> ExitCode {
    if out.is_json() {
        out.document(&PromptFileDocument::from(saved));
        return ExitCode::SUCCESS;
    }
    let done = if saved.is_changed { "wrote" } else { "unchanged" };
    out.data(&format!("{done} {}\n", printable(&saved.file)));
    ExitCode::SUCCESS
}

fn refusal_failure(refusal: &PromptRefusal) -> Failure {
    let failure = Failure::refusal(FailureKind::Refused, format!("{refusal}; nothing was written"));
    match refusal.code() {
        Some(code) => failure.with_code(code),
        None => failure,
    }
}
