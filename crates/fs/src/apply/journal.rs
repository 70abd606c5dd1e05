//! The journal of a change set in text form.
//!
//! The first line contains the state and the device and inode numbers of the root and of the journal itself,
//! so a journal copied with other files is not mistaken for an own one.

use minds_vfs::{ContentHash, ContentHashError, FileMode, WorkspacePath};

use super::effect::Effect;
use crate::syscalls::FileId;
use crate::transaction::{RecordFormat, RecordState, State, unescape};

/// The format of journals of change sets.
pub(super) const FORMAT: RecordFormat = RecordFormat { header: "minds-journal 1 " };

/// The result of reading a journal.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Journal {
    /// It was not written completely, so no file was staged or changed.
    Incomplete,
    /// It is complete.
    Complete(State, Vec<Effect>),
    /// It was not written by this program in this root.
    Foreign,
}

/// Returns the text of a journal in the planned state.
pub(super) fn write(root: FileId, own: FileId, effects: &[Effect]) -> String {
    FORMAT.write(State::Planned, &journal_identity(root, own), effects.iter().map(format_effect))
}

/// Parses a journal with id `own` in a root with id `root`.
pub(super) fn read(root: FileId, own: FileId, bytes: &[u8]) -> Journal {
    let mut effects = Vec::new();
    let reading = FORMAT.read(&journal_identity(root, own), bytes, |line| {
        effects.push(parse_effect(line)?);
        Some(())
    });
    match reading {
        RecordState::Incomplete => Journal::Incomplete,
        RecordState::Complete(state) => Journal::Complete(state, effects),
        RecordState::Foreign => Journal::Foreign,
    }
}

fn journal_identity(root: FileId, own: FileId) -> String {
    format!("{:x}:{:x} {:x}:{:x}", root.0, root.1, own.0, own.1)
}

fn format_effect(effect: &Effect) -> String {
    match effect {
        Effect::Write { path, stage, new, mode, old } => {
            format!("write\t{path}\t{stage}\t{new}\t{}\t{}", mode_name(*mode), or_none(*old))
        }
        Effect::Directory { path } => format!("directory\t{path}"),
        Effect::Move { from, to } => format!("move\t{from}\t{to}"),
        Effect::Link { path, target } => format!("link\t{path}\t{}", target.escape_default()),
        Effect::Remove { path, aside, old } => format!("remove\t{path}\t{aside}\t{}", or_none(*old)),
    }
}

fn parse_effect(line: &str) -> Option<Effect> {
    let mut fields = line.split('\t');
    let kind = fields.next()?;
    let mut path = || fields.next().and_then(|path| WorkspacePath::parse(path).ok());
    let effect = match kind {
        "write" => {
            let (path, stage) = (path()?, path()?);
            let new = fields.next()?.parse().ok()?;
            let mode = match fields.next()? {
                "regular" => FileMode::Regular,
                "executable" => FileMode::Executable,
                "private" => FileMode::Private,
                _ => return None,
            };
            Effect::Write { path, stage, new, mode, old: parse_hash(fields.next()?).ok()? }
        }
        "directory" => Effect::Directory { path: path()? },
        "move" => Effect::Move { from: path()?, to: path()? },
        "link" => Effect::Link { path: path()?, target: unescape(fields.next()?)? },
        "remove" => Effect::Remove { path: path()?, aside: path()?, old: parse_hash(fields.next()?).ok()? },
        _ => return None,
    };
    fields.next().is_none().then_some(effect)
}

fn mode_name(mode: FileMode) -> &'static str {
    match mode {
        FileMode::Regular => "regular",
        FileMode::Executable => "executable",
        FileMode::Private => "private",
    }
}

fn or_none(hash: Option<ContentHash>) -> String {
    hash.map_or_else(|| "none".to_owned(), |hash| hash.to_string())
}

/// Parses a hash, or `none` for an entry that did not exist.
fn parse_hash(text: &str) -> Result<Option<ContentHash>, ContentHashError> {
    if text == "none" { Ok(None) } else { text.parse().map(Some) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> WorkspacePath {
        WorkspacePath::parse(text).unwrap()
    }

    fn effects() -> Vec<Effect> {
        let hash = ContentHash::of(b"x");
        let mode = FileMode::Executable;
        vec![
            Effect::Directory { path: path("a dir") },
            Effect::Write { path: path("a"), stage: path(".0-1.minds-set"), new: hash, mode, old: None },
            Effect::Write { path: path("b"), stage: path("é"), new: hash, mode, old: Some(hash) },
            Effect::Move { from: path("c"), to: path("d/e") },
            Effect::Link { path: path("l"), target: "../\"é\"\t\n\\n'{u}".to_owned() },
            Effect::Remove { path: path("r"), aside: path("s"), old: Some(hash) },
        ]
    }

    #[test]
    fn a_written_journal_can_be_read() {
        let text = write((1, 2), (3, 4), &effects());
        assert_eq!(read((1, 2), (3, 4), text.as_bytes()), Journal::Complete(State::Planned, effects()));
        for state in [State::Committed, State::Abandoned] {
            let mut bytes = text.clone().into_bytes();
            bytes[usize::try_from(FORMAT.state_at()).unwrap()] = state.byte();
            assert_eq!(read((1, 2), (3, 4), &bytes), Journal::Complete(state, effects()));
        }
    }

    #[test]
    fn every_prefix_is_recognized_as_incomplete() {
        let text = write((1, 2), (3, 4), &effects());
        for end in (0..text.len() - 1).filter(|end| text.is_char_boundary(*end)) {
            assert_eq!(read((1, 2), (3, 4), &text.as_bytes()[..end]), Journal::Incomplete, "{end}");
        }
    }

    #[test]
    fn a_journal_of_another_root_is_foreign() {
        let text = write((1, 2), (3, 4), &effects());
        assert_eq!(read((1, 2), (3, 5), text.as_bytes()), Journal::Foreign);
        assert_eq!(read((1, 3), (3, 4), text.as_bytes()), Journal::Foreign);
        for other in
            ["something else", "minds-journal 1 x 1:2 3:4\nend\n", "minds-journal 1 p 1:2 3:4\nwrite\nend\n"]
        {
            assert_eq!(read((1, 2), (3, 4), other.as_bytes()), Journal::Foreign, "{other}");
        }
        assert_eq!(read((1, 2), (3, 4), b"\xff"), Journal::Foreign);
    }
}
