//! A journal that is read from its end.

use memchr::memmem::Finder;
use memchr::memrchr;

use super::entry::Entry;
use crate::Section;

/// How many bytes are read at first.
const BLOCK: usize = 64 * 1024;
/// How many bytes are read at once where many lines are passed over; more only for a line that is longer.
const LARGEST_BLOCK: usize = 1024 * 1024;

/// What the end of a journal says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Last {
    /// The last line, which is the only head.
    pub head: Entry,
    /// The last change of the section that was asked for; none if the whole journal has none.
    pub of_section: Option<Entry>,
}

/// A line of a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TailLine<'t> {
    /// How many bytes of the journal come before it.
    pub at: u64,
    /// What it says, without its line break.
    pub text: &'t [u8],
    /// Whether it has a line break.
    pub is_ended: bool,
}

/// A journal that is read from its end, no further than an answer needs.
///
/// It asks for the bytes from an offset on, a number of them, and is given fewer only where there are fewer.
#[derive(Debug)]
pub struct Tail<R> {
    read: R,
    /// Where in the journal what is held begins.
    start: u64,
    held: Vec<u8>,
    /// How much of it was not given out yet.
    end: usize,
    /// How many bytes are read next.
    block: usize,
}

impl<E, R: FnMut(u64, usize) -> Result<Vec<u8>, E>> Tail<R> {
    /// Returns a journal with this number of bytes, of which nothing has been read yet.
    pub fn new(size: u64, read: R) -> Self {
        Self { read, start: size, held: Vec::new(), end: 0, block: BLOCK }
    }

    /// Returns the line before the one that was given last, at first the last one; none where the journal begins, or has
    /// become shorter meanwhile.
    ///
    /// # Errors
    ///
    /// Fails if the journal cannot be read.
    pub fn line(&mut self) -> Result<Option<TailLine<'_>>, E> {
        let (begin, end, is_ended) = loop {
            let held = self.held.get(..self.end).unwrap_or_default();
            let whole = held.strip_suffix(b"\n").unwrap_or(held);
            let ends = (whole.len(), whole.len() < held.len());
            match memrchr(b'\n', whole) {
                Some(newline) => break (newline + 1, ends.0, ends.1),
                None if self.start == 0 && held.is_empty() => return Ok(None),
                None if self.start == 0 => break (0, ends.0, ends.1),
                None if !self.fill()? => return Ok(None),
                None => {}
            }
        };
        self.end = begin;
        let text = self.held.get(begin..end).unwrap_or_default();
        Ok(Some(TailLine { at: self.start + begin as u64, text, is_ended }))
    }

    /// Reads what comes before what is held; returns whether all of it was there.
    fn fill(&mut self) -> Result<bool, E> {
        // A line that is longer than a block takes as much again each time, so that no byte is copied often.
        let wanted = self.block.max(self.end);
        let count = usize::try_from(self.start).unwrap_or(usize::MAX).min(wanted);
        let start = self.start - count as u64;
        let mut held = (self.read)(start, count)?;
        if held.len() != count {
            return Ok(false);
        }
        held.extend_from_slice(self.held.get(..self.end).unwrap_or_default());
        (self.end, self.held, self.start) = (held.len(), held, start);
        self.block = (self.block * 2).min(LARGEST_BLOCK);
        Ok(true)
    }

    /// Returns the last line, and the last change of a section; none if that cannot be told from lines that were only ever
    /// appended, as those of two branches are not.
    ///
    /// # Errors
    ///
    /// Fails if the journal cannot be read.
    pub fn last(mut self, section: &Section) -> Result<Option<Last>, E> {
        let Some(line) = self.line()? else { return Ok(None) };
        let head = match Entry::of_line(line.text) {
            Some(head) if line.is_ended && head.at == line.at => head,
            _ => return Ok(None),
        };
        if head.section == *section {
            return Ok(Some(Last { of_section: Some(head.clone()), head }));
        }
        let wanted = format!("\"section\":\"{section}\"");
        let wanted = Finder::new(&wanted);
        while let Some(line) = self.line()? {
            if line.text.is_empty() {
                continue;
            }
            // A line that stands elsewhere than where it was written came from another branch.
            if written_at(line.text) != Some(line.at) {
                return Ok(None);
            }
            if wanted.find(line.text).is_some() {
                match Entry::of_line(line.text) {
                    Some(entry) if entry.section == *section => {
                        return Ok(Some(Last { of_section: Some(entry), head }));
                    }
                    Some(_) => {}
                    None => return Ok(None),
                }
            }
        }
        Ok((self.start == 0 && self.end == 0).then_some(Last { of_section: None, head }))
    }
}

/// Returns where a line says that it stands, from its last field alone.
fn written_at(line: &[u8]) -> Option<u64> {
    let fields = line.strip_suffix(b"}")?;
    let digits = fields.iter().rev().take(20).take_while(|byte| byte.is_ascii_digit()).count();
    let (name, digits) = fields.split_at_checked(fields.len() - digits)?;
    let number = std::str::from_utf8(digits).ok()?.parse().ok()?;
    name.ends_with(b"\"at\":").then_some(number)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::convert::Infallible;

    use minds_document::ContentHash;

    use super::*;
    use crate::journal::{Draft, Journal, Operation};

    fn section(number: usize) -> Section {
        Section::parse_whole(["goals", "progress", "ux/a", "ux/ab"][number]).unwrap()
    }

    fn draft(number: usize, section: Section, parents: Vec<ContentHash>, at: usize) -> Draft {
        Draft {
            parents,
            time: "2026-01-01T00:00:00.000Z".to_owned(),
            actor: "a".repeat(number % 40),
            operation: Operation::Set,
            section,
            before: None,
            after: Some(ContentHash::of(&number.to_le_bytes())),
            size: 8,
            undoes: None,
            at: at as u64,
        }
    }

    /// Lines about some sections, one after the other.
    fn journal(sections: impl IntoIterator<Item = usize>) -> Vec<u8> {
        let (mut bytes, mut parents) = (Vec::new(), Vec::new());
        for (number, index) in sections.into_iter().enumerate() {
            let entry = Entry::new(draft(number, section(index), parents, bytes.len()));
            parents = vec![entry.id];
            bytes.extend_from_slice(format!("{}\n", entry.to_line()).as_bytes());
        }
        bytes
    }

    fn tail(bytes: &[u8]) -> Tail<impl FnMut(u64, usize) -> Result<Vec<u8>, Infallible>> {
        Tail::new(bytes.len() as u64, |at, count| {
            let at = usize::try_from(at).unwrap();
            Ok(bytes[at..bytes.len().min(at + count)].to_vec())
        })
    }

    fn last(bytes: &[u8], index: usize) -> Option<Last> {
        tail(bytes).last(&section(index)).unwrap()
    }

    #[test]
    fn the_end_says_what_the_whole_journal_says() {
        for (count, period) in [(1, 1), (5, 2), (700, 3), (2_000, 1_999)] {
            let bytes = journal((0..count).map(|number| usize::from(number % period == 0)));
            let whole = Journal::read(&bytes);
            assert!(whole.problems.is_empty());
            for index in 0..3 {
                let last = last(&bytes, index).unwrap();
                assert_eq!(vec![last.head.id], whole.heads().0, "{count}");
                let latest = whole.latest().get(&section(index)).map(|latest| latest[0].clone());
                assert_eq!(last.of_section, latest, "{count} {index}");
            }
        }
    }

    #[test]
    fn no_more_is_read_than_is_needed() {
        let bytes = journal((0..2_000).map(|number| number % 4));
        let read = Cell::new(0);
        let counted = Tail::new(bytes.len() as u64, |at, count| {
            read.set(read.get() + count);
            let at = usize::try_from(at).unwrap();
            Ok::<_, Infallible>(bytes[at..at + count].to_vec())
        });
        assert!(counted.last(&section(0)).unwrap().unwrap().of_section.is_some());
        assert!(bytes.len() > 8 * BLOCK && read.get() == BLOCK, "{}", read.get());
    }

    #[test]
    fn lines_come_from_the_end_whatever_their_length() {
        for lengths in
            [vec![0], vec![3, 0, 70_000, 5], vec![65_535, 65_536, 1], vec![400_000, 1, 1], vec![1; 90_000]]
        {
            let mut bytes = Vec::new();
            let mut expected = Vec::new();
            for (number, length) in lengths.iter().enumerate() {
                let text = vec![b'a' + u8::try_from(number % 26).unwrap(); *length];
                expected.push((bytes.len() as u64, text.clone()));
                bytes.extend_from_slice(&text);
                bytes.push(b'\n');
            }
            for is_ended in [true, false] {
                bytes.truncate(if is_ended { bytes.len() } else { bytes.len() - 1 });
                let mut tail = tail(&bytes);
                let mut found = Vec::new();
                while let Some(line) = tail.line().unwrap() {
                    assert!(is_ended || line.is_ended != found.is_empty() || bytes.ends_with(b"\n"));
                    found.push((line.at, line.text.to_vec()));
                }
                found.reverse();
                let whole = if is_ended || lengths.last() != Some(&0) {
                    &expected[..]
                } else {
                    &expected[..expected.len() - 1]
                };
                assert_eq!(found, whole);
            }
        }
    }

    #[test]
    fn what_two_branches_wrote_is_not_told_from_the_end() {
        let common = journal([0, 1]);
        let parent = Journal::read(&common).heads().0;
        let at = common.len();
        let line =
            |number, index| Entry::new(draft(number, section(index), parent.clone(), at)).to_line() + "\n";
        let (one, other) = (line(10, 0), line(11, 2));
        let merged = [common.clone(), one.clone().into_bytes(), other.clone().into_bytes()].concat();
        assert_eq!(last(&merged, 0), None);
        // The next change knows both, and from there on the end says it again, but not what came before.
        let heads = Journal::read(&merged).heads().0;
        assert_eq!(heads.len(), 2);
        let next = Entry::new(draft(12, section(1), heads, merged.len())).to_line() + "\n";
        let merged = [merged, next.into_bytes()].concat();
        assert!(last(&merged, 1).is_some());
        assert_eq!(last(&merged, 0), None);
        assert_eq!(last(&merged, 2), None);
    }

    #[test]
    fn what_is_damaged_is_not_told_from_the_end() {
        let bytes = journal([0, 1, 1]);
        assert!(last(&bytes, 0).is_some());
        assert_eq!(last(&bytes[..bytes.len() - 1], 0), None, "no line break");
        assert_eq!(last(&bytes[..bytes.len() - 9], 0), None, "half a line");
        assert_eq!(last(b"", 0), None);
        assert_eq!(last(b"\n", 0), None);
        let text = String::from_utf8(bytes.clone()).unwrap();
        assert_eq!(last(text.replacen("\"size\":8", "\"size\":9", 1).as_bytes(), 0), None);
        // A file that is shorter by now.
        let mut short = Tail::new(bytes.len() as u64 + 5, |_, _| Ok::<_, Infallible>(bytes.clone()));
        assert_eq!(short.line().unwrap(), None);
    }
}
