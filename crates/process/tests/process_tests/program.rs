//! Programs that run beside this process: how they are found, what they receive, and that nothing of them is left.
#![cfg(unix)]

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use minds_process::{Inherited, Program, ProgramCall, ProgramEnd, ProgramPipes, StartError};

const NOTHING: Inherited<'_> = Inherited::Only(&[]);

fn call<'c>(command: &'c str, args: &'c [String], directory: &'c Path) -> ProgramCall<'c> {
    ProgramCall { command, args, inherited: NOTHING, variables: &[], directory }
}

fn shell(script: &str) -> (Program, ProgramPipes) {
    let args = ["-c".to_owned(), script.to_owned()];
    Program::start(&call("sh", &args, Path::new("/"))).unwrap()
}

fn read_all(pipe: OwnedFd) -> String {
    let mut text = String::new();
    File::from(pipe).read_to_string(&mut text).unwrap();
    text
}

/// Reads the first line of a pipe, which stays open.
fn first_line(pipe: &OwnedFd) -> String {
    let mut line = String::new();
    BufReader::new(File::from(pipe.try_clone().unwrap())).read_line(&mut line).unwrap();
    line.trim().to_owned()
}

fn script(folder: &Path, name: &str, text: &str) {
    let file = folder.join(name);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, text).unwrap();
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_program_is_talked_to_through_its_pipes() {
    let (mut program, pipes) = shell("echo err >&2; read line; echo got $line; exit 3");
    assert_eq!(program.end(), None);
    File::from(pipes.stdin).write_all(b"one\n").unwrap();
    assert_eq!(read_all(pipes.stdout), "got one\n");
    assert_eq!(read_all(pipes.stderr), "err\n");
    assert_eq!(program.kill(), Some(ProgramEnd::Exited(3)));
    assert_eq!(program.end().unwrap().to_string(), "exited with status 3");
}

#[test]
fn a_program_is_found_as_by_a_shell() {
    let folder = tempfile::tempdir().unwrap();
    script(folder.path(), "bin/tool", "#!/bin/sh\necho from-bin");
    script(folder.path(), "tool", "#!/bin/sh\necho from-here");
    script(folder.path(), "other/tool", "echo from-other");
    let path = |value: &str| vec![("PATH".to_owned(), value.to_owned())];
    for (command, variables, expected) in [
        ("tool", path("/nowhere:bin:."), "from-bin\n"),
        ("tool", path(folder.path().join("bin").to_str().unwrap()), "from-bin\n"),
        ("./tool", path("bin"), "from-here\n"),
        ("bin/tool", vec![], "from-bin\n"),
        ("tool", path("other:bin"), "from-other\n"),
    ] {
        let call = ProgramCall { variables: &variables, ..call(command, &[], folder.path()) };
        let (_program, pipes) = Program::start(&call).unwrap();
        assert_eq!(read_all(pipes.stdout), expected, "{command} {variables:?}");
    }
}

#[test]
fn a_program_that_cannot_be_started_is_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("plain"), "text").unwrap();
    fs::create_dir(folder.path().join("folder")).unwrap();
    let none = folder.path().join("none");
    for (command, directory, expected) in [
        ("no-such-program-is-here", folder.path(), "the program `no-such-program-is-here` was not found"),
        ("./none", folder.path(), "the program `./none` was not found"),
        ("", folder.path(), "the program `` was not found"),
        ("./folder", folder.path(), "the program `./folder` is not an executable file"),
        ("a\0b", folder.path(), "the program `a\0b` was not found"),
        (
            "sh",
            none.as_path(),
            &format!("the directory `{}` of the program `sh` does not exist", none.display()),
        ),
    ] {
        let error = Program::start(&call(command, &[], directory)).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    let nul = ["a\0b".to_owned()];
    let error = Program::start(&call("sh", &nul, folder.path())).unwrap_err();
    assert!(matches!(&error, StartError::Refused { command, .. } if command == "sh"), "{error}");
}

#[test]
fn the_environment_is_that_of_the_call() {
    let given = [("PATH".to_owned(), "/usr/bin:/bin".to_owned()), ("GIVEN".to_owned(), "1".to_owned())];
    let args =
        ["-c".to_owned(), "echo ${CARGO_MANIFEST_DIR:+set} ${CARGO_PKG_NAME:-unset} $GIVEN".to_owned()];
    for (inherited, expected) in [
        (Inherited::AllBut(&["CARGO_PKG_NAME"]), "set unset 1\n"),
        (Inherited::AllBut(&[]), "set minds-process 1\n"),
        (Inherited::Only(&["CARGO_PKG_NAME"]), "minds-process 1\n"),
        (Inherited::Only(&[]), "unset 1\n"),
    ] {
        let call = ProgramCall { inherited, variables: &given, ..call("sh", &args, Path::new("/")) };
        let (_program, pipes) = Program::start(&call).unwrap();
        assert_eq!(read_all(pipes.stdout), expected, "{inherited:?}");
    }
}

#[test]
fn a_program_can_end_when_it_is_asked_to() {
    let (mut program, pipes) =
        shell("trap 'echo asked; exit 0' TERM; echo ready; while :; do read line; done");
    assert_eq!(first_line(&pipes.stdout), "ready");
    program.terminate();
    drop(pipes.stdin);
    assert_eq!(read_all(pipes.stdout), "asked\n");
    assert_eq!(program.kill(), Some(ProgramEnd::Exited(0)));
    program.terminate();
    assert_eq!(program.kill(), Some(ProgramEnd::Exited(0)), "nothing more happens");
}

/// The pipe is closed once all processes that hold it are gone.
#[test]
fn no_process_of_the_group_is_left() {
    const SCRIPT: &str = "trap '' TERM; (trap '' TERM; sleep 1000) & echo ready; sleep 1000";
    let (mut program, pipes) = shell(SCRIPT);
    assert_eq!(first_line(&pipes.stdout), "ready");
    program.terminate();
    assert_eq!(program.end(), None);
    let end = program.kill().unwrap();
    assert_eq!((end, end.to_string().as_str()), (ProgramEnd::Killed(9), "was killed by signal 9"));
    assert_eq!(read_all(pipes.stdout), "");

    let (program, pipes) = shell(SCRIPT);
    assert_eq!(first_line(&pipes.stdout), "ready");
    drop(program);
    assert_eq!(read_all(pipes.stdout), "");

    // The program itself has ended, but another one runs.
    let (mut program, pipes) = shell("sleep 1000 2>&1 & exit 5");
    assert_eq!(read_all(pipes.stderr), "");
    assert_eq!(program.kill(), Some(ProgramEnd::Exited(5)));
    assert_eq!(read_all(pipes.stdout), "");
}
