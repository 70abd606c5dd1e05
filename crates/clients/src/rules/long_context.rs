use std::collections::BTreeMap;

use minds_diagnostics::{Diagnostic, Span, rule};
use minds_vfs::WorkspacePath;

use super::{Check, version_note};
use crate::client::Client;
use crate::family::ClientFile;
use crate::start::{NamedFile, StartFile, configured_limit, find_start_files};
use crate::tokens::{TOKEN_ESTIMATE, estimate_tokens};

rule! {
    pub(crate) static RULE {
        code: "client/long-context",
        summary: "a file, or what is read at every start, takes much of the context of a model",
        severity: Info,
        suppressible: true,
        since: "0.1.0",
        page: "long_context.md",
    }
    pub(crate) static OVER_LIMIT {
        code: "client/over-limit",
        summary: "a file is longer than its client reads",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "over_limit.md",
    }
}

/// The size of all that is read at a start, from which it is reported.
const MAX_START_BYTES: usize = 60_000;

pub(super) fn check(check: &mut Check<'_>) {
    let family = check.family;
    for file in &family.files {
        check_file(check, file);
        check_body(check, file);
    }
    check_chains(check);
    check_starts(check);
}

fn check_file(check: &mut Check<'_>, file: &ClientFile) {
    let Some(max) = file.known.max_bytes else { return };
    let size = file.source.bytes().len();
    let max = usize::try_from(max).unwrap_or(usize::MAX);
    if size <= max || file.known.over_max_is_loss {
        return;
    }
    let reason = file.known.over_max.clone().unwrap_or_default();
    check.report(&RULE, file, Span::at(0), |label| {
        let tokens = estimate_tokens(size);
        Diagnostic::new(&RULE, format!("the file has about {tokens} tokens ({size} bytes)"))
            .primary(label)
            .note(reason)
            .note(TOKEN_ESTIMATE)
            .help("keep what is always needed, and move the rest to files that are read when they are needed")
    });
}

fn check_body(check: &mut Check<'_>, file: &ClientFile) {
    let Some(max) = file.known.max_body_characters else { return };
    let count = file.body().chars().count();
    if u64::try_from(count).unwrap_or(u64::MAX) <= max {
        return;
    }
    let reason = file.known.over_max_body.clone().unwrap_or_default();
    let start = file.content.body.map_or(Span::at(0), |body| Span::at(body.start()));
    check.report(&OVER_LIMIT, file, start, |label| {
        Diagnostic::new(
            &OVER_LIMIT,
            format!("the instructions have {count} characters; the maximum is {max}"),
        )
        .primary(label)
        .note(reason)
        .note(version_note(file))
        .help(format!("shorten them to {max} characters"))
    });
}

/// Checks instructions of which only a part is read: those of a directory follow those of its parents.
fn check_chains(check: &mut Check<'_>) {
    let family = check.family;
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    let limit = configured_limit(family);
    // Parents come first in the order of paths of directories.
    let mut files: Vec<(&str, &ClientFile)> = family
        .files
        .iter()
        .filter(|file| file.known.over_max_is_loss && file.stem() == "AGENTS")
        // In a skill it is a page that the skill names.
        .filter(|file| !file.path.segments().any(|segment| segment == "skills"))
        .map(|file| (file.path.as_str().rsplit_once('/').map_or("", |(folder, _)| folder), file))
        .collect();
    files.sort_by_key(|(folder, _)| *folder);
    for (folder, file) in files {
        let above = parents(folder).find_map(|parent| sizes.get(parent)).copied().unwrap_or_default();
        let own = file.source.bytes().len();
        sizes.insert(folder, above + own);
        let data_limit = file.known.max_bytes.and_then(|max| usize::try_from(max).ok());
        let Some(max) = limit.or(data_limit).filter(|max| above + own > *max && above <= *max) else {
            continue;
        };
        let reason = file.known.over_max.clone().unwrap_or_default();
        let start = max.saturating_sub(above);
        // The place is the first byte that is not read.
        let place = u32::try_from(start).map_or(Span::at(0), Span::at);
        check.report(&OVER_LIMIT, file, place, |label| {
            let whole = if above == 0 {
                format!("the file has {own} bytes")
            } else {
                format!("the file and those of its parent directories have {} bytes", above + own)
            };
            Diagnostic::new(&OVER_LIMIT, format!("{whole}; {} reads {max}", file.client.name))
                .primary(label.message("not read from here"))
                .note(reason)
                .note(version_note(file))
                .help("shorten the file, or set `project_doc_max_bytes` in `.codex/config.toml`")
        });
    }
}

/// Returns the parent directories, the nearest first; the top is empty.
fn parents(folder: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(folder).filter(|folder| !folder.is_empty());
    std::iter::from_fn(move || {
        let folder = rest?;
        let parent = folder.rsplit_once('/').map_or("", |(parent, _)| parent);
        rest = Some(parent).filter(|parent| !parent.is_empty());
        Some(parent)
    })
}

/// Checks what Claude Code reads at every start at the top of the workspace.
fn check_starts(check: &mut Check<'_>) {
    let family = check.family;
    let Some(client) = Client::find("claude-code") else { return };
    // Imported files are checked as far as they are files of clients.
    let files = find_start_files(client, &WorkspacePath::root(), family, &|_| NamedFile::Missing);
    let size = |file: &StartFile| file.bytes.unwrap_or_default();
    let total: usize = files.iter().map(size).sum();
    let Some(largest) = files.iter().max_by_key(|file| size(file)).filter(|_| total > MAX_START_BYTES) else {
        return;
    };
    let Some(largest) = family.files.iter().find(|file| file.path == largest.path) else { return };
    let count = files.iter().filter(|file| size(file) > 0).count();
    check.report(&RULE, largest, Span::at(0), |label| {
        Diagnostic::new(
            &RULE,
            format!("every start reads about {} tokens of {count} files", estimate_tokens(total)),
        )
        .primary(label.message("the largest part"))
        .note("instructions, and the descriptions of agents and skills, are part of every context")
        .note(TOKEN_ESTIMATE)
        .help("shorten the instructions and descriptions")
    });
}
