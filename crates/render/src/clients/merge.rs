//! Merging the servers of a team into the file of a client.

use std::collections::BTreeSet;
use std::ops::Range;

use minds_diagnostics::{Diagnostic, Problems, SourceFile, Span};
use minds_vfs::ContentHash;

use super::client::Form;
use super::entry::ServerEntry;
use super::notes::Notes;
use super::redact::redact_all;
use super::rules::UNMERGEABLE;
use super::translate::{TranslatedServer, translate};
use super::{Client, Field, codex, json, sections};
use crate::jsonc::{Json, JsonError};

/// The result of merging servers into a client's file.
#[derive(Debug)]
#[must_use]
pub struct MergedFile {
    /// The new contents of the file; `None` if the file does not exist and is not needed. If there are
    /// errors, the existing contents.
    pub text: Option<String>,
    /// The servers in the file that `minds` manages. Pass them as `previous` to the next rendering.
    pub rendered: Vec<RenderedServer>,
    /// The names of replaced or removed entries that were not as rendered before, so another program or user
    /// wrote or changed them.
    pub replaced: Vec<String>,
    /// The findings about the file of the team, and one about the client's file if it cannot be changed.
    /// Their sources may contain secrets.
    pub problems: Problems,
}

/// A rendered server in the file of a client.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RenderedServer {
    /// The name.
    pub name: String,
    /// The hash of the meaning of its entry, independent of its layout.
    pub hash: ContentHash,
}

/// The new entry for one server.
pub(super) struct Change<'s, T> {
    pub(super) name: &'s str,
    /// `None` removes the entry.
    pub(super) value: Option<T>,
}

/// A merged text, and the entries that were changed in it.
pub(super) struct MergeResult {
    pub(super) text: String,
    /// The servers that were changed or removed, as they were before.
    pub(super) changed: Vec<RenderedServer>,
}

/// Merges servers into a client's file.
///
/// `previous` is [`MergedFile::rendered`] of the previous rendering; servers in it that no longer exist are
/// removed. `existing` is the contents of the file, if it exists, of at most 16 MiB. New servers are added in
/// their order after the existing ones. Rendering the same servers again changes nothing.
///
/// A server is left out if it is disabled and the client has no switch for that, or if the client does not
/// support a setting that the server needs.
pub fn render(
    client: Client,
    servers: &[ServerEntry],
    previous: &[RenderedServer],
    existing: Option<&str>,
) -> MergedFile {
    let mut problems = Problems::new();
    let mut names = BTreeSet::new();
    let mut translated: Vec<(&str, Option<TranslatedServer<'_>>)> = Vec::new();
    for server in servers {
        let name = server.name.value.as_str();
        let mut notes = Notes::new(client, &server.name, &mut problems);
        if !names.insert(name) {
            notes.leave_out_server(
                Field::Name,
                server.name.place.as_ref(),
                "another server has the same name",
                "choose another name",
            );
            continue;
        }
        match client {
            Client::Codex => codex::check(server, &mut notes),
            Client::Antigravity => notes.refuse_variables(server),
            _ => {}
        }
        let is_left_out = notes.is_left_out;
        translated.push((name, translate(client, server, &mut problems).filter(|_| !is_left_out)));
    }
    let removed = previous.iter().map(|server| server.name.as_str()).filter(|name| names.insert(*name));
    translated.extend(removed.map(|name| (name, None)));

    let old = existing.unwrap_or_default();
    let rendered = match client.form() {
        Form::Toml => hash_servers(&translated, |translated| sections::hash(&codex::body(translated))),
        Form::Json(dialect, key) => {
            let layout = json::layout(client, dialect, key, old);
            hash_servers(&translated, |translated| {
                json::hash(client, &json::entry(client, layout, translated).print("\n", "", ""))
            })
        }
    };
    let written = merge_servers(client, &translated, old);
    let written = written.map_err(|refusal| problems.push(unmergeable(client, old, &refusal)));
    match written {
        Ok(written) if !problems.has_errors() => {
            let is_needed = existing.is_some() || !written.text.is_empty();
            let foreign = written.changed.into_iter().filter(|found| !previous.contains(found));
            let mut replaced: Vec<String> = foreign.map(|found| found.name).collect();
            replaced.dedup();
            MergedFile { text: is_needed.then_some(written.text), rendered, replaced, problems }
        }
        _ => MergedFile {
            text: existing.map(str::to_owned),
            rendered: Vec::new(),
            replaced: Vec::new(),
            problems,
        },
    }
}

/// Returns the servers with some names in a client's file; `None` if the file cannot be changed. A name can
/// occur twice, if the client reads servers from two places in the file.
pub fn find_servers(client: Client, text: &str, names: &[&str]) -> Option<Vec<RenderedServer>> {
    try_find_servers(client, text, names).ok()
}

/// Returns the servers with some names in a client's file, or why the file cannot be changed.
pub(super) fn try_find_servers(
    client: Client,
    text: &str,
    names: &[&str],
) -> Result<Vec<RenderedServer>, sections::Refusal> {
    match client.form() {
        Form::Toml => sections::find_servers(text, names),
        Form::Json(dialect, key) => json::find_servers(client, dialect, key, text, names).map_err(refusal),
    }
}

/// Returns a client's file without the servers with some names, or why they cannot be removed.
pub(super) fn remove_servers(
    client: Client,
    text: &str,
    names: &[&str],
) -> Result<String, sections::Refusal> {
    let removed: Vec<(&str, Option<TranslatedServer<'_>>)> = names.iter().map(|name| (*name, None)).collect();
    merge_servers(client, &removed, text).map(|written| written.text)
}

/// Returns whether a client's file contains at most an empty object for servers, and no comments.
pub(super) fn is_empty_file(client: Client, text: &str) -> bool {
    let rest: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    match client.form() {
        Form::Toml => rest.is_empty(),
        Form::Json(_, key) => rest.is_empty() || rest == "{}" || rest == format!("{{\"{key}\":{{}}}}"),
    }
}

/// Returns whether a client's file has the object that contains servers. In TOML none is needed.
pub(super) fn has_object(client: Client, text: &str) -> bool {
    match client.form() {
        Form::Toml => true,
        Form::Json(dialect, key) => json::has_object(dialect, key, text),
    }
}

/// Removes the object that contains servers from a client's file, if it is empty.
pub(super) fn remove_empty_object(client: Client, text: String) -> String {
    match client.form() {
        Form::Toml => text,
        Form::Json(dialect, key) => json::remove_empty_object(dialect, key, &text).unwrap_or(text),
    }
}

fn merge_servers(
    client: Client,
    translated: &[(&str, Option<TranslatedServer<'_>>)],
    old: &str,
) -> Result<MergeResult, sections::Refusal> {
    match client.form() {
        Form::Toml => sections::merge(old, &changes(translated, codex::body)),
        Form::Json(dialect, key) => {
            let layout = json::layout(client, dialect, key, old);
            let wanted: Vec<Change<'_, Json>> =
                changes(translated, |translated| json::entry(client, layout, translated));
            json::merge(client, dialect, key, old, &wanted).map_err(refusal)
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is used as a conversion in `map_err`")]
fn refusal(error: JsonError) -> sections::Refusal {
    sections::Refusal { reason: error.to_string(), span: error.span() }
}

fn hash_servers(
    translated: &[(&str, Option<TranslatedServer<'_>>)],
    hash: impl Fn(&TranslatedServer<'_>) -> ContentHash,
) -> Vec<RenderedServer> {
    let server = |(name, translated): &(&str, Option<TranslatedServer<'_>>)| {
        Some(RenderedServer { name: (*name).to_owned(), hash: hash(translated.as_ref()?) })
    };
    translated.iter().filter_map(server).collect()
}

fn changes<'s, T>(
    translated: &[(&'s str, Option<TranslatedServer<'_>>)],
    value: impl Fn(&TranslatedServer<'_>) -> T,
) -> Vec<Change<'s, T>> {
    translated
        .iter()
        .map(|(name, translated)| Change { name, value: translated.as_ref().map(&value) })
        .collect()
}

/// Reports why the file of a client is not changed.
fn unmergeable(client: Client, text: &str, refusal: &sections::Refusal) -> Diagnostic {
    // The file may contain secrets at unknown positions.
    let source = SourceFile::new(client.file(), redact_all(client, text));
    let message = format!("`{}` cannot be changed: {}", client.file(), refusal.reason);
    Diagnostic::new(&UNMERGEABLE, message)
        .primary(source.label(span(text, &refusal.span)).message("here"))
        .note(format!("the file is left unchanged; {} may not be able to read it either", client.title()))
        .help("fix or move the file, and render again")
}

/// Returns a span that starts and ends at character boundaries.
fn span(text: &str, range: &Range<usize>) -> Span {
    let offset = |at: usize| {
        let at = (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
        u32::try_from(at).unwrap_or_default()
    };
    Span::new(offset(range.start), offset(range.end))
}
