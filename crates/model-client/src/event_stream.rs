//! Server-sent events: bytes go in, the data of events comes out.
//!
//! The format is that of the HTML standard, section 9.2: lines end with CR, LF or both, lines with `:` are comments, and an
//! event may have several `data` lines. Names and ids of events are not needed by any provider.

use crate::limits::MAX_EVENT_BYTES;

/// The size from which a buffer is not kept for the next event, in bytes.
const MAX_KEPT_BYTES: usize = 64 << 10;

/// Reads a stream of events.
#[derive(Debug, Default)]
pub(crate) struct EventStream {
    line: Vec<u8>,
    data: Vec<u8>,
    /// Whether the event has data, which may be empty.
    has_data: bool,
    /// Whether the last byte was a carriage return, which may be half of a line break.
    is_return: bool,
    /// Whether a line has ended, so that no byte order mark can follow.
    has_begun: bool,
}

/// An event is larger than 8 MiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLarge;

impl EventStream {
    /// Reads bytes, and calls `take` with the data of each event that they complete.
    ///
    /// # Errors
    ///
    /// Fails if an event is too large, and if `take` fails.
    pub(crate) fn push<E: From<TooLarge>>(
        &mut self,
        bytes: &[u8],
        mut take: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut rest = bytes;
        while let Some(first) = rest.first() {
            if std::mem::take(&mut self.is_return) && *first == b'\n' {
                rest = rest.get(1..).unwrap_or_default();
                continue;
            }
            let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let (part, after) = rest.split_at(end.unwrap_or(rest.len()));
            if self.line.len() + self.data.len() + part.len() > MAX_EVENT_BYTES {
                return Err(TooLarge.into());
            }
            self.line.extend_from_slice(part);
            if let Some((line_break, after)) = after.split_first() {
                self.is_return = *line_break == b'\r';
                self.end_line(&mut take)?;
                rest = after;
            } else {
                rest = after;
            }
        }
        Ok(())
    }

    /// Returns the data of an event that the end of the stream leaves incomplete, if there is one.
    pub(crate) fn finish(mut self) -> Option<Vec<u8>> {
        self.read_line();
        self.has_data.then_some(self.data)
    }

    fn end_line<E>(&mut self, take: &mut impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        if !self.line.is_empty() {
            self.read_line();
            return Ok(());
        }
        self.has_begun = true;
        let taken = if self.has_data { take(&self.data) } else { Ok(()) };
        self.has_data = false;
        clear(&mut self.data);
        taken
    }

    fn read_line(&mut self) {
        let mut line = self.line.as_slice();
        if !self.has_begun {
            line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        }
        self.has_begun = true;
        let value = match line.strip_prefix(b"data") {
            Some([]) => Some(&[][..]),
            Some([b':', b' ', value @ ..] | [b':', value @ ..]) => Some(value),
            Some(_) | None => None,
        };
        if let Some(value) = value {
            if self.has_data {
                self.data.push(b'\n');
            }
            self.data.extend_from_slice(value);
            self.has_data = true;
        }
        clear(&mut self.line);
    }
}

fn clear(buffer: &mut Vec<u8>) {
    if buffer.capacity() > MAX_KEPT_BYTES {
        *buffer = Vec::new();
    }
    buffer.clear();
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    impl From<TooLarge> for String {
        fn from(_: TooLarge) -> Self {
            "too large".to_owned()
        }
    }

    /// Returns the events of a stream that arrives in these parts.
    fn events(parts: &[&[u8]]) -> Result<Vec<String>, String> {
        let mut stream = EventStream::default();
        let mut events = Vec::new();
        for part in parts {
            stream.push::<String>(part, |data| {
                events.push(String::from_utf8_lossy(data).into_owned());
                Ok(())
            })?;
        }
        events.extend(stream.finish().map(|data| format!("{}…", String::from_utf8_lossy(&data))));
        Ok(events)
    }

    #[test]
    fn lines_are_events() {
        for (text, expected) in [
            ("data: a\n\n", &["a"][..]),
            ("data:a\r\n\r\n", &["a"]),
            ("data:  a\r\r", &[" a"]),
            ("\u{feff}data: a\n\n", &["a"]),
            (": keep-alive\n\n\n: again\ndata: a\n\n", &["a"]),
            ("event: x\nid: 1\nretry: 5\ndata: a\ndata: b\n\ndata\n\n", &["a\nb", ""]),
            ("database: a\ndata : b\n\n", &[]),
            ("data: a\n\ndata: b", &["a", "b…"]),
            ("data: a\n\ndata: b\n", &["a", "b…"]),
            ("data: a\n\r\n", &["a"]),
        ] {
            assert_eq!(events(&[text.as_bytes()]).unwrap(), expected, "{text:?}");
            for cut in 0..=text.len() {
                let (start, end) = text.as_bytes().split_at(cut);
                assert_eq!(events(&[start, end]).unwrap(), expected, "{text:?} cut at {cut}");
            }
        }
    }

    #[test]
    fn an_event_has_a_limit() {
        let line = [b"data: ".as_slice(), &vec![b'x'; MAX_EVENT_BYTES - 6]].concat();
        assert_eq!(events(&[&line, b"\n\n"]).unwrap().len(), 1);
        assert_eq!(events(&[&line, b"x\n\n"]), Err("too large".to_owned()));
        assert_eq!(events(&[&line, b"\n", b"data: x"]), Err("too large".to_owned()));
        assert_eq!(events(&[&vec![b':'; MAX_EVENT_BYTES + 1]]), Err("too large".to_owned()));
    }

    proptest! {
        /// Any bytes in any parts give the same events as in one part.
        #[test]
        fn parts_do_not_matter(
            bytes in proptest::collection::vec(prop_oneof![
                Just(b'\n'), Just(b'\r'), Just(b':'), Just(b'd'), any::<u8>(),
            ], 0..60),
            cuts in proptest::collection::vec(0..60_usize, 0..4),
        ) {
            let mut bytes = bytes;
            for cut in &cuts {
                bytes.splice(cut % (bytes.len() + 1)..cut % (bytes.len() + 1), *b"data:");
            }
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            prop_assert_eq!(events(&[&bytes]), events(&single));
        }
    }
}
