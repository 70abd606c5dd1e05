//! Reading a journal from its end.

use memchr::memmem::Finder;
use memchr::memrchr;

use super::entry::Entry;
use crate::Section;

/// The number of bytes of the first read.
const BLOCK: usize = 64 * 1024;
/// The maximum size of a read in bytes; more only for a longer line.
const MAX_BLOCK: usize = 1024 * 1024;

/// The information at the end of a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalEnd {
    /// The last line, which is the only head.
    pub head: Entry,
    /// The last change of the requested section; none if the journal does not contain any.
    pub of_section: Option<Entry>,
}

/// A line of a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TailLine<'t> {
    /// The offset of the line in bytes.
    pub at: u64,
    /// The line without its line break.
    pub text: &'t [u8],
    /// Whether the line ends with a line break.
    pub is_terminated: bool,
}

/// A journal that is read from its end, only as far as needed.
///
/// `read` takes an offset and a number of bytes, and may return fewer bytes only at the end of the file.
#[derive(Debug)]
pub struct Tail<R> {
    read: R,
    /// The offset of the buffer in the journal.
    start: u64,
    buffer: Vec<u8>,
    /// The length of the part of the buffer that was not returned yet.
    end: usize,
    /// The size of the next read in bytes.
    block: usize,
}

impl<E, R: FnMut(u64, usize) -> Result<Vec<u8>, E>> Tail<R> {
    /// Returns a reader of a journal of `size` bytes; nothing has been read yet.
    pub fn new(size: u64, read: R) -> Self {
        Self { read, start: size, buffer: Vec::new(), end: 0, block: BLOCK }
    }

    /// Returns the line before the one returned last, starting with the last line; none at the beginning of
    /// the journal, or if the file has become shorter.
    ///
    /// # Errors
    ///
    /// Fails if the journal cannot be read.
    pub fn previous_line(&mut self) -> Result<Option<TailLine<'_>>, E> {
        let (begin, end, is_terminated) = loop {
            let buffer = self.buffer.get(..self.end).unwrap_or_default();
            let content = buffer.strip_suffix(b"\n").unwrap_or(buffer);
            let ends = (content.len(), content.len() < buffer.len());
            match memrchr(b'\n', content) {
                Some(newline) => break (newline + 1, ends.0, ends.1),
                None if self.start == 0 && buffer.is_empty() => return Ok(None),
                None if self.start == 0 => break (0, ends.0, ends.1),
                None if !self.fill()? => return Ok(None),
                None => {}
            }
        };
        self.end = begin;
        let text = self.buffer.get(begin..end).unwrap_or_default();
        Ok(Some(TailLine { at: self.start + begin as u64, text, is_terminated }))
    }

    /// Reads the block before the buffer; returns whether it was read completely.
    fn fill(&mut self) -> Result<bool, E> {
        // For a line longer than a block, the read size doubles each time, so that bytes are rarely copied.
        let wanted = self.block.max(self.end);
        let count = usize::try_from(self.start).unwrap_or(usize::MAX).min(wanted);
        let start = self.start - count as u64;
        let mut buffer = (self.read)(start, count)?;
        if buffer.len() != count {
            return Ok(false);
        }
        buffer.extend_from_slice(self.buffer.get(..self.end).unwrap_or_default());
        (self.end, self.buffer, self.start) = (buffer.len(), buffer, start);
        self.block = (self.block * 2).min(MAX_BLOCK);
        Ok(true)
    }

    /// Returns the last line, and the last change of a section; none if this cannot be determined, because
    /// the lines were not only appended, for example after a merge of branches.
    ///
    /// # Errors
    ///
    /// Fails if the journal cannot be read.
    pub fn last(mut self, section: &Section) -> Result<Option<JournalEnd>, E> {
        let Some(line) = self.previous_line()? else { return Ok(None) };
        let head = match Entry::of_line(line.text) {
            Some(head) if line.is_terminated && head.at == line.at => head,
            _ => return Ok(None),
        };
        if head.section == *section {
            return Ok(Some(JournalEnd { of_section: Some(head.clone()), head }));
        }
        let wanted = format!("\"section\":\"{section}\"");
        let wanted = Finder::new(&wanted);
        while let Some(line) = self.previous_line()? {
            if line.text.is_empty() {
                continue;
            }
            // A line that is not at its recorded offset came from another branch.
            if recorded_offset(line.text) != Some(line.at) {
                return Ok(None);
            }
            if wanted.find(line.text).is_some() {
                match Entry::of_line(line.text) {
                    Some(entry) if entry.section == *section => {
                        return Ok(Some(JournalEnd { of_section: Some(entry), head }));
                    }
                    Some(_) => {}
                    None => return Ok(None),
                }
            }
        }
        Ok((self.start == 0 && self.end == 0).then_some(JournalEnd { of_section: None, head }))
    }
}

/// Returns the recorded offset of a line, from its last field only.
fn recorded_offset(line: &[u8]) -> Option<u64> {
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

    use minds_vfs::ContentHash;

    use super::*;
    use crate::journal::{Draft, Journal, Operation};

    fn section(number: usize) -> Section {
        Section::parse_qualified(["goals", "progress", "ux/a", "ux/ab"][number]).unwrap()
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

    /// Returns a linear journal of changes of the given sections.
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

    fn last(bytes: &[u8], index: usize) -> Option<JournalEnd> {
        tail(bytes).last(&section(index)).unwrap()
    }

    #[test]
    fn the_end_agrees_with_the_whole_journal() {
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
    fn only_the_needed_part_is_read() {
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
    fn lines_of_any_length_are_returned_from_the_end() {
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
            for is_terminated in [true, false] {
                bytes.truncate(if is_terminated { bytes.len() } else { bytes.len() - 1 });
                let mut tail = tail(&bytes);
                let mut found = Vec::new();
                while let Some(line) = tail.previous_line().unwrap() {
                    assert!(
                        is_terminated || line.is_terminated != found.is_empty() || bytes.ends_with(b"\n")
                    );
                    found.push((line.at, line.text.to_vec()));
                }
                found.reverse();
                let whole = if is_terminated || lengths.last() != Some(&0) {
                    &expected[..]
                } else {
                    &expected[..expected.len() - 1]
                };
                assert_eq!(found, whole);
            }
        }
    }

    #[test]
    fn merged_branches_are_not_resolved_from_the_end() {
        let common = journal([0, 1]);
        let parent = Journal::read(&common).heads().0;
        let at = common.len();
        let line =
            |number, index| Entry::new(draft(number, section(index), parent.clone(), at)).to_line() + "\n";
        let (one, other) = (line(10, 0), line(11, 2));
        let merged = [common.clone(), one.clone().into_bytes(), other.clone().into_bytes()].concat();
        assert_eq!(last(&merged, 0), None);
        // The next change has both heads as parents; from there on, only later changes are known from the
        // end.
        let heads = Journal::read(&merged).heads().0;
        assert_eq!(heads.len(), 2);
        let next = Entry::new(draft(12, section(1), heads, merged.len())).to_line() + "\n";
        let merged = [merged, next.into_bytes()].concat();
        assert!(last(&merged, 1).is_some());
        assert_eq!(last(&merged, 0), None);
        assert_eq!(last(&merged, 2), None);
    }

    #[test]
    fn damaged_journals_are_not_resolved_from_the_end() {
        let bytes = journal([0, 1, 1]);
        assert!(last(&bytes, 0).is_some());
        assert_eq!(last(&bytes[..bytes.len() - 1], 0), None, "no line break");
        assert_eq!(last(&bytes[..bytes.len() - 9], 0), None, "half a line");
        assert_eq!(last(b"", 0), None);
        assert_eq!(last(b"\n", 0), None);
        let text = String::from_utf8(bytes.clone()).unwrap();
        assert_eq!(last(text.replacen("\"size\":8", "\"size\":9", 1).as_bytes(), 0), None);
        // A file that has become shorter.
        let mut short = Tail::new(bytes.len() as u64 + 5, |_, _| Ok::<_, Infallible>(bytes.clone()));
        assert_eq!(short.previous_line().unwrap(), None);
    }
}
