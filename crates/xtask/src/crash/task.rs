//! A task package whose changes die: every section is old or new, and the journal says which.

use std::collections::BTreeMap;
use std::path::Path;

use minds_document::ContentHash;
use minds_operations::task::{Author, Edit, Package, Request, Tasks};
use minds_system::Root;
use minds_system::faults::{Plan, run};
use minds_taskdoc::{Operation, Section};

use super::deaths::{Deaths, Work};
use super::tree::{Files, Tree};
use super::verdict::open_again;
use super::victim::{start_worker, wait};
use crate::random::Random;

/// By this word a victim is told that it is to change a package.
pub(super) const WORD: &str = "task";
/// A victim lives at most so many microseconds after its first change.
const LONGEST_LIFE: usize = 6_000;
/// Enough changes for that.
pub(super) const MAX_STEPS: u64 = 400;
/// How late a process that clears up after another one is killed at most.
const LATEST_CALL: usize = 90;
/// The sections that are changed in turn: one that is always there, and some that come and go.
const SECTIONS: [&str; 5] = ["goals", "progress", "bearinmind/risks", "ux/list", "api/deep.list"];

/// The contents after a number of changes: of sections that are not in it nothing is there, or nothing in it.
type Contents = BTreeMap<&'static str, String>;

/// Returns the change with this number: the section, and what becomes of it.
fn step(number: u64) -> (&'static str, Edit) {
    let section = SECTIONS[usize::try_from(number % 5).unwrap_or_default()];
    let edit = match number % 13 {
        3 | 8 if section.contains('/') => Edit::Remove,
        5 => Edit::Clear,
        7 => Edit::Append { text: text(number), separator: Some("\n---\n".to_owned()) },
        _ => Edit::Set(text(number)),
    };
    (section, edit)
}

/// A text that no other number has, of a line or of several blocks.
fn text(number: u64) -> String {
    format!("{number} ").repeat(1 + usize::try_from(number % 7).unwrap_or_default() * 300) + "\n"
}

/// Returns what is there after so many changes, and how many lines the journal has.
fn contents(steps: u64) -> (Contents, usize) {
    let (mut contents, mut lines) = (Contents::new(), 0);
    for number in 1..=steps {
        let (section, edit) = step(number);
        let before = contents.get(section).cloned();
        let after = match edit {
            Edit::Set(text) => Some(text),
            Edit::Append { text, .. } => match &before {
                None if section.contains('/') => before.clone(),
                Some(before) if !before.is_empty() => Some(format!("{before}\n---\n{text}")),
                _ => Some(text),
            },
            Edit::Clear => Some(String::new()),
            _ => None,
        };
        let is_same = before.clone().unwrap_or_default() == after.clone().unwrap_or_default()
            && (before.is_some() == after.is_some() || !section.contains('/'));
        lines += usize::from(!is_same);
        match after {
            Some(after) => contents.insert(section, after),
            None => contents.remove(section),
        };
    }
    (contents, lines)
}

/// Makes the change with this number. One that there is nothing to be done for is none.
pub(super) fn perform(root: &Root, number: u64) -> Result<(), String> {
    let (section, edit) = step(number);
    let author = Author { actor: "coder".to_owned(), time: 1_700_000_000_000 + number };
    let section = Section::parse_whole(section).map_err(|error| error.to_string())?;
    match find(root)?.change(&author, &Request { section, edit, expected: None }) {
        Err(error) if error.code.as_str() == "SECTION_NOT_FOUND" => Ok(()),
        changed => changed.map(|_| ()).map_err(|error| error.to_string()),
    }
}

fn find(root: &Root) -> Result<Package<'_>, String> {
    Tasks::open(root).and_then(|tasks| tasks.find(None)).map_err(|error| error.to_string())
}

/// Makes a folder with a package in which so many changes were made.
fn fresh(steps: u64) -> Tree {
    let tree = Tree::new(&Files::new());
    let root = tree.open();
    Tasks::open(&root).and_then(|tasks| tasks.create("demo")).expect("it can be made");
    for number in 1..=steps {
        perform(&root, number).expect("it can be changed");
    }
    tree
}

/// Kills a process before and after each call of several changes, so many times each, and so many at any moment.
pub(super) fn kill(program: &Path, each: usize, kills: usize, seed: u64) -> Result<Deaths, String> {
    let mut random = Random::new(seed);
    let mut deaths = Deaths::default();
    // One of each kind: set, made in a new category, cleared, appended to, removed.
    for before in [10, 3, 17, 19, 28] {
        let tree = fresh(before);
        let template = tree.seen();
        let root = tree.open();
        let (done, calls) = run(Plan::none(), || perform(&root, before + 1));
        done?;
        for (at, call) in calls.iter().enumerate() {
            for time in 0..each {
                let tree = Tree::new(&template);
                let death = if time % 2 == 0 { "kill-before" } else { "kill-after" };
                let plan = format!("{}:{death}", at + 1);
                let failed = |why| format!("change {}, {plan} ({call}): {why}", before + 1);
                let (killed, _) = wait(start_worker(program, WORD, tree.path(), [before, 1], &plan, None));
                if !killed {
                    return Err(failed("it did not die".to_owned()));
                }
                // Who finishes what it left may die as well.
                if time % 4 >= 2 {
                    let found = judge(&tree, before, [before, before + 1]).map_err(failed)?;
                    let plan = format!("{}:{death}", 1 + random.below(LATEST_CALL));
                    let (killed, _) = wait(start_worker(program, WORD, tree.path(), [found, 1], &plan, None));
                    let done = found + u64::from(!killed);
                    judge(&tree, done, [done, found + 1]).map_err(failed)?;
                }
                go_on(&tree, before).map_err(failed)?;
                deaths.at_calls += 1;
            }
        }
    }
    let template = fresh(0).seen();
    let work = Work {
        step: "change",
        longest_life: LONGEST_LIFE,
        fresh: &|| Tree::new(&template),
        start: &|tree, progress| start_worker(program, WORD, tree, [0, MAX_STEPS], "none", Some(progress)),
        judge: &|tree, acknowledged| {
            let found = judge(tree, acknowledged, [acknowledged, acknowledged + 1])?;
            go_on(tree, acknowledged).map(|()| found)
        },
    };
    deaths.at_moments(&work, kills, &mut random)?;
    Ok(deaths)
}

/// Makes the next change, and looks at what is there then. `least` changes were made for sure.
fn go_on(tree: &Tree, least: u64) -> Result<(), String> {
    let found = judge(tree, least, [least, least + 2])?;
    perform(&tree.open(), found + 1).map_err(|error| format!("it does not go on: {error}"))?;
    judge(tree, found + 1, [found + 1, found + 1])?;
    // A temporary file goes with the next change in its directory.
    open_again(&tree.open());
    let is_left = |path: &String| path.contains(".minds-") || path.ends_with(".history/pending");
    match tree.seen().into_keys().find(is_left) {
        Some(left) => Err(format!("`{left}` is still there after the next change")),
        None => Ok(()),
    }
}

/// Expects that a number of changes between two was made, all of each or nothing: every section, every line of the journal
/// and every content that undoing needs. Returns how many it is; the first number that is possible.
fn judge(tree: &Tree, least: u64, [from, to]: [u64; 2]) -> Result<u64, String> {
    let root = tree.open();
    let package = find(&root)?;
    let entries = verify(&package)?;
    let mut now = Contents::new();
    for section in SECTIONS {
        let parsed = Section::parse_whole(section).map_err(|error| error.to_string())?;
        if let Some(found) = package.section(&parsed).map_err(|error| error.to_string())? {
            now.insert(section, found.text);
        }
    }
    let is_there = |steps: &u64| {
        let (expected, lines) = contents(*steps);
        let is_same = SECTIONS.iter().all(|section| {
            let (now, then) = (now.get(section), expected.get(section));
            now == then || !section.contains('/') && then.is_none() && now.is_some_and(String::is_empty)
        });
        is_same && lines == entries
    };
    (from.max(least)..=to).find(is_there).ok_or_else(|| {
        let brief: Vec<String> =
            now.iter().map(|(name, text)| format!("{name}: {} bytes", text.len())).collect();
        format!("torn or lost: neither of {from}..={to} changes: {entries} lines, {brief:?}")
    })
}

/// Expects that a journal is whole and true, and returns how many lines it has.
pub(super) fn verify(package: &Package<'_>) -> Result<usize, String> {
    let journal = package.journal().map_err(|error| error.to_string())?;
    if let Some(problem) = journal.problems.first() {
        return Err(format!("line {} of the journal: {}", problem.line, problem.reason));
    }
    let known = journal.by_id();
    let mut last: BTreeMap<&Section, Option<ContentHash>> = BTreeMap::new();
    for entry in &journal.entries {
        if !entry.parents.iter().all(|parent| known.contains_key(parent)) {
            return Err(format!("{} comes after what is not there", entry.id));
        }
        if entry.operation == Operation::Outside {
            return Err(format!("{} says that somebody else changed something", entry.id));
        }
        let before = last.insert(&entry.section, entry.after).flatten();
        let nothing = ContentHash::of(b"");
        if before.unwrap_or(nothing) != entry.before.unwrap_or(nothing) {
            return Err(format!("{} does not begin with what was there", entry.id));
        }
    }
    // What is older may be gone.
    for entry in journal.entries.iter().rev().take(400) {
        let kept = package.kept(entry).map_err(|error| error.to_string())?;
        if kept.as_deref().map(ContentHash::of) != entry.before {
            return Err(format!("what {} replaced is not kept", entry.id));
        }
    }
    for (section, expected) in last {
        let now = package.section(section).map_err(|error| error.to_string())?;
        if now.map(|now| now.hash) != expected {
            return Err(format!("`{section}` is not what the journal says"));
        }
    }
    Ok(journal.entries.len())
}
