//! The REPL of an agent.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::json;

use crate::support::terminal::Terminal;
use crate::support::{World, exists};

/// An agent with a REPL whose lines come from a pipe.
struct Repl {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Repl {
    fn start(world: &World) -> Self {
        let mut command = world.command(&["agent", "zeus", "--repl"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, input, output }
    }

    fn types(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    /// Types a line, and returns the first line of the answer.
    fn ask(&mut self, line: &str) -> String {
        self.types(line);
        self.read()
    }

    fn read(&mut self) -> String {
        let mut answer = String::new();
        self.output.read_line(&mut answer).unwrap();
        answer.trim_end().to_owned()
    }

    /// Ends the input, stops the agent, and returns what it printed on stderr.
    fn stop(mut self, world: &World) -> String {
        drop(self.input.take());
        assert_eq!(world.document(&["stop", "zeus"], 0)["agents"][0]["result"], "stopped");
        let output = self.child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stderr).unwrap()
    }
}

const HELLO: &str = r#"{"text":"hello"}"#;

#[test]
fn lines_are_commands_or_inputs_that_need_no_owner() {
    let world = World::new(&["zeus"], &[HELLO, HELLO]);
    let mut repl = Repl::start(&world);
    assert!(repl.ask("status").starts_with("shop/zeus: "), "the agent answers");
    // The input needs no owner, and its source is `local`.
    let queued = repl.ask("status of the build?");
    let qid = queued.strip_prefix("queued ").expect("an input is queued").to_owned();
    // A client waits for the work that is in front of its own.
    world.document(&["send", "zeus", "--wait", "hello"], 0);
    let record = repl.ask("history tail");
    assert!(record.contains(&format!(" user {qid}: status of the build?")), "{record}");
    assert!(repl.read().ends_with(": hello"));
    repl.read();
    repl.read();
    let history = world.workspace().join(".ateam/agents/zeus/state/history.jsonl");
    let history = std::fs::read_to_string(history).unwrap();
    assert!(history.lines().next().unwrap().contains("\"source\":\"local\""), "{history}");
    assert_eq!(repl.ask("queue"), "the queue is empty");
    assert_eq!(repl.ask("sys show"), "You answer.");
    // The prompt has several lines, with the block of the tools.
    repl.types("sys reload");
    while repl.read() != "the prompt files are valid; the next step uses them" {}
    assert!(repl.ask("help").starts_with("status "));
    let errors = repl.stop(&world);
    assert!(errors.contains("continues until SIGTERM"), "{errors}");
}

#[test]
fn refused_commands_change_nothing() {
    let world = World::new(&["zeus"], &[]);
    world.write(".ateam/agents/zeus/inbox/a.txt", "run the tests\n");
    world.write(".ateam/agents/zeus/inbox/b.txt", "");
    world.write(".ateam/agents/zeus/inbox/c.md", "no input");
    let mut repl = Repl::start(&world);
    for line in ["kb ingest a.md", "queue clear", "history tail 0", &"x".repeat(262_145)] {
        repl.types(line);
    }
    assert_eq!(repl.ask("inbox scan"), "a.txt: run the tests", "only files with this suffix that have text");
    // The answer of a pipe is not one of a person: it is an input.
    assert!(repl.ask("y").starts_with("queued "));
    let errors = repl.stop(&world);
    for expected in [
        "error[refused]: the knowledge base is not available in this version",
        "error[refused]: remove the pending items of the queue: only a person at a terminal can confirm it",
        "error[usage]: `history tail` needs a number from 1 to 200",
        "the line has more than 262144 bytes; it is not an input",
        "error[refused]: make `a.txt` an input: only a person at a terminal can confirm it",
        "`b.txt` is not an input: it is empty",
    ] {
        assert!(errors.contains(expected), "{expected}: {errors}");
    }
    assert!(exists(&world.workspace().join(".ateam/agents/zeus/inbox/a.txt")));
    assert!(!exists(&world.workspace().join(".ateam/agents/zeus/inbox/processed")));
}

#[test]
fn accepted_files_of_the_inbox_are_inputs() {
    let world = World::new(&["zeus"], &[HELLO]);
    let inbox = world.workspace().join(".ateam/agents/zeus/inbox");
    world.write(".ateam/agents/zeus/inbox/a.txt", "run the tests\n");
    world.write(".ateam/agents/zeus/inbox/b.txt", "delete them\n");
    world.write(".ateam/agents/zeus/inbox/processed/a.txt", "an earlier one\n");
    std::os::unix::fs::symlink("/etc/hostname", inbox.join("c.txt")).unwrap();
    let mut terminal = Terminal::start(world.command(&["agent", "zeus", "--repl"]));
    terminal.until("> ");
    terminal.types("inbox scan\n");
    terminal.until("make `a.txt` an input? [y/N] ");
    terminal.types("y\n");
    terminal.until("moved to inbox/processed/a-2.txt");
    terminal.until("make `b.txt` an input? [y/N] ");
    terminal.types("n\n");
    terminal.until("make `b.txt` an input: it was not confirmed");
    terminal.until("`c.txt` is not an input: it is not a regular file");
    terminal.until("> ");
    world.document(&["stop", "zeus"], 0);
    terminal.end();
    let read = |name: &str| std::fs::read_to_string(inbox.join(name)).unwrap();
    assert_eq!(read("processed/a-2.txt"), "run the tests\n");
    assert_eq!(read("processed/a.txt"), "an earlier one\n");
    assert_eq!(read("b.txt"), "delete them\n");
    assert!(!exists(&inbox.join("a.txt")));
}

#[test]
fn a_token_and_lines_cannot_both_come_from_stdin() {
    let world = World::new(&["zeus"], &[]);
    let error = &world.document(&["agent", "zeus", "--repl", "--bootstrap-file", "-"], 2)["error"];
    assert_eq!(error["kind"], json!("usage"));
}
