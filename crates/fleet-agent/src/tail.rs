//! What an agent publishes: redacted, coalesced, in order.

use std::time::Duration;

use minds_fleet_bus::Publisher;
use minds_fleet_protocol::limits::RING_FRAMES;
use minds_fleet_protocol::{
    Coalescer, Event, EventKind, Failure, ItemId, Json, Now, RedactionStream, Redactor, Token, TraceId,
    Warning,
};
use serde_json::Value;

use crate::metrics::Metrics;

/// The number of events that wait while they cannot be stored: as many as followers expect to find.
const MAX_WAITING: usize = RING_FRAMES;

/// The frames of an agent.
pub(crate) struct Tail {
    publisher: Box<dyn Publisher>,
    redactor: Redactor,
    coalescer: Coalescer,
    /// The text that is held back, and where it belongs.
    text: RedactionStream,
    source: Option<Source>,
    /// Events that could not be stored.
    waiting: Vec<Event>,
    lost: usize,
    metrics: Metrics,
    /// When the oldest text arrived that is not published.
    arrived: Option<Duration>,
}

/// Where text comes from. Only text of one source is redacted together.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Source {
    /// A token without text.
    pub(crate) token: Token,
    pub(crate) qid: ItemId,
    pub(crate) trace_id: TraceId,
}

impl Tail {
    pub(crate) fn new(
        publisher: Box<dyn Publisher>,
        redactor: Redactor,
        coalescer: Coalescer,
        metrics: Metrics,
    ) -> Self {
        let text = RedactionStream::new();
        Self {
            publisher,
            redactor,
            coalescer,
            text,
            source: None,
            waiting: Vec::new(),
            lost: 0,
            metrics,
            arrived: None,
        }
    }

    /// Uses other patterns and values from now on.
    pub(crate) fn set_redactor(&mut self, redactor: Redactor) {
        self.redactor = redactor;
    }

    pub(crate) fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// Ends the waiting of the other thread for requests.
    pub(crate) fn wake(&self) {
        self.publisher.wake();
    }

    /// Publishes text.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be stored. It is kept, and stored with the next event.
    pub(crate) fn publish_text(&mut self, source: &Source, text: &str, now: Now) -> Result<(), Failure> {
        let mut ready = Vec::new();
        if self.source.as_ref() != Some(source) {
            ready.extend(self.release(now));
            self.source = Some(source.clone());
        }
        self.arrived.get_or_insert(now.clock);
        let text = self.text.push(&self.redactor, text, now.clock);
        ready.extend(self.collect(text, now));
        self.publish(ready, now)
    }

    /// Publishes an event, after the text before it.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be stored. It is kept, and stored with the next event.
    pub(crate) fn report(&mut self, event: Event, now: Now) -> Result<(), Failure> {
        let mut ready = self.release(now);
        let event = self.redact(event);
        ready.extend(self.coalescer.push(event, now.clock));
        self.publish(ready, now)
    }

    /// Publishes what was held back long enough.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be stored. It is kept, and stored with the next event.
    pub(crate) fn poll(&mut self, now: Now) -> Result<(), Failure> {
        let text = self.text.poll(&self.redactor, now.clock);
        let mut ready = self.collect(text, now);
        ready.extend(self.coalescer.poll(now.clock));
        self.publish(ready, now)
    }

    /// Returns the text that was held back, which is complete now.
    fn release(&mut self, now: Now) -> Vec<Event> {
        let text = self.text.finish(&self.redactor);
        let mut ready = self.collect(text, now);
        ready.extend(self.coalescer.flush());
        self.source = None;
        ready
    }

    fn collect(&mut self, text: String, now: Now) -> Vec<Event> {
        let Some(source) = self.source.as_ref().filter(|_| !text.is_empty()) else { return Vec::new() };
        let token = Token { text, ..source.token.clone() };
        let (qid, trace_id) = (Some(source.qid.clone()), Some(source.trace_id.clone()));
        self.coalescer.push(Event { kind: token.into(), qid, trace_id }, now.clock)
    }

    fn redact(&self, event: Event) -> Event {
        let clean = |text: &mut String| *text = self.redactor.redact(text).into_owned();
        let Event { mut kind, qid, trace_id } = event;
        match &mut kind {
            EventKind::ToolCall(call) => {
                clean(&mut call.name);
                clean(&mut call.call_id);
                call.input = redact_json(&self.redactor, &call.input);
            }
            EventKind::ToolResult(result) => {
                clean(&mut result.name);
                clean(&mut result.call_id);
            }
            EventKind::Warning(warning) => clean(&mut warning.msg),
            EventKind::Error(error) => clean(&mut error.msg),
            EventKind::ConfirmRequest(request) => {
                clean(&mut request.title);
                clean(&mut request.body);
            }
            EventKind::Token(token) => clean(&mut token.text),
            _ => {}
        }
        Event { kind, qid, trace_id }
    }

    fn publish(&mut self, events: Vec<Event>, now: Now) -> Result<(), Failure> {
        if events.is_empty() {
            return Ok(());
        }
        self.waiting.extend(events);
        let excess = self.waiting.len().saturating_sub(MAX_WAITING);
        if excess > 0 {
            self.waiting.drain(..excess);
            self.lost += excess;
        }
        let mut events = self.waiting.clone();
        if self.lost > 0 {
            let msg = format!("{} events could not be stored and are lost", self.lost);
            events.insert(0, Event::new(Warning { msg }));
        }
        let has_text = events.iter().any(|event| matches!(event.kind, EventKind::Token(_)));
        self.publisher.publish(events, now)?;
        if let Some(arrived) = self.arrived.take_if(|_| has_text) {
            self.metrics.add_latency(now.clock.saturating_sub(arrived));
        }
        self.waiting.clear();
        self.lost = 0;
        Ok(())
    }
}

/// Replaces secrets in a value: in strings, in names of members, and in numbers that are one.
pub(crate) fn redact_json(redactor: &Redactor, json: &Json) -> Json {
    let redacted = json.decode::<Value>().and_then(|value| Json::from_value(&redact_value(redactor, value)));
    // A value that is not JSON has no structure to keep.
    redacted.unwrap_or_else(|_| {
        Json::from_value(&redactor.redact(json.as_str())).unwrap_or_else(|_| json.clone())
    })
}

/// Replaces secrets in text. In a JSON object the escapes of strings would hide them, so it is read and written again.
pub(crate) fn redact_result(redactor: &Redactor, text: &str) -> String {
    match serde_json::from_str::<Value>(text) {
        Ok(value @ Value::Object(_)) => redact_value(redactor, value).to_string(),
        _ => redactor.redact(text).into_owned(),
    }
}

pub(crate) fn redact_value(redactor: &Redactor, value: Value) -> Value {
    match value {
        Value::String(text) => redactor.redact(&text).into(),
        Value::Number(number) => {
            let text = number.to_string();
            match redactor.redact(&text) {
                redacted if redacted == text => Value::Number(number),
                redacted => redacted.into(),
            }
        }
        Value::Array(items) => items.into_iter().map(|item| redact_value(redactor, item)).collect(),
        Value::Object(members) => members
            .into_iter()
            .map(|(name, member)| (redactor.redact(&name).into_owned(), redact_value(redactor, member)))
            .collect(),
        Value::Null | Value::Bool(_) => value,
    }
}

#[cfg(test)]
mod tests {
    use minds_fleet_protocol::{ErrorCode, Timestamp, ToolCall};
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Recorder {
        events: Arc<Mutex<Vec<Event>>>,
        fails: Arc<Mutex<bool>>,
    }

    impl Publisher for Recorder {
        fn publish(&mut self, events: Vec<Event>, _: Now) -> Result<u64, Failure> {
            if *self.fails.lock().unwrap() {
                return Err(Failure::new(ErrorCode::HandlerError, "full"));
            }
            self.events.lock().unwrap().extend(events);
            Ok(0)
        }

        fn wake(&self) {}
    }

    fn at(milliseconds: u64) -> Now {
        Now { clock: Duration::from_millis(milliseconds), time: Timestamp::from_milliseconds(milliseconds) }
    }

    fn source(model: &str) -> Source {
        Source {
            token: Token { text: String::new(), model: model.to_owned(), stream: None },
            qid: ItemId::parse("q-1").unwrap(),
            trace_id: TraceId::parse("t-1").unwrap(),
        }
    }

    fn tail() -> (Tail, Recorder) {
        let recorder = Recorder::default();
        let redactor = Redactor::new(["hunter[0-9]"], ["swordfish"]).unwrap();
        (Tail::new(Box::new(recorder.clone()), redactor, Coalescer::default(), Metrics::default()), recorder)
    }

    fn list_text(recorder: &Recorder) -> Vec<String> {
        let text = |event: &Event| match &event.kind {
            EventKind::Token(token) => format!("{}: {}", token.model, token.text),
            EventKind::Warning(warning) => format!("warn: {}", warning.msg),
            EventKind::ToolCall(call) => format!("tool: {}", call.input.as_str()),
            _ => "?".to_owned(),
        };
        recorder.events.lock().unwrap().iter().map(text).collect()
    }

    #[test]
    fn secrets_split_over_parts_do_not_appear() {
        let (mut tail, recorder) = tail();
        for part in ["the password is swo", "rdf", "ish, or hun", "ter2 "] {
            tail.publish_text(&source("m"), part, at(0)).unwrap();
        }
        // Nothing is released within a word.
        tail.poll(at(250)).unwrap();
        tail.publish_text(&source("m"), "ok", at(260)).unwrap();
        tail.report(Event::new(Warning { msg: "swordfish".to_owned() }), at(270)).unwrap();
        assert_eq!(list_text(&recorder).concat(), "m: the password is m: ****, or m: **** m: okwarn: ****");
    }

    #[test]
    fn an_event_follows_the_text_before_it() {
        let (mut tail, recorder) = tail();
        tail.publish_text(&source("m"), "a", at(0)).unwrap();
        tail.publish_text(&source("tool:t"), "b", at(0)).unwrap();
        let input = Json::parse(r#"{"cmd":["echo swordfish",1]}"#).unwrap();
        let call = ToolCall { name: "t".to_owned(), input, call_id: "1".to_owned() };
        tail.report(Event::new(call), at(0)).unwrap();
        assert_eq!(list_text(&recorder), ["m: a", "tool:t: b", r#"tool: {"cmd":["echo ****",1]}"#]);
    }

    #[test]
    fn names_members_and_numbers_are_redacted() {
        let (mut tail, recorder) = tail();
        let input = Json::parse(r#"{"swordfish":"hunter2","list":[{"hunter3":8}],"n":1}"#).unwrap();
        let call = ToolCall { name: "swordfish".to_owned(), input, call_id: "1".to_owned() };
        tail.report(Event::new(call), at(0)).unwrap();
        let events = recorder.events.lock().unwrap();
        let EventKind::ToolCall(call) = &events[0].kind else { panic!("{events:?}") };
        assert_eq!(
            (call.name.as_str(), call.input.as_str()),
            ("****", r#"{"****":"****","list":[{"****":8}],"n":1}"#)
        );
    }

    /// The escapes of JSON do not hide a secret.
    #[test]
    fn results_are_redacted_before_they_are_escaped() {
        let redactor = Redactor::new(["a.b\nc", "12345"], ["pass\"word\\1"]).unwrap();
        let cases = [
            (
                r#"{"content":"x pass\"word\\1 y a\"b\nc","n":12345}"#,
                r#"{"content":"x **** y ****","n":"****"}"#,
            ),
            ("pass\"word\\1, 12345", "****, ****"),
            (r#"{"content":"pla"#, r#"{"content":"pla"#),
            (r#"["a"]"#, r#"["a"]"#),
        ];
        for (text, expected) in cases {
            assert_eq!(redact_result(&redactor, text), expected, "{text}");
        }
    }

    #[test]
    fn events_that_cannot_be_stored_are_stored_later() {
        let (mut tail, recorder) = tail();
        *recorder.fails.lock().unwrap() = true;
        let warn = |number: usize| Event::new(Warning { msg: number.to_string() });
        for number in 0..MAX_WAITING + 2 {
            assert!(tail.report(warn(number), at(0)).is_err());
        }
        *recorder.fails.lock().unwrap() = false;
        tail.report(warn(MAX_WAITING + 2), at(0)).unwrap();
        let written = list_text(&recorder);
        assert_eq!(written.len(), MAX_WAITING + 1);
        assert_eq!(written[..2], ["warn: 3 events could not be stored and are lost", "warn: 3"]);
    }
}
