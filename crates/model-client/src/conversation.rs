//! The messages of a request in the form that all providers accept.
//!
//! Providers demand what a history does not guarantee: the results of calls directly after the calls and in their order, one
//! for each; ids that are unique; a user at the beginning and at the end; no blank text.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::{Message, ToolCall};

/// The result of a call that has none.
const NO_RESULT: &str = "the result of this call is not known";
/// The content of a message that has none.
const BLANK: &str = "(empty)";
/// The first message of a conversation whose beginning is summarized.
const BEGINNING: &str = "(the beginning of the conversation is left out)";
/// The last message after an answer that is not complete.
const CONTINUE: &str = "Continue.";
/// The length of an id that all providers accept, in characters.
const MAX_ID: usize = 64;

/// A part of a conversation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Part<'r> {
    /// Text of a user.
    User(String),
    /// An answer: text, which may be empty if there are calls.
    Assistant(&'r str, Vec<Call<'r>>),
    /// The results of the calls of the answer before, in their order.
    Results(Vec<CallResult<'r>>),
}

/// A call of an answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call<'r> {
    pub(crate) id: String,
    pub(crate) name: &'r str,
    /// The arguments; those that are not JSON are the member `invalid_json`.
    pub(crate) arguments: Map<String, Value>,
}

/// The result of a call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CallResult<'r> {
    pub(crate) id: String,
    pub(crate) name: &'r str,
    pub(crate) content: &'r str,
    pub(crate) is_ok: bool,
}

/// Arranges messages.
pub(crate) fn arrange(messages: &[Message]) -> Vec<Part<'_>> {
    let mut arranged = Arrangement::default();
    for message in messages {
        match message {
            Message::User(text) => {
                arranged.end_results();
                let text = if text.trim().is_empty() { BLANK } else { text };
                arranged.parts.push(Part::User(text.to_owned()));
            }
            Message::Assistant { text, calls } => {
                arranged.end_results();
                arranged.add_answer(text, calls);
            }
            Message::ToolResult { call_id, name, content, is_ok } => {
                arranged.add_result(call_id, name, content, *is_ok);
            }
        }
    }
    arranged.end_results();
    let mut parts = arranged.parts;
    if !matches!(parts.first(), Some(Part::User(_))) {
        parts.insert(0, Part::User(BEGINNING.to_owned()));
    }
    if matches!(parts.last(), Some(Part::Assistant(..))) {
        parts.push(Part::User(CONTINUE.to_owned()));
    }
    parts
}

#[derive(Default)]
struct Arrangement<'r> {
    parts: Vec<Part<'r>>,
    /// The results of the last answer, each with the id of the history and whether it is known.
    open: Vec<(&'r str, bool, CallResult<'r>)>,
    /// Results without a call, as text.
    unmatched: Vec<String>,
    ids: BTreeSet<String>,
    number: usize,
}

impl<'r> Arrangement<'r> {
    fn add_answer(&mut self, text: &'r str, calls: &'r [ToolCall]) {
        let text = if text.trim().is_empty() { "" } else { text };
        if text.is_empty() && calls.is_empty() {
            return;
        }
        let mut arranged = Vec::with_capacity(calls.len());
        for call in calls {
            let id = self.own_id(&call.id);
            let arguments = match &call.arguments {
                Ok(members) => members.clone(),
                Err(text) => Map::from_iter([("invalid_json".to_owned(), json!(text))]),
            };
            let (name, result) = (
                call.name.as_str(),
                CallResult { id: id.clone(), name: &call.name, content: NO_RESULT, is_ok: false },
            );
            self.open.push((&call.id, false, result));
            arranged.push(Call { id, name, arguments });
        }
        self.parts.push(Part::Assistant(text, arranged));
    }

    fn add_result(&mut self, call_id: &str, name: &str, content: &'r str, is_ok: bool) {
        let open = self.open.iter_mut().find(|(id, is_known, _)| *id == call_id && !*is_known);
        if let Some((_, is_known, result)) = open {
            *is_known = true;
            (result.content, result.is_ok) = (content, is_ok);
        } else {
            self.unmatched.push(format!("The result of an earlier call of `{name}`:\n{content}"));
        }
    }

    fn end_results(&mut self) {
        if !self.open.is_empty() {
            self.parts.push(Part::Results(self.open.drain(..).map(|(_, _, result)| result).collect()));
        }
        self.parts.extend(self.unmatched.drain(..).map(Part::User));
    }

    /// Returns an id that every provider accepts and that no other call has; the same one for the same history.
    fn own_id(&mut self, id: &str) -> String {
        self.number += 1;
        let is_valid = |id: &str| {
            (1..=MAX_ID).contains(&id.len())
                && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        };
        let numbered = (self.number..).map(|number| format!("call_{number}"));
        let mut ids = std::iter::once(id.to_owned()).chain(numbered);
        let id = ids.find(|id| is_valid(id) && !self.ids.contains(id)).unwrap_or_default();
        self.ids.insert(id.clone());
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: &str) -> ToolCall {
        ToolCall { id: id.to_owned(), name: "f".to_owned(), arguments: Ok(Map::new()) }
    }

    fn result(id: &str, content: &str) -> Message {
        let (call_id, content) = (id.to_owned(), content.to_owned());
        Message::ToolResult { call_id, name: "f".to_owned(), content, is_ok: true }
    }

    fn answer(text: &str, ids: &[&str]) -> Message {
        Message::Assistant { text: text.to_owned(), calls: ids.iter().map(|id| call(id)).collect() }
    }

    /// Returns the parts as lines.
    fn lines(messages: &[Message]) -> Vec<String> {
        let line = |part: &Part<'_>| match part {
            Part::User(text) => format!("user {text}"),
            Part::Assistant(text, calls) => {
                format!(
                    "assistant {text} {}",
                    calls.iter().map(|call| call.id.as_str()).collect::<Vec<_>>().join(" ")
                )
            }
            Part::Results(results) => {
                results.iter().map(|one| format!("{}={}", one.id, one.content)).collect::<Vec<_>>().join(" ")
            }
        };
        arrange(messages).iter().map(line).collect()
    }

    #[test]
    fn results_follow_their_calls_in_order() {
        let messages = [
            Message::User("do".to_owned()),
            answer("", &["a", "b", "c"]),
            result("b", "2"),
            result("a", "1"),
            answer("done", &[]),
            Message::User("next".to_owned()),
        ];
        let expected = [
            "user do",
            "assistant  a b c",
            &format!("a=1 b=2 c={NO_RESULT}"),
            "assistant done ",
            "user next",
        ];
        assert_eq!(lines(&messages), expected);
    }

    #[test]
    fn a_conversation_begins_and_ends_with_a_user() {
        assert_eq!(lines(&[]), [format!("user {BEGINNING}")]);
        let messages = [answer("partial", &[]), answer(" ", &[])];
        assert_eq!(lines(&messages), [&format!("user {BEGINNING}"), "assistant partial ", "user Continue."]);
        assert_eq!(lines(&[Message::User(" \n".to_owned())]), ["user (empty)"]);
    }

    #[test]
    fn results_without_a_call_are_text() {
        let messages = [Message::User("do".to_owned()), result("a", "1")];
        assert_eq!(lines(&messages), ["user do", "user The result of an earlier call of `f`:\n1"]);
    }

    #[test]
    fn ids_are_valid_and_unique() {
        let messages = [
            Message::User("do".to_owned()),
            answer("", &["a", "call_2"]),
            result("a", "1"),
            result("call_2", "2"),
            answer("", &["a", "x y", ""]),
            result("a", "3"),
            result("", "5"),
            result("x y", "4"),
        ];
        let found = lines(&messages);
        assert_eq!(found[1..3], ["assistant  a call_2", "a=1 call_2=2"]);
        assert_eq!(found[3..], ["assistant  call_3 call_4 call_5", "call_3=3 call_4=4 call_5=5"]);
    }

    #[test]
    fn arguments_that_are_not_json_are_a_member() {
        let calls = vec![ToolCall { arguments: Err("{x".to_owned()), ..call("a") }];
        let messages = [Message::Assistant { text: String::new(), calls }];
        let parts = arrange(&messages);
        let Part::Assistant(_, calls) = &parts[1] else { panic!("{parts:?}") };
        assert_eq!(Value::Object(calls[0].arguments.clone()), json!({"invalid_json": "{x"}));
    }
}
