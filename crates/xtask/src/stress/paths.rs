//! Paths that somebody would try who wants to get out.

use super::traps::{NAMES, PLAIN};
use crate::random::Random;

/// The ways by which a trap is reached.
const HEADS: [&str; 10] = [
    "",
    "",
    "dir/",
    "dir/deep/",
    "in-dir/",
    "in-dir/deep/",
    "dir/in-dir/",
    "dir/deep/in-dir/deep/",
    "empty/",
    "private/",
];

/// Names outside, which a trap that leads there makes sense of.
const OUTSIDE: [&str; 7] = [
    "outsider-secret",
    "outsider-deep",
    "outsider-deep/outsider-secret",
    "outsider-new",
    "outsider-link",
    "outsider-deep/outsider-empty",
    "outsider-twin",
];

/// What may stand anywhere.
const ANYWHERE: [&str; 22] = [
    "dir",
    "deep",
    "empty",
    "sticky",
    "group",
    "unreadable",
    "fixed",
    "private",
    "new",
    "new-2",
    "nowhere",
    "outside",
    "stressed",
    "outsider-new",
    ".minds-journal",
    ".file.minds-new",
    ".file.minds-lock",
    ".0-0000000000000000.minds-set",
    ".planted.minds-new",
    ".planted-lock.minds-lock",
    "CON.txt",
    "\u{212a}elvin",
];

/// What is refused before anything is looked at.
const REFUSED: [&str; 16] = [
    "..",
    ".",
    "",
    "/",
    "a\\b",
    "..\\..",
    "nul\0byte",
    "new\nline",
    "tab\t",
    "/etc",
    "\u{202e}txt",
    "\u{200e}",
    "\u{7f}",
    "\u{85}",
    "\r",
    "\u{2066}",
];

/// A sequence of paths.
pub(super) struct Paths {
    random: Random,
    /// How the outside is reached from the top of the system.
    way_from_slash: String,
    too_long: String,
    long: String,
}

impl Paths {
    pub(super) fn new(seed: u64, way_from_slash: String) -> Self {
        Self { random: Random::new(seed), way_from_slash, too_long: "n".repeat(300), long: "n".repeat(255) }
    }

    pub(super) fn next(&mut self) -> String {
        match self.random.below(100) {
            0..65 => self.aimed(),
            65..88 => self.mixed(false),
            _ => self.mixed(true),
        }
    }

    /// Returns a path that leads to a trap, and often to what lies behind it.
    fn aimed(&mut self) -> String {
        let trap = *self.random.pick(&NAMES);
        // Not every directory holds the traps; a path through one that does not leads nowhere.
        let head = *self.random.pick(&HEADS);
        let outside = *self.random.pick(&OUTSIDE);
        let behind = match trap {
            _ if self.random.chance(30) => String::new(),
            "out-dir" | "absolute-dir" | "magic-dir" => format!("/{outside}"),
            "parent" => format!("/outside/{outside}"),
            "slash" | "magic-root" => format!("/{}/{outside}", self.way_from_slash),
            "in-dir" | "absolute-in" => format!("/{}", self.random.pick(&NAMES)),
            "closed" => (*self.random.pick(&["/new", "/file"])).to_owned(),
            _ if self.random.chance(20) => {
                (*self.random.pick(&["/new", "/inner", "/outsider-new"])).to_owned()
            }
            _ => String::new(),
        };
        format!("{head}{trap}{behind}")
    }

    /// Returns a path of anything behind anything.
    fn mixed(&mut self, refused: bool) -> String {
        let count = 1 + self.random.below(5);
        let mut parts: Vec<&str> = Vec::with_capacity(count);
        for _ in 0..count {
            let part = match self.random.below(10) {
                0..3 => *self.random.pick(&NAMES),
                3..5 => *self.random.pick(&PLAIN),
                5 => &self.long,
                _ => *self.random.pick(&ANYWHERE),
            };
            parts.push(part);
        }
        if refused {
            let at = self.random.below(parts.len());
            parts[at] = if self.random.chance(10) { &self.too_long } else { *self.random.pick(&REFUSED) };
        }
        parts.join("/")
    }
}
