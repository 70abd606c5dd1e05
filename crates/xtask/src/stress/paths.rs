//! Hostile paths.

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

/// Names outside that are appended to traps that lead there.
const OUTSIDE: [&str; 7] = [
    "outsider-secret",
    "outsider-deep",
    "outsider-deep/outsider-secret",
    "outsider-new",
    "outsider-link",
    "outsider-deep/outsider-empty",
    "outsider-twin",
];

/// Segments that may be anywhere.
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

/// Segments that are rejected before any access.
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

/// A generator of hostile paths.
pub(super) struct Paths {
    random: Random,
    /// The path of the outside from the file system root.
    path_from_root: String,
    too_long: String,
    long: String,
}

impl Paths {
    pub(super) fn new(seed: u64, path_from_root: String) -> Self {
        Self { random: Random::new(seed), path_from_root, too_long: "n".repeat(300), long: "n".repeat(255) }
    }

    pub(super) fn next(&mut self) -> String {
        match self.random.next_below(100) {
            0..65 => self.trap_path(),
            65..88 => self.mixed_path(false),
            _ => self.mixed_path(true),
        }
    }

    /// Returns a path that leads to a trap, and often to an entry beyond it.
    fn trap_path(&mut self) -> String {
        let trap = *self.random.pick(&NAMES);
        // Not every directory contains the traps; a path through another one leads nowhere.
        let head = *self.random.pick(&HEADS);
        let outside = *self.random.pick(&OUTSIDE);
        let suffix = match trap {
            _ if self.random.is_true_in(30) => String::new(),
            "out-dir" | "absolute-dir" | "magic-dir" => format!("/{outside}"),
            "parent" => format!("/outside/{outside}"),
            "slash" | "magic-root" => format!("/{}/{outside}", self.path_from_root),
            "in-dir" | "absolute-in" => format!("/{}", self.random.pick(&NAMES)),
            "closed" => (*self.random.pick(&["/new", "/file"])).to_owned(),
            _ if self.random.is_true_in(20) => {
                (*self.random.pick(&["/new", "/inner", "/outsider-new"])).to_owned()
            }
            _ => String::new(),
        };
        format!("{head}{trap}{suffix}")
    }

    /// Returns a path of arbitrary segments.
    fn mixed_path(&mut self, refused: bool) -> String {
        let count = 1 + self.random.next_below(5);
        let mut parts: Vec<&str> = Vec::with_capacity(count);
        for _ in 0..count {
            let part = match self.random.next_below(10) {
                0..3 => *self.random.pick(&NAMES),
                3..5 => *self.random.pick(&PLAIN),
                5 => &self.long,
                _ => *self.random.pick(&ANYWHERE),
            };
            parts.push(part);
        }
        if refused {
            let at = self.random.next_below(parts.len());
            parts[at] = if self.random.is_true_in(10) { &self.too_long } else { *self.random.pick(&REFUSED) };
        }
        parts.join("/")
    }
}
