//! The progress of a fetch.

/// The progress of a fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The percentage of objects received.
    pub percent: u8,
}

/// Parses the progress that git prints to standard error.
#[derive(Default)]
pub(crate) struct ProgressReader {
    line: Vec<u8>,
    last: Option<u8>,
}

impl ProgressReader {
    /// Handles output of git, and returns the progress if it has changed.
    pub(crate) fn update(&mut self, bytes: &[u8]) -> Option<Progress> {
        const MAX_LINE: usize = 256;
        let before = self.last;
        for byte in bytes {
            if matches!(byte, b'\r' | b'\n') {
                self.last = percent(&self.line).or(self.last);
                self.line.clear();
            } else if self.line.len() < MAX_LINE {
                self.line.push(*byte);
            }
        }
        self.last.filter(|_| self.last != before).map(|percent| Progress { percent })
    }
}

fn percent(line: &[u8]) -> Option<u8> {
    let rest = line.strip_prefix(b"Receiving objects:")?;
    let digits = std::str::from_utf8(rest).ok()?.split('%').next()?.trim();
    digits.parse().ok().filter(|percent| *percent <= 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_changed_progress_is_reported() {
        let mut reader = ProgressReader::default();
        assert_eq!(reader.update(b"remote: Counting objects: 50% (1/2)\rReceiving obj"), None);
        assert_eq!(reader.update(b"ects:  45% (9/20)\rRec"), Some(Progress { percent: 45 }));
        assert_eq!(reader.update(b"eiving objects:  45% (9/20), 1 MiB\r"), None);
        assert_eq!(reader.update(b"Receiving objects: 300%\rReceiving objects: x%\r"), None);
        assert_eq!(
            reader.update(b"Receiving objects: 100% (20/20), done.\n"),
            Some(Progress { percent: 100 })
        );
    }
}
