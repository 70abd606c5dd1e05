//! The tool calls of an answer, which arrive in parts.

use std::collections::{BTreeMap, BTreeSet};

use serde::de::IgnoredAny;
use serde_json::Map;

use crate::limits::{MAX_ARGUMENT_BYTES, MAX_CALLS, MAX_INDEX, MAX_NAME_BYTES};
use crate::{Message, ModelErrorKind, ModelRequest, ToolCall};

/// The size up to which arguments without an index are examined for their end, in bytes.
const MAX_EXAMINED_BYTES: usize = 16 << 10;

/// The calls of an answer in the order in which they began.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    drafts: Vec<Draft>,
    /// The calls by their index.
    by_index: BTreeMap<u64, usize>,
    argument_bytes: usize,
    /// The ids of all calls of the conversation.
    used: BTreeSet<String>,
}

#[derive(Debug, Default)]
struct Draft {
    id: String,
    name: String,
    arguments: String,
}

/// A part of a call.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CallPart<'a> {
    /// The index; parts without one belong to the call that began last.
    pub(crate) index: Option<u64>,
    /// The id, which is in the first part; empty if it is not known.
    pub(crate) id: &'a str,
    /// The name, which is in the first part.
    pub(crate) name: &'a str,
    /// A part of the arguments.
    pub(crate) arguments: &'a str,
}

impl Calls {
    /// Returns the calls of an answer to a request.
    pub(crate) fn new(request: &ModelRequest) -> Self {
        let ids = request.messages.iter().flat_map(|message| match message {
            Message::Assistant { calls, .. } => calls.as_slice(),
            Message::User(_) | Message::ToolResult { .. } => &[],
        });
        Self { used: ids.map(|call| call.id.clone()).collect(), ..Self::default() }
    }

    /// Adds a part.
    ///
    /// # Errors
    ///
    /// Fails if a limit is exceeded, or if the first part of a call has no name.
    pub(crate) fn add(&mut self, part: CallPart<'_>) -> Result<(), ModelErrorKind> {
        self.check(part)?;
        let at = match self.find(part) {
            Some(at) => at,
            None => self.begin(part)?,
        };
        self.append(at, part);
        Ok(())
    }

    /// Adds a call that arrives complete.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
    pub(crate) fn add_complete(&mut self, call: CallPart<'_>) -> Result<(), ModelErrorKind> {
        self.check(call)?;
        let at = self.begin(call)?;
        self.append(at, call);
        Ok(())
    }

    fn check(&mut self, part: CallPart<'_>) -> Result<(), ModelErrorKind> {
        if part.index.is_some_and(|index| index > MAX_INDEX) {
            return Err(invalid(format!("the index of a tool call is above {MAX_INDEX}")));
        }
        if part.id.len().max(part.name.len()) > MAX_NAME_BYTES {
            return Err(invalid(format!("a tool call has a name or id of more than {MAX_NAME_BYTES} bytes")));
        }
        self.argument_bytes += part.arguments.len();
        if self.argument_bytes > MAX_ARGUMENT_BYTES {
            return Err(invalid(format!(
                "the tool calls have arguments of more than {MAX_ARGUMENT_BYTES} bytes"
            )));
        }
        Ok(())
    }

    fn append(&mut self, at: usize, part: CallPart<'_>) {
        let Some(call) = self.drafts.get_mut(at) else { return };
        for (known, given) in [(&mut call.id, part.id), (&mut call.name, part.name)] {
            if known.is_empty() {
                given.clone_into(known);
            }
        }
        call.arguments.push_str(part.arguments);
    }

    /// Returns the call that a part belongs to; none if it begins one.
    fn find(&self, part: CallPart<'_>) -> Option<usize> {
        let at = match part.index {
            Some(index) => *self.by_index.get(&index)?,
            None if !part.id.is_empty() => self.drafts.iter().position(|call| call.id == part.id)?,
            None => self.drafts.len().checked_sub(1)?,
        };
        let call = self.drafts.get(at)?;
        // Some providers give all complete calls the index 0, or none and no id.
        let is_other = match part.index {
            Some(_) => {
                !part.id.is_empty() && !call.id.is_empty() && part.id != call.id && !part.name.is_empty()
            }
            None => part.id.is_empty() && !part.name.is_empty() && is_complete(&call.arguments),
        };
        (!is_other).then_some(at)
    }

    fn begin(&mut self, part: CallPart<'_>) -> Result<usize, ModelErrorKind> {
        if part.name.is_empty() {
            return Err(invalid("a tool call has no name"));
        }
        if self.drafts.len() >= MAX_CALLS {
            return Err(invalid(format!("the answer has more than {MAX_CALLS} tool calls")));
        }
        let at = self.drafts.len();
        self.drafts.push(Draft::default());
        self.by_index.extend(part.index.map(|index| (index, at)));
        Ok(at)
    }

    /// Returns the complete calls. An id that is missing, or that another call of the conversation has, is replaced.
    pub(crate) fn take(&mut self) -> Vec<ToolCall> {
        let drafts = std::mem::take(&mut self.drafts);
        let complete = |call: Draft| {
            let id = self.own_id(call.id);
            ToolCall { id, name: call.name, arguments: parse(call.arguments) }
        };
        drafts.into_iter().map(complete).collect()
    }

    fn own_id(&mut self, id: String) -> String {
        let numbered = (1_u64..).map(|number| format!("call_{number}"));
        let mut ids = std::iter::once(id).chain(numbered);
        let id = ids.find(|id| !id.is_empty() && !self.used.contains(id)).unwrap_or_default();
        self.used.insert(id.clone());
        id
    }
}

/// Returns the arguments, or what the model wrote in their place. Models write nothing for a tool without parameters.
fn parse(text: String) -> Result<Map<String, serde_json::Value>, String> {
    if matches!(text.trim(), "" | "null") {
        return Ok(Map::new());
    }
    serde_json::from_str(&text).map_err(|_| text)
}

fn is_complete(arguments: &str) -> bool {
    arguments.len() <= MAX_EXAMINED_BYTES
        && arguments.ends_with('}')
        && serde_json::from_str::<IgnoredAny>(arguments).is_ok()
}

pub(crate) fn invalid(reason: impl Into<String>) -> ModelErrorKind {
    ModelErrorKind::Invalid(reason.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part<'a>(index: Option<u64>, id: &'a str, name: &'a str, arguments: &'a str) -> CallPart<'a> {
        CallPart { index, id, name, arguments }
    }

    /// Returns the calls of these parts as `id name arguments`.
    fn calls(parts: &[CallPart<'_>]) -> Vec<String> {
        let mut calls = Calls::default();
        for part in parts {
            calls.add(*part).unwrap();
        }
        let arguments = |call: &ToolCall| match &call.arguments {
            Ok(members) => serde_json::Value::Object(members.clone()).to_string(),
            Err(text) => format!("not JSON: {text}"),
        };
        calls.take().iter().map(|call| format!("{} {} {}", call.id, call.name, arguments(call))).collect()
    }

    #[test]
    fn parts_belong_to_their_index_else_to_the_last_call() {
        let interleaved = [
            part(Some(0), "a", "f", ""),
            part(Some(1), "b", "g", "{\"y\""),
            part(Some(0), "", "", "{\"x\":"),
            part(Some(1), "", "", ":2}"),
            part(Some(0), "", "", "1}"),
        ];
        assert_eq!(calls(&interleaved), ["a f {\"x\":1}", "b g {\"y\":2}"]);
        let without_index = [
            part(None, "a", "f", "{\"x\""),
            part(None, "", "", ":1}"),
            part(None, "b", "g", ""),
            part(None, "", "", "{\"y\":2}"),
            part(None, "a", "", " "),
        ];
        assert_eq!(calls(&without_index), ["a f {\"x\":1}", "b g {\"y\":2}"]);
        let last = [part(Some(3), "a", "f", "{"), part(None, "", "", "}")];
        assert_eq!(calls(&last), ["a f {}"]);
    }

    #[test]
    fn complete_calls_need_no_index() {
        let one_index = [part(Some(0), "a", "f", "{}"), part(Some(0), "b", "f", "{\"x\":1}")];
        assert_eq!(calls(&one_index), ["a f {}", "b f {\"x\":1}"]);
        let neither = [part(None, "", "f", "{}"), part(None, "", "f", "{\"x\":1}")];
        assert_eq!(calls(&neither), ["call_1 f {}", "call_2 f {\"x\":1}"]);
        let repeated_name = [part(None, "", "f", "{\"x\""), part(None, "", "f", ":1}")];
        assert_eq!(calls(&repeated_name), ["call_1 f {\"x\":1}"]);
    }

    #[test]
    fn ids_are_unique_in_the_conversation() {
        let call = |id: &str| ToolCall { id: id.to_owned(), name: "f".to_owned(), arguments: Ok(Map::new()) };
        let earlier = vec![call("a"), call("call_1")];
        let messages = vec![Message::Assistant { text: String::new(), calls: earlier }];
        let mut calls = Calls::new(&ModelRequest { messages, ..ModelRequest::default() });
        for (index, id) in ["a", "b", "", "b"].into_iter().enumerate() {
            calls.add(part(Some(index as u64), id, "f", "")).unwrap();
        }
        let ids: Vec<String> = calls.take().into_iter().map(|call| call.id).collect();
        assert_eq!(ids, ["call_2", "b", "call_3", "call_4"]);
    }

    #[test]
    fn arguments_that_are_not_an_object_are_kept_as_the_model_wrote_them() {
        for (text, expected) in [
            ("", "a f {}"),
            (" null", "a f {}"),
            ("[1]", "a f not JSON: [1]"),
            ("{\"x\":", "a f not JSON: {\"x\":"),
        ] {
            assert_eq!(calls(&[part(None, "a", "f", text)]), [expected]);
        }
    }

    #[test]
    fn limits_are_errors() {
        let long = "x".repeat(MAX_ARGUMENT_BYTES);
        let mut calls = Calls::default();
        assert!(calls.add(part(Some(4_294_967_295), "", "f", "")).is_err());
        assert!(calls.add(part(Some(0), "", "", "")).is_err());
        assert!(calls.add(part(Some(0), &"x".repeat(MAX_NAME_BYTES + 1), "f", "")).is_err());
        for index in 0..MAX_CALLS as u64 {
            calls.add(part(Some(index), "", "f", "")).unwrap();
        }
        assert!(calls.add(part(Some(MAX_CALLS as u64), "", "f", "")).is_err());
        calls.add(part(Some(0), "", "", &long)).unwrap();
        assert!(calls.add(part(Some(1), "", "", "x")).is_err());
    }
}
