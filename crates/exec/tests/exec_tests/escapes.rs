//! Attempts of a command to leave its sandbox, each judged by what it did and not by what it printed about it: it read the
//! canary, changed a file outside, ended a process outside, or left a process running.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Stdio};

use minds_exec::{Command, Level, SupervisorProgram, available_level};

use crate::attempts::{Control, KILLS, LEFT, READS, WRITES};
use crate::place::{Place, finish, processes, supervisor, supervisor_without_sandbox};

/// What every attempt looks for. It is not a part of any script.
const CANARY: &str = "canary-5f1d0c7a";

/// What a script can reach: a working folder, and outside of it files and a process.
struct Attempt {
    place: Place,
    victim: Child,
    /// What the process outside writes.
    echoes: BufReader<ChildStdout>,
}

impl Attempt {
    fn new() -> Self {
        let place = Place::new();
        let outside = place.outside();
        std::fs::write(outside.join("secret"), format!("{CANARY} and more\n")).unwrap();
        std::fs::write(outside.join(format!("{CANARY}.txt")), "").unwrap();
        std::fs::create_dir_all(outside.join("home/.ssh")).unwrap();
        std::fs::create_dir_all(outside.join("home/empty")).unwrap();
        std::fs::write(outside.join("home/.ssh/id_rsa"), CANARY).unwrap();
        let mut victim = std::process::Command::new("/bin/sh");
        // It repeats what it reads, as long as it lives, and has the file open.
        let script = "exec 3< secret; while read -r line; do echo \"$line\"; done";
        victim.args(["-c", script, CANARY]).stdin(Stdio::piped()).process_group(0);
        victim
            .env("CANARY_VARIABLE", CANARY)
            .current_dir(&outside)
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut victim = victim.spawn().unwrap();
        let echoes = BufReader::new(victim.stdout.take().unwrap());
        let mut attempt = Self { place, victim, echoes };
        // Its program is the one with these arguments from now on.
        assert!(attempt.is_victim_alive());
        attempt
    }

    /// Returns whether the process outside repeats a line. One that was sent a signal ends before it can.
    fn is_victim_alive(&mut self) -> bool {
        let mut line = String::new();
        let is_written = self.victim.stdin.as_mut().unwrap().write_all(b"alive\n").is_ok();
        is_written && self.echoes.read_line(&mut line).is_ok() && line == "alive\n"
    }

    fn command(&self, script: &str) -> Command {
        let mut command = self.place.command(script);
        let outside = self.place.outside();
        let text = |path: &Path| path.as_os_str().to_owned();
        command.environment.extend([
            ("OUT".into(), text(&outside)),
            ("SECRET".into(), text(&outside.join("secret"))),
            ("HOME".into(), text(&outside.join("home"))),
            ("VICTIM".into(), self.victim.id().to_string().into()),
            ("LEAK".into(), CANARY.into()),
        ]);
        command
    }

    /// Runs an attempt, and returns what it achieved.
    fn run(mut self, script: &str, supervisor: &SupervisorProgram) -> Vec<String> {
        let before = tree(&self.place.outside());
        let mut running = self.command(script).start(supervisor).unwrap();
        let done = finish(&mut running);
        let mut achieved = Vec::new();
        if done.stdout.contains(CANARY) || done.stderr.contains(CANARY) && !done.stderr.contains("outside/*")
        {
            achieved.push("read the canary".to_owned());
        }
        if tree(&self.place.outside()) != before {
            achieved.push("changed the folder outside".to_owned());
        }
        let own = if self.place.work().is_symlink() { BTreeMap::new() } else { tree(&self.place.work()) };
        if own.values().any(|entry| entry.contains(CANARY) || entry.starts_with("device")) {
            achieved.push("brought it into the working folder".to_owned());
        }
        if !self.place.work().is_dir() || self.place.work().is_symlink() {
            achieved.push("moved the working folder".to_owned());
        }
        if !self.is_victim_alive() {
            achieved.push("ended a process outside".to_owned());
        }
        achieved
    }
}

impl Drop for Attempt {
    fn drop(&mut self) {
        let group = rustix::process::Pid::from_child(&self.victim);
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        let _ = self.victim.wait();
    }
}

/// Returns each file below a folder with its kind and content.
fn tree(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let Ok(entries) = std::fs::read_dir(folder) else { return found };
    for entry in entries {
        let path = entry.unwrap().path();
        let about = std::fs::symlink_metadata(&path).unwrap();
        let kind = about.file_type();
        let what = if kind.is_dir() {
            found.extend(tree(&path));
            "folder".to_owned()
        } else if kind.is_symlink() {
            format!("link to {}", std::fs::read_link(&path).unwrap().display())
        } else if kind.is_file() {
            format!("file {} {}", about.nlink(), String::from_utf8_lossy(&std::fs::read(&path).unwrap()))
        } else if kind.is_block_device() || kind.is_char_device() {
            "device".to_owned()
        } else {
            "other".to_owned()
        };
        found.insert(path, what);
    }
    found
}

/// Checks that no attempt succeeds in the sandbox, and that those of the control succeed without it.
fn check(attempts: &[(&str, Control)]) {
    let mut wrong = Vec::new();
    for (script, control) in attempts {
        let achieved = Attempt::new().run(script, &supervisor());
        if !achieved.is_empty() {
            wrong.push(format!("{script}: {achieved:?}"));
        }
        if *control == Control::Escapes
            && Attempt::new().run(script, &supervisor_without_sandbox()).is_empty()
        {
            wrong.push(format!("{script}: without a sandbox it does nothing either"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), attempts.len(), wrong.join("\n"));
}

/// Returns whether the kernel of this machine has the sandbox. Without it the attempts say nothing.
fn is_confined() -> bool {
    available_level() == Level::Full
}

#[test]
fn nothing_outside_is_read() {
    if is_confined() {
        check(READS);
    }
}

#[test]
fn nothing_outside_is_changed() {
    if is_confined() {
        check(WRITES);
    }
}

#[test]
fn no_process_outside_is_ended() {
    if is_confined() && has_signal_scope() {
        check(KILLS);
    }
}

/// Returns whether the kernel limits signals: Linux 6.12 and later.
fn has_signal_scope() -> bool {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let mut numbers = release.split(['.', '-']).map_while(|part| part.trim().parse::<u32>().ok());
    (numbers.next(), numbers.next()) >= (Some(6), Some(12))
}

#[test]
fn no_process_is_left_running() {
    for supervisor in [supervisor(), supervisor_without_sandbox()] {
        for (number, script) in LEFT.iter().enumerate() {
            // A part of the number is the id of this process, so that runs next to each other do not meet.
            let long = format!("3{}{number:02}.5", std::process::id());
            let attempt = Attempt::new();
            let mut command = attempt.command(script);
            command.environment.push(("LONG".into(), long.clone().into()));
            finish(&mut command.start(&supervisor).unwrap());
            assert_eq!(processes(&long), Vec::<String>::new(), "{script}");
        }
    }
}

/// The wrong control: with its parent alone, a command leaves processes.
#[test]
fn a_shell_without_a_supervisor_leaves_processes() {
    let long = format!("4{}.5", std::process::id());
    let mut shell = std::process::Command::new("/bin/sh");
    shell.args(["-c", &format!("sleep {long} & exit 0")]).stdout(Stdio::null()).stderr(Stdio::null());
    let mut shell = shell.process_group(0).spawn().unwrap();
    shell.wait().unwrap();
    let left = processes(&long);
    let group = rustix::process::Pid::from_child(&shell);
    rustix::process::kill_process_group(group, rustix::process::Signal::KILL).unwrap();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn the_supervisor_cannot_be_killed_by_its_command() {
    if is_confined() && has_signal_scope() {
        let done = Attempt::new();
        let done = finish(
            &mut done.command("kill -9 $PPID; kill -STOP $PPID; exit 7").start(&supervisor()).unwrap(),
        );
        assert_eq!(done.outcome.rc, 7);
    }
}

/// The agent may have been started with open files that its programs inherit.
#[test]
fn no_open_file_reaches_a_command() {
    let attempt = Attempt::new();
    let program = supervisor().program;
    let opened =
        format!("exec 7< '{}/secret'; exec '{}'", attempt.place.outside().display(), program.display());
    let inheriting = SupervisorProgram { program: "/bin/sh".into(), args: vec!["-c".into(), opened.into()] };
    let done = finish(&mut attempt.command("cat <&7").start(&inheriting).unwrap());
    assert!(!done.stdout.contains(CANARY) && done.outcome.rc != 0, "{done:?}");
    // It has its three streams and nothing else.
    let mut command = attempt.command("exec ls /proc/self/fd/");
    command.sandbox = None;
    let done = finish(&mut command.start(&inheriting).unwrap());
    // The fourth is the listing.
    assert_eq!(done.stdout.split_whitespace().collect::<Vec<_>>(), ["0", "1", "2", "3"]);
}
