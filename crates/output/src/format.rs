//! The declaration of `--format` and `--json` for all commands.

use clap::{ArgMatches, ValueEnum};

use crate::output::Output;

/// The output formats of a command. One of them is a JSON document.
pub trait AnswerFormat: ValueEnum + Copy + PartialEq + Send + Sync + 'static {
    /// The format if none is given.
    const DEFAULT: Self;
    /// The format that `--json` selects.
    const JSON: Self;
}

/// The formats of most commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Human-readable text
    #[value(alias = "text")]
    Human,
    /// One JSON document
    Json,
}

impl AnswerFormat for Format {
    const DEFAULT: Self = Self::Human;
    const JSON: Self = Self::Json;
}

/// The format of a command whose output is always a JSON document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum JsonOnly {
    /// One JSON document
    Json,
}

impl AnswerFormat for JsonOnly {
    const DEFAULT: Self = Self::Json;
    const JSON: Self = Self::Json;
}

/// The options of every command that prints data. Both are global, so that a command can declare them once for all of its
/// subcommands.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct FormatArgs<F: AnswerFormat = Format> {
    /// The output format; the first one is the default
    // A default value would be the same for every `F`: the derived code keeps it in a static variable.
    #[arg(long, value_enum, global = true)]
    format: Option<F>,
    /// Print one JSON document; short for `--format json`
    #[arg(long, global = true)]
    json: bool,
}

impl<F: AnswerFormat> FormatArgs<F> {
    /// Returns the output format. `--json` can also be given before the command; the output stores that.
    pub fn chosen(&self, out: &Output) -> F {
        if self.json || out.is_json() { F::JSON } else { self.format.unwrap_or(F::DEFAULT) }
    }
}

/// Returns the matches of a command line at each level, from the program to the last subcommand.
fn levels(matches: &ArgMatches) -> impl Iterator<Item = &ArgMatches> {
    std::iter::successors(Some(matches), |level| level.subcommand().map(|(_, level)| level))
}

/// Returns whether a command line requests one JSON document.
///
/// # Errors
///
/// Returns a message if `--json` is given for a command without JSON output, or together with another format.
pub fn wants_json(command: &clap::Command, matches: &ArgMatches) -> Result<bool, String> {
    let flag = |level: &ArgMatches| matches!(level.try_get_one::<bool>("json"), Ok(Some(true)));
    let has_json_flag = levels(matches).any(flag);
    let format = levels(matches)
        .filter_map(|level| level.try_get_raw("format").ok().flatten()?.next()?.to_str())
        .last();
    let names: Vec<&str> = std::iter::successors(matches.subcommand(), |(_, level)| level.subcommand())
        .map(|(name, _)| name)
        .collect();
    match (format, formats_of(command, &names).as_deref()) {
        (Some(format), _) if has_json_flag && format != "json" => {
            Err(format!("`--json` cannot be used with `--format {format}`"))
        }
        (None, None) if has_json_flag => Err(format!(
            "`minds {}` does not have JSON output, so it does not accept `--json`",
            names.join(" ")
        )),
        (Some(format), _) => Ok(format == "json"),
        (None, formats) => {
            Ok(has_json_flag || formats.and_then(<[_]>::first).is_some_and(|first| first == "json"))
        }
    }
}

/// Returns the formats of the command with these names; `None` if it has no option `--format`.
fn formats_of(command: &clap::Command, names: &[&str]) -> Option<Vec<String>> {
    let command = names.iter().try_fold(command, |command, name| command.find_subcommand(name))?;
    let format = command.get_arguments().find(|arg| arg.get_id() == "format")?;
    Some(format.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect())
}
