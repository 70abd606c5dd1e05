//! Reading the contents of files of a repository.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use minds_process::{Listener, run_program};

use crate::error::{GitError, GitErrorKind};
use crate::object_id::ObjectId;
use crate::program::{Git, LOCAL_TIME, append_errors, finish};

/// Contents by object id.
pub(crate) type Blobs = BTreeMap<ObjectId, Vec<u8>>;

impl Git {
    /// Reads contents of known sizes. The caller has limited their number and sizes.
    pub(crate) fn blobs(
        &self,
        repository: &Path,
        wanted: &BTreeMap<ObjectId, u64>,
    ) -> Result<Blobs, GitError> {
        if wanted.is_empty() {
            return Ok(Blobs::new());
        }
        let input: String = wanted.keys().flat_map(|id| [id.as_str(), "\n"]).collect();
        let mut command = self.command_in(repository, None);
        command.args(["cat-file", "--batch"]);
        let mut reader = BatchReader {
            wanted: wanted.iter(),
            blobs: Blobs::new(),
            state: State::Header(Vec::new()),
            errors: Vec::new(),
        };
        let end = run_program(command, input.as_bytes(), LOCAL_TIME, &mut reader)?;
        finish(end, LOCAL_TIME, &reader.errors, || GitErrorKind::Unexpected)?;
        if reader.blobs.len() == wanted.len() {
            Ok(reader.blobs)
        } else {
            Err(GitError::new(GitErrorKind::Unexpected))
        }
    }
}

/// Reads the output of `git cat-file --batch`, which has the order of the requests.
struct BatchReader<'w> {
    wanted: std::collections::btree_map::Iter<'w, ObjectId, u64>,
    blobs: Blobs,
    state: State,
    errors: Vec<u8>,
}

enum State {
    /// The header line of a content.
    Header(Vec<u8>),
    /// A content, and the number of bytes still to be read.
    Content { id: ObjectId, bytes: Vec<u8>, left: usize },
    /// The line break after it.
    Break,
}

/// The maximum length of a header line.
const MAX_HEADER: usize = 128;

impl BatchReader<'_> {
    /// Consumes some of the bytes, and returns how many; none if they are not the expected output.
    fn step(&mut self, bytes: &[u8]) -> Option<usize> {
        match &mut self.state {
            State::Header(header) => {
                let end = bytes.iter().position(|byte| *byte == b'\n');
                header.extend_from_slice(bytes.get(..end.unwrap_or(bytes.len()))?);
                if header.len() > MAX_HEADER {
                    return None;
                }
                let Some(end) = end else { return Some(bytes.len()) };
                let (id, size) = self.wanted.next()?;
                if *header != format!("{id} blob {size}").as_bytes() {
                    return None;
                }
                let left = usize::try_from(*size).ok()?;
                self.state = State::Content { id: id.clone(), bytes: Vec::with_capacity(left), left };
                Some(end + 1)
            }
            State::Content { id, bytes: content, left } => {
                let count = bytes.len().min(*left);
                content.extend_from_slice(bytes.get(..count)?);
                *left -= count;
                if *left == 0 {
                    self.blobs.insert(id.clone(), std::mem::take(content));
                    self.state = State::Break;
                }
                Some(count)
            }
            State::Break => {
                self.state = State::Header(Vec::new());
                (bytes.first() == Some(&b'\n')).then_some(1)
            }
        }
    }
}

impl Listener for BatchReader<'_> {
    fn output(&mut self, mut bytes: &[u8]) -> ControlFlow<()> {
        while !bytes.is_empty() {
            let Some(rest) = self.step(bytes).and_then(|count| bytes.get(count..)) else {
                return ControlFlow::Break(());
            };
            bytes = rest;
        }
        ControlFlow::Continue(())
    }

    fn errors(&mut self, bytes: &[u8]) -> ControlFlow<()> {
        append_errors(&mut self.errors, bytes);
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(answer: &[u8], portion: usize) -> Option<Blobs> {
        let wanted: BTreeMap<ObjectId, u64> = [("a", 3), ("b", 0)]
            .map(|(digit, size)| (ObjectId::parse(&digit.repeat(40)).unwrap(), size))
            .into();
        let mut reader = BatchReader {
            wanted: wanted.iter(),
            blobs: Blobs::new(),
            state: State::Header(Vec::new()),
            errors: Vec::new(),
        };
        let read = answer.chunks(portion).all(|bytes| reader.output(bytes).is_continue());
        (read && reader.blobs.len() == 2).then_some(reader.blobs)
    }

    #[test]
    fn only_expected_output_is_accepted_regardless_of_chunking() {
        let (a, b) = ("a".repeat(40), "b".repeat(40));
        let good = format!("{a} blob 3\nx\ny\n{b} blob 0\n\n");
        for portion in [1, 2, 7, 50, 1_000] {
            let blobs = read(good.as_bytes(), portion).expect("the output is valid");
            assert_eq!(blobs.into_values().collect::<Vec<_>>(), [b"x\ny".to_vec(), Vec::new()]);
        }
        for bad in [
            format!("{b} blob 0\n\n{a} blob 3\nx\ny\n"),
            format!("{a} blob 4\nx\ny\n{b} blob 0\n\n"),
            format!("{a} missing\n{b} blob 0\n\n"),
            format!("{a} commit 3\nx\ny\n{b} blob 0\n\n"),
            format!("{a} blob 3\nx\nyz{b} blob 0\n\n"),
            format!("{good}{a} blob 3\nx\ny\n"),
            "x".repeat(1_000),
        ] {
            assert_eq!(read(bad.as_bytes(), 1_000), None, "{bad}");
        }
    }
}
