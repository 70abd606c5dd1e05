//! A model that answers from a script, for tests and examples.

use std::collections::VecDeque;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{Answer, Model, ModelError, ModelErrorKind, ModelEvent, ModelRequest, ToolCall};

/// The name of the provider.
const PROVIDER: &str = "scripted";
/// The answer without a line for the request.
const ENDED: &str = "script ended";
/// The maximum size of a script, in bytes.
const MAX_SCRIPT_BYTES: usize = 16 << 20;

/// The answers of a scripted model: JSON lines.
///
/// | member | meaning |
/// |---|---|
/// | `when` | the line is used only if the last message contains this text |
/// | `text` | the text of the answer |
/// | `tool_calls` | tool calls, each with `name` and `args` |
/// | `chunk` | the size of the parts in which the text arrives, in bytes; a character is never split |
/// | `delay_ms` | the time before each part, in milliseconds |
/// | `stall_ms` | the time before the first part, in milliseconds |
/// | `status` | fails before the first part, as with this HTTP status |
/// | `cut` | the connection ends after this number of bytes of text |
///
/// The first unused line that fits is the answer. Empty lines are ignored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    lines: Vec<Line>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    when: Option<String>,
    #[serde(default)]
    text: String,
    #[serde(default)]
    tool_calls: Vec<Call>,
    chunk: Option<usize>,
    #[serde(default)]
    delay_ms: u64,
    #[serde(default)]
    stall_ms: u64,
    status: Option<u16>,
    cut: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    name: String,
    #[serde(default)]
    args: Map<String, Value>,
}

/// Why a script cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScriptError {
    /// It is larger than 16 MiB.
    #[error("the script has more than {MAX_SCRIPT_BYTES} bytes")]
    TooLarge,
    /// A line is not valid.
    #[error("line {line}, column {column}: {message}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What is wrong.
        message: String,
    },
}

impl Script {
    /// Reads a script.
    ///
    /// # Errors
    ///
    /// Names the first line that is not valid.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        if text.len() > MAX_SCRIPT_BYTES {
            return Err(ScriptError::TooLarge);
        }
        let mut lines = Vec::new();
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let parsed: Line = serde_json::from_str(line).map_err(|error| {
                let message = error.to_string();
                let message = message.split(" at line ").next().unwrap_or_default().to_owned();
                ScriptError::Line { line: at + 1, column: error.column().max(1), message }
            })?;
            if parsed.chunk == Some(0) {
                let message = "invalid `chunk`: expected at least 1".to_owned();
                return Err(ScriptError::Line { line: at + 1, column: 1, message });
            }
            lines.push(parsed);
        }
        Ok(Self { lines })
    }
}

/// A model that answers from a script.
pub struct ScriptedModel {
    unused: Vec<Line>,
    calls: u64,
    wait: Wait,
}

/// Waits for a time.
pub type Wait = fn(Duration);

impl ScriptedModel {
    /// Creates a model that uses each line of the script once. `wait` waits for a time.
    pub fn new(script: Script, wait: Wait) -> Self {
        Self { unused: script.lines, calls: 0, wait }
    }
}

impl Model for ScriptedModel {
    fn begin(&mut self, request: &ModelRequest) -> Result<Box<dyn Answer>, ModelError> {
        let last = request.messages.last().map(crate::Message::text).unwrap_or_default();
        let fits = |line: &Line| line.when.as_ref().is_none_or(|when| last.contains(when));
        let line = match self.unused.iter().position(fits) {
            Some(at) => self.unused.remove(at),
            None => Line { text: ENDED.to_owned(), ..Line::default() },
        };
        let mut steps = VecDeque::new();
        steps.push_back((Duration::from_millis(line.stall_ms), Step::Nothing));
        if let Some(status) = line.status {
            let error =
                ModelError::new(PROVIDER, ModelErrorKind::Status { status, retry_after: None, code: None });
            steps.push_back((Duration::ZERO, Step::Fail(error)));
            return Ok(Box::new(ScriptedAnswer { steps, wait: self.wait }));
        }
        let text = line.cut.map_or(line.text.as_str(), |cut| {
            line.text.get(..line.text.floor_char_boundary(cut)).unwrap_or_default()
        });
        let delay = Duration::from_millis(line.delay_ms);
        let parts = split(text, line.chunk.unwrap_or(usize::MAX));
        steps.extend(parts.map(|part| (delay, Step::Event(ModelEvent::Text(part.to_owned())))));
        if line.cut.is_some() {
            steps.push_back((
                Duration::ZERO,
                Step::Fail(ModelError::new(PROVIDER, ModelErrorKind::Connection)),
            ));
            return Ok(Box::new(ScriptedAnswer { steps, wait: self.wait }));
        }
        for call in line.tool_calls {
            self.calls += 1;
            let call =
                ToolCall { id: format!("call-{}", self.calls), name: call.name, arguments: Ok(call.args) };
            steps.push_back((delay, Step::Event(ModelEvent::Call(call))));
        }
        let input = request.messages.iter().map(|message| count_tokens(message.text())).sum::<u64>();
        let usage = ModelEvent::Usage {
            input: input + count_tokens(&request.system),
            output: count_tokens(&line.text),
        };
        steps.extend([usage, ModelEvent::End].map(|event| (Duration::ZERO, Step::Event(event))));
        Ok(Box::new(ScriptedAnswer { steps, wait: self.wait }))
    }
}

/// A token has about four characters.
fn count_tokens(text: &str) -> u64 {
    u64::try_from(text.chars().count().div_ceil(4)).unwrap_or(u64::MAX)
}

/// Splits text into parts of at most `size` bytes, or of one character that is longer.
fn split(text: &str, size: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?.len_utf8();
        let (part, remainder) =
            rest.split_at_checked(rest.floor_char_boundary(size.min(rest.len())).max(first))?;
        rest = remainder;
        Some(part)
    })
}

struct ScriptedAnswer {
    /// The steps, each with the time before it.
    steps: VecDeque<(Duration, Step)>,
    wait: Wait,
}

enum Step {
    Nothing,
    Event(ModelEvent),
    Fail(ModelError),
}

impl Answer for ScriptedAnswer {
    fn next(&mut self, wait: Duration) -> Result<Option<ModelEvent>, ModelError> {
        let mut remaining = wait;
        while let Some((time, _)) = self.steps.front_mut() {
            if *time > remaining {
                *time -= remaining;
                (self.wait)(remaining);
                return Ok(None);
            }
            if !time.is_zero() {
                (self.wait)(*time);
                remaining -= *time;
            }
            match self.steps.pop_front() {
                Some((_, Step::Event(event))) => return Ok(Some(event)),
                Some((_, Step::Fail(error))) => {
                    self.steps.clear();
                    return Err(error);
                }
                Some((_, Step::Nothing)) | None => {}
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Message;

    fn model(lines: &[Value]) -> ScriptedModel {
        let text: Vec<String> = lines.iter().map(Value::to_string).collect();
        ScriptedModel::new(Script::parse(&text.join("\n\n")).unwrap(), |_| {})
    }

    fn ask(model: &mut ScriptedModel, text: &str) -> Vec<Result<ModelEvent, ModelError>> {
        let request =
            ModelRequest { messages: vec![Message::User(text.to_owned())], ..ModelRequest::default() };
        let mut answer = model.begin(&request).unwrap();
        let mut events = Vec::new();
        loop {
            match answer.next(Duration::from_secs(1)).transpose() {
                None => return events,
                Some(event) => events.push(event),
            }
        }
    }

    fn text_of(events: &[Result<ModelEvent, ModelError>]) -> Vec<&str> {
        let text = |event| match event {
            &Ok(ModelEvent::Text(ref text)) => Some(text.as_str()),
            _ => None,
        };
        events.iter().filter_map(text).collect()
    }

    #[test]
    fn the_first_unused_line_that_fits_is_the_answer() {
        let mut model = model(&[
            json!({"when": "b", "text": "B"}),
            json!({"text": "any"}),
            json!({"when": "b", "text": "B2"}),
        ]);
        for (question, expected) in
            [("a", "any"), ("abc", "B"), ("b", "B2"), ("b", "script ended"), ("", "script ended")]
        {
            assert_eq!(text_of(&ask(&mut model, question)), [expected], "{question}");
        }
    }

    #[test]
    fn text_arrives_in_parts_that_split_no_character() {
        let mut model = model(&[json!({"text": "añ€😀b", "chunk": 2})]);
        let events = ask(&mut model, "x");
        assert_eq!(text_of(&events), ["a", "ñ", "€", "😀", "b"]);
        let usage = Ok(ModelEvent::Usage { input: 1, output: 2 });
        assert_eq!(events[events.len() - 2..], [usage, Ok(ModelEvent::End)]);
    }

    #[test]
    fn failures_end_an_answer() {
        let mut model = model(&[
            json!({"text": "unseen", "status": 503}),
            json!({"text": "abc€", "cut": 4, "tool_calls": [{"name": "t"}]}),
        ]);
        let status = ModelErrorKind::Status { status: 503, retry_after: None, code: None };
        assert_eq!(ask(&mut model, ""), [Err(ModelError::new("scripted", status))]);
        let events = ask(&mut model, "");
        assert_eq!(events[0], Ok(ModelEvent::Text("abc".to_owned())));
        assert_eq!(events[1..], [Err(ModelError::new("scripted", ModelErrorKind::Connection))]);
    }

    #[test]
    fn calls_have_ids_of_their_own() {
        let line = json!({"tool_calls": [{"name": "os_exec", "args": {"cmd": "true"}}, {"name": "fs_read"}]});
        let mut model = model(&[line.clone(), line]);
        let ids = |events: Vec<Result<ModelEvent, ModelError>>| -> Vec<String> {
            let id = |event| match event {
                Ok(ModelEvent::Call(call)) => Some(call.id),
                _ => None,
            };
            events.into_iter().filter_map(id).collect()
        };
        assert_eq!(ids(ask(&mut model, "")), ["call-1", "call-2"]);
        assert_eq!(ids(ask(&mut model, "")), ["call-3", "call-4"]);
    }

    #[test]
    fn times_are_kept_over_several_questions_for_the_next_event() {
        let mut model = model(&[json!({"text": "a", "stall_ms": 100, "delay_ms": 50})]);
        let mut answer = model.begin(&ModelRequest::default()).unwrap();
        let step = Duration::from_millis(40);
        let events: Vec<Option<ModelEvent>> = (0..4).map(|_| answer.next(step).unwrap()).collect();
        assert_eq!(events, [None, None, None, Some(ModelEvent::Text("a".to_owned()))]);
    }

    #[test]
    fn a_line_that_is_not_valid_is_named() {
        let cases = [
            ("{\"text\":\"a\"}\n{\"tex\":1}", 2, "unknown field `tex`"),
            ("\n\nx", 3, "expected value"),
            ("{\"chunk\":0}", 1, "invalid `chunk`"),
            ("{\"text\":1}", 1, "invalid type"),
        ];
        for (text, expected, message) in cases {
            let Err(ScriptError::Line { line, message: found, .. }) = Script::parse(text) else {
                panic!("{text}")
            };
            assert_eq!(line, expected, "{text}");
            assert!(found.starts_with(message) && !found.contains("at line"), "{found}");
        }
    }
}
