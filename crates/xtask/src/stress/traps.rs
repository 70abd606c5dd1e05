//! The traps in the root.

/// A kind of entry that could lead outside of the root, or block a process that opens it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Trap {
    LinkIn,
    LinkInDirectory,
    LinkOut,
    LinkOutDirectory,
    OutAndIn,
    AbsoluteOut,
    AbsoluteOutDirectory,
    AbsoluteIn,
    Parent,
    Slash,
    Dangling,
    DanglingOut,
    Loop,
    Chain,
    UpAndOut,
    HardLink,
    Fifo,
    LinkToFifo,
    Socket,
    MagicRoot,
    MagicCurrent,
    MagicDirectory,
    MagicFile,
    OddMode,
    PlantedLink,
    PlantedHardLink,
    PlantedLock,
    /// The target of a path that is followed without care.
    Outside,
}

/// All kinds, with their names in the table.
pub(super) const TRAPS: [(Trap, &str); 28] = [
    (Trap::LinkIn, "link to a file inside"),
    (Trap::LinkInDirectory, "link to a directory inside"),
    (Trap::LinkOut, "link to a file outside"),
    (Trap::LinkOutDirectory, "link to a directory outside"),
    (Trap::OutAndIn, "link out and in again"),
    (Trap::AbsoluteOut, "absolute link to a file outside"),
    (Trap::AbsoluteOutDirectory, "absolute link to a directory outside"),
    (Trap::AbsoluteIn, "absolute link inside"),
    (Trap::Parent, "link to the parent"),
    (Trap::Slash, "link to /"),
    (Trap::Dangling, "link to nothing inside"),
    (Trap::DanglingOut, "link to nothing outside"),
    (Trap::Loop, "link in a loop"),
    (Trap::Chain, "chain of links out"),
    (Trap::UpAndOut, "link in, up and out"),
    (Trap::HardLink, "hard link to a file outside"),
    (Trap::Fifo, "pipe"),
    (Trap::LinkToFifo, "link to a pipe"),
    (Trap::Socket, "socket"),
    (Trap::MagicRoot, "link to /proc/self/root"),
    (Trap::MagicCurrent, "link to /proc/self/cwd"),
    (Trap::MagicDirectory, "link to an open directory in /proc"),
    (Trap::MagicFile, "link to an open file in /proc"),
    (Trap::OddMode, "directory with odd permissions"),
    (Trap::PlantedLink, "link in the place of the temporary file"),
    (Trap::PlantedHardLink, "hard link in the place of the temporary file"),
    (Trap::PlantedLock, "link in the place of the lock"),
    (Trap::Outside, "something outside, if every link is followed"),
];

impl Trap {
    pub(super) fn bit(self) -> u64 {
        1 << self as u32
    }
}

/// Traps with the names of temporary files, which are removed when new content needs the name.
pub(super) const PLANTED: [Trap; 3] = [Trap::PlantedLink, Trap::PlantedHardLink, Trap::PlantedLock];

/// The entry to create.
pub(super) enum Target {
    Directory(u32),
    File,
    Link(String),
    /// A link with the absolute path of an entry next to or in the root.
    LinkToFolder(&'static str),
    /// A link to an open file of this process.
    LinkToOpen(usize),
    Hard,
    Fifo,
    Socket,
}

/// The directories that contain every trap.
pub(super) const PLACES: [&str; 3] = ["", "dir/", "dir/deep/"];

/// The names of the traps in each of them; their targets are in [`trap`].
pub(super) const NAMES: [&str; 30] = [
    "in",
    "in-dir",
    "out",
    "out-dir",
    "back",
    "absolute",
    "absolute-dir",
    "absolute-in",
    "parent",
    "slash",
    "dangling",
    "dangling-out",
    "loop",
    "loop-a",
    "loop-b",
    "chain",
    "up-and-out",
    "hard",
    "fifo",
    "to-fifo",
    "out-fifo",
    "socket",
    "magic-root",
    "magic-current",
    "magic-dir",
    "magic-file",
    "closed",
    "planted",
    "planted-hard",
    "planted-lock",
];

/// Returns the kind of a trap and its target; `up` leads from its directory to the top of the root.
fn trap(name: &str, up: &str) -> (Trap, Target) {
    let link = |target: &str| Target::Link(format!("{up}{target}"));
    let beside = |target: &str| Target::Link(target.to_owned());
    match name {
        "in" => (Trap::LinkIn, link("file")),
        "in-dir" => (Trap::LinkInDirectory, link("dir")),
        "out" => (Trap::LinkOut, link("../outside/outsider-secret")),
        "out-dir" => (Trap::LinkOutDirectory, link("../outside")),
        "back" => (Trap::OutAndIn, link("../stressed/file")),
        "absolute" => (Trap::AbsoluteOut, Target::LinkToFolder("outside/outsider-secret")),
        "absolute-dir" => (Trap::AbsoluteOutDirectory, Target::LinkToFolder("outside")),
        "absolute-in" => (Trap::AbsoluteIn, Target::LinkToFolder("stressed/dir")),
        "parent" => (Trap::Parent, link("..")),
        "slash" => (Trap::Slash, beside("/")),
        "dangling" => (Trap::Dangling, link("dir/nowhere")),
        "dangling-out" => (Trap::DanglingOut, link("../outside/outsider-new")),
        "loop" => (Trap::Loop, beside("loop")),
        "loop-a" => (Trap::Loop, beside("loop-b")),
        "loop-b" => (Trap::Loop, beside("loop-a")),
        "chain" => (Trap::Chain, beside("chain-2")),
        "up-and-out" => (Trap::UpAndOut, link("in-dir/../../outside/outsider-secret")),
        "hard" => (Trap::HardLink, Target::Hard),
        "fifo" => (Trap::Fifo, Target::Fifo),
        "to-fifo" => (Trap::LinkToFifo, beside("fifo")),
        "out-fifo" => (Trap::LinkToFifo, link("../outside/outsider-fifo")),
        "socket" => (Trap::Socket, Target::Socket),
        "magic-root" => (Trap::MagicRoot, beside("/proc/self/root")),
        "magic-current" => (Trap::MagicCurrent, beside("/proc/self/cwd")),
        "magic-dir" => (Trap::MagicDirectory, Target::LinkToOpen(0)),
        "magic-file" => (Trap::MagicFile, Target::LinkToOpen(1)),
        "planted" => (Trap::PlantedLink, Target::File),
        "planted-hard" => (Trap::PlantedHardLink, Target::File),
        "planted-lock" => (Trap::PlantedLock, Target::File),
        _ => (Trap::OddMode, Target::Directory(0)),
    }
}

/// Regular files and directories, under names that look like traps.
pub(super) const PLAIN: [&str; 12] = [
    "file",
    "inner",
    "caf\u{e9}",
    "cafe\u{301}",
    "%2e%2e",
    "\u{ff0e}\u{ff0e}",
    "CON",
    "trailing.",
    " ",
    "a:b",
    "...",
    ".hidden",
];

/// Returns everything in the root, parents first.
pub(super) fn all_entries() -> Vec<(String, Option<Trap>, Target)> {
    let mut all = Vec::new();
    let directories = [
        ("dir", 0o755),
        ("dir/deep", 0o755),
        ("dir/deep/empty", 0o755),
        ("empty", 0o755),
        ("private", 0o700),
    ];
    for (path, bits) in directories {
        all.push((path.to_owned(), None, Target::Directory(bits)));
    }
    for (path, bits) in [("sticky", 0o1777), ("group", 0o2755), ("unreadable", 0o311), ("fixed", 0o555)] {
        all.push((path.to_owned(), Some(Trap::OddMode), Target::Directory(bits)));
    }
    for name in PLAIN.iter().map(|name| (*name).to_owned()).chain(["n".repeat(255), "new\nline".to_owned()]) {
        all.push((name, None, Target::File));
    }
    for (depth, place) in PLACES.iter().enumerate() {
        let up = "../".repeat(depth);
        for name in NAMES {
            let (kind, target) = trap(name, &up);
            all.push((format!("{place}{name}"), Some(kind), target));
        }
        let link = |target: &str| Target::Link(format!("{up}../outside/{target}"));
        all.push((format!("{place}chain-2"), None, Target::Link("chain-3".to_owned())));
        all.push((format!("{place}chain-3"), None, link("outsider-secret")));
        all.push((format!("{place}.planted.minds-new"), None, link("outsider-secret")));
        all.push((format!("{place}.planted-hard.minds-new"), None, Target::Hard));
        all.push((format!("{place}.planted-lock.minds-lock"), None, link("outsider-new")));
        if !place.is_empty() {
            all.push((format!("{place}inner"), None, Target::File));
        }
    }
    all
}

/// Returns whether a path is that of a planted file.
pub(super) fn is_planted(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(|name| name.trim_start_matches('.').starts_with("planted"))
}
