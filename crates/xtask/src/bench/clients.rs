//! Checks of a repository full of files of clients, compared with reading the same files.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::check;
use super::runs::{Contestant, measure};

/// The numbers of files of each kind: as many in all as a large public collection of agents has.
const AGENTS: usize = 900;
const COMMANDS: usize = 500;
const SKILLS: usize = 300;
const PLUGINS: usize = 27;
const ROUNDS: usize = 40;

/// Measures `minds check`, and `cat` of all files, in alternating runs.
pub(super) fn run(minds: &Path, folder: &Path) {
    let workspace = folder.join("clients");
    let (count, bytes) = write(&workspace);
    let mut read = Command::new("find");
    read.args([".", "-type", "f", "-exec", "cat", "{}", "+"]).current_dir(&workspace);
    let contestants =
        [Contestant::new("find and cat", read), Contestant::new("minds check", check(minds, &workspace))];
    println!("{count} files of clients, {bytes} bytes, median of {ROUNDS} alternating runs");
    let results = measure(contestants, ROUNDS);
    let base = results[0].median;
    for result in &results {
        println!("{:24} {:7.2} ms  {:5.2} x reading", result.name, result.median * 1e3, result.median / base);
    }
}

/// Writes the repository, and returns the number of files and bytes.
fn write(workspace: &Path) -> (usize, usize) {
    let _ = std::fs::remove_dir_all(workspace);
    std::fs::create_dir_all(workspace.join(".git")).expect("the folder can be made");
    let mut files: Vec<(PathBuf, String)> = Vec::new();
    for number in 0..AGENTS {
        let plugin = number % PLUGINS;
        let tools = ["Read, Grep, Glob", "Read, Edit, Write, Bash", "Read, Bash(git log:*)"][number % 3];
        let front = format!(
            "name: agent-{number}\ndescription: Reviews part {number} of the code.\ntools: {tools}\nmodel: sonnet"
        );
        files.push((format!("part-{plugin}/.claude/agents/agent-{number}.md").into(), page(&front, number)));
    }
    for number in 0..COMMANDS {
        let plugin = number % PLUGINS;
        let front = format!(
            "description: Runs job {number}\nargument-hint: \"[path]\"\nallowed-tools: Read, Bash(make:*)"
        );
        files.push((format!("part-{plugin}/.claude/commands/job-{number}.md").into(), page(&front, number)));
    }
    for number in 0..SKILLS {
        let plugin = number % PLUGINS;
        let front = format!("name: skill-{number}\ndescription: Use this for documents of kind {number}.");
        files.push((
            format!("part-{plugin}/.claude/skills/skill-{number}/SKILL.md").into(),
            page(&front, number),
        ));
    }
    for number in 0..PLUGINS {
        let settings = "{\"permissions\": {\"allow\": [\"Bash(make:*)\"], \"deny\": [\"Read(./.env)\"]}}\n";
        files.push((format!("part-{number}/.claude/settings.json").into(), settings.to_owned()));
        files.push((format!("part-{number}/CLAUDE.md").into(), page("", number)));
    }
    let bytes = files.iter().map(|(_, text)| text.len()).sum();
    for (path, text) in &files {
        let path = workspace.join(path);
        std::fs::create_dir_all(path.parent().expect("a file has a folder")).expect("the folder can be made");
        std::fs::write(path, text).expect("the file can be written");
    }
    (files.len(), bytes)
}

/// Returns front matter, unless it is empty, and about 4 KB of Markdown.
fn page(front: &str, number: usize) -> String {
    let mut text = String::new();
    if !front.is_empty() {
        let _ = write!(text, "---\n{front}\n---\n");
    }
    let _ = write!(text, "# Part {number}\n\n");
    for line in 0..50 {
        let _ = writeln!(
            text,
            "{line}. Look at `src/part-{line}/file.rs`, and say what is wrong with it in a sentence."
        );
    }
    text
}
