//! Joins the text of many small events.

use std::collections::VecDeque;
use std::time::Duration;

use crate::limits::{COALESCE_RATE, COALESCE_WINDOW, MAX_FRAME_TEXT_BYTES};
use crate::{Event, EventKind, Token, split_text};

/// The time over which the rate is measured.
const SECOND: Duration = Duration::from_secs(1);

/// Joins consecutive `token` events of one source while there are more than [`COALESCE_RATE`] in a second.
///
/// Nothing is lost and the order stays: the joined text of the results is the joined text of the events, every other
/// event releases what waits first, and text is never longer than a frame permits. Offsets are assigned to the results.
#[derive(Clone, Debug)]
pub struct Coalescer {
    window: Duration,
    /// The times of the last events, one more than the rate.
    times: VecDeque<Duration>,
    is_joining: bool,
    waiting: Option<Waiting>,
}

#[derive(Clone, Debug)]
struct Waiting {
    event: Event,
    token: Token,
    deadline: Duration,
}

impl Default for Coalescer {
    fn default() -> Self {
        Self::new(COALESCE_WINDOW)
    }
}

impl Coalescer {
    /// Makes a coalescer that holds text for at most `window`, which is [`COALESCE_WINDOW`] by default.
    pub fn new(window: Duration) -> Self {
        Self { window, times: VecDeque::new(), is_joining: false, waiting: None }
    }

    /// Adds an event, and returns what to report now.
    pub fn push(&mut self, event: Event, now: Duration) -> Vec<Event> {
        let mut ready = self.poll(now);
        let EventKind::Token(token) = event.kind else {
            ready.extend(self.flush());
            ready.push(event);
            return ready;
        };
        self.measure(now);
        let common = Event { kind: EventKind::Unknown, qid: event.qid, trace_id: event.trace_id };
        let is_joinable = self.is_joining
            && self.waiting.as_ref().is_some_and(|waiting| {
                waiting.event == common
                    && waiting.token.model == token.model
                    && waiting.token.stream == token.stream
            });
        if !is_joinable {
            ready.extend(self.flush());
        }
        let waiting = self.waiting.get_or_insert_with(|| Waiting {
            event: common,
            token: Token { text: String::new(), ..token.clone() },
            deadline: now.saturating_add(self.window),
        });
        waiting.token.text.push_str(&token.text);
        if !self.is_joining {
            ready.extend(self.flush());
        } else if let Some(waiting) = &mut self.waiting
            && waiting.token.text.len() > MAX_FRAME_TEXT_BYTES
        {
            // Full frames are reported; the rest waits on.
            let text = std::mem::take(&mut waiting.token.text);
            let mut parts: Vec<&str> = split_text(&text).collect();
            parts.pop().unwrap_or_default().clone_into(&mut waiting.token.text);
            ready.extend(parts.into_iter().map(|part| waiting.to_event(part)));
        }
        ready
    }

    /// Returns what has waited long enough.
    pub fn poll(&mut self, now: Duration) -> Vec<Event> {
        let is_due = self.waiting.as_ref().is_some_and(|waiting| waiting.deadline <= now);
        if is_due { self.flush() } else { Vec::new() }
    }

    /// Returns everything that waits, at the end of an item or of the agent.
    pub fn flush(&mut self) -> Vec<Event> {
        let Some(waiting) = self.waiting.take() else { return Vec::new() };
        if waiting.token.text.is_empty() {
            // An event without text is reported as it is.
            return vec![waiting.to_event("")];
        }
        split_text(&waiting.token.text).map(|part| waiting.to_event(part)).collect()
    }

    /// Returns when to call [`Coalescer::poll`].
    pub fn deadline(&self) -> Option<Duration> {
        self.waiting.as_ref().map(|waiting| waiting.deadline)
    }

    /// Returns whether events are joined at present.
    pub fn is_joining(&self) -> bool {
        self.is_joining
    }

    /// Begins to join above the rate, and ends below it.
    fn measure(&mut self, now: Duration) {
        self.times.push_back(now);
        while self.times.len() > COALESCE_RATE + 1
            || self.times.front().is_some_and(|time| now.saturating_sub(*time) >= SECOND)
        {
            self.times.pop_front();
        }
        if self.times.len() > COALESCE_RATE {
            self.is_joining = true;
        } else if self.times.len() < COALESCE_RATE {
            self.is_joining = false;
        }
    }
}

impl Waiting {
    fn to_event(&self, text: &str) -> Event {
        let token = Token { text: text.to_owned(), ..self.token.clone() };
        Event { kind: EventKind::Token(token), ..self.event.clone() }
    }
}
