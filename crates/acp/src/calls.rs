//! The tool calls of a prompt.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::client::ClientEvent;
use crate::permissions::ToolKind;
use crate::wire::CallUpdate;

/// The maximum number of calls of one prompt.
const MAX_CALLS: usize = 10_000;
/// The longest id that is kept, in bytes.
const MAX_ID: usize = 256;
/// The longest arguments that are kept, in bytes.
const MAX_INPUT: usize = 16 << 10;
/// The longest output of a call that is kept, in bytes.
const MAX_OUTPUT: usize = 256 << 10;

/// The calls of a prompt, by the ids that the program uses.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    known: BTreeMap<String, Call>,
}

#[derive(Debug)]
struct Call {
    /// Our id, which no other call of the prompt has.
    id: String,
    kind: ToolKind,
    title: String,
    /// The last arguments that the program has named.
    input: Option<Value>,
    has_ended: bool,
    /// The last output that it has reported.
    output: String,
}

/// A call, as far as it is known.
#[derive(Debug)]
pub(crate) struct KnownCall {
    pub(crate) id: String,
    /// The kinds that the program has named. It may name another one when it asks.
    pub(crate) kinds: [ToolKind; 2],
}

/// More calls than a prompt can have, or an id that is too long.
#[derive(Debug)]
pub(crate) struct TooMany;

impl Calls {
    /// Notes what is known of a call, and reports its start and its end once each.
    ///
    /// # Errors
    ///
    /// Fails above the limits of a prompt.
    pub(crate) fn update(
        &mut self,
        update: CallUpdate,
        events: &mut Vec<ClientEvent>,
    ) -> Result<KnownCall, TooMany> {
        let CallUpdate { id, title, kind, end, input, output } = update;
        // A program may report a call before it knows the arguments.
        let input =
            input.filter(|input| input.as_object().is_none_or(|members| !members.is_empty())).map(shorten);
        let number = self.known.len();
        if !self.known.contains_key(&id) && (number >= MAX_CALLS || id.len() > MAX_ID) {
            return Err(TooMany);
        }
        let call = self.known.entry(id).or_insert_with(|| {
            let own = format!("e-{number}");
            let (kind, title) = (kind.unwrap_or_default(), title.clone().unwrap_or_default());
            let input = arguments(&title, input.clone());
            events.push(ClientEvent::CallStarted { id: own.clone(), kind, input });
            Call { id: own, kind, title, input: None, has_ended: false, output: String::new() }
        });
        if let Some(title) = title {
            call.title = title;
        }
        if input.is_some() && !call.has_ended {
            call.input = input;
        }
        // `other` is also what a program reports that does not know the kind yet.
        if let Some(kind) = kind.filter(|_| call.kind == ToolKind::Other) {
            call.kind = kind;
        }
        if let Some(mut output) = output.filter(|_| !call.has_ended) {
            output.truncate(output.floor_char_boundary(MAX_OUTPUT));
            call.output = output;
        }
        if let Some(is_ok) = end.filter(|_| !call.has_ended) {
            call.end(is_ok, events);
        }
        let kinds = [call.kind, kind.unwrap_or(call.kind)];
        Ok(KnownCall { id: call.id.clone(), kinds })
    }

    /// Returns the title and the arguments of a call, as the program has named them last.
    pub(crate) fn input(&self, id: &str) -> Map<String, Value> {
        self.known.get(id).map(|call| arguments(&call.title, call.input.clone())).unwrap_or_default()
    }

    /// Ends the calls whose end the program has not reported, and begins with none again.
    pub(crate) fn end_all(&mut self, events: &mut Vec<ClientEvent>) {
        let mut known = std::mem::take(&mut self.known);
        for call in known.values_mut().filter(|call| !call.has_ended) {
            if call.output.is_empty() {
                "the program did not report how the call ended".clone_into(&mut call.output);
            }
            call.end(false, events);
        }
    }
}

impl Call {
    fn end(&mut self, is_ok: bool, events: &mut Vec<ClientEvent>) {
        self.has_ended = true;
        self.input = None;
        let content = std::mem::take(&mut self.output);
        events.push(ClientEvent::CallEnded { id: self.id.clone(), kind: self.kind, is_ok, content });
    }
}

/// Returns arguments that are kept, in place of long ones their beginning.
fn shorten(input: Value) -> Value {
    let mut text = input.to_string();
    if text.len() <= MAX_INPUT {
        return input;
    }
    text.truncate(text.floor_char_boundary(MAX_INPUT));
    text.push('…');
    text.into()
}

/// Returns the arguments of a call for people: its title, and its input.
fn arguments(title: &str, input: Option<Value>) -> Map<String, Value> {
    let mut arguments = Map::new();
    arguments.insert("title".to_owned(), title.into());
    if let Some(input) = input {
        arguments.insert("input".to_owned(), input);
    }
    arguments
}
