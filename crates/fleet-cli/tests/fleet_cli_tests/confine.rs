//! The hidden command that supervises the commands of agents.

use std::process::{Command as Process, Stdio};
use std::time::Duration;

use minds_exec::{
    Command, ExecEvent, Folders, Level, Program, SandboxRules, SupervisorProgram, available_level,
};

const PROGRAM: &str = env!("CARGO_BIN_EXE_minds-fleet");

#[test]
fn the_program_supervises_a_confined_command() {
    let top = tempfile::tempdir().unwrap();
    let work = top.path().join("work");
    std::fs::create_dir(&work).unwrap();
    std::fs::write(top.path().join("secret"), "canary").unwrap();
    let command = Command {
        program: Program::Shell("echo x > own && cat own; cat ../secret; exit 3".to_owned()),
        cwd: work.clone(),
        environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
        pty: false,
        time_limit: Some(Duration::from_mins(1)),
        sandbox: Some(SandboxRules::new(&Folders {
            working_folder: &work,
            whitelist: &[],
            exec_read: &[],
            exec_write: &[],
        })),
        temporary_folder: None,
    };
    let supervisor = SupervisorProgram { program: PROGRAM.into(), args: vec!["confine".into()] };
    let (mut running, mut stdout) = (command.start(&supervisor).unwrap(), Vec::new());
    assert_eq!(running.level(), available_level());
    let outcome = loop {
        match running.next(Duration::from_mins(1)).unwrap().expect("it ends in time") {
            ExecEvent::Output { stream: minds_exec::Stream::Stdout, bytes } => stdout.extend(bytes),
            ExecEvent::Output { .. } => {}
            ExecEvent::Ended(outcome) => break outcome,
        }
    };
    assert_eq!(outcome.rc, 3);
    let secret = if available_level() == Level::Full { "" } else { "canary" };
    assert_eq!(String::from_utf8(stdout).unwrap(), format!("x\n{secret}"));
}

#[test]
fn a_person_who_runs_it_gets_an_error() {
    let output = Process::new(PROGRAM).arg("confine").stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("cannot supervise a command through `stdin`"), "{message}");
    // It is not a command for people.
    let help = Process::new(PROGRAM).arg("--help").output().unwrap();
    assert!(!String::from_utf8(help.stdout).unwrap().contains("confine"));
}
