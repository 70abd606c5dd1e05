//! What a model reads of the history of an agent.

use std::collections::{BTreeMap, BTreeSet};

use minds_fleet_protocol::{
    HistoryCall, HistoryRecord, Json, Role, SummaryRecord, count_summaries, estimate_tokens,
};
use minds_model_client::{Message, ModelRequest, ToolCall};
use serde_json::{Map, Value};

/// The part of the context window that summaries may use, in percent.
const SUMMARY_PERCENT: u64 = 20;
/// The result of a call whose tool line is missing, because the agent ended during the call.
const INTERRUPTED: &str = "interrupted: the agent ended during this call, and the call may have had effects; check before you repeat it";

/// Returns the system prompt with the newest summaries that fit into their part of a context window.
pub(crate) fn system(prompt: &str, summaries: &[SummaryRecord], window: u64) -> String {
    let tokens: Vec<u64> = summaries.iter().map(|one| estimate_tokens(&one.summary)).collect();
    let count = count_summaries(&tokens, window / 100 * SUMMARY_PERCENT);
    let used = summaries.get(summaries.len().saturating_sub(count)..).unwrap_or_default();
    let mut text = prompt.to_owned();
    if !used.is_empty() {
        text.push_str("\n\n## Summary of earlier turns\n");
    }
    for summary in used {
        text.push('\n');
        text.push_str(summary.summary.trim());
        text.push('\n');
    }
    text
}

/// Returns the messages of a history.
pub(crate) fn messages<'h>(history: impl IntoIterator<Item = &'h HistoryRecord>) -> Vec<Message> {
    let history: Vec<&HistoryRecord> = history.into_iter().collect();
    let results: BTreeSet<(&str, &str)> = history
        .iter()
        .filter(|record| record.role == Role::Tool)
        .filter_map(|record| Some((record.qid.as_str(), record.call_id.as_deref()?)))
        .collect();
    let mut names = BTreeMap::new();
    for record in &history {
        let calls = record.tool_calls.iter();
        names.extend(calls.map(|call| ((record.qid.as_str(), call.id.as_str()), call.name.as_str())));
    }
    let mut messages = Vec::with_capacity(history.len());
    for record in &history {
        match record.role {
            Role::User => messages.push(Message::User(record.content.clone())),
            Role::Assistant => {
                let calls = record.tool_calls.iter().map(to_call).collect();
                messages.push(Message::Assistant { text: record.content.clone(), calls });
                let lost = record
                    .tool_calls
                    .iter()
                    .filter(|call| !results.contains(&(record.qid.as_str(), call.id.as_str())));
                messages.extend(lost.map(|call| result(&call.id, &call.name, INTERRUPTED, false)));
            }
            Role::Tool => {
                let id = record.call_id.as_deref().unwrap_or_default();
                let name = names.get(&(record.qid.as_str(), id)).copied().unwrap_or_default();
                messages.push(result(id, name, &record.content, record.ok.unwrap_or_default()));
            }
        }
    }
    messages
}

/// Estimates the tokens of a request.
pub(crate) fn estimate(request: &ModelRequest) -> u64 {
    let messages = request.messages.iter().map(estimate_message);
    messages.fold(estimate_tokens(&request.system), u64::saturating_add)
}

fn estimate_message(message: &Message) -> u64 {
    let calls = match message {
        Message::Assistant { calls, .. } => calls.as_slice(),
        Message::User(_) | Message::ToolResult { .. } => &[],
    };
    let arguments = calls.iter().map(|call| estimate_tokens(&to_json(&call.arguments).to_string()));
    arguments.fold(estimate_tokens(message.text()), u64::saturating_add)
}

/// Returns a call for the history. `effect` identifies it if it has effects.
///
/// # Errors
///
/// Fails if the arguments are not JSON, which they always are.
pub(crate) fn to_history(call: &ToolCall, effect: Option<String>) -> Result<HistoryCall, serde_json::Error> {
    let args = Json::from_value(&to_json(&call.arguments))?;
    Ok(HistoryCall { id: call.id.clone(), name: call.name.clone(), args, effect })
}

/// Returns the beginning and the end of a result that is longer than `limit` bytes.
pub(crate) fn shorten(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let part = limit / 2;
    let start = text.get(..text.floor_char_boundary(part)).unwrap_or_default();
    let end = text.get(text.ceil_char_boundary(text.len().saturating_sub(part))..).unwrap_or_default();
    let left_out = text.len() - start.len() - end.len();
    format!("{start}\n… {left_out} bytes are left out …\n{end}")
}

fn to_call(call: &HistoryCall) -> ToolCall {
    let arguments = match call.args.decode::<Value>() {
        Ok(Value::Object(members)) => Ok(members),
        Ok(Value::String(text)) => Err(text),
        Ok(other) => Err(other.to_string()),
        Err(_) => Ok(Map::new()),
    };
    ToolCall { id: call.id.clone(), name: call.name.clone(), arguments }
}

/// Returns arguments as JSON. Those that are not JSON are a string.
fn to_json(arguments: &Result<Map<String, Value>, String>) -> Value {
    match arguments {
        Ok(members) => Value::Object(members.clone()),
        Err(text) => Value::String(text.clone()),
    }
}

fn result(id: &str, name: &str, content: &str, is_ok: bool) -> Message {
    Message::ToolResult { call_id: id.to_owned(), name: name.to_owned(), content: content.to_owned(), is_ok }
}

#[cfg(test)]
mod tests {
    use minds_fleet_protocol::{ItemId, Timestamp};

    use super::*;

    fn record(seq: u64, role: Role, content: &str) -> HistoryRecord {
        HistoryRecord {
            seq,
            ts: Timestamp::from_seconds(1.0).unwrap(),
            role,
            source: "console".to_owned(),
            content: content.to_owned(),
            tokens_in: 0,
            tokens_out: 0,
            qid: ItemId::parse("q-1").unwrap(),
            tool_calls: Vec::new(),
            call_id: None,
            ok: None,
            partial: None,
        }
    }

    #[test]
    fn each_call_has_a_result() {
        let arguments =
            [Ok(Map::from_iter([("cmd".to_owned(), "true".into())])), Err("not {JSON".to_owned())];
        let calls: Vec<ToolCall> = arguments
            .into_iter()
            .enumerate()
            .map(|(at, arguments)| ToolCall { id: format!("call-{at}"), name: "t".to_owned(), arguments })
            .collect();
        let history = [
            record(1, Role::User, "do it"),
            HistoryRecord {
                tool_calls: calls.iter().map(|call| to_history(call, None).unwrap()).collect(),
                ..record(2, Role::Assistant, "I do")
            },
            HistoryRecord {
                call_id: Some("call-0".to_owned()),
                ok: Some(true),
                ..record(3, Role::Tool, "done")
            },
        ];
        let expected = [
            Message::User("do it".to_owned()),
            Message::Assistant { text: "I do".to_owned(), calls },
            result("call-1", "t", INTERRUPTED, false),
            result("call-0", "t", "done", true),
        ];
        assert_eq!(messages(&history), expected);
    }

    #[test]
    fn summaries_use_a_part_of_the_window() {
        let summary = |text: &str| SummaryRecord {
            ts: Timestamp::from_seconds(1.0).unwrap(),
            summary: text.to_owned(),
            window: (0, 1),
        };
        let summaries = [summary("first"), summary(&"x".repeat(40)), summary("last")];
        assert_eq!(system("Be brief.", &[], 100), "Be brief.");
        assert_eq!(system("Be brief.", &summaries, 0), "Be brief.");
        let text = system("Be brief.", &summaries, 100);
        let expected =
            format!("Be brief.\n\n## Summary of earlier turns\n\nfirst\n\n{}\n\nlast\n", "x".repeat(40));
        assert_eq!(text, expected);
        assert!(!system("Be brief.", &summaries[..2], 50 * 100 / 100 - 1).contains('x'));
    }

    #[test]
    fn tokens_of_a_request_include_arguments() {
        let call =
            ToolCall { id: String::new(), name: "t".to_owned(), arguments: Err("12345678".to_owned()) };
        let request = ModelRequest {
            system: "1234".to_owned(),
            messages: vec![
                Message::User("12345".to_owned()),
                Message::Assistant { text: String::new(), calls: vec![call] },
            ],
            ..ModelRequest::default()
        };
        assert_eq!(estimate(&request), 1 + 2 + 3);
    }
}
