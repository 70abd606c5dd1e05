//! Random edits of `mcp.yaml`.
#![expect(clippy::disallowed_types, reason = "a file is written in parts")]

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use super::super::place::{Place, configuration};
use super::model::{Entry, IDS, Kind, MARK, MAX_TOOLS, Model};
use crate::random::Random;

/// What an edit does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Change {
    /// A server gets another configuration, which works.
    Works,
    /// A server gets one that fails.
    Fails,
    /// A server gets one that hangs.
    Hangs,
    /// A server gets one that cannot be used.
    Unusable,
    /// A server gets the configuration that worked last.
    Restored,
    /// The tools of a server are renamed.
    Renamed,
    /// A server is disabled.
    Disabled,
    /// A server is removed.
    Removed,
    /// The order of the servers changes.
    Ordered,
    /// The file is written again.
    Rewritten,
    /// The file becomes one that cannot be used.
    Broken,
    /// The file is removed.
    Absent,
    /// A server ends by itself.
    Ended,
}

/// How often each change is made, in relation to the other ones.
const WEIGHTS: [(Change, usize); 13] = [
    (Change::Works, 25),
    (Change::Fails, 15),
    (Change::Hangs, 5),
    (Change::Unusable, 8),
    (Change::Restored, 8),
    (Change::Renamed, 8),
    (Change::Disabled, 4),
    (Change::Removed, 6),
    (Change::Ordered, 4),
    (Change::Rewritten, 2),
    (Change::Broken, 10),
    (Change::Absent, 3),
    (Change::Ended, 2),
];

const STEPS: [&str; 3] = ["start", "handshake", "list"];

/// What is in the file, or would be if it were not broken or removed.
pub(super) struct Editor<'p> {
    place: &'p Place,
    entries: Vec<Entry>,
    generations: usize,
    edits: usize,
}

impl<'p> Editor<'p> {
    pub(super) fn new(place: &'p Place) -> Self {
        let mark = Entry { id: MARK, generation: 0, kind: Kind::Works(1), prefix: String::new() };
        mark.prepare(place);
        Self { place, entries: vec![mark], generations: 0, edits: 0 }
    }

    /// Writes the first file.
    pub(super) fn begin(&mut self, model: &mut Model) {
        model.read(&self.entries);
        write_at_once(&self.file(), self.text().as_bytes());
    }

    /// Makes a random edit, and records it in the model. A server that is to end is returned.
    pub(super) fn edit(&mut self, model: &mut Model, random: &mut Random) -> (Change, Option<&'static str>) {
        let mut change = pick(random);
        let id = *random.pick(&IDS);
        let at = self.entries.iter().position(|entry| entry.id == id);
        let good = model.good.get(id).cloned();
        // Without a server to change, one is added.
        let needs_entry = matches!(change, Change::Renamed | Change::Disabled | Change::Removed);
        let needs_good = matches!(change, Change::Hangs | Change::Restored);
        let is_missing = needs_entry && at.is_none() || needs_good && good.is_none();
        if is_missing || change == Change::Ended && !model.is_current(id) {
            change = Change::Works;
        }
        self.edits += 1;
        match change {
            Change::Works => self.replace(id, Kind::Works(1 + random.next_below(MAX_TOOLS))),
            Change::Fails => {
                let step = if random.is_true_in(25) {
                    Kind::Missing
                } else {
                    Kind::Fails(random.pick::<&str>(&STEPS))
                };
                self.replace(id, step);
            }
            Change::Hangs => self.replace(id, Kind::Hangs(random.pick::<&str>(&STEPS))),
            Change::Unusable => self.replace(id, Kind::Unset),
            Change::Restored => {
                let good = good.expect("it was looked for");
                let entry = Entry {
                    id,
                    generation: good.generation,
                    kind: Kind::Works(good.tools),
                    prefix: String::new(),
                };
                self.put(entry);
            }
            Change::Renamed => self.entry(at).prefix = format!("p{}_", self.edits),
            Change::Disabled => self.entry(at).kind = Kind::Disabled,
            Change::Removed => drop(self.entries.remove(at.expect("it was looked for"))),
            Change::Ordered => {
                let other = random.next_below(self.entries.len());
                self.entries.swap(0, other);
            }
            Change::Rewritten => {}
            Change::Broken => {
                self.break_file(random);
                model.find_broken();
                return (change, None);
            }
            Change::Absent => {
                // It may be absent already.
                let _ = fs::remove_file(self.file());
                // A server that hangs and never worked would make each list of tools wait.
                self.entries.retain(|entry| !matches!(entry.kind, Kind::Hangs(_)));
                model.find_removed();
                return (change, None);
            }
            Change::Ended => {
                model.find_ended(id);
                return (change, Some(id));
            }
        }
        let mark = self.entries.iter().position(|entry| entry.id == MARK);
        if change != Change::Rewritten {
            self.entry(mark).prefix = format!("m{}_", self.edits);
        }
        model.read(&self.entries);
        self.write(random);
        (change, None)
    }

    fn entry(&mut self, at: Option<usize>) -> &mut Entry {
        &mut self.entries[at.expect("it was looked for")]
    }

    /// Gives a server another configuration, or adds it.
    fn replace(&mut self, id: &'static str, kind: Kind) {
        self.generations += 1;
        let entry = Entry { id, generation: self.generations, kind, prefix: String::new() };
        entry.prepare(self.place);
        self.put(entry);
    }

    fn put(&mut self, entry: Entry) {
        match self.entries.iter_mut().find(|known| known.id == entry.id) {
            Some(known) => *known = entry,
            None => self.entries.push(entry),
        }
    }

    fn file(&self) -> std::path::PathBuf {
        self.place.path("ws/.minds/mcp.yaml")
    }

    fn text(&self) -> String {
        let entries: Vec<_> =
            self.entries.iter().map(|entry| (entry.id, entry.to_json(self.place))).collect();
        configuration(&entries)
    }

    /// Writes the file at once, in place, or in two parts.
    fn write(&self, random: &mut Random) {
        let (file, text) = (self.file(), self.text());
        match random.next_below(5) {
            0 => fs::write(file, text).expect("the file can be written"),
            1 => {
                let half = random.next_below(text.len());
                fs::write(&file, &text.as_bytes()[..half]).expect("the file can be written");
                let mut rest = OpenOptions::new().append(true).open(file).expect("the file exists");
                rest.write_all(&text.as_bytes()[half..]).expect("the file can be written");
            }
            _ => write_at_once(&file, text.as_bytes()),
        }
    }

    /// Writes a file that cannot be used.
    fn break_file(&self, random: &mut Random) {
        let text = self.text();
        let begin = text.find('{').expect("it is a mapping") + 1;
        let broken = match random.next_below(7) {
            0 => Vec::new(),
            1 => text.replacen("\"version\": 1", "\"version\": 2", 1).into_bytes(),
            2 => text.replacen("\"version\": 1, ", "", 1).into_bytes(),
            3 => text.replacen("\"servers\": {", "\"servers\": 7, \"x\": {", 1).into_bytes(),
            4 => text
                .replacen(&format!("\"{MARK}\": "), &format!("\"{MARK}\": {{}}, \"{MARK}\": "), 1)
                .into_bytes(),
            5 => [text.as_bytes(), b"\xff"].concat(),
            // The last characters are a bracket and a line break.
            _ => text.as_bytes()[..begin + random.next_below(text.len() - 1 - begin)].to_vec(),
        };
        if random.is_true_in(50) {
            write_at_once(&self.file(), &broken);
        } else {
            fs::write(self.file(), broken).expect("the file can be written");
        }
    }
}

fn pick(random: &mut Random) -> Change {
    let sum = WEIGHTS.iter().map(|(_, weight)| weight).sum();
    let mut number = random.next_below(sum);
    for (change, weight) in WEIGHTS {
        match number.checked_sub(weight) {
            Some(rest) => number = rest,
            None => return change,
        }
    }
    Change::Works
}

fn write_at_once(path: &Path, bytes: &[u8]) {
    let new = path.with_extension("new");
    fs::write(&new, bytes).expect("the file can be written");
    fs::rename(new, path).expect("the file can be replaced");
}
