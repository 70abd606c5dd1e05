//! A record in text form, in a file whose state is overwritten in place.
//!
//! The first line contains the state and the identity of the directory and of the record itself, so a record
//! copied with other files is not mistaken for an own one. Each further line is a step, and the last line is
//! `end`.

use super::{Record, State};
use crate::files::Refusal;
use crate::syscalls::{self, Handle};

/// The last line of a complete record.
const END: &str = "end";

/// The open file of a record, and the directory that contains it.
#[derive(Clone, Copy)]
pub(crate) struct RecordFile<'d> {
    pub(crate) handle: &'d Handle,
    pub(crate) directory: &'d Handle,
    pub(crate) name: &'static str,
    pub(crate) format: RecordFormat,
}

impl RecordFile<'_> {
    pub(crate) fn set_state(&self, state: State) -> Result<(), Refusal> {
        syscalls::overwrite(self.handle, &[state.byte()], self.format.state_at())?;
        Ok(syscalls::sync_data(self.handle)?)
    }
}

impl Record for RecordFile<'_> {
    type Error = Refusal;

    fn note_abandoned(&self) -> bool {
        self.set_state(State::Abandoned).is_ok()
    }

    fn remove(&self, _end: State) -> Result<(), Refusal> {
        syscalls::unlink(self.directory, self.name)?;
        Ok(syscalls::sync_directory(self.directory)?)
    }
}

impl State {
    const ALL: [Self; 3] = [Self::Planned, Self::Committed, Self::Abandoned];

    /// Returns the byte of the state in a file, which is changed with one write.
    pub(crate) const fn byte(self) -> u8 {
        match self {
            Self::Planned => b'p',
            Self::Committed => b'c',
            Self::Abandoned => b'a',
        }
    }
}

/// The format of the records of one kind of transaction: the text before the state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordFormat {
    pub(crate) header: &'static str,
}

/// The result of reading a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecordState {
    /// It was not written completely, so nothing was staged or changed.
    Incomplete,
    /// It is complete.
    Complete(State),
    /// It was not written by this program in this directory.
    Foreign,
}

impl RecordFormat {
    /// Returns the offset of the state in the file.
    pub(crate) const fn state_at(self) -> u64 {
        self.header.len() as u64
    }

    /// Returns a record with these lines.
    pub(crate) fn write(
        self,
        state: State,
        identity: &str,
        lines: impl IntoIterator<Item = String>,
    ) -> String {
        let mut text = self.first_line(state, identity);
        for line in lines {
            text.push_str(&line);
            text.push('\n');
        }
        text.push_str(END);
        text.push('\n');
        text
    }

    /// Reads a record with this identity; `parse` receives each line, and returns none for an invalid one.
    pub(crate) fn read(
        self,
        identity: &str,
        bytes: &[u8],
        mut parse: impl FnMut(&str) -> Option<()>,
    ) -> RecordState {
        let Ok(text) = std::str::from_utf8(bytes) else { return RecordState::Foreign };
        let is_own = |state: &State| text.starts_with(&self.first_line(*state, identity));
        let Some(state) = State::ALL.into_iter().find(is_own) else {
            // The text is the beginning of the first line, or another file.
            let is_beginning = self.first_line(State::Planned, identity).starts_with(text);
            return if is_beginning { RecordState::Incomplete } else { RecordState::Foreign };
        };
        for line in text.split_inclusive('\n').skip(1) {
            match line.strip_suffix('\n') {
                Some(END) => return RecordState::Complete(state),
                Some(line) => {
                    if parse(line).is_none() {
                        return RecordState::Foreign;
                    }
                }
                None => break,
            }
        }
        if state == State::Planned { RecordState::Incomplete } else { RecordState::Foreign }
    }

    fn first_line(self, state: State, identity: &str) -> String {
        format!("{}{} {identity}\n", self.header, char::from(state.byte()))
    }
}

/// Reverses [`str::escape_default`].
pub(crate) fn unescape(text: &str) -> Option<String> {
    let mut plain = String::new();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        plain.push(match rest.next()? {
            't' => '\t',
            'r' => '\r',
            'n' => '\n',
            'u' => {
                let digits: String = rest.by_ref().skip(1).take_while(|c| *c != '}').collect();
                char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?
            }
            other => other,
        });
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMAT: RecordFormat = RecordFormat { header: "minds-test 1 " };

    #[track_caller]
    fn check(text: &str, expected: RecordState, lines: &[&str]) {
        let mut found = Vec::new();
        let reading = FORMAT.read("1:2", text.as_bytes(), |line| {
            found.push(line.to_owned());
            (line != "invalid").then_some(())
        });
        let found: Vec<&str> = found.iter().map(String::as_str).collect();
        assert_eq!((reading, found.as_slice()), (expected, lines), "{text:?}");
    }

    #[test]
    fn records_are_read_in_every_state() {
        for state in State::ALL {
            let text = FORMAT.write(state, "1:2", ["one", "two"].map(str::to_owned));
            assert_eq!(text.as_bytes()[usize::try_from(FORMAT.state_at()).unwrap()], state.byte());
            check(&text, RecordState::Complete(state), &["one", "two"]);
        }
    }

    #[test]
    fn incomplete_and_foreign_records_are_recognized() {
        check("", RecordState::Incomplete, &[]);
        check("minds-te", RecordState::Incomplete, &[]);
        check("minds-test 1 p 1:2", RecordState::Incomplete, &[]);
        check("minds-test 1 p 1:2\none\ntw", RecordState::Incomplete, &["one"]);
        check("minds-test 1 c 1:2\none\ntw", RecordState::Foreign, &["one"]);
        check("minds-test 1 c 1:3\nend\n", RecordState::Foreign, &[]);
        check("minds-test 1 x 1:2\nend\n", RecordState::Foreign, &[]);
        check("minds-test 1 c 1:2\ninvalid\nend\n", RecordState::Foreign, &["invalid"]);
        check("another file", RecordState::Foreign, &[]);
        assert_eq!(FORMAT.read("1:2", b"\xff", |_| Some(())), RecordState::Foreign);
    }
}
