//! The REPL of an agent: commands and inputs on stdin, without a connection and an owner.

mod inbox;
mod line;

use std::io::{self, Write as _};
use std::path::PathBuf;

use minds_diagnostics::emit::{printable, visible};
use minds_fleet_agent::{Configuration as _, ConfiguredAgent, LocalControl, LocalStatus};
use minds_fleet_protocol::limits::MAX_MESSAGE_BYTES;
use minds_fleet_protocol::{HistoryRecord, Role};
use minds_output::{Color, Output, count};
use minds_process::{Line, Lines, standard_input_lines};

use self::inbox::{Inbox, InboxFile};
use self::line::{MAX_RECORDS, ReplLine, parse};
use crate::command_error::CommandError;
use crate::questions::can_ask;

/// The commands.
const HELP: &str = "\
status             What the agent does
queue              The items of its queue
queue clear        Remove the pending ones; asks for confirmation
history tail [N]   The last N records of its history, 20 by default
sys show           The system prompt
sys reload         Read the prompt files again
inbox scan         Ask for each inbox/*.txt whether it is an input
help               These commands

Any other line is an input. The end of the input ends these commands, and not the agent.
";

/// The longest part of a file or record that one line displays, in characters.
const MAX_PREVIEW: usize = 400;

/// What the REPL is about.
pub(crate) struct Repl {
    pub(crate) configuration: ConfiguredAgent,
    /// The folder of the agent, with its inbox.
    pub(crate) folder: PathBuf,
    pub(crate) color: Color,
}

impl Repl {
    /// Reads lines until the end of the input. The agent continues then.
    pub(crate) fn run(self, control: &LocalControl) {
        let mut out = Output::new(self.color, false);
        let mut running = Running {
            repl: &self,
            control,
            lines: standard_input_lines(MAX_MESSAGE_BYTES),
            out: &mut out,
            is_terminal: can_ask(),
        };
        if let Err(error) = running.run() {
            warn(&error);
        }
        let id = control.status().id;
        Output::remark(&format!(
            "the end of the input: `{id}` continues until SIGTERM or `minds-fleet stop {id}`"
        ));
    }
}

struct Running<'r, R> {
    repl: &'r Repl,
    control: &'r LocalControl,
    lines: Lines<R>,
    out: &'r mut Output,
    is_terminal: bool,
}

impl<R: io::Read> Running<'_, R> {
    /// # Errors
    ///
    /// Fails if stdin cannot be read, or nothing reads stdout any more.
    fn run(&mut self) -> Result<(), CommandError> {
        loop {
            if self.is_terminal {
                // If stderr is closed, it is not a terminal.
                let _ = write!(io::stderr(), "> ");
            }
            let line = match self.lines.next_line()? {
                None => return Ok(()),
                Some(Line::TooLong) => {
                    Output::warning(&format!(
                        "the line has more than {MAX_MESSAGE_BYTES} bytes; it is not an input"
                    ));
                    continue;
                }
                Some(Line::Bytes(bytes)) => String::from_utf8(bytes.to_vec()),
            };
            match line {
                Ok(line) => {
                    if let Err(error) = self.perform(&line) {
                        warn(&error);
                    }
                }
                Err(_) => Output::warning("the line is not valid UTF-8; it is not an input"),
            }
            if !self
                .out
                .flush_if_needed(true)
                .map_err(|_| CommandError::System("cannot write to stdout".to_owned()))?
            {
                return Ok(());
            }
        }
    }

    fn perform(&mut self, line: &str) -> Result<(), CommandError> {
        match parse(line) {
            ReplLine::Empty => {}
            ReplLine::Status => self.out.data(&status_text(&self.control.status())),
            ReplLine::Queue => self.list_queue(),
            ReplLine::ClearQueue => self.clear_queue()?,
            ReplLine::History(number) => {
                for record in self.control.history(number)? {
                    self.out.data(&record_text(&record));
                }
            }
            ReplLine::InvalidHistory => {
                let message = format!("`history tail` needs a number from 1 to {MAX_RECORDS}");
                return Err(CommandError::Usage(message));
            }
            ReplLine::ShowPrompt => {
                let prompt = self.repl.configuration.load()?.prompt.effective;
                self.out.data(&format!("{}\n", visible(prompt.trim_end())));
            }
            ReplLine::ReloadPrompt => {
                self.repl.configuration.load()?;
                self.control.reload();
                self.out.data("the prompt files are valid; the next step uses them\n");
            }
            ReplLine::Ingest => {
                let message = "the knowledge base is not available in this version";
                return Err(CommandError::Refused(message.to_owned()));
            }
            ReplLine::ScanInbox => self.scan_inbox()?,
            ReplLine::Help => self.out.data(HELP),
            ReplLine::Input(text) => {
                let qid = self.control.input(text)?;
                self.out.data(&format!("queued {qid}\n"));
            }
        }
        Ok(())
    }

    fn list_queue(&mut self) {
        let queue = self.control.queue();
        if queue.items.is_empty() {
            self.out.data("the queue is empty\n");
        }
        for item in queue.items {
            let state = serde_json::to_value(item.state).ok();
            let state = state.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default();
            self.out.data(&format!("{} {state} {}: {}\n", item.qid, item.source, preview(&item.text)));
        }
        if queue.left_out > 0 {
            self.out.data(&format!("and {} more\n", queue.left_out));
        }
    }

    fn clear_queue(&mut self) -> Result<(), CommandError> {
        self.confirm("remove the pending items of the queue?")?;
        let removed = self.control.clear_queue()?;
        let removed = count(usize::try_from(removed).unwrap_or(usize::MAX), "item");
        self.out.data(&format!("removed {removed}\n"));
        Ok(())
    }

    /// Asks for each file of the inbox whether it is an input.
    fn scan_inbox(&mut self) -> Result<(), CommandError> {
        let inbox = Inbox::open(&self.repl.folder).map_err(CommandError::System)?;
        let files = inbox.files().map_err(CommandError::System)?;
        if files.is_empty() {
            self.out.data("the inbox has no files\n");
        }
        for InboxFile { name, text } in files {
            let shown = printable(&name).into_owned();
            let text = match text {
                Ok(text) => text,
                Err(reason) => {
                    Output::warning(&format!("`{shown}` is not an input: {reason}"));
                    continue;
                }
            };
            self.out.data(&format!("{shown}: {}\n", preview(&text)));
            if let Err(error) = self.confirm(&format!("make `{shown}` an input?")) {
                warn(&error);
                continue;
            }
            // Without the folder, the file would be offered again.
            inbox.prepare().map_err(CommandError::System)?;
            let qid = self.control.input(&text)?;
            // An input that exists twice can be dropped, a lost one cannot be found: the file is moved after the queue is on disk.
            let moved = inbox.accept(&name).map_err(|reason| {
                CommandError::System(format!("`{shown}` is queued as `{qid}`, and cannot be moved: {reason}"))
            })?;
            self.out.data(&format!("queued {qid}; moved to {}\n", printable(&moved)));
        }
        Ok(())
    }

    /// Fails unless the person at the terminal confirms something. Lines that come from a pipe are not an answer.
    fn confirm(&mut self, question: &str) -> Result<(), CommandError> {
        let subject = question.trim_end_matches('?');
        if !self.is_terminal {
            let message = format!("{subject}: only a person at a terminal can confirm it");
            return Err(CommandError::Refused(message));
        }
        // What the question is about appears in front of it.
        let _ = self.out.flush_if_needed(true);
        let _ = write!(io::stderr(), "{} [y/N] ", printable(question));
        let is_confirmed = match self.lines.next_line()? {
            Some(Line::Bytes(answer)) => {
                let answer = answer.trim_ascii();
                answer.eq_ignore_ascii_case(b"y") || answer.eq_ignore_ascii_case(b"yes")
            }
            _ => false,
        };
        if is_confirmed {
            Ok(())
        } else {
            Err(CommandError::Refused(format!("{subject}: it was not confirmed")))
        }
    }
}

/// Prints an error. The REPL goes on.
fn warn(error: &CommandError) {
    let (code, message) = error.describe();
    Output::warning(&format!("error[{code}]: {message}"));
}

fn status_text(status: &LocalStatus) -> String {
    let mut text = format!(
        "{}: {}, model {}, context {:.0}%, {} pending, {} parked\n",
        status.id,
        status.state.as_str(),
        status.model.as_deref().map_or("none".into(), printable),
        status.ctx_pct * 100.0,
        status.queue.pending,
        status.queue.parked
    );
    if let Some(item) = &status.current {
        text.extend(["works on ", item.as_str(), "\n"]);
    }
    if let Some(error) = &status.last_error {
        text.extend(["last error: ", &preview(error), "\n"]);
    }
    text
}

fn record_text(record: &HistoryRecord) -> String {
    let time = record.ts.to_rfc3339().unwrap_or_default();
    let names: Vec<&str> = record.tool_calls.iter().map(|call| call.name.as_str()).collect();
    let calls = if names.is_empty() { String::new() } else { format!(" [{}]", printable(&names.join(", "))) };
    let role = match record.role {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    };
    format!("{} {time} {role} {}: {}{calls}\n", record.seq, record.qid, preview(&record.content))
}

/// Returns the beginning of text as one line.
fn preview(text: &str) -> String {
    let mut line: String = text.trim().chars().take(MAX_PREVIEW).collect();
    if text.trim().chars().nth(MAX_PREVIEW).is_some() {
        line.push('…');
    }
    printable(&line).into_owned()
}
