//! Choosing the prefix of a new source interactively.

use minds_paths::portable;
use minds_sources::{Alias, ItemKey, Prefix};

use super::gather::NewSource;
use super::home::Home;
use super::{Desk, SourceError};

/// The maximum number of times that a prefix is asked for.
const MAX_QUESTIONS: usize = 3;

/// Asks the user for the prefix of a new source: if the source proposes one, and, if its items are going to
/// be installed, as long as their names are taken by items of other sources. Returns whether to continue;
/// without an answer the operation is cancelled.
///
/// # Errors
///
/// Fails if the items of the source cannot be read.
pub(super) fn settle(
    home: &Home,
    source: &mut NewSource,
    installs: bool,
    desk: &mut dyn Desk,
) -> Result<bool, SourceError> {
    let identity = source.read.registered.identity.clone();
    let manifest = source.read.discovered.manifest.as_ref();
    if let Some(proposed) = manifest.and_then(|file| file.manifest().prefix()).cloned() {
        let question = format!(
            "{identity} proposes the prefix `{proposed}` [Y: accept, n: none, or enter another prefix]"
        );
        match ask(&question, desk) {
            Some(Answered::Prefix(prefix)) => source.read.registered.alias = Alias::Prefix(prefix),
            Some(Answered::No) => source.read.registered.alias = Alias::None,
            Some(Answered::Yes | Answered::Nothing) => {}
            None => return Ok(false),
        }
    }
    if !installs {
        return Ok(true);
    }
    for _ in 0..MAX_QUESTIONS {
        let taken = taken(home, source)?;
        let Some(first) = taken.first() else { return Ok(true) };
        let which = match taken.len() {
            1 => format!("{first} is"),
            2 => format!("{first} and another item are"),
            more => format!("{first} and {} other items are", more - 1),
        };
        let question = format!(
            "{which} already installed from another source; enter a prefix for {identity} [none: do not install its items]"
        );
        match ask(&question, desk) {
            Some(Answered::Prefix(prefix)) => source.read.registered.alias = Alias::Prefix(prefix),
            Some(Answered::No | Answered::Nothing) => return Ok(true),
            // "yes" is not a prefix here, so the question is repeated.
            Some(Answered::Yes) => {}
            None => return Ok(false),
        }
    }
    Ok(taken(home, source)?.is_empty())
}

enum Answered {
    Prefix(Prefix),
    Yes,
    No,
    Nothing,
}

/// Asks for a prefix, and repeats the question if the answer is not valid.
fn ask(question: &str, desk: &mut dyn Desk) -> Option<Answered> {
    let mut shown = question.to_owned();
    for _ in 0..MAX_QUESTIONS {
        let answer = desk.answer(&shown)?;
        let answer = answer.trim();
        match answer.to_lowercase().as_str() {
            "" => return Some(Answered::Nothing),
            "y" | "yes" => return Some(Answered::Yes),
            "n" | "no" => return Some(Answered::No),
            _ => {}
        }
        match Prefix::parse(answer) {
            Ok(Some(prefix)) => return Some(Answered::Prefix(prefix)),
            Ok(None) => return Some(Answered::Nothing),
            Err(error) => shown = format!("invalid prefix `{answer}`: {error}; {question}"),
        }
    }
    None
}

/// Returns the items of a source whose names are taken by installed items of other sources.
fn taken(home: &Home, source: &NewSource) -> Result<Vec<ItemKey>, SourceError> {
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
