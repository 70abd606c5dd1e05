//! A real client with the hook of `minds`: attempts with hostile paths, after which nothing is changed that the lists deny.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use minds_access_control::{Access, Policy};
use minds_vfs::WorkspacePath;
use serde_json::json;

use super::client::Client;
use super::disk;
use super::hostile::{Attempt, Attempts, FILES, LINKS, NO_WRITE_DIRS, SECRET, WRITE_DIRS};
use super::model::{Answer, Call, Script};
use super::place::Place;
use crate::mcp::node::Node;
use crate::random::Random;

/// The number of calls that the model makes at the same time.
const CALLS_PER_TURN: usize = 10;
/// The folders of the home in which the client keeps its data.
const DATA_FOLDERS: [&str; 4] = [".cache", ".config", ".local", ".npm"];

/// Runs a session with a number of attempts; returns what was observed.
pub(super) fn run(node: &Node, minds: &Path, attempts: usize, seed: u64) -> Result<String, String> {
    let place = Place::new("hooks-opencode", minds, &FILES);
    for (path, target) in LINKS {
        place.link(path, target);
    }
    // The client itself allows everything, so that only the hook denies.
    place.write("opencode.json", r#"{ "permission": { "*": "allow", "external_directory": "allow" } }"#);
    place.render(&["hooks:opencode"], &["--member", "coder"])?;

    let (workspace, outside) = (place.workspace(), place.outside());
    let random = Random::new(seed);
    let mut generator = Attempts { random, workspace: &workspace, outside: &outside };
    let attempts: Vec<Attempt> = (0..attempts).map(|number| generator.next(number)).collect();
    // The client has written its own files before the answer to the first call.
    let first = Call::new("read", json!({ "filePath": "README.md" }));
    let mut turns = vec![vec![first]];
    turns.extend(
        attempts
            .chunks(CALLS_PER_TURN)
            .map(|chunk| chunk.iter().map(|attempt| attempt.call.clone()).collect()),
    );
    let watch = Arc::new(Mutex::new(Watch::new(&place, attempts)));
    let observer = {
        let watch = Arc::clone(&watch);
        Box::new(move |turn: usize, answers: &[Answer]| {
            watch.lock().expect("no thread panics").compare(turn, answers);
        })
    };
    Client::Opencode.run(node, &place, &[], Script { turns, delegation: None, observer })?;
    let watch = watch.lock().expect("no thread panics");
    watch.result()
}

/// Compares the disk after each turn, while the client waits for the model.
struct Watch {
    workspace: PathBuf,
    folders: Vec<PathBuf>,
    home: PathBuf,
    policy: Policy,
    attempts: Vec<Attempt>,
    tree: disk::Tree,
    written: usize,
    refused: usize,
    wrong: Vec<String>,
}

impl Watch {
    fn new(place: &Place, attempts: Vec<Attempt>) -> Self {
        let mut policy = Policy::builder();
        for pattern in WRITE_DIRS {
            policy = policy.allow(Access::Write, pattern).expect("the pattern is valid");
        }
        for pattern in NO_WRITE_DIRS {
            policy = policy.deny(Access::Write, pattern).expect("the pattern is valid");
        }
        Self {
            workspace: place.workspace(),
            folders: vec![place.workspace(), place.outside(), place.home()],
            home: place.home(),
            policy: policy.build(),
            attempts,
            tree: disk::Tree::new(),
            written: 0,
            refused: 0,
            wrong: Vec::new(),
        }
    }

    fn compare(&mut self, turn: usize, answers: &[Answer]) {
        let is_data = |path: &PathBuf| DATA_FOLDERS.iter().any(|name| path.starts_with(self.home.join(name)));
        let mut tree = disk::read(&self.folders);
        tree.retain(|path, _| !is_data(path));
        let before = std::mem::replace(&mut self.tree, tree);
        let Some(turn) = turn.checked_sub(1) else { return };
        let start = turn * CALLS_PER_TURN;
        let calls = &self.attempts[start..start + answers.len()];
        for path in disk::find_changes(&before, &self.tree) {
            let inner = disk::relative(&path, &self.workspace);
            let inner = inner.and_then(|path| WorkspacePath::parse(path).ok());
            let is_allowed = inner.is_some_and(|path| self.policy.check(Access::Write, &path).is_allowed());
            if !is_allowed {
                let calls: Vec<String> = calls
                    .iter()
                    .map(|attempt| format!("{} {}", attempt.call.tool, attempt.call.arguments))
                    .collect();
                self.wrong.push(format!(
                    "{} was changed by one of:\n  {}",
                    path.display(),
                    calls.join("\n  ")
                ));
            }
        }
        for (attempt, answer) in calls.iter().zip(answers) {
            self.refused += usize::from(answer.is_error);
            if answer.text.contains(SECRET) {
                self.wrong
                    .push(format!("a secret was read by {} {}", attempt.call.tool, attempt.call.arguments));
            }
            let Some(expected) = &attempt.expected else { continue };
            if matches!(self.tree.get(&self.workspace.join(expected)), Some(disk::Entry::File(_))) {
                self.written += 1;
            } else {
                self.wrong.push(format!("`{expected}` is allowed, but was not written: {}", answer.text));
            }
        }
    }

    fn result(&self) -> Result<String, String> {
        let temporary = "/dev/shm/minds-n";
        let left =
            std::fs::read_dir("/dev/shm").into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
        let left: Vec<_> = left.filter(|path| path.to_string_lossy().starts_with(temporary)).collect();
        if let Some(path) = left.first() {
            return Err(format!("{} was written", path.display()));
        }
        if !self.wrong.is_empty() {
            return Err(self.wrong.join("\n"));
        }
        let expected = self.attempts.iter().filter(|attempt| attempt.expected.is_some()).count();
        if self.written != expected || self.refused < self.attempts.len() / 2 {
            return Err(format!("{} of {expected} written, {} refused", self.written, self.refused));
        }
        Ok(format!(
            "{} attempts: all {} allowed writes were made, {} calls were refused, and nothing denied was changed or read",
            self.attempts.len(),
            self.written,
            self.refused
        ))
    }
}
