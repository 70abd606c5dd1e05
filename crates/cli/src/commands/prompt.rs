//! `minds prompt`

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Subcommand;
use minds_diagnostics::emit::printable;
use minds_operations::{OperationError, PromptRefusal, Prompting, Saved, UNKNOWN_TOOLS};
use minds_system::{read_named_file, standard_input, variable};
use serde_json::json;

use super::editing::{Editing, EditingEnd};
use crate::format::{Format, FormatArgs};
use crate::output::{Failure, Output};

/// Look at what an agent of a fleet is told, and change what people add to it
///
/// A prompt is a base, an overlay, and a block with the tools of the agent, which is generated. Blocks between
/// `<!-- ateam-protect:start:NAME -->` and `<!-- ateam-protect:end:NAME -->` are protected: nothing is added within them,
/// and an edit that touches one is refused with the code `prompt.protected_violation`, the file and its line.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds prompt show --agent zeus                    Show what an agent is told
  minds prompt append \"Be brief.\" --agent zeus      Add a line to its overlay
  minds prompt edit --agent zeus                    Edit the overlay in your editor
  minds prompt toolbox --check --agent zeus         See whether the tools in its files are up to date")]
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

/// Show what an agent is told: base, overlay, and exactly one block with its tools
///
/// Exits with 1 if a list of tools cannot be read, because then tools may be missing.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds prompt show --agent zeus")]
struct ShowArgs {
    #[command(flatten)]
    whose: Whose,
}

/// Add a line to the overlay of an agent, outside of protected blocks
///
/// The overlay is made if it is not there yet. Exits with 1 if the line cannot be added; then nothing is written.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds prompt append \"Be brief.\" --agent zeus      Add a line
  minds prompt append \"- Be brief.\" --agent zeus    Add an item to a list
  minds prompt append --agent zeus -- --force        Add a line that begins like an option")]
struct AppendArgs {
    /// The line; one word that begins like an option stands behind `--`
    #[arg(value_name = "LINE", allow_hyphen_values = true, value_parser = no_option, required_unless_present = "literal")]
    line: Option<String>,
    /// The line, whatever it begins with
    #[arg(value_name = "LINE", last = true, hide = true, conflicts_with = "line")]
    literal: Option<String>,
    #[command(flatten)]
    whose: Whose,
}

/// Edit the overlay of an agent
///
/// Without --from, opens the editor of `ATEAM_EDITOR`, else of `VISUAL` or `EDITOR`, else `vi`. Protected blocks must stay
/// as they are: else nothing is written, the code, the file and the line are printed, the exit code is 1, and what the editor
/// left is kept in a file. The same holds of an editor that does not end well, with the exit code 2.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds prompt edit --agent zeus                   Edit the overlay in your editor
  minds prompt edit --from new.md --agent zeus     Take a text that is written already")]
struct EditArgs {
    /// Take the new text from FILE, or from standard input if it is `-`
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    #[command(flatten)]
    whose: Whose,
}

/// Bring the block with the tools of an agent up to date in its files
///
/// The block is replaced where the prompt has it, or put at the end of the overlay. With --check nothing is written: the
/// difference is printed, and the exit code is 1 if there is one. It is 2 if a list of tools cannot be read.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds prompt toolbox --agent zeus            Write the block
  minds prompt toolbox --check --agent zeus    See what would change")]
struct ToolboxArgs {
    /// Only say whether the block is up to date
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    whose: Whose,
}

#[derive(Debug, clap::Args)]
struct Whose {
    /// The name of the agent; without one that of `.ateam/defaults/agent`, else of the only one
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(directory: &Path, args: &PromptArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    match &args.command {
        PromptCommand::Show(args) => {
            let told = Prompting::open(directory, args.whose.agent.as_deref())?.effective()?;
            if args.whose.format.chosen(out) == Format::Json {
                out.json(&json!({"prompt": told.text, "has_all_tools": told.has_all_tools}));
                return Ok(ExitCode::from(u8::from(!told.has_all_tools)));
            }
            out.data(&told.text);
            if !told.text.ends_with('\n') {
                out.data("\n");
            }
            if !told.has_all_tools {
                out.warning_behind(UNKNOWN_TOOLS);
            }
            Ok(ExitCode::from(u8::from(!told.has_all_tools)))
        }
        PromptCommand::Append(args) => {
            let prompt = Prompting::open(directory, args.whose.agent.as_deref())?;
            let line = args.line.as_ref().or(args.literal.as_ref()).map_or("", String::as_str);
            match prompt.append(line)? {
                Ok(saved) => Ok(say(&saved, out)),
                Err(refusal) => Err(refused(&refusal)),
            }
        }
        PromptCommand::Edit(args) => edit(directory, args, out),
        PromptCommand::Toolbox(args) => {
            let prompt = Prompting::open(directory, args.whose.agent.as_deref())?;
            match prompt.refresh_toolbox(!args.check)? {
                Err(refusal) => Err(refused(&refusal)),
                Ok(done) if args.check => {
                    let is_current = done.diff.is_empty();
                    let is_json = args.whose.format.chosen(out) == Format::Json;
                    if is_json {
                        out.json(&json!({"file": done.file, "changed": !is_current, "diff": done.diff}));
                    } else {
                        out.data(&done.diff);
                    }
                    if !is_current && !is_json {
                        Output::remark(&format!("the block in `{}` is not up to date", done.file));
                    }
                    Ok(ExitCode::from(u8::from(!is_current)))
                }
                Ok(done) => Ok(say(&Saved { is_changed: !done.diff.is_empty(), file: done.file }, out)),
            }
        }
    }
}

/// Returns a line that is no misspelt option: items of lists begin with `-` too, but have a space behind it.
fn no_option(line: &str) -> Result<String, String> {
    let name = line.trim_start_matches('-');
    let is_option = name.len() < line.len()
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && !line.contains(char::is_whitespace);
    if is_option {
        return Err("there is no such option; write `-- LINE` if it is meant as a line".to_owned());
    }
    Ok(line.to_owned())
}

fn edit(directory: &Path, args: &EditArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let prompt = Prompting::open(directory, args.whose.agent.as_deref())?;
    if let Some(from) = &args.from {
        let (bytes, name) = if from.as_os_str() == "-" {
            (standard_input(), "standard input".to_owned())
        } else {
            (read_named_file(&named(directory, from)), from.display().to_string())
        };
        let text = text(bytes.map_err(OperationError::from)?)?;
        return match prompt.save_overlay(&text, &name)? {
            Ok(saved) => Ok(say(&saved, out)),
            Err(refusal) => Err(refused(&refusal)),
        };
    }
    let overlay = prompt.overlay_text()?;
    let editing = Editing::run(&editor(), &overlay.name, overlay.text)?;
    let failure = |message: &str| Err(Failure::environment(format!("{message}, so nothing was written")));
    let bytes = match &editing.end {
        EditingEnd::Unchanged => return Ok(say(&Saved { file: overlay.file, is_changed: false }, out)),
        EditingEnd::Removed => return failure("the editor removed the file that it was given"),
        EditingEnd::Failed { is_kept } => {
            if *is_kept {
                Output::warning(&editing.kept());
            }
            return failure("the editor failed");
        }
        EditingEnd::Changed(bytes) => bytes.clone(),
    };
    let saved = match text(bytes).map(|text| prompt.save_overlay(&text, &editing.name())) {
        Ok(Ok(Ok(saved))) => {
            editing.discard();
            return Ok(say(&saved, out));
        }
        Ok(Ok(Err(refusal))) => Err(refused(&refusal)),
        Ok(Err(error)) => Err(error.into()),
        Err(failure) => Err(failure),
    };
    // What somebody wrote is not thrown away.
    Output::warning(&editing.kept());
    saved
}

/// Returns the path of a file that is named relative to the directory of the command, as it is named where that is this one.
fn named(directory: &Path, file: &Path) -> PathBuf {
    if directory == Path::new(".") { file.to_owned() } else { directory.join(file) }
}

fn editor() -> String {
    let set =
        ["ATEAM_EDITOR", "VISUAL", "EDITOR"].into_iter().filter_map(|name| variable(name).ok().flatten());
    set.map(|command| command.trim().to_owned())
        .find(|command| !command.is_empty())
        .unwrap_or_else(|| "vi".to_owned())
}

fn text(bytes: Vec<u8>) -> Result<String, Failure> {
    String::from_utf8(bytes).map_err(|_| Failure::usage("the new text is not UTF-8".to_owned()))
}

fn say(saved: &Saved, out: &mut Output) -> ExitCode {
    if out.is_json() {
        out.json(&json!({"file": saved.file, "changed": saved.is_changed}));
        return ExitCode::SUCCESS;
    }
    let done = if saved.is_changed { "wrote" } else { "unchanged" };
    out.data(&format!("{done} {}\n", printable(&saved.file)));
    ExitCode::SUCCESS
}

fn refused(why: &PromptRefusal) -> Failure {
    let failure = Failure::refused("refused", format!("{why}; nothing was written"));
    match why.code() {
        Some(code) => failure.with_code(code),
        None => failure,
    }
}
