//! How a command prints its answer: the one declaration of `--format` and `--json`.

use clap::{ArgMatches, ValueEnum};

use crate::output::Output;

/// The ways in which a command can print its answer. One of them is a JSON document.
pub(crate) trait AnswerFormat: ValueEnum + Copy + PartialEq + Send + Sync + 'static {
    /// The format where none is given.
    const DEFAULT: Self;
    /// The format that `--json` selects.
    const JSON: Self;
}

/// The formats of most commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text for people
    #[value(alias = "text")]
    Human,
    /// One JSON document
    Json,
}

impl AnswerFormat for Format {
    const DEFAULT: Self = Self::Human;
    const JSON: Self = Self::Json;
}

/// The formats of a command whose answer is always a JSON document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum JsonOnly {
    /// One JSON document
    Json,
}

impl AnswerFormat for JsonOnly {
    const DEFAULT: Self = Self::Json;
    const JSON: Self = Self::Json;
}

/// The options of every command that prints data. Both are global, so that a command with subcommands can declare them
/// once for all of these.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct FormatArgs<F: AnswerFormat = Format> {
    /// How to print the answer; the first way if none is given
    // A default value would be the same for every `F`: the derived code keeps it in a static variable.
    #[arg(long, value_enum, global = true)]
    format: Option<F>,
    /// Print one JSON document; the same as `--format json`
    #[arg(long, global = true)]
    json: bool,
}

impl<F: AnswerFormat> FormatArgs<F> {
    /// Returns the format of the answer. `--json` may also be given before the command, which only the output knows.
    pub(crate) fn chosen(&self, out: &Output) -> F {
        if self.json || out.is_json() { F::JSON } else { self.format.unwrap_or(F::DEFAULT) }
    }
}

/// Returns the matches of a command line at each level, from the program down to the command that is run.
fn levels(matches: &ArgMatches) -> impl Iterator<Item = &ArgMatches> {
    std::iter::successors(Some(matches), |level| level.subcommand().map(|(_, level)| level))
}

/// Returns whether a command line asks for one JSON document, whatever its command.
///
/// # Errors
///
/// Returns what is wrong if `--json` is given for a command that prints no JSON document, or together with another format.
pub(crate) fn wants_json(command: &clap::Command, matches: &ArgMatches) -> Result<bool, String> {
    let flag = |level: &ArgMatches| matches!(level.try_get_one::<bool>("json"), Ok(Some(true)));
    let is_short = levels(matches).any(flag);
    let format = levels(matches)
        .filter_map(|level| level.try_get_raw("format").ok().flatten()?.next()?.to_str())
        .last();
    let names: Vec<&str> = std::iter::successors(matches.subcommand(), |(_, level)| level.subcommand())
        .map(|(name, _)| name)
        .collect();
    match (format, formats_of(command, &names).as_deref()) {
        (Some(format), _) if is_short && format != "json" => {
            Err(format!("`--json` and `--format {format}` exclude each other"))
        }
        (None, None) if is_short => {
            Err(format!("`minds {}` prints no JSON document, so it takes no `--json`", names.join(" ")))
        }
        (Some(format), _) => Ok(format == "json"),
        (None, formats) => {
            Ok(is_short || formats.and_then(<[_]>::first).is_some_and(|first| first == "json"))
        }
    }
}

/// Returns the formats of the command with these names; none if it has no format to choose.
fn formats_of(command: &clap::Command, names: &[&str]) -> Option<Vec<String>> {
    let found = names.iter().try_fold(command, |command, name| command.find_subcommand(name))?;
    let format = found.get_arguments().find(|arg| arg.get_id() == "format")?;
    Some(format.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect())
}
