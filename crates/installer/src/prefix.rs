//! Choosing the prefix of a new source interactively.

use minds_inventory::Alias;
use minds_sources::{ItemKey, Prefix};
use minds_vfs::portable;

use crate::gather::NewSource;
use crate::home::Home;
use crate::{Interaction, SourceError};

/// The maximum number of times that a prefix is asked for.
const MAX_QUESTIONS: usize = 3;

/// Asks the user for the prefix of a new source: if the source proposes one, and, if its items are going to
/// be installed, as long as their names are taken by items of other sources. Returns whether to continue;
/// without an answer the operation is cancelled.
///
/// # Errors
///
/// Fails if the items of the source cannot be read.
pub(crate) fn choose_prefix(
    home: &Home,
    source: &mut NewSource,
    installs: bool,
    interaction: &mut dyn Interaction,
) -> Result<bool, SourceError> {
    let identity = source.read.registered.identity.clone();
    let manifest = source.read.discovered.manifest.as_ref();
    if let Some(proposed) = manifest.and_then(|file| file.manifest().prefix()).cloned() {
        let question = format!(
            "{identity} proposes the prefix `{proposed}` [Y: accept, n: none, or enter another prefix]"
        );
        match ask(&question, interaction) {
            Some(PrefixAnswer::Prefix(prefix)) => source.read.registered.alias = Alias::Prefix(prefix),
            Some(PrefixAnswer::No) => source.read.registered.alias = Alias::None,
            Some(PrefixAnswer::Yes | PrefixAnswer::Nothing) => {}
            None => return Ok(false),
        }
    }
    if !installs {
        return Ok(true);
    }
    for _ in 0..MAX_QUESTIONS {
        let taken = find_taken_names(home, source)?;
        let Some(first) = taken.first() else { return Ok(true) };
        let which = match taken.len() {
            1 => format!("{first} is"),
            2 => format!("{first} and another item are"),
            more => format!("{first} and {} other items are", more - 1),
        };
        let question = format!(
            "{which} already installed from another source; enter a prefix for {identity} [none: do not install its items]"
        );
        match ask(&question, interaction) {
            Some(PrefixAnswer::Prefix(prefix)) => source.read.registered.alias = Alias::Prefix(prefix),
            Some(PrefixAnswer::No | PrefixAnswer::Nothing) => return Ok(true),
            // "yes" is not a prefix here, so the question is repeated.
            Some(PrefixAnswer::Yes) => {}
            None => return Ok(false),
        }
    }
    Ok(find_taken_names(home, source)?.is_empty())
}

enum PrefixAnswer {
    Prefix(Prefix),
    Yes,
    No,
    Nothing,
}

/// Asks for a prefix, and repeats the question if the answer is not valid.
fn ask(question: &str, interaction: &mut dyn Interaction) -> Option<PrefixAnswer> {
    let mut prompt = question.to_owned();
    for _ in 0..MAX_QUESTIONS {
        let answer = interaction.answer(&prompt)?;
        let answer = answer.trim();
        match answer.to_lowercase().as_str() {
            "" => return Some(PrefixAnswer::Nothing),
            "y" | "yes" => return Some(PrefixAnswer::Yes),
            "n" | "no" => return Some(PrefixAnswer::No),
            _ => {}
        }
        match Prefix::parse(answer) {
            Ok(Some(prefix)) => return Some(PrefixAnswer::Prefix(prefix)),
            Ok(None) => return Some(PrefixAnswer::Nothing),
            Err(error) => prompt = format!("invalid prefix `{answer}`: {error}; {question}"),
        }
    }
    None
}

/// Returns the items of a source whose names are taken by installed items of other sources.
fn find_taken_names(home: &Home, source: &NewSource) -> Result<Vec<ItemKey>, SourceError> {
    let identity = &source.read.registered.identity;
    let is_taken = |key: &ItemKey| {
        let others = home.installed.items.values().filter(|item| item.source != *identity);
        let name = portable::fold(key.name.as_str());
        others
            .map(|item| &item.key)
            .any(|other| other.kind == key.kind && portable::fold(other.name.as_str()) == name)
    };
    let items = source.read.items()?.items;
    Ok(items.into_iter().map(|item| item.key).filter(is_taken).collect())
}
