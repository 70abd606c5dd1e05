//! What is kept of the turn of a program, and its questions.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;

use minds_acp::{PermissionQuestion, ToolKind};
use minds_fleet_protocol::{EndReason, HistoryCall, HistoryRecord, Role};
use minds_model_client::ToolCall;

use super::Worker;
use super::activity::Activity;
use super::turns::{CallPlace, Work, effect_of, record};
use crate::context::to_history;
use crate::turn::TurnEvent;

/// The longest text between two tool calls that is kept in the history, in bytes.
const MAX_TEXT: usize = 1 << 20;

/// A turn of a program.
#[derive(Default)]
pub(super) struct EngineTurn {
    /// What the program wrote since the last record.
    pub(super) text: String,
    /// The number of bytes of it that are left out.
    pub(super) left_out: usize,
    /// The calls, by their ids.
    pub(super) calls: BTreeMap<String, ToolCall>,
    /// The number of effects.
    pub(super) effects: usize,
    /// Whether the prompt was sent, and its call has no result yet.
    pub(super) is_prompted: bool,
    /// Why the turn is to end.
    pub(super) stop: Option<EndReason>,
    /// The questions for the owner; the first one is asked.
    pub(super) questions: VecDeque<PermissionQuestion>,
}

impl Worker<'_> {
    /// Asks the owner the first question, and passes the answer on.
    pub(super) fn poll_question(&mut self, work: &mut Work<'_>, turn: &mut EngineTurn) {
        let Some(question) = turn.questions.front() else { return };
        if !matches!(work.activity, Activity::Confirmation) {
            let known = turn.calls.get(&question.call).map(|call| call.name.clone());
            let name = known.unwrap_or_else(|| question.kinds.map(ToolKind::as_str).join("/"));
            // The owner sees what the program wants now: it may have begun the call before it knew the arguments.
            self.confirm(work, &tool_call(&question.call, &name, question.input.clone()));
        }
        let Some(TurnEvent::Confirmed(is_allowed)) = self.poll_confirmation(work) else { return };
        let question = turn.questions.pop_front();
        if let (Some(question), Some(client)) = (question, self.engines.client()) {
            client.answer(question.number, is_allowed);
        }
    }

    /// Keeps a call, with the text before it; returns whether it is on the disk.
    pub(super) fn keep_call(&mut self, work: &mut Work<'_>, turn: &mut EngineTurn, call: &ToolCall) -> bool {
        let number = turn.effects;
        turn.effects = number.saturating_add(1);
        work.calls.insert(call.id.clone(), CallPlace { number, announced: None });
        let effect = effect_of(work, call);
        let known = to_history(call, Some(effect)).map(|mut known| {
            known.args = crate::tail::redact_json(self.shared.tail().redactor(), &known.args);
            known
        });
        let content = turn.take_text();
        self.keep_engine_text(work, &content, known.ok().as_slice(), false)
    }

    pub(super) fn keep_engine_text(
        &mut self,
        work: &Work<'_>,
        content: &str,
        tool_calls: &[HistoryCall],
        is_partial: bool,
    ) -> bool {
        let content = self.redact(content);
        self.keep(|store| {
            store.append_history(&[HistoryRecord {
                content: content.clone(),
                tool_calls: tool_calls.to_vec(),
                partial: is_partial.then_some(true),
                ..record(work.item, store.next_seq(), Role::Assistant)
            }])
        })
    }
}

impl EngineTurn {
    pub(super) fn add_text(&mut self, text: &str) {
        let space = MAX_TEXT.saturating_sub(self.text.len());
        let end = text.floor_char_boundary(space);
        self.text.push_str(text.get(..end).unwrap_or_default());
        self.left_out = self.left_out.saturating_add(text.len() - end.min(text.len()));
    }

    pub(super) fn take_text(&mut self) -> String {
        let mut text = std::mem::take(&mut self.text);
        let left_out = std::mem::take(&mut self.left_out);
        if left_out > 0 {
            let _ = write!(text, "\n… {left_out} bytes are left out …");
        }
        text
    }
}

/// Returns a call with these arguments.
pub(super) fn tool_call(
    id: &str,
    name: &str,
    arguments: serde_json::Map<String, serde_json::Value>,
) -> ToolCall {
    ToolCall { id: id.to_owned(), name: name.to_owned(), arguments: Ok(arguments) }
}
