//! The session of a program, over turns and restarts.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::Duration;

use minds_acp::{Client, ClientEvent, ENGINE_LINE_BYTES, FoundLine, LineSplitter, McpServer, Opening};

use super::MEMBER_SERVER;
use super::process::{EngineProcess, Output, temporary_folder, working_folder};
use crate::config::EngineConfig;

/// The pause after a program that ended by itself; it doubles.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The most events of a program between two turns.
const MAX_IDLE_EVENTS: usize = 100_000;

/// The program of an agent, if it runs, and when it may be started again.
#[derive(Default)]
pub(crate) struct Engines {
    running: Option<Running>,
    /// How often it has failed without a turn that ended.
    failures: u32,
    not_before: Duration,
}

struct Running {
    config: EngineConfig,
    process: EngineProcess,
    client: Client,
    lines: LineSplitter,
    events: VecDeque<ClientEvent>,
}

/// What happened next.
pub(crate) enum NextEvent {
    /// Nothing, within the time.
    Nothing,
    /// A line was used that meant nothing.
    Skipped,
    Event(ClientEvent),
    /// The program has ended, and how.
    Ended(String),
}

impl Engines {
    /// Returns when a program that failed may be started again, on the clock of the process.
    pub(crate) fn not_before(&self) -> Duration {
        self.not_before
    }

    /// Returns whether the program takes a prompt now. One that has ended meanwhile, or is configured in another way, is ended.
    pub(crate) fn is_ready(&mut self, config: &EngineConfig, now: Duration) -> bool {
        for _ in 0..MAX_IDLE_EVENTS {
            let Some(running) = &self.running else { return false };
            if running.config != *config || !running.client.is_idle() {
                self.end(false);
                return false;
            }
            match self.next(now, Duration::ZERO) {
                NextEvent::Nothing => return true,
                NextEvent::Ended(_) => {
                    self.end(true);
                    return false;
                }
                // Nothing that it reports between turns belongs to one.
                NextEvent::Skipped | NextEvent::Event(_) => {}
            }
        }
        // It reports without an end.
        self.end(true);
        false
    }

    /// Starts the program, which begins to open a session, and returns what it cannot use of its configuration.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be started, with the reason.
    pub(crate) fn start(
        &mut self,
        config: &EngineConfig,
        state_folder: &Path,
        session: Option<String>,
        now: Duration,
    ) -> Result<Vec<String>, String> {
        // The protocol has only paths that are text.
        let cwd = working_folder(config, state_folder).to_str().unwrap_or_default().to_owned();
        let servers = servers(config, state_folder);
        let process = EngineProcess::start(config, state_folder)?;
        let skipped = process.skipped_rules().iter().filter(|rule| config.named_paths.contains(&rule.path));
        let warnings = skipped
            .map(|rule| format!("the engine cannot use `{}`: {}", rule.path.display(), rule.reason))
            .collect();
        let (model, mode, meta) = (config.model.clone(), config.mode.clone(), config.meta.clone());
        let opening = Opening { cwd, servers, session, model, mode, meta };
        let config = config.clone();
        let (client, lines) = (Client::open(opening, now), LineSplitter::new(ENGINE_LINE_BYTES));
        self.running = Some(Running { config, process, client, lines, events: VecDeque::new() });
        Ok(warnings)
    }

    /// Returns the client of the running program.
    pub(crate) fn client(&mut self) -> Option<&mut Client> {
        self.running.as_mut().map(|running| &mut running.client)
    }

    /// Returns what happens next, if anything does within `wait`.
    pub(crate) fn next(&mut self, now: Duration, wait: Duration) -> NextEvent {
        let Some(running) = &mut self.running else { return NextEvent::Ended("is not running".to_owned()) };
        if let Some(event) = running.events.pop_front() {
            return NextEvent::Event(event);
        }
        running.events.extend(running.client.poll(now));
        if !running.process.send(running.client.take_output()) {
            let end = running.process.describe_end();
            running.events.extend(running.client.end());
            return NextEvent::Ended(end);
        }
        if let Some(event) = running.events.pop_front() {
            return NextEvent::Event(event);
        }
        if running.take_line() {
            return running.events.pop_front().map_or(NextEvent::Skipped, NextEvent::Event);
        }
        match running.process.next(wait) {
            Output::Nothing => NextEvent::Nothing,
            Output::Bytes(bytes) => {
                running.lines.push(&bytes);
                NextEvent::Skipped
            }
            Output::End => {
                running.events.extend(running.client.end());
                match running.events.pop_front() {
                    Some(event) => NextEvent::Event(event),
                    None => NextEvent::Ended(running.process.describe_end()),
                }
            }
        }
    }

    /// Notes a turn that ended in order.
    pub(crate) fn note_success(&mut self) {
        self.failures = 0;
        self.not_before = Duration::ZERO;
    }

    /// Ends a program that failed. The next start waits, longer each time.
    pub(crate) fn note_failure(&mut self, now: Duration) {
        let pause = FIRST_PAUSE.saturating_mul(2_u32.saturating_pow(self.failures)).min(LONGEST_PAUSE);
        self.failures = self.failures.saturating_add(1);
        self.not_before = now.saturating_add(pause);
        self.end(true);
    }

    /// Ends the program and what it started: at once, or after it had time to end by itself.
    pub(crate) fn end(&mut self, is_hard: bool) {
        if let Some(running) = self.running.take() {
            running.process.end(is_hard);
        }
    }
}

/// Returns the MCP server that a program starts: a relay to the tools of the member that it has.
fn servers(config: &EngineConfig, state_folder: &Path) -> Vec<McpServer> {
    if config.member.is_none() {
        return Vec::new();
    }
    // The protocol has only text.
    let text = |text: &OsStr| text.to_str().unwrap_or_default().to_owned();
    let relay = &config.programs.relay;
    let folder = temporary_folder(state_folder);
    let args = relay.args.iter().map(OsString::as_os_str).chain([folder.as_os_str()]).map(text).collect();
    vec![McpServer { name: MEMBER_SERVER.to_owned(), command: text(relay.program.as_os_str()), args }]
}

impl Running {
    /// Uses the next complete line; returns whether there was one.
    fn take_line(&mut self) -> bool {
        let events = match self.lines.next_line() {
            None => return false,
            Some(FoundLine::Bytes(line)) => self.client.receive(&line),
            Some(FoundLine::TooLong) => self.client.receive_too_long(),
        };
        self.events.extend(events);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_after_failures_double_until_a_turn_ends() {
        let mut engines = Engines::default();
        let mut pauses = Vec::new();
        for _ in 0..8 {
            engines.note_failure(Duration::ZERO);
            pauses.push(engines.not_before().as_millis());
        }
        assert_eq!(pauses, [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
        engines.note_success();
        assert_eq!(engines.not_before(), Duration::ZERO);
        engines.note_failure(Duration::from_secs(10));
        assert_eq!(engines.not_before(), Duration::from_millis(10_500));
    }
}
