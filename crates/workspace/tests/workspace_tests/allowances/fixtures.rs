//! Each finding of each fixture can be suppressed without affecting other findings.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use minds_diagnostics::Diagnostic;
use minds_vfs::{Snapshot, SnapshotEntry};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::allowances::path;

fn folders(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// The fixture files with comments.
const FILES: [&str; 10] = [
    ".minds/team.yaml",
    ".minds/llm.yaml",
    ".minds/mcp.yaml",
    ".minds/minds.toml",
    ".team/team-compose.yaml",
    ".team/projects/shop.yaml",
    ".team/projects/shop-web.yaml",
    ".team/projects/old.yaml",
    ".team/runtimes/aider.yaml",
    "mind.toml",
];

/// Adds the files below a directory of a fixture.
fn add_below(case: &Path, folder: &Path, snapshot: &mut Snapshot) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.path().is_dir() {
            add_below(case, &entry.path(), snapshot);
        } else {
            let below = entry.path().strip_prefix(case).unwrap().to_string_lossy().into_owned();
            *snapshot = std::mem::take(snapshot).with_file(path(&below), fs::read(entry.path()).unwrap());
        }
    }
}

/// The invalid fixtures by path, without files that are not completely reported or parsed: there, an added comment may have no
/// effect, or may be inside an unterminated or multi-line string.
static INVALID: LazyLock<Vec<(PathBuf, Snapshot)>> = LazyLock::new(|| {
    let libraries = folders(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures"));
    let areas = libraries.iter().flat_map(|library| folders(library));
    let cases = areas.flat_map(|area| folders(&area.join("invalid")));
    cases
        .filter(|case| {
            let unread = [
                "more-problems",
                "several-documents",
                "toml/invalid/syntax",
                "incompatible-yaml--everywhere",
                "incompatible-yaml--in-brackets",
            ];
            !unread.iter().any(|name| case.to_string_lossy().contains(name))
        })
        .map(|case| {
            let mut snapshot = Snapshot::new();
            for file in FILES {
                if let Ok(bytes) = fs::read(case.join(file)) {
                    snapshot = snapshot.with_file(path(file), bytes);
                }
            }
            add_below(&case, &case.join(".ateam"), &mut snapshot);
            (case, snapshot)
        })
        .collect()
});

/// A finding without its line numbers.
type Essence = (String, &'static str, String, Option<String>);

fn essence(found: &Diagnostic) -> Essence {
    let label = found.primary.as_ref().expect("it has a place");
    (label.source.name().to_owned(), found.rule.code, found.message.clone(), found.pointer.clone())
}

fn line(found: &Diagnostic) -> u32 {
    let label = found.primary.as_ref().expect("it has a place");
    label.source.range(label.span).start.line
}

/// Returns the files with a comment added above a line of one of them, or at the end of the line.
fn with_comment(snapshot: &Snapshot, file: &str, line: u32, comment: &str, above: bool) -> Option<Snapshot> {
    let location = minds_vfs::Location::new(minds_vfs::MountId::WORKSPACE, path(file));
    let SnapshotEntry::File { bytes, .. } = snapshot.get(&location)? else { return None };
    let text = std::str::from_utf8(bytes).ok()?;
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    let at = lines.get_mut(line as usize - 1)?;
    // A byte order mark must stay at the beginning.
    if above && at.starts_with('\u{feff}') || !above && at.contains('#') {
        return None;
    }
    let rest = if above { std::mem::replace(at, comment.to_owned()) } else { String::new() };
    if above {
        lines.insert(line as usize, rest);
    } else {
        let end = at.trim_end_matches('\r').len();
        at.insert_str(end, &format!(" {comment}"));
    }
    Some(snapshot.clone().with_text(path(file), &lines.join("\n")))
}

/// Checks a workspace on a machine without environment variables, so that every rule is checked.
fn check(snapshot: &Snapshot) -> minds_workspace::Checked {
    minds_workspace::check_on(Some(&minds_workspace::Host::default()), snapshot)
}

/// Returns whether the added text is a comment: the content of the file is unchanged.
fn is_comment(before: &Snapshot, after: &Snapshot, file: &str) -> bool {
    let tree = |snapshot: &Snapshot| {
        let location = minds_vfs::Location::new(minds_vfs::MountId::WORKSPACE, path(file));
        let source = snapshot.source(&location, &mut minds_diagnostics::Problems::new())?;
        Some(minds_document::Format::of(file)?.parse(&source).value?.root().to_json())
    };
    let before = tree(before);
    before.is_some() && before == tree(after)
}

#[test]
fn a_comment_suppresses_exactly_its_findings() {
    let (mut tried, mut rules) = (0, std::collections::BTreeSet::new());
    for (case, before) in INVALID.iter() {
        let found = check(before);
        for allowed in &found.diagnostics {
            let (file, code, ..) = essence(allowed);
            let comment = format!("# minds: allow({code}) for a reason");
            for above in [true, false] {
                let Some(after) = with_comment(before, &file, line(allowed), &comment, above) else {
                    continue;
                };
                if !is_comment(before, &after, &file) {
                    continue;
                }
                let now = check(&after);
                let is_meant = |other: &Diagnostic| {
                    allowed.rule.is_suppressible
                        && other.rule.code == code
                        && essence(other).0 == file
                        && line(other) == line(allowed)
                };
                let mut expected: Vec<Essence> =
                    found.diagnostics.iter().filter(|other| !is_meant(other)).map(essence).collect();
                // Suppressed findings at one place count as one.
                let places: std::collections::BTreeSet<_> = found
                    .diagnostics
                    .iter()
                    .filter(|other| is_meant(other))
                    .map(|other| other.primary.as_ref().map(|label| label.span))
                    .collect();
                let taken = places.len();
                if !allowed.rule.is_suppressible {
                    expected.push((
                        file.clone(),
                        "allow/not-allowable",
                        format!("`{code}` cannot be suppressed"),
                        None,
                    ));
                }
                let mut left: Vec<Essence> = now.diagnostics.iter().map(essence).collect();
                expected.sort();
                left.sort();
                assert_eq!(left, expected, "{}: {comment} above: {above}", case.display());
                let count =
                    |allowed: &std::collections::BTreeMap<String, usize>| allowed.values().sum::<usize>();
                assert_eq!(count(&now.allowed) - count(&found.allowed), taken, "{}", case.display());
                tried += 1;
                if allowed.rule.is_suppressible {
                    rules.insert(code);
                }
            }
        }
    }
    assert!(tried > 200, "only {tried} comments were tried");
    let allowable = minds_workspace::rules().into_iter().filter(|rule| rule.is_suppressible);
    // Findings of rendering and of source reviews are not part of a check, and most files of clients are JSON and Markdown;
    // they have separate tests.
    let is_of_others = |rule: &minds_diagnostics::Rule| {
        matches!(rule.area(), "client" | "render" | "service")
            || minds_sources::review::is_found_by_review(rule)
    };
    for rule in allowable.filter(|rule| !is_of_others(rule)) {
        assert!(rules.contains(rule.code), "{} was never allowed", rule.code);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// An unused comment does not affect findings.
    #[test]
    fn an_unused_comment_does_not_affect_findings(
        case in any::<Index>(),
        code in any::<Index>(),
        place in any::<Index>(),
        above in any::<bool>(),
    ) {
        let (path, before) = case.get(&INVALID);
        let rules = minds_workspace::rules();
        let found = check(before).diagnostics;
        let code = code.get(&rules).code;
        prop_assume!(found.iter().all(|found| found.rule.code != code));
        let Some((location, SnapshotEntry::File { bytes, .. })) = before.iter().next() else { return Ok(()) };
        // Of two comments with the same code, only one is unused.
        prop_assume!(!String::from_utf8_lossy(bytes).contains(code));
        let file = location.to_string();
        let lines = bytes.split(|byte| *byte == b'\n').count();
        let line = u32::try_from(place.index(lines) + 1).unwrap();
        let comment = format!("# minds: allow({code}) for a reason");
        let Some(after) = with_comment(before, &file, line, &comment, above) else { return Ok(()) };
        prop_assume!(is_comment(before, &after, &file));
        let now = check(&after);
        let is_about_it = |found: &&Diagnostic| {
            matches!(found.rule.code, "allow/unused" | "allow/not-allowable") && found.message.contains(&format!("`{code}`"))
        };
        prop_assert!(now.diagnostics.iter().filter(is_about_it).count() <= 1);
        let mut left: Vec<Essence> =
            now.diagnostics.iter().filter(|found| !is_about_it(found)).map(essence).collect();
        let mut expected: Vec<Essence> = found.iter().map(essence).collect();
        left.sort();
        expected.sort();
        prop_assert!(left == expected, "{}:{line}: {comment} above: {above}", path.display());
    }
}
