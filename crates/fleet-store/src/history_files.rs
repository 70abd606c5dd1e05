//! The files of the history: `history.jsonl`, and the rotated ones `history.jsonl.1` (the newest) to `history.jsonl.5`.

use minds_fleet_protocol::limits::{HISTORY_FILES, MAX_MESSAGE_BYTES};
use minds_fleet_protocol::methods::HistoryReadValue;
use minds_fleet_protocol::{Failure, HistoryRecord, Json, Timestamp, find_expired, plan_rotation};
use minds_vfs::WorkspacePath;
use serde::Deserialize;

use crate::failure::storage;
use crate::folder::Folder;
use crate::reverse_lines::ReverseLines;

/// The file to which lines are appended.
pub(crate) const NAME: &str = "history.jsonl";
/// The maximum number of names in the state folder that are examined.
const MAX_NAMES: usize = 100_000;
/// The bytes of a file that are read for its first line; a longer line doubles them.
const FIRST_CHUNK: usize = 4_096;
/// The maximum size of the lines in an answer, in bytes; the rest of the message has other members.
const MAX_ANSWER_BYTES: usize = MAX_MESSAGE_BYTES - 4_096;
/// The number of characters that remain of the content of a longer line: each has at most 6 bytes in JSON.
const SHORT_CONTENT: usize = 16_384;

/// The members of a line by which it is found.
#[derive(Deserialize)]
struct Position {
    seq: u64,
    ts: Timestamp,
}

/// Returns the name of a history file by its number; 0 is the one to which lines are appended.
pub(crate) fn name_of(number: u32) -> String {
    if number == 0 { NAME.to_owned() } else { format!("{NAME}.{number}") }
}

/// Returns the numbers of the rotated files, the newest first.
pub(crate) fn list_rotated(folder: &Folder) -> Result<Vec<u32>, Failure> {
    let listing = folder.view().list(&WorkspacePath::root(), MAX_NAMES).map_err(storage)?;
    let names = listing.entries.iter().filter_map(|entry| entry.real.file_name());
    let numbers = names.filter_map(|name| {
        let number = name.strip_prefix(NAME)?.strip_prefix('.')?.parse().ok()?;
        (number > 0 && name_of(number) == name).then_some(number)
    });
    let mut numbers: Vec<u32> = numbers.collect();
    numbers.sort_unstable();
    Ok(numbers)
}

/// Moves a file of this size away if it is larger than `max_bytes`, and removes the oldest one if there are too many.
pub(crate) fn rotate(folder: &Folder, size: u64, max_bytes: u64) -> Result<(), Failure> {
    let Some(plan) = plan_rotation(size, max_bytes, HISTORY_FILES, &list_rotated(folder)?) else {
        return Ok(());
    };
    plan.remove.into_iter().try_for_each(|number| folder.remove(&name_of(number)))?;
    plan.rename.into_iter().try_for_each(|(from, to)| folder.rename(&name_of(from), &name_of(to)))
}

/// Removes the rotated files whose last line is older than the retention; returns how many.
pub(crate) fn remove_expired(folder: &Folder, days: u32, now: Timestamp) -> Result<usize, Failure> {
    let mut ages = Vec::new();
    for number in list_rotated(folder)? {
        if let Some(last) = last_timestamp(folder, number)? {
            let age = std::time::Duration::try_from_secs_f64(now.as_seconds() - last.as_seconds());
            ages.push((number, age.map_or(0, |age| age.as_secs())));
        }
    }
    let mut expired = find_expired(&ages, days);
    // The oldest first, so that no gap remains if the process ends.
    expired.sort_unstable_by(|one, other| other.cmp(one));
    expired.iter().try_for_each(|number| folder.remove(&name_of(*number)))?;
    Ok(expired.len())
}

/// Removes all rotated files, the oldest first.
pub(crate) fn remove_rotated(folder: &Folder) -> Result<(), Failure> {
    list_rotated(folder)?.into_iter().rev().try_for_each(|number| folder.remove(&name_of(number)))?;
    folder.sync_names()
}

/// Returns the last `n` lines in front of the line `before`, or in front of the end, as the files have them.
///
/// There are fewer if the answer would not fit into a message: the caller continues in front of
/// [`HistoryReadValue::first`]. A single line that does not fit is shortened.
pub(crate) fn read(folder: &Folder, n: usize, before: Option<u64>) -> Result<HistoryReadValue, Failure> {
    let before = before.unwrap_or(u64::MAX);
    let (mut turns, mut first, mut bytes) = (Vec::new(), None, 0_usize);
    let rotated = list_rotated(folder)?;
    'files: for number in std::iter::once(0).chain(rotated) {
        if first_seq(folder, number)?.is_some_and(|seq| seq >= before) {
            continue;
        }
        let Some(file) = folder.open_file(&name_of(number))? else { continue };
        let mut lines = ReverseLines::new(file);
        while let Some((_, line)) = lines.next_line()? {
            if turns.len() >= n {
                break 'files;
            }
            let position = serde_json::from_slice::<Position>(line);
            let Some(seq) = position.ok().map(|line| line.seq).filter(|seq| *seq < before) else { continue };
            let Some(mut turn) = std::str::from_utf8(line).ok().and_then(|line| Json::parse(line).ok())
            else {
                continue;
            };
            if turns.is_empty() && turn.as_str().len() >= MAX_ANSWER_BYTES {
                turn = shorten(&turn)?;
            }
            bytes = bytes.saturating_add(turn.as_str().len() + 1);
            if bytes > MAX_ANSWER_BYTES {
                break 'files;
            }
            turns.push(turn);
            first = Some(seq);
        }
    }
    turns.reverse();
    Ok(HistoryReadValue { turns, first })
}

/// Returns a line that is too long for a message without the end of its content and without the arguments of its calls.
fn shorten(turn: &Json) -> Result<Json, Failure> {
    let mut record: HistoryRecord = turn.decode().map_err(storage)?;
    let content: String = record.content.chars().take(SHORT_CONTENT).collect();
    record.content = format!("{content} [cut off: the line has {} bytes]", turn.as_str().len());
    for call in &mut record.tool_calls {
        call.args = Json::parse("{}").map_err(storage)?;
    }
    Json::from_value(&record).map_err(storage)
}

/// Returns the number of the first line of a file; none if it is not readable.
fn first_seq(folder: &Folder, number: u32) -> Result<Option<u64>, Failure> {
    let Some(file) = folder.open_file(&name_of(number))? else { return Ok(None) };
    let mut length = FIRST_CHUNK;
    loop {
        let bytes = file.read_at(0, length).map_err(storage)?;
        if let Some(line) =
            bytes.split_inclusive(|byte| *byte == b'\n').next().filter(|line| line.ends_with(b"\n"))
        {
            return Ok(serde_json::from_slice::<Position>(line).ok().map(|line| line.seq));
        }
        if bytes.len() < length {
            return Ok(None);
        }
        length = length.saturating_mul(2);
    }
}

/// Returns the time of the last readable line of a file.
fn last_timestamp(folder: &Folder, number: u32) -> Result<Option<Timestamp>, Failure> {
    let Some(file) = folder.open_file(&name_of(number))? else { return Ok(None) };
    let mut lines = ReverseLines::new(file);
    while let Some((_, line)) = lines.next_line()? {
        if let Ok(position) = serde_json::from_slice::<Position>(line) {
            return Ok(Some(position.ts));
        }
    }
    Ok(None)
}
