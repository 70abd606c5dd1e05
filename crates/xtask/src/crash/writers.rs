//! Many processes that change the same task package, each based on what it has read.

use std::path::Path;
use std::time::Instant;

use minds_fs::Root;
use minds_task_store::{Author, Edit, Request, Tasks};
use minds_taskdoc::{Section, TaskCode};

use super::task::verify;
use super::tree::{Files, Tree};
use super::victim::{start_writer, wait_for_output};
use crate::random::Random;

const SECTIONS: [&str; 4] = ["goals", "progress", "bearinmind/risks", "ux/list"];

/// Runs so many processes with so many changes each, and compares their results with the journal.
pub(super) fn write(program: &Path, processes: usize, changes: usize) -> Result<(), String> {
    let tree = Tree::new(&Files::new());
    let root = tree.open();
    Tasks::open(&root)
        .and_then(|tasks| tasks.create("demo", &Author::operator("coder", 0)))
        .map_err(|error| error.to_string())?;
    let start = Instant::now();
    let writers: Vec<_> =
        (0..processes).map(|number| start_writer(program, tree.path(), number, changes)).collect();
    let (mut applied, mut refused) = (0, 0);
    for writer in writers {
        let output = wait_for_output(writer);
        let mut numbers = output.split_whitespace().filter_map(|word| word.parse::<usize>().ok());
        applied += numbers.next().ok_or("a writer printed nothing")?;
        refused += numbers.next().ok_or("a writer printed only one number")?;
    }
    let package = Tasks::open(&root).and_then(|tasks| tasks.find(None)).map_err(|error| error.to_string())?;
    let lines = verify(&package)?;
    println!(
        "\n{processes} processes made {changes} changes each of what they had read, in {:.1} s: {applied} applied, \
         {refused} refused, {lines} lines in the journal",
        start.elapsed().as_secs_f64()
    );
    let is_temporary = |path: &String| path.contains(".minds-") || path.ends_with("/pending");
    let left: Vec<String> = tree.all_files().into_keys().filter(is_temporary).collect();
    if lines == applied && applied + refused == processes * changes && left.is_empty() {
        return Ok(());
    }
    Err(format!("the journal should have {applied} lines, and no temporary files: {lines}, {left:?}"))
}

/// Replaces sections with unique text; returns the number of applied changes, and of changes refused because
/// another process was faster.
pub(super) fn write_as(root: &Root, number: usize, changes: usize) -> Result<(usize, usize), String> {
    let mut random = Random::new(number as u64 + 1);
    let (mut applied, mut refused) = (0, 0);
    let to_message = |error: minds_taskdoc::TaskError| error.to_string();
    for change in 0..changes {
        let package = Tasks::open(root).and_then(|tasks| tasks.find(None)).map_err(to_message)?;
        let section =
            Section::parse_qualified(SECTIONS[random.next_below(SECTIONS.len())]).map_err(to_message)?;
        let found = package.section(&section).map_err(to_message)?;
        let edit = Edit::Set(format!("{number} {change}\n").repeat(1 + random.next_below(400)));
        let author = Author::operator(&format!("coder-{number}"), 1_700_000_000_000 + change as u64);
        // A missing section has no hash to compare with, so it is created, which succeeds only once.
        let (edit, expected) = match (found, edit) {
            (None, Edit::Set(text)) => (Edit::Create(text), None),
            (found, edit) => (edit, found.map(|found| found.hash)),
        };
        match package.change(&author, &Request { section, edit, expected }) {
            Ok(done) if done.entry.is_some() => applied += 1,
            Ok(_) => return Err("a new content is not recorded as a change".to_owned()),
            Err(error) if matches!(error.code, TaskCode::HashMismatch | TaskCode::SectionExists) => {
                refused += 1;
            }
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok((applied, refused))
}
