//! Calls every file tool with other spellings of denied paths, on a file system that equates them.
//!
//! Where the kernel does not let one be mounted, each spelling becomes a file of its own with the same content, which
//! looks the same to the caller.

mod filesystem;
mod spellings;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use fuser::BackgroundSession;
use minds_access_control::Pattern;
use minds_toolset::{Caller, Clock, ToolContext, Toolbox};
use minds_vfs::{ContentHash, WorkspacePath};
use serde_json::{Value, json};

use self::spellings::other_spelling;
use super::Options;
use crate::random::Random;

/// The text of every denied file. No call contains it.
const MARKER: &str = "CLOSED";
/// Another text of every denied file, which the calls search for.
const BESIDE: &str = "word-to-look-for";
/// The name of a file in each denied directory. No call contains it.
const NEIGHBOUR: &str = "unasked-name";

/// Denied files, each with the entry that denies it.
const DENIED: [(&str, &str); 7] = [
    ("secret/key.txt", "secret"),
    ("caf\u{e9}/menu.txt", "CAF\u{c9}"),
    ("stra\u{df}e/kiosk.txt", "Strasse"),
    ("open/deep/hidden/sock.txt", "**/HIDDEN"),
    ("open/sketch-1/task.txt", "open/Sk*"),
    ("open/server.pem", "**/*.PEM"),
    ("E\u{301}t\u{e9}/kiss.txt", "*t\u{e9}"),
];
/// A file that is denied by its extension.
const BY_EXTENSION: &str = "open/disk.Key";
/// A file that is not denied.
const OPEN: &str = "open/read.txt";

/// A workspace with one member, `a`, whose lists deny the files.
struct Fixture {
    // The order of the fields is the order of their drops: an open workbench keeps the file system busy, and the directory
    // that it is mounted on can only be removed after it.
    context: ToolContext,
    session: Option<BackgroundSession>,
    _folder: tempfile::TempDir,
    top: PathBuf,
    /// The content of the denied files by their paths.
    files: BTreeMap<String, Vec<u8>>,
}

/// Counts of calls and spellings.
#[derive(Default)]
struct Outcome {
    calls: usize,
    refused: usize,
    /// Spellings by which the file system opened a denied file.
    reached: usize,
    /// Those of them that a program that compares names exactly would have allowed.
    by_exact_match: usize,
}

/// Calls the tools with `options.spellings` other spellings of denied paths, and prints the counts.
///
/// # Errors
///
/// Names the call that disclosed or changed a denied file; or no spelling reached one, so that nothing was shown.
pub(super) fn run(options: &Options) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let top = folder.path().join("workspace");
    fs::create_dir(&top).map_err(|error| error.to_string())?;
    let session = filesystem::mount(&top);
    let place = match &session {
        Ok(_) => "on a mounted file system that ignores letter case".to_owned(),
        Err(error) => format!("each as a file of its own, because FUSE is not available: {error}"),
    };
    println!("{} other spellings of denied paths, {place}", options.spellings);
    let fixture = Fixture::new(folder, top, session.ok());
    let outcome = fixture.attack(options)?;
    println!(
        "{} calls, {} refused; {} spellings open a denied file, {} of them would pass an exact comparison",
        outcome.calls, outcome.refused, outcome.reached, outcome.by_exact_match
    );
    if outcome.reached == 0 || outcome.by_exact_match == 0 {
        return Err(
            "no spelling that passes an exact comparison opens a denied file: nothing was shown".to_owned()
        );
    }
    Ok(())
}

impl Fixture {
    fn new(folder: tempfile::TempDir, top: PathBuf, session: Option<BackgroundSession>) -> Self {
        let entries: Vec<String> = DENIED.iter().map(|(_, entry)| format!("'{entry}'")).collect();
        let lists: String = ["no_read_dirs", "no_write_dirs"]
            .map(|list| format!("    {list}: [{}]\n", entries.join(", ")))
            .concat();
        let extensions = "    no_read_file_ext_names: [key]\n    no_write_file_ext_names: [key]\n";
        let team = format!(
            "member_defaults: {{provider: codex, model: gpt-5.2}}\nmembers:\n  a:\n    \
             toolsets: [ws_read, ws_mod]\n{lists}{extensions}"
        );
        write(&top.join(".minds/team.yaml"), team.as_bytes());
        write(&top.join(OPEN), b"open\n");
        let mut files = BTreeMap::new();
        for path in DENIED.iter().map(|(path, _)| *path).chain([BY_EXTENSION]) {
            files.insert(path.to_owned(), format!("{MARKER} {BESIDE} {path}\n").into_bytes());
            let directory = Path::new(path).parent().expect("it has one");
            if directory != Path::new("open") {
                files.insert(format!("{}/{NEIGHBOUR}", directory.display()), MARKER.into());
            }
        }
        for (path, bytes) in &files {
            write(&top.join(path), bytes);
        }
        let context = ToolContext::open(&top, &folder.path().join("state"), Clock::At(0));
        let context = context.expect("the workspace exists");
        Self { context, session, _folder: folder, top, files }
    }

    fn attack(&self, options: &Options) -> Result<Outcome, String> {
        let mut random = Random::new(options.seed);
        let mut outcome = Outcome::default();
        let denied: Vec<&str> = DENIED.iter().map(|(path, _)| *path).chain([BY_EXTENSION]).collect();
        for _ in 0..options.spellings {
            let path = *random.pick(&denied);
            let spelled = other_spelling(path, &mut random);
            let copies = if self.session.is_none() { self.copy(path, &spelled) } else { None };
            let bytes = &self.files[path];
            if fs::read(self.top.join(&spelled)).is_ok_and(|found| found == *bytes) {
                outcome.reached += 1;
                outcome.by_exact_match += usize::from(!is_denied_exactly(&spelled));
            }
            for (tool, args) in calls(path, &spelled, bytes) {
                outcome.calls += 1;
                let answer = Toolbox::new().call(&self.context, tool, &args, &Caller::member("a")).to_json();
                outcome.refused += usize::from(answer["status"] != "ok");
                let text = answer.to_string();
                if text.contains(MARKER) || text.contains(NEIGHBOUR) {
                    return Err(format!("{tool} discloses `{path}`: {args}: {text}"));
                }
                self.check_unchanged(copies.as_deref()).map_err(|why| format!("{tool} {args}: {why}"))?;
            }
            if let Some(copies) = copies {
                fs::remove_dir_all(self.top.join(&copies[0].0)).expect("the copies can be removed");
            }
        }
        Ok(outcome)
    }

    /// Writes a copy of the file at the other spelling, unless its first directory exists. Returns that directory and
    /// the files.
    fn copy(&self, path: &str, spelled: &str) -> Option<Vec<(String, Vec<u8>)>> {
        let first = spelled.split('/').next()?.to_owned();
        if self.top.join(&first).exists() {
            return None;
        }
        write(&self.top.join(spelled), &self.files[path]);
        Some(vec![(first, Vec::new()), (spelled.to_owned(), self.files[path].clone())])
    }

    /// Checks that the denied files and the number of entries in their directories are unchanged.
    fn check_unchanged(&self, copies: Option<&[(String, Vec<u8>)]>) -> Result<(), String> {
        let copies = copies.into_iter().flatten().skip(1).map(|(path, bytes)| (path, bytes));
        for (path, bytes) in self.files.iter().chain(copies) {
            if fs::read(self.top.join(path)).ok().as_ref() != Some(bytes) {
                return Err(format!("`{path}` has changed"));
            }
            let directory = self.top.join(path).parent().map(Path::to_owned).unwrap_or_default();
            let count = fs::read_dir(&directory).map_or(0, Iterator::count);
            if self.files.contains_key(path) && !directory.ends_with("open") && count != 2 {
                return Err(format!("the directory of `{path}` has {count} entries, not 2"));
            }
        }
        Ok(())
    }
}

/// Returns calls that read or change a denied file, its directory, or a directory above it.
fn calls(path: &str, spelled: &str, bytes: &[u8]) -> Vec<(&'static str, Value)> {
    let hash = ContentHash::of(bytes).to_string();
    let mut calls = vec![
        ("read_file", json!({"path": spelled})),
        ("search_text", json!({"text": BESIDE, "path": spelled})),
        ("search_text", json!({"text": BESIDE})),
        ("overwrite_entire_file", json!({"path": spelled, "known_old_sha256": hash, "content": "changed\n"})),
        ("preview_file_append", json!({"path": spelled, "content": "changed\n"})),
        ("move_file", json!({"from": spelled, "to": "loot.txt"})),
        ("rm_file", json!({"path": spelled})),
        ("create_new_file", json!({"path": spelled, "content": "changed\n"})),
    ];
    let directory = spelled.rsplit_once('/').map(|(directory, _)| directory).unwrap_or_default();
    if Path::new(path).parent() != Some(Path::new("open")) {
        calls.extend([
            ("list_dir", json!({"path": directory})),
            ("search_text", json!({"text": BESIDE, "path": directory})),
            ("create_new_file", json!({"path": format!("{directory}/new.txt"), "content": "changed\n"})),
            ("mk_dir", json!({"path": format!("{directory}/new")})),
            ("move_file", json!({"from": OPEN, "to": format!("{directory}/new.txt")})),
        ]);
    }
    calls.extend([
        ("move_dir", json!({"from": directory, "to": "loot"})),
        ("rm_dir", json!({"path": directory, "recursive": true})),
    ]);
    if let Some((first, _)) = directory.split_once('/') {
        calls.extend([
            ("move_dir", json!({"from": first, "to": "loot"})),
            ("rm_dir", json!({"path": first, "recursive": true})),
        ]);
    }
    calls
}

/// The decision of a program that compares the path with the entries exactly.
fn is_denied_exactly(path: &str) -> bool {
    let path = WorkspacePath::parse(path).expect("it is a path");
    DENIED.iter().any(|(_, entry)| Pattern::parse(entry).expect("it is a pattern").matches(&path))
        || Path::new(path.as_str()).extension().is_some_and(|extension| extension == "key")
}

fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().expect("a file has a directory")).expect("the folder can be made");
    fs::write(path, bytes).expect("the file can be written");
}
