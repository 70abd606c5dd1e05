//! Lines that cannot be used.

use minds_fleet_protocol::{Lines, Repair};

/// The lines of a file that cannot be used. Their bytes stay in the file, also when it is replaced.
#[derive(Debug, Default)]
pub(crate) struct SkippedLines {
    bytes: Vec<u8>,
    count: usize,
    first: Option<(usize, String)>,
}

impl SkippedLines {
    /// Reads a file, and passes each readable line to `use_line`, which returns why it cannot use it.
    pub(crate) fn read(bytes: &[u8], mut use_line: impl FnMut(&str) -> Result<(), String>) -> (Self, Repair) {
        let Lines { lines, unreadable, repair } = Lines::read(bytes);
        let mut skipped = Self::default();
        for range in unreadable {
            skipped.add(range.start, bytes.get(range).unwrap_or_default(), "it is not a JSON object");
        }
        for line in lines {
            if let Err(reason) = use_line(line) {
                let at = line.as_ptr().addr().saturating_sub(bytes.as_ptr().addr());
                skipped.add(at, line.as_bytes(), &reason);
            }
        }
        (skipped, repair)
    }

    /// Adds a line at an offset of the file.
    pub(crate) fn add(&mut self, at: usize, line: &[u8], reason: &str) {
        self.bytes.extend_from_slice(line);
        if !line.ends_with(b"\n") {
            self.bytes.push(b'\n');
        }
        self.count += 1;
        if self.first.as_ref().is_none_or(|(first, _)| at < *first) {
            self.first = Some((at, reason.to_owned()));
        }
    }

    /// Returns the lines, each with its newline.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Adds a warning about the lines, if any.
    pub(crate) fn warn(&self, name: &str, warnings: &mut Vec<String>) {
        if let Some((at, reason)) = &self.first {
            let lines = if self.count == 1 { "a line".to_owned() } else { format!("{} lines", self.count) };
            warnings.push(format!("skipped {lines} of `{name}`, first at byte {at}: {reason}"));
        }
    }
}
