//! Files of JSON lines, as bytes.

use std::ops::Range;

use serde::de::IgnoredAny;

/// What is in a file of JSON lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines<'b> {
    /// The readable lines, without their newlines, in order. Empty lines are not among them.
    pub lines: Vec<&'b str>,
    /// The ranges of unreadable lines in front of the last one, in bytes. They stay in the file and are named in a
    /// warning.
    pub unreadable: Vec<Range<usize>>,
    /// The repair before the next line is appended.
    pub repair: Repair,
}

/// The repair of the end of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// The file ends after a newline.
    None,
    /// The last line is complete but for its newline.
    AppendNewline,
    /// The last line is torn: truncate the file to this size in bytes.
    Truncate(usize),
}

impl<'b> Lines<'b> {
    /// Reads a file.
    ///
    /// A line is readable if it is one JSON object in UTF-8. A last line without a newline that is not readable was
    /// written only in part.
    pub fn read(bytes: &'b [u8]) -> Self {
        let mut result = Self { lines: Vec::new(), unreadable: Vec::new(), repair: Repair::None };
        let mut start = 0;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let range = start..start + line.len();
            start = range.end;
            let is_complete = line.ends_with(b"\n");
            match parse_line(line) {
                Some("") if is_complete => {}
                Some(text) if !text.is_empty() => {
                    result.lines.push(text);
                    if !is_complete {
                        result.repair = Repair::AppendNewline;
                    }
                }
                _ if is_complete => result.unreadable.push(range),
                _ => result.repair = Repair::Truncate(range.start),
            }
        }
        result
    }
}

/// Returns the object of a line, or an empty string for a line of whitespace.
fn parse_line(line: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(line).ok()?.trim_matches([' ', '\t', '\r', '\n']);
    let is_object = text.starts_with('{') && serde_json::from_str::<IgnoredAny>(text).is_ok();
    (text.is_empty() || is_object).then_some(text)
}

/// The files to rename and remove when a file is rotated; the number 0 is the file itself, 1 the newest rotated one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rotation {
    /// The files to remove, first.
    pub remove: Vec<u32>,
    /// The renames, to perform in this order, so that none replaces a file.
    pub rename: Vec<(u32, u32)>,
}

/// Plans the rotation of a file.
///
/// Returns `None` up to `max_bytes`. At most `max_files` rotated files remain; `rotated` has the existing ones.
/// A file is only moved as far as the next free number, so that a rotation that ended in between continues.
pub fn plan_rotation(size: u64, max_bytes: u64, max_files: u32, rotated: &[u32]) -> Option<Rotation> {
    if size <= max_bytes {
        return None;
    }
    let mut rotation = Rotation::default();
    rotation.remove.extend(rotated.iter().filter(|number| **number > max_files));
    let exists = |number: u32| number == 0 || rotated.contains(&number);
    let free = (1..=max_files).find(|number| !exists(*number)).unwrap_or_else(|| {
        rotation.remove.push(max_files);
        max_files
    });
    rotation.rename.extend((0..free).rev().map(|number| (number, number + 1)));
    Some(rotation)
}

/// Returns the rotated files that are older than the retention. `ages` are in seconds; 0 days keep every file.
pub fn find_expired(rotated: &[(u32, u64)], retention_days: u32) -> Vec<u32> {
    let limit = u64::from(retention_days) * 86_400;
    let is_expired = |age: u64| retention_days > 0 && age > limit;
    rotated.iter().filter(|(_, age)| is_expired(*age)).map(|(number, _)| *number).collect()
}
