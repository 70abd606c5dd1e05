//! Output, ends, limits and stops of commands.

use std::io::{Read as _, Write as _};
use std::process::Stdio;
use std::time::Duration;

use minds_exec::{ExecError, ExecEvent, OutputLines, Program, Stream, SupervisorProgram};

use crate::place::{Place, WAIT, finish, processes, run, supervisor, supervisor_without_sandbox};

#[test]
fn a_command_reports_its_output_and_its_exit_code() {
    let place = Place::new();
    for (line, rc, stdout, stderr) in [
        ("true", 0, "", ""),
        ("exit 3", 3, "", ""),
        ("echo a && echo b >&2 && false", 1, "a\n", "b\n"),
        ("printf 'no newline'", 0, "no newline", ""),
        ("false || echo c; exit 255", 255, "c\n", ""),
        ("echo $0; cat", 0, "/bin/sh\n", ""),
        ("kill -9 $$", 137, "", ""),
        ("kill -TERM $$", 143, "", ""),
    ] {
        let done = run(&place.command(line));
        assert_eq!(
            (done.outcome.rc, &*done.stdout, &*done.stderr, done.outcome.timed_out),
            (rc, stdout, stderr, false),
            "{line}"
        );
    }
}

#[test]
fn a_program_is_started_with_its_arguments() {
    let place = Place::new();
    let mut command = place.command("");
    command.program = Program::Argv(["printf", "%s|", "a b", "$HOME", "*"].map(Into::into).to_vec());
    assert_eq!(run(&command).stdout, "a b|$HOME|*|");
}

#[test]
fn a_command_that_cannot_start_is_an_error() {
    let place = Place::new();
    let start = |program: &str| {
        let mut command = place.command("");
        command.program = Program::Argv(vec![program.into()]);
        command.start(&supervisor()).unwrap_err()
    };
    assert!(
        matches!(start("no-such-program"), ExecError::NotFound { program } if program == "no-such-program")
    );
    assert!(matches!(start("/no/such"), ExecError::NotFound { .. }));
    assert!(matches!(start(""), ExecError::NotFound { .. }));
    std::fs::write(place.work().join("data"), "x").unwrap();
    assert!(matches!(start("./data"), ExecError::NotExecutable { .. }));
    let mut elsewhere = place.command("true");
    elsewhere.cwd = place.work().join("none");
    assert!(matches!(elsewhere.start(&supervisor()).unwrap_err(), ExecError::Directory { .. }));
    let none = SupervisorProgram { program: "/no/such".into(), args: Vec::new() };
    assert!(matches!(place.command("true").start(&none).unwrap_err(), ExecError::Supervisor { .. }));
    // A program that is not a supervisor.
    let wrong = SupervisorProgram { program: "/bin/true".into(), args: Vec::new() };
    assert!(matches!(place.command("true").start(&wrong).unwrap_err(), ExecError::Supervisor { .. }));
}

#[test]
fn a_terminal_is_one_stream() {
    let place = Place::new();
    let mut command = place.command("test -t 0 && test -t 1 && test -t 2 && stty size && echo e >&2; exit 4");
    command.pty = true;
    let done = run(&command);
    assert_eq!((&*done.stdout, &*done.stderr, done.outcome.rc), ("24 80\r\ne\r\n", "", 4));
    // Interactive programs reach the terminal by its name.
    let mut command = place.command("echo hello > /dev/tty");
    command.pty = true;
    assert_eq!(run(&command).stdout, "hello\r\n");
}

/// What a command writes to the terminal of its agent could become input of a shell.
#[test]
fn a_command_does_not_have_the_terminal_of_its_agent() {
    let place = Place::new();
    let mut command = place.command("cut -d ' ' -f 6 /proc/$$/stat");
    command.sandbox = None;
    // The number is 0 where the session began in another PID namespace.
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let own = stat.rsplit(')').next().unwrap().split_whitespace().nth(3).unwrap();
    for has_terminal in [false, true] {
        command.pty = has_terminal;
        let of_command = run(&command).stdout;
        assert!(!["", "0", own].contains(&of_command.trim()), "{of_command:?}, {own}");
    }
}

#[test]
fn a_command_beyond_its_time_is_stopped() {
    let place = Place::new();
    for (line, rc) in
        [("sleep 100", 143), ("yes > /dev/null", 143), ("trap 'exit 9' TERM; sleep 100 & wait", 9)]
    {
        let mut command = place.command(line);
        command.time_limit = Some(Duration::from_millis(300));
        let done = run(&command);
        assert!(done.outcome.timed_out, "{line}: {done:?}");
        assert_eq!(done.outcome.rc, rc, "{line}");
    }
}

#[test]
fn a_command_that_ignores_the_stop_is_killed() {
    let place = Place::new();
    let mut command = place.command("trap '' TERM; echo ready; while :; do sleep 0.05; done");
    command.time_limit = Some(Duration::from_millis(200));
    let done = run(&command);
    assert!(done.outcome.timed_out && done.outcome.signal == Some(9), "{done:?}");
}

/// The output is not read until the end, so the command waits in its write; the limit holds all the same.
#[test]
fn a_time_limit_needs_no_reader() {
    let place = Place::new();
    let mut command = place.command("yes");
    command.time_limit = Some(Duration::from_millis(200));
    let mut running = command.start(&supervisor()).unwrap();
    let marker = format!("/proc/{}", running.id());
    wait_until(|| !std::path::Path::new(&marker).exists());
    let done = finish(&mut running);
    assert!(done.outcome.timed_out && done.outcome.rc == 143, "{:?}", done.outcome);
    assert!(done.stdout.len() < 8 << 20, "{}", done.stdout.len());
}

#[test]
fn a_command_is_stopped_on_request() {
    let place = Place::new();
    let line = "trap 'echo asked; exit 5' TERM; echo ready; sleep 100 & wait";
    for (is_hard, rc, last) in [(false, 5, "asked\n"), (true, 137, "")] {
        let mut running = place.command(line).start(&supervisor()).unwrap();
        let ready = ExecEvent::Output { stream: Stream::Stdout, bytes: b"ready\n".to_vec() };
        assert_eq!(running.next(WAIT).unwrap(), Some(ready));
        running.stop(is_hard);
        let done = finish(&mut running);
        assert_eq!((done.outcome.rc, &*done.stdout, done.outcome.timed_out), (rc, last, false));
    }
}

#[test]
fn a_dropped_command_leaves_nothing() {
    let place = Place::new();
    for (number, supervisor) in [supervisor(), supervisor_without_sandbox()].into_iter().enumerate() {
        let long = format!("5{}{number}.5", std::process::id());
        let line = format!(
            "(setsid sh -c 'trap \"\" TERM; sleep {long}; sleep {long}' &); echo ready; sleep {long}"
        );
        let mut running = place.command(&line).start(&supervisor).unwrap();
        running.next(WAIT).unwrap().unwrap();
        wait_until(|| processes(&format!("sleep {long}")).len() >= 3);
        drop(running);
        assert_eq!(processes(&long), Vec::<String>::new());
    }
}

/// The variable that makes the test below the agent that is killed, with the number of seconds of its commands.
const AGENT: &str = "MINDS_TEST_EXEC_AGENT";

/// An agent that is killed can do nothing, and nothing of its commands is left.
#[test]
fn a_killed_agent_leaves_nothing() {
    if let Ok(long) = std::env::var(AGENT) {
        let place = Place::new();
        let line = format!("trap '' TERM; (setsid sleep {long} &); echo ready; sleep {long}");
        let mut running = place.command(&line).start(&supervisor()).unwrap();
        running.next(WAIT).unwrap().unwrap();
        // Until it is killed.
        let never = running.next(Duration::from_mins(10)).unwrap();
        panic!("the command goes on: {never:?}");
    }
    let place = Place::new();
    let long = format!("6{}.5", std::process::id());
    let mut agent = std::process::Command::new(std::env::current_exe().unwrap());
    agent.args(["--exact", "running::a_killed_agent_leaves_nothing"]).stdout(Stdio::null());
    // Its folders are removed with those of this test.
    let mut agent = agent.env(AGENT, &long).env("TMPDIR", place.outside()).spawn().unwrap();
    wait_until(|| processes(&format!("sleep {long}")).len() >= 3);
    agent.kill().unwrap();
    agent.wait().unwrap();
    wait_until(|| processes(&long).is_empty());
}

fn wait_until(mut is_true: impl FnMut() -> bool) {
    let end = std::time::Instant::now() + WAIT;
    while !is_true() {
        assert!(std::time::Instant::now() < end, "it takes too long");
        std::thread::yield_now();
    }
}

#[test]
fn output_is_text_line_by_line() {
    let mut lines = OutputLines::new(Duration::from_millis(40));
    let at = Duration::from_millis;
    assert_eq!(lines.push(Stream::Stdout, b"one\ntw", at(0)), Some("one\n".to_owned()));
    assert_eq!(lines.push(Stream::Stderr, b"\xc3", at(10)), None);
    assert_eq!(lines.deadline(), Some(at(40)));
    assert_eq!(lines.poll(at(39)), []);
    assert_eq!(lines.poll(at(40)), [(Stream::Stdout, "tw".to_owned())]);
    assert_eq!(lines.push(Stream::Stderr, b"\xa4 ", at(50)), None);
    assert_eq!(lines.push(Stream::Stdout, b"\xff", at(60)), None);
    let rest = [(Stream::Stdout, "\u{fffd}".to_owned()), (Stream::Stderr, "\u{e4} ".to_owned())];
    assert_eq!(lines.finish(), rest);
    assert_eq!((lines.finish(), lines.deadline()), (Vec::new(), None));
}

#[test]
fn a_program_with_pipes_is_talked_to() {
    let place = Place::new();
    let (mut supervised, pipes) =
        place.command("cat; echo end >&2; exit 6").start_piped(&supervisor()).unwrap();
    assert_eq!(supervised.end(Duration::ZERO).unwrap(), None);
    let [mut stdin, mut stdout, mut stderr] =
        [pipes.stdin, pipes.stdout, pipes.stderr].map(std::fs::File::from);
    stdin.write_all(b"hello\n").unwrap();
    let mut line = [0; 6];
    stdout.read_exact(&mut line).unwrap();
    assert_eq!(&line, b"hello\n");
    drop(stdin);
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "end\n");
    let outcome = supervised.end(WAIT).unwrap().expect("it ends in time");
    assert_eq!(outcome.rc, 6);
    assert_eq!(supervised.end(Duration::ZERO).unwrap(), Some(outcome));
}

#[test]
fn much_output_arrives_whole() {
    let place = Place::new();
    let line = "head -c 20000000 /dev/zero & head -c 20000000 /dev/zero >&2; wait";
    let mut running = place.command(line).start(&supervisor()).unwrap();
    let (mut stdout, mut stderr) = (0, 0);
    loop {
        match running.next(WAIT).unwrap().expect("it ends in time") {
            ExecEvent::Output { stream, bytes } => {
                assert!(bytes.len() <= 1 << 16 && bytes.iter().all(|byte| *byte == 0));
                *(if stream == Stream::Stdout { &mut stdout } else { &mut stderr }) += bytes.len();
            }
            ExecEvent::Ended(outcome) => {
                assert_eq!((outcome.rc, stdout, stderr), (0, 20_000_000, 20_000_000));
                return;
            }
        }
    }
}

/// A command line longer than the system permits, and an environment of the same kind.
#[test]
fn a_command_that_is_too_long_is_an_error() {
    let place = Place::new();
    let refused = place.command(&"x".repeat(1 << 20)).start(&supervisor()).unwrap_err();
    assert!(matches!(refused, ExecError::Refused { .. }), "{refused}");
    let mut command = place.command("echo ${#LARGE}");
    command.environment.push(("LARGE".into(), "x".repeat(100_000).into()));
    assert_eq!(run(&command).stdout, "100000\n");
}

#[test]
fn bytes_of_any_kind_are_passed() {
    use std::os::unix::ffi::OsStringExt as _;
    let place = Place::new();
    let odd = std::ffi::OsString::from_vec(b"\xff\xfe\n".to_vec());
    let mut command = place.command("");
    command.cwd = place.work().join(&odd);
    std::fs::create_dir(&command.cwd).unwrap();
    command.program = Program::Argv(vec![
        "sh".into(),
        "-c".into(),
        "printf '%s' \"$0$ODD\" | od -An -tx1; echo x > y".into(),
        odd.clone(),
    ]);
    command.environment.push(("ODD".into(), odd));
    assert_eq!(run(&command).stdout.trim(), "ff fe 0a ff fe 0a");
    assert!(command.cwd.join("y").exists());
}
