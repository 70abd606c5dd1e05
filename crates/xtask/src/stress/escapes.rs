//! Attacks with very many hostile paths.

use std::time::{Duration, Instant};

use minds_vfs::WorkspacePath;

use super::Options;
use super::outside::{MARKER, NAME};
use super::paths::Paths;
use super::traps::{PLANTED, TRAPS};
use super::tree::Tree;
use super::verbs::{Mode, VERBS, Verb, VerbResult, act};

/// The size of every regular file in the root that has one name.
const SIZE: u64 = 7;
/// The number of steps after which the outside is examined.
const LOOK_EVERY: usize = 256;
/// The number of accepted changes after which every byte is compared.
const COMPARE_EVERY: usize = 10_000;

/// The results of one operation.
struct Row {
    name: &'static str,
    mode: Mode,
    at_the_door: usize,
    refused: usize,
    accepted: usize,
    reached: Vec<usize>,
    time: Duration,
}

/// Tries so many paths with every operation, and prints the results.
///
/// # Errors
///
/// Returns what was changed, read or disclosed, or which trap was not reached often enough.
pub(super) fn run(options: &Options) -> Result<(), String> {
    let mut tree = Tree::new();
    let notes = if tree.outside.records_access_times() { "records" } else { "does not record" };
    println!(
        "hostile paths, {} for each verb; the file system {notes} when something was read",
        options.paths
    );
    println!("operation  mode    rejected   refused  accepted   us/path  least reached");
    let mut rows = Vec::new();
    for (verb, name) in VERBS {
        for mode in verb.modes() {
            let row = try_verb(&mut tree, verb, name, *mode, options)?;
            let least = row.reached.iter().min().copied().unwrap_or_default();
            let tried = row.refused + row.accepted;
            println!(
                "{name:10} {:9} {:>6} {:>9} {:>9} {:>9.1} {least:>14}",
                mode.name(),
                row.at_the_door,
                row.refused,
                row.accepted,
                row.time.as_secs_f64() * 1e6 / tried.max(1) as f64,
            );
            rows.push(row);
        }
    }
    print_reached(&rows);
    for row in &rows {
        for ((_, trap), reached) in TRAPS.iter().zip(&row.reached) {
            if *reached < options.paths / 1_000 {
                return Err(format!("{} reached a trap only {reached} times: {trap}", row.name));
            }
        }
        if row.accepted * 200 < row.refused {
            return Err(format!("{}, {}: only {} accepted", row.name, row.mode.name(), row.accepted));
        }
    }
    Ok(())
}

fn print_reached(rows: &[Row]) {
    println!("\nnumber of times each trap was reached (in each mode)");
    let once: Vec<&Row> =
        VERBS.iter().filter_map(|(_, name)| rows.iter().find(|row| row.name == *name)).collect();
    let heads: String = once.iter().map(|row| format!("{:>9}", row.name)).collect();
    println!("{:48}{heads}", "");
    for (at, (_, trap)) in TRAPS.iter().enumerate() {
        let counts: String = once.iter().map(|row| format!("{:>9}", row.reached[at])).collect();
        println!("{trap:48}{counts}");
    }
}

fn try_verb(
    tree: &mut Tree,
    verb: Verb,
    name: &'static str,
    mode: Mode,
    options: &Options,
) -> Result<Row, String> {
    let mut row = Row {
        name,
        mode,
        at_the_door: 0,
        refused: 0,
        accepted: 0,
        reached: vec![0; TRAPS.len()],
        time: Duration::ZERO,
    };
    let secret_path = tree.secret_path();
    let planted = PLANTED.iter().fold(0, |bits, trap| bits | trap.bit());
    let mut paths = Paths::new(options.seed ^ ((verb as u64) << 32), tree.path_from_root());
    for step in 0..options.paths {
        let text = paths.next();
        let Ok(path) = WorkspacePath::parse(&text) else {
            row.at_the_door += 1;
            continue;
        };
        let reached = tree.traps_on_path(&text);
        for (count, (trap, _)) in row.reached.iter_mut().zip(TRAPS) {
            *count += usize::from(reached & trap.bit() != 0);
        }
        let failed = |why: String| format!("{name}, {}, `{}`: {why}", mode.name(), text.escape_debug());
        let start = Instant::now();
        let done = act(verb, &tree.root, mode, &path, step, &|_| true);
        row.time += start.elapsed();
        let mut is_checked = step % LOOK_EVERY == 0;
        match done {
            Ok(done) => {
                row.accepted += 1;
                is_checked |= !verb.is_read_only();
                check_disclosed(tree, &done, row.accepted).map_err(&failed)?;
                if matches!(verb, Verb::Create | Verb::MakeDirectory) {
                    done.changed
                        .iter()
                        .try_for_each(|path| tree.expect_nothing_before(path))
                        .map_err(&failed)?;
                }
                undo(tree, &done).map_err(&failed)?;
            }
            Err(message) => {
                row.refused += 1;
                // The requested path may be in the message.
                if message.replace(&text, "").contains(&secret_path) {
                    return Err(failed(format!("the message contains an absolute path: {message}")));
                }
            }
        }
        if reached & planted != 0 && !verb.is_read_only() {
            tree.restore_planted();
        }
        if is_checked {
            tree.outside.check_metadata().map_err(&failed)?;
        }
        if row.accepted % COMPARE_EVERY == 1 && is_checked {
            tree.compare().and_then(|()| tree.outside.compare()).map_err(&failed)?;
        }
    }
    let failed = |why: String| format!("{name}, {}, at the end: {why}", mode.name());
    tree.compare().and_then(|()| tree.outside.compare()).map_err(failed)?;
    Ok(row)
}

/// Fails if something outside was disclosed, or a reported real path is wrong.
fn check_disclosed(tree: &Tree, done: &VerbResult, accepted: usize) -> Result<(), String> {
    if done.disclosed.contains(MARKER) || done.disclosed.contains(NAME) {
        return Err(format!("the outside was read: {}", done.disclosed));
    }
    if done.size.is_some_and(|size| size != SIZE) {
        return Err(format!("the outside was looked at: {:?} bytes", done.size));
    }
    // Disclosed text is compared only occasionally.
    let disclosed = done.real.iter().filter(|_| accepted.is_multiple_of(16));
    disclosed
        .chain(&done.changed)
        .try_for_each(|real| if real == "." { Ok(()) } else { tree.expect_real(real) })
}

fn undo(tree: &mut Tree, done: &VerbResult) -> Result<(), String> {
    if let Some((from, to)) = &done.moved {
        tree.expect_nothing_before(to)?;
        tree.move_back(from, to)?;
        tree.restore(from)?;
        tree.restore(to)?;
    }
    done.changed.iter().try_for_each(|path| tree.restore(path))
}
