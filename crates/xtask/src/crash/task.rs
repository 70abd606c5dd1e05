//! A task package with killed changes: every section is old or new, and matches the journal.

use std::collections::BTreeMap;
use std::path::Path;

use minds_fs::Root;
use minds_fs::faults::{Plan, run};
use minds_task_store::{Author, Edit, Package, Request, Tasks};
use minds_taskdoc::{Operation, Section, TaskCode};
use minds_vfs::ContentHash;

use super::killed_processes::{ProcessKills, Work};
use super::recovery_check::trigger_recovery;
use super::tree::{Files, Tree};
use super::victim::{start_worker, wait};
use crate::random::Random;

/// The argument that makes a victim change a package.
pub(super) const WORD: &str = "task";
/// The maximum lifetime of a victim in microseconds after its first change.
const MAX_LIFE: usize = 6_000;
/// Enough changes for that.
pub(super) const MAX_STEPS: u64 = 400;
/// The maximum call number at which a recovering process is killed.
const MAX_RECOVERY_CALLS: usize = 90;
/// The sections that are changed in turn: one that always exists, and some that are created and removed.
const SECTIONS: [&str; 5] = ["goals", "progress", "bearinmind/risks", "ux/list", "api/deep.list"];

/// The contents of the sections after a number of changes; a missing section does not exist or is empty.
type Contents = BTreeMap<&'static str, String>;

/// Returns the section and the edit of the change with this number.
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

/// Returns a unique text for each number, of one line or several blocks.
fn text(number: u64) -> String {
    format!("{number} ").repeat(1 + usize::try_from(number % 7).unwrap_or_default() * 300) + "\n"
}

/// Returns the contents after so many changes, and the number of lines of the journal.
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

/// Makes the change with this number. A change without an effect is skipped.
pub(super) fn perform(root: &Root, number: u64) -> Result<(), String> {
    let (section, edit) = step(number);
    let author = Author::operator("coder", 1_700_000_000_000 + number);
    let section = Section::parse_qualified(section).map_err(|error| error.to_string())?;
    match find(root)?.change(&author, &Request { section, edit, expected: None }) {
        Err(error) if error.code == TaskCode::SectionNotFound => Ok(()),
        changed => changed.map(|_| ()).map_err(|error| error.to_string()),
    }
}

fn find(root: &Root) -> Result<Package<'_>, String> {
    Tasks::open(root).and_then(|tasks| tasks.find(None)).map_err(|error| error.to_string())
}

/// Creates a folder with a package in which so many changes were made.
fn create_tree(steps: u64) -> Tree {
    let tree = Tree::new(&Files::new());
    let root = tree.open();
    Tasks::open(&root)
        .and_then(|tasks| tasks.create("demo", &Author::operator("coder", 0)))
        .expect("it can be made");
    for number in 1..=steps {
        perform(&root, number).expect("it can be changed");
    }
    tree
}

/// Kills a process before and after each call of several changes, so many times each, and so many at random
/// times.
pub(super) fn kill(program: &Path, each: usize, kills: usize, seed: u64) -> Result<ProcessKills, String> {
    let mut random = Random::new(seed);
    let mut process_kills = ProcessKills::default();
    // One change of each kind: set, created in a new category, cleared, appended, removed.
    for before in [10, 3, 17, 19, 28] {
        let tree = create_tree(before);
        let template = tree.all_files();
        let root = tree.open();
        let (done, calls) = run(Plan::none(), || perform(&root, before + 1));
        done?;
        for (at, call) in calls.iter().enumerate() {
            for time in 0..each {
                let tree = Tree::new(&template);
                let kill = if time % 2 == 0 { "kill-before" } else { "kill-after" };
                let plan = format!("{}:{kill}", at + 1);
                let failed = |why| format!("change {}, {plan} ({call}): {why}", before + 1);
                let (killed, _) = wait(start_worker(program, WORD, tree.path(), [before, 1], &plan, None));
                if !killed {
                    return Err(failed("it did not die".to_owned()));
                }
                // The recovering process may die as well.
                if time % 4 >= 2 {
                    let found = check_recovery(&tree, before, [before, before + 1]).map_err(failed)?;
                    let plan = format!("{}:{kill}", 1 + random.next_below(MAX_RECOVERY_CALLS));
                    let (killed, _) = wait(start_worker(program, WORD, tree.path(), [found, 1], &plan, None));
                    let done = found + u64::from(!killed);
                    check_recovery(&tree, done, [done, found + 1]).map_err(failed)?;
                }
                expect_next_step(&tree, before).map_err(failed)?;
                process_kills.at_calls += 1;
            }
        }
    }
    let template = create_tree(0).all_files();
    let work = Work {
        step: "change",
        max_life: MAX_LIFE,
        create: &|| Tree::new(&template),
        start: &|tree, progress| start_worker(program, WORD, tree, [0, MAX_STEPS], "none", Some(progress)),
        check_recovery: &|tree, acknowledged| {
            let found = check_recovery(tree, acknowledged, [acknowledged, acknowledged + 1])?;
            expect_next_step(tree, acknowledged).map(|()| found)
        },
    };
    process_kills.kill_at_random_times(&work, kills, &mut random)?;
    Ok(process_kills)
}

/// Makes the next change, and verifies the result. At least `least` changes were made.
fn expect_next_step(tree: &Tree, least: u64) -> Result<(), String> {
    let found = check_recovery(tree, least, [least, least + 2])?;
    perform(&tree.open(), found + 1).map_err(|error| format!("the next change fails: {error}"))?;
    check_recovery(tree, found + 1, [found + 1, found + 1])?;
    // A temporary file is removed by the next change in its directory.
    trigger_recovery(&tree.open());
    let is_left = |path: &String| path.contains(".minds-") || path.ends_with(".history/pending");
    match tree.all_files().into_keys().find(is_left) {
        Some(left) => Err(format!("`{left}` still exists after the next change")),
        None => Ok(()),
    }
}

/// Verifies that a number of changes in a range was made, each completely or not at all: every section, every
/// line of the journal and every content needed for undoing. Returns the smallest possible number.
fn check_recovery(tree: &Tree, least: u64, [from, to]: [u64; 2]) -> Result<u64, String> {
    let root = tree.open();
    let package = find(&root)?;
    let entries = verify(&package)?;
    let mut now = Contents::new();
    for section in SECTIONS {
        let parsed = Section::parse_qualified(section).map_err(|error| error.to_string())?;
        if let Some(found) = package.section(&parsed).map_err(|error| error.to_string())? {
            now.insert(section, found.text);
        }
    }
    let matches_state = |steps: &u64| {
        let (expected, lines) = contents(*steps);
        let is_same = SECTIONS.iter().all(|section| {
            let (now, then) = (now.get(section), expected.get(section));
            now == then || !section.contains('/') && then.is_none() && now.is_some_and(String::is_empty)
        });
        is_same && lines == entries
    };
    (from.max(least)..=to).find(matches_state).ok_or_else(|| {
        let brief: Vec<String> =
            now.iter().map(|(name, text)| format!("{name}: {} bytes", text.len())).collect();
        format!("torn or lost: neither of {from}..={to} changes: {entries} lines, {brief:?}")
    })
}

/// Verifies a journal, and returns the number of its lines.
pub(super) fn verify(package: &Package<'_>) -> Result<usize, String> {
    let journal = package.journal().map_err(|error| error.to_string())?;
    if let Some(problem) = journal.problems.first() {
        return Err(format!("line {} of the journal: {}", problem.line, problem.reason));
    }
    let known = journal.by_id();
    let mut last: BTreeMap<&Section, Option<ContentHash>> = BTreeMap::new();
    for entry in &journal.entries {
        if !entry.parents.iter().all(|parent| known.contains_key(parent)) {
            return Err(format!("a parent of {} is not in the journal", entry.id));
        }
        if entry.operation == Operation::Outside {
            return Err(format!("{} records a change of unknown origin", entry.id));
        }
        let before = last.insert(&entry.section, entry.after).flatten();
        let nothing = ContentHash::of(b"");
        if before.unwrap_or(nothing) != entry.before.unwrap_or(nothing) {
            return Err(format!("the previous content of {} does not match", entry.id));
        }
    }
    // Older contents may have been removed.
    for entry in journal.entries.iter().rev().take(400) {
        let kept = package.previous_content(entry).map_err(|error| error.to_string())?;
        if kept.as_deref().map(ContentHash::of) != entry.before {
            return Err(format!("the previous content of {} is not stored", entry.id));
        }
    }
    for (section, expected) in last {
        let now = package.section(section).map_err(|error| error.to_string())?;
        if now.map(|now| now.hash) != expected {
            return Err(format!("`{section}` does not match the journal"));
        }
    }
    Ok(journal.entries.len())
}
