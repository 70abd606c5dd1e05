//! The README and the pages in `docs/` show the actual output of the command.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use support::{command, copy_directory, exit_and_output};

use crate::support;

/// A page, and the world in which its commands are run.
struct Page {
    name: &'static str,
    /// The directory in which its commands run: in the world, or the repository.
    folder: Option<&'static str>,
    files: &'static [(&'static str, &'static str)],
    /// Commands that run first.
    before: &'static [&'static str],
    /// The number of commands with output.
    shown: usize,
}

const HEAD: &str = "---\ndescription: x\n---\n";

const PAGES: [Page; 5] = [
    Page {
        name: "sources.md",
        folder: Some("work"),
        files: &[
            ("work/agents/skills/a/SKILL.md", HEAD),
            ("work/agents/agents/b.md", HEAD),
            ("work/agents/rules/c.md", HEAD),
        ],
        before: &[],
        shown: 1,
    },
    Page { name: "discovery.md", folder: None, files: &[], before: &[], shown: 1 },
    Page { name: "compose.md", folder: Some("app"), files: &[], before: &[], shown: 3 },
    Page {
        name: "fleet.md",
        folder: Some("app"),
        files: &[("home/.ateam/tools.yaml", "tools:\n  deny: [os.exec]\n")],
        before: &["init --fleet"],
        shown: 1,
    },
    Page {
        name: "tasks.md",
        folder: Some("app"),
        files: &[("app/goals.md", "Ship it.\n")],
        before: &[],
        shown: 8,
    },
];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the commands in a page's console blocks, each with the lines that it shows.
fn commands(page: &str) -> Vec<(String, String)> {
    let mut commands: Vec<(String, String)> = Vec::new();
    for block in page.split("```console\n").skip(1) {
        for line in block.split("```").next().unwrap_or_default().lines() {
            match (line.strip_prefix("$ "), commands.last_mut()) {
                (Some(command), _) => commands.push((command.to_owned(), String::new())),
                (None, Some((_, shown))) => shown.extend([line, "\n"]),
                (None, None) => panic!("{line} belongs to no command"),
            }
        }
    }
    commands
}

/// Runs the command, and returns stdout followed by stderr, as on a terminal.
fn run(world: &Path, folder: &Path, args: &str) -> String {
    let args: Vec<&str> = args.split_whitespace().collect();
    let home = world.join("home");
    let mut command = command(folder, &args);
    command.env("MINDS_HOME", home.join("minds")).env("HOME", home).env_remove("MIND_AGENT_HOMES");
    command.env("USER", "ann").env("LOGNAME", "ann");
    let (_, out, err) = exit_and_output(&command.output().expect("the command starts"));
    out + &err
}

/// Returns whether a word differs in each run: ids of changes, and times.
fn is_volatile(word: &str) -> bool {
    let is_id = word.len() == 12 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_time = |mark: char, length| {
        word.len() == length && word.contains(mark) && word.bytes().all(|byte| !byte.is_ascii_alphabetic())
    };
    is_id || is_time('-', 10) || is_time(':', 5)
}

/// Splits text into words, each with the characters that follow it.
fn words(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | ':');
    text.split_inclusive(move |c| !is_part(c)).map(move |piece| {
        // An id can be followed by a colon.
        let word = piece.trim_end_matches(|c| !is_part(c)).trim_end_matches(':');
        piece.split_at(word.len())
    })
}

/// Replaces words that differ in each run.
fn normalize(text: &str) -> String {
    let kept = |(word, rest)| [if is_volatile(word) { "*" } else { word }, rest].concat();
    words(text).map(kept).collect()
}

#[test]
fn the_pages_show_the_actual_output() {
    for page in PAGES {
        let world = tempfile::tempdir().unwrap();
        for (path, text) in page.files {
            let path = world.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let folder = page.folder.map_or_else(repository, |folder| world.path().join(folder));
        if page.folder.is_some() {
            // Stops the search for a workspace in parent directories.
            fs::create_dir_all(folder.join(".git")).unwrap();
        }
        for args in page.before {
            run(world.path(), &folder, args);
        }
        let text = fs::read_to_string(repository().join("docs").join(page.name)).unwrap();
        let mut known = BTreeMap::new();
        let mut count = 0;
        for (command, shown) in commands(&text) {
            // The tests of the program for agents run its commands.
            if command.starts_with("minds-fleet ") {
                continue;
            }
            let args = command.strip_prefix("minds ").unwrap_or_else(|| panic!("`{command}` is another one"));
            // Commands with pipes are not run.
            if shown.is_empty() || args.contains(" | ") {
                continue;
            }
            let args: Vec<String> = args.split(' ').map(|word| replace_id(word, &known)).collect();
            let printed = run(world.path(), &folder, &args.join(" "));
            assert_eq!(normalize(&printed), normalize(&shown), "{}: {command}", page.name);
            known.extend(ids(&shown).zip(ids(&printed)));
            count += 1;
        }
        assert_eq!(count, page.shown, "{}", page.name);
    }
}

/// Replaces an abbreviated id of the page by that of this run.
fn replace_id(word: &str, known: &BTreeMap<String, String>) -> String {
    let is_short_id = word.len() == 6 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let id = known.iter().find(|(here, _)| is_short_id && here.starts_with(word));
    id.and_then(|(_, there)| there.get(..6)).unwrap_or(word).to_owned()
}

fn ids(text: &str) -> impl Iterator<Item = String> {
    words(text).map(|(word, _)| word.to_owned()).filter(|word| is_volatile(word))
}

#[test]
fn the_readme_shows_the_actual_output() {
    let own = tempfile::tempdir().unwrap();
    let mut checked = 0;
    let readme = fs::read_to_string(repository().join("README.md")).unwrap();
    let mut folder = own.path().to_owned();
    for (command, shown) in commands(&readme) {
        let printed = if let Some(args) = command.strip_prefix("minds ") {
            run(own.path(), &folder, args)
        } else {
            assert!(shown.is_empty(), "`{command}` is not run here, so nothing may be shown of it");
            // A copy of an example, or an empty folder.
            folder = own.path().join(checked.to_string());
            fs::create_dir_all(folder.join(".git")).unwrap();
            if let Some(rest) = command.strip_prefix("cp -r ") {
                copy_directory(&repository().join(rest.split(' ').next().unwrap()), &folder);
            }
            continue;
        };
        // The page may show only the beginning of a long output.
        assert!(!shown.is_empty() && printed.starts_with(&shown), "`{command}` prints\n{printed}");
        checked += 1;
    }
    assert!(checked >= 3, "only {checked} commands were run");
}

/// Returns the lines of text in a picture.
fn lines_of(picture: &str) -> String {
    let mut lines = String::new();
    let mut last = 0_usize;
    for line in picture.lines().filter(|line| line.starts_with("<text ")) {
        let (attributes, content) = line.split_once('>').unwrap();
        let y: usize = attributes.split("y=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
        // Lines without text are not in the picture.
        lines.extend(std::iter::repeat_n('\n', if last == 0 { 0 } else { (y - last) / 19 }));
        last = y;
        for part in content.split('<') {
            lines.push_str(part.split_once('>').map_or(part, |(_, text)| text));
        }
    }
    lines.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&") + "\n"
}

#[test]
fn the_picture_in_the_readme_shows_what_the_command_prints() {
    let own = tempfile::tempdir().unwrap();
    let picture = fs::read_to_string(repository().join("docs/images/check.svg")).unwrap();
    let text = lines_of(&picture);
    let (command, shown) = text.split_once('\n').unwrap();
    let args = command.strip_prefix("$ minds ").expect("the picture begins with the command");
    let printed = run(own.path(), &repository(), args);
    assert!(shown.ends_with("3 errors, 1 info\n"), "{shown}");
    assert!(printed.starts_with(shown), "`{command}` prints\n{printed}\nand the picture shows\n{shown}");
}
