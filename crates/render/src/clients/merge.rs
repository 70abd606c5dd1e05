//! Putting the servers of a team into the file of a client.

use std::collections::BTreeSet;
use std::ops::Range;

use minds_diagnostics::{Diagnostic, Problems, SourceFile, Span};
use minds_document::ContentHash;
use minds_document::jsonc::{Json, JsonError};

use super::client::Form;
use super::entry::ServerEntry;
use super::notes::Notes;
use super::rules::UNMERGEABLE;
use super::speak::{Spoken, speak};
use super::veil::left;
use super::{Client, Field, codex, json, sections};

/// What a client's file should be.
#[derive(Debug)]
#[must_use]
pub struct Merged {
    /// The text that the file should have; none if there is no file and none is needed. With a finding of error severity
    /// it is the text that is there.
    pub text: Option<String>,
    /// The servers in it that are ours: what the next rendering has to be told.
    pub rendered: Vec<RenderedServer>,
    /// The names among ours that stood there, were not rendered before as they stood there, and said something else:
    /// somebody else wrote what is replaced or taken out.
    pub replaced: Vec<String>,
    /// What was found; findings about places in the file of the team, and one about the client's file if that cannot be
    /// changed. The texts of places may hold secrets.
    pub problems: Problems,
}

/// A server in the file of a client.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RenderedServer {
    /// Its name.
    pub name: String,
    /// The hash of what its entry means to the client, however it is laid out.
    pub hash: ContentHash,
}

/// What the file shall say of one server.
pub(super) struct Change<'s, T> {
    pub(super) name: &'s str,
    /// Nothing if the file shall not say anything of it.
    pub(super) value: Option<T>,
}

/// A text, and what became another one in it.
pub(super) struct Written {
    pub(super) text: String,
    /// The servers that were there and are others now, or gone, as they were.
    pub(super) changed: Vec<RenderedServer>,
}

/// Returns what a client's file should be.
///
/// `formerly` is what the last rendering gave as [`Merged::rendered`]; those that are no server any more are taken out.
/// `existing` is the text of the file, if there is one, of at most 16 MiB. The servers come in their order
/// behind those that are there. Rendering what was rendered changes nothing.
///
/// A server that is turned off, or of which the client cannot be told everything that it needs, is not in the file.
pub fn render(
    client: Client,
    servers: &[ServerEntry],
    formerly: &[RenderedServer],
    existing: Option<&str>,
) -> Merged {
    let mut problems = Problems::new();
    let mut names = BTreeSet::new();
    let mut spoken: Vec<(&str, Option<Spoken<'_>>)> = Vec::new();
    for server in servers {
        let name = server.name.value.as_str();
        let mut notes = Notes::new(client, &server.name, &mut problems);
        if !names.insert(name) {
            notes.not_at_all(
                Field::Name,
                server.name.place.as_ref(),
                "another server has it",
                "choose another name",
            );
            continue;
        }
        if client == Client::Codex {
            codex::check(server, &mut notes);
        }
        let is_left_out = notes.is_left_out;
        spoken.push((name, speak(client, server, &mut problems).filter(|_| !is_left_out)));
    }
    let gone = formerly.iter().map(|server| server.name.as_str()).filter(|name| names.insert(*name));
    spoken.extend(gone.map(|name| (name, None)));

    let old = existing.unwrap_or_default();
    let rendered = match client.form() {
        Form::Toml => rendered(&spoken, |spoken| sections::hash(&codex::body(spoken))),
        Form::Json(dialect, key) => {
            let layout = json::layout(client, dialect, key, old);
            rendered(&spoken, |spoken| {
                json::hash(client, &json::entry(client, layout, spoken).print("\n", "", ""))
            })
        }
    };
    let written = written(client, &spoken, old);
    let written = written.map_err(|refusal| problems.push(unmergeable(client, old, &refusal)));
    match written {
        Ok(written) if !problems.has_errors() => {
            let is_needed = existing.is_some() || !written.text.is_empty();
            let foreign = written.changed.into_iter().filter(|found| !formerly.contains(found));
            let mut replaced: Vec<String> = foreign.map(|found| found.name).collect();
            replaced.dedup();
            Merged { text: is_needed.then_some(written.text), rendered, replaced, problems }
        }
        _ => {
            Merged { text: existing.map(str::to_owned), rendered: Vec::new(), replaced: Vec::new(), problems }
        }
    }
}

/// Returns the servers of some names that a client's file has; nothing if it cannot be changed. One may be there twice: in
/// each of two places in which the client looks.
pub fn found(client: Client, text: &str, names: &[&str]) -> Option<Vec<RenderedServer>> {
    look_for(client, text, names).ok()
}

/// Returns the same, or why the file cannot be changed.
pub(super) fn look_for(
    client: Client,
    text: &str,
    names: &[&str],
) -> Result<Vec<RenderedServer>, sections::Refusal> {
    match client.form() {
        Form::Toml => sections::found(text, names),
        Form::Json(dialect, key) => json::found(client, dialect, key, text, names).map_err(refusal),
    }
}

/// Returns a client's file without the servers of some names, or why they cannot be taken out.
pub(super) fn without(client: Client, text: &str, names: &[&str]) -> Result<String, sections::Refusal> {
    let gone: Vec<(&str, Option<Spoken<'_>>)> = names.iter().map(|name| (*name, None)).collect();
    written(client, &gone, text).map(|written| written.text)
}

/// Returns whether a client's file says nothing: it holds at most the place for servers, and no comment.
pub(super) fn says_nothing(client: Client, text: &str) -> bool {
    let rest: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    match client.form() {
        Form::Toml => rest.is_empty(),
        Form::Json(_, key) => rest.is_empty() || rest == "{}" || rest == format!("{{\"{key}\":{{}}}}"),
    }
}

/// Returns whether a client's file has the object that holds servers; in TOML there is none, because tables stand alone.
pub(super) fn has_object(client: Client, text: &str) -> bool {
    match client.form() {
        Form::Toml => true,
        Form::Json(dialect, key) => json::has_object(dialect, key, text),
    }
}

/// Returns the text of a client's file without the object that holds servers, if nothing is in that; else the text.
pub(super) fn without_object(client: Client, text: String) -> String {
    match client.form() {
        Form::Toml => text,
        Form::Json(dialect, key) => json::without_object(dialect, key, &text).unwrap_or(text),
    }
}

fn written(
    client: Client,
    spoken: &[(&str, Option<Spoken<'_>>)],
    old: &str,
) -> Result<Written, sections::Refusal> {
    match client.form() {
        Form::Toml => sections::merge(old, &changes(spoken, codex::body)),
        Form::Json(dialect, key) => {
            let layout = json::layout(client, dialect, key, old);
            let wanted: Vec<Change<'_, Json>> = changes(spoken, |spoken| json::entry(client, layout, spoken));
            json::merge(client, dialect, key, old, &wanted).map_err(refusal)
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is what becomes of an error")]
fn refusal(error: JsonError) -> sections::Refusal {
    sections::Refusal { reason: error.to_string(), span: error.span() }
}

fn rendered(
    spoken: &[(&str, Option<Spoken<'_>>)],
    hash: impl Fn(&Spoken<'_>) -> ContentHash,
) -> Vec<RenderedServer> {
    let server = |(name, spoken): &(&str, Option<Spoken<'_>>)| {
        Some(RenderedServer { name: (*name).to_owned(), hash: hash(spoken.as_ref()?) })
    };
    spoken.iter().filter_map(server).collect()
}

fn changes<'s, T>(
    spoken: &[(&'s str, Option<Spoken<'_>>)],
    value: impl Fn(&Spoken<'_>) -> T,
) -> Vec<Change<'s, T>> {
    spoken.iter().map(|(name, spoken)| Change { name, value: spoken.as_ref().map(&value) }).collect()
}

/// Says why the file of a client is left as it is.
fn unmergeable(client: Client, text: &str, refusal: &sections::Refusal) -> Diagnostic {
    // It is not known what in it is a secret.
    let source = SourceFile::new(client.file(), left(client, text));
    let message = format!("`{}` cannot be changed: {}", client.file(), refusal.reason);
    Diagnostic::new(&UNMERGEABLE, message)
        .primary(source.label(span(text, &refusal.span)).message("here"))
        .note(format!("it is left as it is; {} may not read it either", client.title()))
        .help("mend it, or move it away, and render again")
}

/// Returns a part of a text that begins and ends between letters.
fn span(text: &str, range: &Range<usize>) -> Span {
    let offset = |at: usize| {
        let at = (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
        u32::try_from(at).unwrap_or_default()
    };
    Span::new(offset(range.start), offset(range.end))
}
