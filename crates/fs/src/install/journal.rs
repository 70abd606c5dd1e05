//! The journal of an installation in text form.
//!
//! The first line contains the state and the inode numbers of the home and of the journal itself, so a
//! journal copied with another home is not mistaken for an own one. The journal is renamed to its final name
//! only when it is complete.

use std::num::ParseIntError;
use std::path::{Path, PathBuf};

use minds_vfs::WorkspacePath;

use super::entry_moves::Number;
use super::open_directories::Base;
use super::step::Step;
use crate::is_temporary;
use crate::transaction::{RecordFormat, RecordState, State, unescape};

/// The format of journals of installations.
pub(super) const FORMAT: RecordFormat = RecordFormat { header: "minds-install 1 " };
/// The maximum size of a journal in bytes.
pub(super) const MAX_BYTES: u64 = 256 << 20;

/// The contents of a journal.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Journal {
    pub(super) state: State,
    pub(super) lobes: Vec<PathBuf>,
    pub(super) steps: Vec<Step>,
}

/// Returns the text of a journal. The paths of all agent homes are valid UTF-8.
pub(super) fn write(home: Number, own: Number, lobes: &[PathBuf], steps: &[Step]) -> String {
    let lobes = lobes.iter().map(|lobe| format!("lobe\t{}", lobe.to_string_lossy().escape_default()));
    FORMAT.write(State::Committed, &identity(home, own), lobes.chain(steps.iter().map(format_step)))
}

/// Parses a journal with inode number `own` in a home with inode number `home`; none if it is not an own
/// journal, or changes something outside of the home and the homes in `allowed`.
pub(super) fn read(home: Number, own: Number, bytes: &[u8], allowed: &[PathBuf]) -> Option<Journal> {
    let (mut lobes, mut steps) = (Vec::new(), Vec::new());
    let reading = FORMAT.read(&identity(home, own), bytes, |line| {
        let mut fields = Fields { rest: line.split('\t'), lobes: lobes.len() };
        match fields.rest.next()? {
            "lobe" => {
                let lobe = PathBuf::from(unescape(fields.rest.next()?)?);
                let is_allowed = lobe.is_absolute() && allowed.iter().any(|path| path == Path::new(&lobe));
                lobes.push(Some(lobe).filter(|_| is_allowed)?);
            }
            word => steps.push(step(word, &mut fields)?),
        }
        fields.rest.next().is_none().then_some(())
    });
    match reading {
        // The journal gets its name when it is complete and everything is staged.
        RecordState::Incomplete | RecordState::Foreign | RecordState::Complete(State::Planned) => None,
        RecordState::Complete(state) => Some(Journal { state, lobes, steps }),
    }
}

fn identity(home: Number, own: Number) -> String {
    format!("{home:x} {own:x}")
}

fn format_step(step: &Step) -> String {
    match step {
        Step::Directory { base, path } => format!("directory\t{}\t{path}", base_word(*base)),
        Step::Put { from, to, aside, new, old } => {
            format!("put\t{from}\t{to}\t{aside}\t{new:x}\t{}", number_word(*old))
        }
        Step::Copy { base, path, new, aside, from, old } => {
            let (base, old) = (base_word(*base), number_word(*old));
            format!("copy\t{base}\t{path}\t{new}\t{aside}\t{from}\t{old}")
        }
        Step::Link { base, path, new, aside, target, old } => {
            let (base, old) = (base_word(*base), number_word(*old));
            format!("link\t{base}\t{path}\t{new}\t{aside}\t{}\t{old}", target.escape_default())
        }
        Step::Remove { base, path, aside, old } => {
            format!("remove\t{}\t{path}\t{aside}\t{old:x}", base_word(*base))
        }
    }
}

struct Fields<'l> {
    rest: std::str::Split<'l, char>,
    lobes: usize,
}

impl Fields<'_> {
    fn path(&mut self) -> Option<WorkspacePath> {
        self.rest.next().and_then(|path| WorkspacePath::parse(path).ok())
    }

    /// Parses the path of a file created by this program: below the staging folder, or with a temporary name
    /// next to its target.
    fn own_path(&mut self, base: Base) -> Option<WorkspacePath> {
        let path = self.path()?;
        let is_own = match base {
            Base::Home => path.as_str().starts_with(".staging/"),
            Base::Lobe(_) => path.file_name().is_some_and(is_temporary),
        };
        is_own.then_some(path)
    }

    fn base(&mut self) -> Option<Base> {
        match self.rest.next()? {
            "home" => Some(Base::Home),
            number => Some(Base::Lobe(number.parse().ok().filter(|number| *number < self.lobes)?)),
        }
    }

    fn number(&mut self) -> Option<Number> {
        Number::from_str_radix(self.rest.next()?, 16).ok()
    }

    fn old(&mut self) -> Result<Option<Number>, ParseIntError> {
        match self.rest.next().unwrap_or_default() {
            "none" => Ok(None),
            number => Number::from_str_radix(number, 16).map(Some),
        }
    }
}

fn step(word: &str, fields: &mut Fields<'_>) -> Option<Step> {
    Some(match word {
        "directory" => Step::Directory { base: fields.base()?, path: fields.path()? },
        "put" => Step::Put {
            from: fields.own_path(Base::Home)?,
            to: fields.path()?,
            aside: fields.own_path(Base::Home)?,
            new: fields.number()?,
            old: fields.old().ok()?,
        },
        "copy" => {
            let base = fields.base()?;
            Step::Copy {
                base,
                path: fields.path()?,
                new: fields.own_path(base)?,
                aside: fields.own_path(base)?,
                from: fields.path()?,
                old: fields.old().ok()?,
            }
        }
        "link" => {
            let base = fields.base()?;
            Step::Link {
                base,
                path: fields.path()?,
                new: fields.own_path(base)?,
                aside: fields.own_path(base)?,
                target: unescape(fields.rest.next()?)?,
                old: fields.old().ok()?,
            }
        }
        "remove" => {
            let base = fields.base()?;
            Step::Remove { base, path: fields.path()?, aside: fields.own_path(base)?, old: fields.number()? }
        }
        _ => return None,
    })
}

fn base_word(base: Base) -> String {
    match base {
        Base::Home => "home".to_owned(),
        Base::Lobe(number) => number.to_string(),
    }
}

fn number_word(number: Option<Number>) -> String {
    number.map_or_else(|| "none".to_owned(), |number| format!("{number:x}"))
}
