//! How far a fetch is, as git tells it.

/// How far a fetch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// How many of a hundred parts of the objects have come.
    pub percent: u8,
}

/// Reads what git prints on standard error while it fetches.
#[derive(Default)]
pub(super) struct ProgressReader {
    line: Vec<u8>,
    last: Option<u8>,
}

impl ProgressReader {
    /// Takes what came, and returns how far it is if that is news.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Option<Progress> {
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
    fn only_news_is_told() {
        let mut reader = ProgressReader::default();
        assert_eq!(reader.take(b"remote: Counting objects: 50% (1/2)\rReceiving obj"), None);
        assert_eq!(reader.take(b"ects:  45% (9/20)\rRec"), Some(Progress { percent: 45 }));
        assert_eq!(reader.take(b"eiving objects:  45% (9/20), 1 MiB\r"), None);
        assert_eq!(reader.take(b"Receiving objects: 300%\rReceiving objects: x%\r"), None);
        assert_eq!(reader.take(b"Receiving objects: 100% (20/20), done.\n"), Some(Progress { percent: 100 }));
    }
}
