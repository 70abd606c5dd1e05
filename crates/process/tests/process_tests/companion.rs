//! Processes that run beside this one.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::time::Duration;

use minds_process::{
    Companion, Inherited, Program, ProgramCall, ProgramEnd, adopt_descendants, kill, kill_descendants, pause,
    reap_adopted, receive_descriptor, send_descriptor,
};

/// The variable with which this program is started again.
const ROLE: &str = "MINDS_TEST_COMPANION";

#[test]
fn descriptors_are_sent_over_sockets() {
    let (one, other) = UnixStream::pair().unwrap();
    let (mut sent, kept) = UnixStream::pair().unwrap();
    send_descriptor(&one, &kept).unwrap();
    drop(kept);
    let received = receive_descriptor(&other).unwrap().unwrap();
    UnixStream::from(received).write_all(b"hello").unwrap();
    let mut text = String::new();
    sent.read_to_string(&mut text).unwrap();
    assert_eq!(text, "hello", "the copy that was received was the last one");
    drop(one);
    assert!(receive_descriptor(&other).unwrap().is_none());
    assert!(send_descriptor(&other, &sent).is_err(), "nobody receives it");
}

#[test]
fn a_companion_has_the_socket_as_input_and_a_group_of_its_own() {
    let (ours, theirs) = UnixStream::pair().unwrap();
    // The shell answers on its standard input, which is a socket.
    let script = "read line; echo \"$line $$ $(cut -d ' ' -f 5 /proc/$$/stat)\" >&0";
    let mut companion = Companion::start("/bin/sh".as_ref(), &["-c", script], theirs).unwrap();
    (&ours).write_all(b"hello\n").unwrap();
    let mut line = String::new();
    BufReader::new(&ours).read_line(&mut line).unwrap();
    let id = companion.id().to_string();
    assert_eq!(line.trim_end(), format!("hello {id} {id}"));
    assert!(companion.wait().unwrap());
}

#[test]
fn a_companion_that_does_not_end_is_killed() {
    let (_ours, theirs) = UnixStream::pair().unwrap();
    let mut companion = Companion::start("/bin/cat".as_ref(), &[] as &[&str], theirs).unwrap();
    companion.end_within(Duration::ZERO).unwrap();
    assert!(!companion.wait().unwrap());
    let (ours, theirs) = UnixStream::pair().unwrap();
    let mut companion = Companion::start("/bin/cat".as_ref(), &[] as &[&str], theirs).unwrap();
    drop(ours);
    companion.end_within(Duration::from_mins(10)).unwrap();
    assert!(companion.wait().unwrap(), "it ended by itself");
}

#[test]
fn a_companion_that_is_killed_did_not_succeed() {
    let (_ours, theirs) = UnixStream::pair().unwrap();
    let mut companion = Companion::start("/bin/cat".as_ref(), &[] as &[&str], theirs).unwrap();
    kill(companion.id());
    assert!(!companion.wait().unwrap());
}

/// Starts processes in groups and sessions of their own, whose parents end, and kills them all.
#[test]
fn descendants_end_also_if_their_parents_have_ended() {
    if std::env::var_os(ROLE).is_some() {
        adopt_descendants().unwrap();
        let script = "setsid sh -c 'sleep 1000 & echo started' & sleep 1000 & wait %1; echo ready";
        let mut shell = Command::new("sh").args(["-c", script]).stdout(Stdio::piped()).spawn().unwrap();
        let mut output = BufReader::new(shell.stdout.take().unwrap());
        let mut line = String::new();
        while line.trim_end() != "ready" {
            line.clear();
            assert!(output.read_line(&mut line).unwrap() > 0);
        }
        shell.wait().unwrap();
        kill_descendants();
        // Their copies of the pipe are closed.
        output.read_to_string(&mut line).unwrap();
        std::process::exit(0);
    }
    let program = std::env::current_exe().unwrap();
    let test = "companion::descendants_end_also_if_their_parents_have_ended";
    let status = Command::new(program).args(["--exact", test]).env(ROLE, "1").status().unwrap();
    assert!(status.success());
}

/// Returns the children of this process that are zombies.
fn zombies() -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").unwrap();
    let ids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    let is_zombie = |id: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        let fields = stat.rsplit_once(") ").map(|(_, rest)| rest.split(' ').take(2).collect::<Vec<_>>());
        fields.is_some_and(|fields| fields == ["Z", &std::process::id().to_string()])
    };
    ids.filter(is_zombie).collect()
}

#[test]
fn only_adopted_processes_are_waited_for() {
    if std::env::var_os(ROLE).is_some() {
        adopt_descendants().unwrap();
        let call = ProgramCall {
            command: "sh",
            args: &["-c".to_owned(), "true & true & exit 7".to_owned()],
            inherited: Inherited::AllBut(&[]),
            variables: &[],
            directory: "/".as_ref(),
        };
        let (mut program, _pipes) = Program::start(&call).unwrap();
        while zombies().len() < 3 {
            pause(Duration::from_millis(1));
        }
        reap_adopted();
        assert_eq!(zombies(), [program.id()]);
        assert_eq!(program.end(), Some(ProgramEnd::Exited(7)));
        std::process::exit(0);
    }
    let program = std::env::current_exe().unwrap();
    let test = "companion::only_adopted_processes_are_waited_for";
    let status = Command::new(program).args(["--exact", test]).env(ROLE, "1").status().unwrap();
    assert!(status.success());
}
