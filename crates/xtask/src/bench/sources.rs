//! The commands for sources compared with the program that introduced them, on thousands of skills.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// The package name and version of the other program.
const PEER: (&str, &str) = ("mind-cli", "0.8.0");
const SKILLS: usize = 2_000;
/// The number of runs of each read-only command.
const ROUNDS: usize = 21;
/// The number of runs in which all skills are installed and removed.
const INSTALLS: usize = 9;

/// Compares both programs, each with its own home, in alternating turns; if the other one is not available,
/// prints one line and measures only ours.
pub(super) fn run(minds: &Path, target: &Path) {
    let folder = target.join("bench/sources");
    let source = folder.join("skills-of-all");
    write_source(&source);
    let ours = Program::new("minds", minds.to_owned(), folder.join("minds"), &source);
    let theirs = match install_peer(&target.join("bench/mind")) {
        Ok(binary) => Some(Program::new("mind", binary, folder.join("mind"), &source)),
        Err(reason) => {
            println!("the comparison with {} {} is skipped: {reason}", PEER.0, PEER.1);
            None
        }
    };
    let mut programs: Vec<Program> = std::iter::once(ours).chain(theirs).collect();
    println!("{SKILLS} skills of a folder against {} {}: median and quickest", PEER.0, PEER.1);
    println!("of {ROUNDS} alternating runs, and of {INSTALLS} where all are installed or removed");
    println!("                                minds                 mind        ratio    goal");
    for program in &programs {
        program.reset_home();
    }
    row("probe --json", Some(0.25), &mut programs, ROUNDS, |program| program.time(&["probe", "--json"]));
    row("recall, none installed", None, &mut programs, ROUNDS, |program| program.time(&["recall"]));
    row("learn '*'", Some(1.0), &mut programs, INSTALLS, |program| {
        program.reset_home();
        program.learn()
    });
    row("probe --json, all installed", Some(0.25), &mut programs, ROUNDS, |program| {
        program.time(&["probe", "--json"])
    });
    row("recall", Some(1.0), &mut programs, ROUNDS, |program| program.time(&["recall"]));
    row("upgrade, nothing to do", None, &mut programs, ROUNDS, |program| program.time(&["upgrade", "--yes"]));
    row("introspect", None, &mut programs, ROUNDS, |program| program.time(&["introspect"]));
    row("unmeld", None, &mut programs, INSTALLS, |program| {
        program.reset_home();
        program.learn();
        program.time(&["unmeld", "skills-of-all", "--yes"])
    });
}

/// Times an operation with all programs in turn, and prints the median and the fastest time of each.
fn row(
    what: &str,
    goal: Option<f64>,
    programs: &mut [Program],
    rounds: usize,
    run: impl Fn(&Program) -> f64,
) {
    for _ in 0..rounds {
        for program in &mut *programs {
            let time = run(program);
            program.times.push(time);
        }
    }
    let times = programs.iter_mut().map(|program| {
        let mut times = std::mem::take(&mut program.times);
        times.sort_by(f64::total_cmp);
        (times[times.len() / 2], times[0])
    });
    let times: Vec<(f64, f64)> = times.collect();
    let columns: Vec<String> = times
        .iter()
        .map(|(median, quickest)| format!("{:7.1} {:7.1} ms", median * 1e3, quickest * 1e3))
        .collect();
    let ratio = match times.as_slice() {
        [ours, theirs] => format!("{:5.2} {:5.2} x", ours.0 / theirs.0, ours.1 / theirs.1),
        _ => String::new(),
    };
    let goal = goal.map(|goal| format!("{goal:4.2} x")).unwrap_or_default();
    println!("{what:28} {}  {ratio}  {goal}", columns.join("  "));
}

/// A program with its own home.
struct Program {
    name: &'static str,
    binary: PathBuf,
    home: PathBuf,
    source: PathBuf,
    times: Vec<f64>,
}

impl Program {
    fn new(name: &'static str, binary: PathBuf, home: PathBuf, source: &Path) -> Self {
        Self { name, binary, home, source: source.to_owned(), times: Vec::new() }
    }

    /// Creates a new home in which the source is registered and nothing is installed.
    fn reset_home(&self) {
        if self.home.exists() {
            fs::remove_dir_all(&self.home).expect("the home can be removed");
        }
        fs::create_dir_all(self.home.join(".claude")).expect("the home can be made");
        let source = self.source.to_str().expect("the path is text");
        self.time(&["meld", source, "--link-only"]);
    }

    /// Installs everything, and returns the time in seconds.
    fn learn(&self) -> f64 {
        let time = self.time(&["learn", "*", "--yes"]);
        let links = fs::read_dir(self.home.join(".claude/skills")).expect("it was made").count();
        assert_eq!(links, SKILLS, "{} installs everything", self.name);
        time
    }

    /// Runs a command, and returns the time in seconds.
    fn time(&self, args: &[&str]) -> f64 {
        let mut command = Command::new(&self.binary);
        command.args(args).current_dir(&self.home).env("HOME", &self.home);
        command.env("MINDS_HOME", self.home.join("data")).env("MIND_HOME", self.home.join("data"));
        command.env_remove("MIND_AGENT_HOMES").env_remove("CLAUDE_HOME");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let start = Instant::now();
        let status = command.status().expect("the program starts");
        let time = start.elapsed().as_secs_f64();
        assert!(status.success(), "{} {args:?} failed", self.name);
        time
    }
}

/// Writes a folder with skills of 1.6 KB each.
fn write_source(folder: &Path) {
    for number in 0..SKILLS {
        let skill = folder.join(format!("skills/s{number}"));
        fs::create_dir_all(&skill).expect("the folder can be made");
        let head = format!("---\nname: s{number}\ndescription: Skill number {number}\n---\n");
        let text = head + &"Do it well, and say what was done.\n".repeat(45);
        fs::write(skill.join("SKILL.md"), text).expect("the file can be written");
    }
}

/// Returns the other program, which is built the first time; fails with a message if that is not possible.
fn install_peer(folder: &Path) -> Result<PathBuf, String> {
    let binary = folder.join("bin/mind");
    if binary.exists() {
        return Ok(binary);
    }
    let mut install = super::cargo(&["install", "--quiet", "--locked", "--root"]);
    install.arg(folder).args([PEER.0, "--version", PEER.1]);
    let output = install.output().map_err(|error| format!("cargo does not start: {}", error.kind()))?;
    if output.status.success() && binary.exists() {
        return Ok(binary);
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    Err(format!("cannot install {}", stderr.lines().last().unwrap_or("no reason given")))
}
