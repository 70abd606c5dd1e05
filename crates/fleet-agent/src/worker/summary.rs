//! Summaries of turns, so that the context has space again.

use minds_fleet_protocol::{
    HistoryRecord, ItemId, Role, SummaryRecord, SummaryVerdict, estimate_tokens, judge_summary,
};
use minds_model_client::{Answer, Message, ModelError, ModelEvent, ModelRequest};

use super::Worker;
use super::activity::TICK;
use crate::clock::timestamp;
use crate::config::AgentConfig;
use crate::context::messages;
use crate::running::Command;
use crate::turn::TurnEvent;

/// The system prompt of a request for a summary.
const SYSTEM: &str = "You summarize conversations between a user and an agent, so that the agent can continue its work. \
    Keep ids, file names, numbers, decisions and open questions as they are.";

/// A summary while it is written.
pub(super) struct Draft {
    answer: Box<dyn Answer>,
    text: String,
    window: (u64, u64),
    attempt: u32,
}

/// What became of a summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Drafted {
    Unfinished,
    Accepted,
    Rejected,
}

impl Worker<'_> {
    /// Begins a summary of the oldest turns; none if there is nothing to summarize or the model fails.
    pub(super) fn begin_summary(
        &mut self,
        config: &AgentConfig,
        is_strict: bool,
        current: Option<&ItemId>,
    ) -> Option<Draft> {
        let (request, window) = {
            let store = self.shared.store();
            let history: Vec<&HistoryRecord> = store.recent_history().collect();
            let oldest = choose_oldest(&history, current);
            let window = (oldest.first()?.seq, oldest.last()?.seq);
            let mut messages = messages(oldest.iter().copied());
            messages.push(Message::User(instruction(config.settings.summary_tokens, is_strict)));
            let model = config.model.as_ref()?;
            let system = SYSTEM.to_owned();
            let (model, parameters) = (model.name.clone(), model.parameters.clone());
            (ModelRequest { model, system, messages, tools: Vec::new(), parameters }, window)
        };
        let model = self.models.get(config.model.as_ref()?).ok()?;
        let answer = model.begin(&request).ok()?;
        Some(Draft { answer, text: String::new(), window, attempt: if is_strict { 2 } else { 1 } })
    }

    /// Waits at most one tick for a summary, and keeps it when it is complete and short enough.
    pub(super) fn poll_summary(&mut self, draft: &mut Draft) -> Drafted {
        let event: Result<Option<ModelEvent>, ModelError> = draft.answer.next(TICK);
        match event {
            Ok(None | Some(ModelEvent::Usage { .. })) => return Drafted::Unfinished,
            Ok(Some(ModelEvent::Text(text))) => {
                draft.text.push_str(&text);
                return Drafted::Unfinished;
            }
            Ok(Some(ModelEvent::End)) => {}
            // A summary needs no tools.
            Ok(Some(ModelEvent::Call(_))) | Err(_) => return Drafted::Rejected,
        }
        let summary = self.redact(draft.text.trim());
        let verdict = judge_summary(estimate_tokens(&summary), draft.attempt);
        if summary.is_empty() || verdict != SummaryVerdict::Accept {
            return Drafted::Rejected;
        }
        let record = SummaryRecord { ts: timestamp(), summary, window: draft.window };
        if !self.keep(|store| store.append_summary(record.clone())) {
            return Drafted::Rejected;
        }
        self.usage = None;
        Drafted::Accepted
    }

    /// Summarizes the oldest turns while no item is at work.
    pub(super) fn summarize_between_turns(&mut self) {
        let Ok(config) = self.load() else { return };
        for is_strict in [false, true] {
            let Some(mut draft) = self.begin_summary(&config, is_strict, None) else { return };
            loop {
                match self.poll_summary(&mut draft) {
                    Drafted::Unfinished => {}
                    Drafted::Rejected => break,
                    Drafted::Accepted => {
                        let request = self.request(&config);
                        return self.measure(&request);
                    }
                }
                if let Some(Command::ShutDown { is_hard }) =
                    self.shared.next_command(Some(std::time::Duration::ZERO))
                {
                    self.ending = Some(is_hard);
                    return;
                }
            }
        }
    }

    /// Returns the event of the turn for a summary.
    pub(super) fn summary_event(
        &mut self,
        config: Option<&AgentConfig>,
        drafted: Drafted,
    ) -> Option<TurnEvent> {
        match drafted {
            Drafted::Unfinished => None,
            Drafted::Rejected => Some(TurnEvent::Summarized { is_accepted: false }),
            Drafted::Accepted => {
                if let Some(config) = config {
                    let request = self.request(config);
                    self.measure(&request);
                }
                Some(TurnEvent::Summarized { is_accepted: true })
            }
        }
    }
}

/// Returns the older half of the records, as complete turns without the current one.
fn choose_oldest<'v, 'h>(
    history: &'v [&'h HistoryRecord],
    current: Option<&ItemId>,
) -> &'v [&'h HistoryRecord] {
    let starts: Vec<usize> = history
        .iter()
        .enumerate()
        .filter(|(_, record)| record.role == Role::User)
        .map(|(at, _)| at)
        .chain([history.len()])
        .filter(|at| {
            history.get(..*at).is_some_and(|turns| turns.iter().all(|one| Some(&one.qid) != current))
        })
        .collect();
    let middle = history.len().div_ceil(2);
    let end = starts.iter().find(|at| **at >= middle).or_else(|| starts.last());
    end.and_then(|end| history.get(..*end)).unwrap_or_default()
}

fn instruction(tokens: u64, is_strict: bool) -> String {
    let text = format!("Summarize the conversation above in at most {tokens} tokens.");
    if is_strict {
        text + " The previous summary was too long: write one that is half as long."
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use minds_fleet_protocol::Timestamp;

    use super::*;

    fn record(seq: u64, qid: &str, role: Role) -> HistoryRecord {
        HistoryRecord {
            seq,
            ts: Timestamp::from_seconds(1.0).unwrap(),
            role,
            source: "console".to_owned(),
            content: String::new(),
            tokens_in: 0,
            tokens_out: 0,
            qid: ItemId::parse(qid).unwrap(),
            tool_calls: Vec::new(),
            call_id: None,
            ok: None,
            partial: None,
        }
    }

    /// Items with the number of their answers.
    type Turns = [(&'static str, usize)];

    #[test]
    fn complete_turns_of_the_older_half_are_summarized() {
        let turns = |turns: &[(&str, usize)]| -> Vec<HistoryRecord> {
            let mut records = Vec::new();
            for (qid, answers) in turns {
                records.push(record(records.len() as u64, qid, Role::User));
                for _ in 0..*answers {
                    records.push(record(records.len() as u64, qid, Role::Assistant));
                }
            }
            records
        };
        // Turns with the number of their answers, the current one, and the number of records to summarize.
        let cases: [(&Turns, Option<&str>, usize); 7] = [
            (&[], None, 0),
            (&[("q-1", 1)], None, 2),
            (&[("q-1", 1)], Some("q-1"), 0),
            (&[("q-1", 1), ("q-2", 1)], None, 2),
            (&[("q-1", 1), ("q-2", 4)], None, 7),
            (&[("q-1", 1), ("q-2", 4)], Some("q-2"), 2),
            (&[("q-1", 1), ("q-2", 1), ("q-3", 1), ("q-4", 0)], Some("q-4"), 4),
        ];
        for (case, current, expected) in cases {
            let history = turns(case);
            let current = current.map(|id| ItemId::parse(id).unwrap());
            let history: Vec<&HistoryRecord> = history.iter().collect();
            assert_eq!(choose_oldest(&history, current.as_ref()).len(), expected, "{case:?}");
        }
    }
}
