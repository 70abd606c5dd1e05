//! The thread that performs the items of the queue, one after another.

mod activity;
mod answers;
mod confirmations;
mod engine_records;
mod engine_turns;
mod item_ends;
mod summary;
mod turns;

use std::time::Duration;

use minds_fleet_protocol::limits::COMPACTION_ITEMS;
use minds_fleet_protocol::{
    AgentState, ContextBudget, ContextPressure, Event, Failure, Item, Timestamp, Warning,
};
use minds_fleet_store::AgentStore;

use crate::acp_engine::Engines;
use crate::clock::now;
use crate::config::{AgentConfig, Configuration};
use crate::models::Models;
use crate::running::{Command, Shared};
use crate::tools::Tools;

/// The time after which a write that failed is tried again.
const STORAGE_PAUSE: Duration = Duration::from_secs(1);

/// Performs items.
pub(crate) struct Worker<'a> {
    shared: &'a Shared,
    configuration: &'a dyn Configuration,
    tools: Box<dyn Tools + 'a>,
    models: Models,
    engines: Engines,
    /// The number of tokens that the model counted last, and the estimate at that time.
    usage: Option<(u64, u64)>,
    /// Whether the agent ends, and whether at once.
    ending: Option<bool>,
    /// The number of items that ended since the files were compacted.
    ended: usize,
}

impl<'a> Worker<'a> {
    pub(crate) fn new(
        shared: &'a Shared,
        configuration: &'a dyn Configuration,
        tools: Box<dyn Tools + 'a>,
    ) -> Self {
        Self {
            shared,
            configuration,
            tools,
            models: Models::default(),
            engines: Engines::default(),
            usage: None,
            ending: None,
            ended: 0,
        }
    }

    /// Works until the agent ends.
    pub(crate) fn run(mut self) {
        while self.ending.is_none() {
            let next = self.shared.store().queue().next().map(|(item, attempt)| (item.clone(), attempt));
            match next {
                Some((item, attempt)) => self.perform(&item, attempt),
                None => self.wait(None),
            }
        }
        self.engines.end(self.ending == Some(true));
    }

    /// Performs an item, and prepares the context for the next one.
    fn perform(&mut self, item: &Item, attempt: u32) {
        self.shared.set_state(AgentState::Busy);
        let engine = self.load().ok().filter(|config| config.engine.is_some());
        if let Some(config) = engine {
            self.perform_engine_turn(item, attempt, &config);
        } else if let Some(config) = self.perform_turn(item, attempt) {
            let request = self.request(&config);
            self.measure(&request);
        }
        if self.ending.is_none() && self.pressure() >= ContextPressure::SummarizeAfterTurn {
            self.summarize_between_turns();
        }
        let is_idle = self.shared.store().queue().next().is_none();
        if is_idle {
            self.shared.set_state(AgentState::Idle);
        }
        self.shared.wake();
    }

    fn pressure(&self) -> ContextPressure {
        self.shared.status().context.pressure()
    }

    /// Waits for a command while there is nothing that can be stopped.
    fn wait(&mut self, time: Option<Duration>) {
        if let Some(Command::ShutDown { is_hard }) = self.shared.next_command(time) {
            self.ending = Some(is_hard);
        }
    }

    /// Changes the files. While that fails, for example because the disk is full, the agent waits; it ends without the change if
    /// it is asked to end.
    fn keep(&mut self, mut change: impl FnMut(&mut AgentStore) -> Result<(), Failure>) -> bool {
        let mut has_warned = false;
        loop {
            let kept = change(&mut self.shared.store());
            let Err(failure) = kept else { return true };
            self.shared.note_error(&failure);
            if !has_warned {
                has_warned = true;
                let msg =
                    format!("the agent waits, because its files cannot be written: {}", failure.message);
                self.shared.report(Event::new(Warning { msg }));
            }
            self.wait(Some(STORAGE_PAUSE));
            if self.ending.is_some() {
                return false;
            }
        }
    }

    /// Removes what is done from the files from time to time. If that fails, the next time does it.
    fn compact(&mut self, now: Timestamp) {
        self.ended += 1;
        if self.ended < COMPACTION_ITEMS {
            return;
        }
        self.ended = 0;
        let compacted = {
            let mut store = self.shared.store();
            store.compact(now).and_then(|_| store.remove_expired(now))
        };
        if let Err(failure) = compacted {
            self.shared.note_error(&failure);
        }
    }

    /// Reads the configuration, and uses what does not need a restart.
    fn load(&mut self) -> Result<AgentConfig, Failure> {
        let config = self.configuration.load()?;
        let redactor = crate::process::redactor(&config)?;
        self.shared.tail().set_redactor(redactor);
        for msg in self.tools.configure(&config) {
            self.shared.report(Event::new(Warning { msg }));
        }
        let mut status = self.shared.status();
        status.model = config.model_id();
        let tokens = status.context.tokens;
        let window = config.model.as_ref().map_or(0, |model| model.window);
        status.context = ContextBudget { tokens, window };
        drop(status);
        Ok(config)
    }

    /// Replaces secrets.
    fn redact(&self, text: &str) -> String {
        self.shared.tail().redactor().redact(text).into_owned()
    }

    /// Publishes text that was held back long enough.
    fn poll_tail(&self) {
        let polled = self.shared.tail().poll(now());
        if let Err(failure) = polled {
            self.shared.note_error(&failure);
        }
    }
}
