//! Answers as text for models.

use std::fmt::Write as _;

use minds_toolset::{Answer, Fields};
use serde_json::Value;

/// Fields with requested text, which get their own blocks.
const TEXT_FIELDS: [&str; 2] = ["content", "diff"];
/// Fields that repeat parts of the diff, which models read in full.
const REPEATED_FIELDS: [&str; 4] = ["evidence_preview", "apply_evidence", "blankline_style", "normalized"];
/// Details of a refusal that are part of the text: the hash and the content of the current section.
const REFUSAL_DETAILS: [&str; 2] = ["current_content_hash", "current_content"];
/// The maximum number of items of a list in the text.
const MAX_ITEMS: usize = 500;

/// Returns an answer as blocks of text: first the summary with the values that the next call may need, then each requested
/// text, unchanged.
pub(crate) fn blocks(answer: &Answer) -> Vec<String> {
    let mut first = answer.to_text();
    let success = match &answer.result {
        Ok(success) => success,
        Err(refusal) => {
            let [hash, content] = REFUSAL_DETAILS;
            let details = refusal.details.as_ref();
            if let Some(value) = details.and_then(|details| details.get(hash)) {
                first.push_str(&format_field(hash, value));
            }
            let content = details.and_then(|details| text(details, content));
            let lines = details.and_then(|details| details.get("current")).and_then(number_lines);
            return std::iter::once(first).chain(content).chain(lines).collect();
        }
    };
    let is_needed = |name: &str, value: &Value| {
        // The summary contains the number of problems.
        let is_counted =
            name == "older_problems" || (name == "new_problems" && *value == Value::Array(Vec::new()));
        let is_repeated = success.fields.get("diff").is_some() && REPEATED_FIELDS.contains(&name);
        !TEXT_FIELDS.contains(&name) && !is_counted && !is_repeated
    };
    for (name, value) in success.fields.iter().filter(|(name, value)| is_needed(name, value)) {
        first.push_str(&format_field(name, value));
    }
    let mut blocks = vec![first];
    blocks.extend(TEXT_FIELDS.iter().filter_map(|name| text(&success.fields, name)));
    blocks
}

/// Returns the current lines of a file in a refusal, with line numbers.
fn number_lines(current: &Value) -> Option<String> {
    let start = usize::try_from(current.get("start_line")?.as_u64()?).ok()?;
    let lines = current.get("lines")?.as_array()?.iter().filter_map(Value::as_str).enumerate();
    Some(lines.fold(String::new(), |mut text, (index, line)| {
        let _ = writeln!(text, "{:>4}| {line}", start.saturating_add(index));
        text
    }))
}

fn text(fields: &Fields, name: &str) -> Option<String> {
    fields.get(name)?.as_str().map(ToOwned::to_owned)
}

/// Formats a field as `name: value`, with a line for each item of a list.
fn format_field(name: &str, value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Array(items) => {
            let lines: Vec<String> =
                items.iter().take(MAX_ITEMS).map(|item| format!("\n- {}", item_line(item))).collect();
            let more = items.len().saturating_sub(MAX_ITEMS);
            let more = if more > 0 { format!("\n- and {more} more") } else { String::new() };
            format!("\n{name}:{}{more}", if items.is_empty() { " none".to_owned() } else { lines.concat() })
        }
        other => format!("\n{name}: {}", plain(other)),
    }
}

/// Formats an item in one line.
fn item_line(item: &Value) -> String {
    match item {
        Value::Object(fields) => {
            let parts: Vec<String> = fields
                .iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(name, value)| format!("{name}: {}", plain(value)))
                .collect();
            parts.join(", ")
        }
        other => plain(other),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) if !text.contains(['\n', '\r']) => text.clone(),
        other => format_range(other).unwrap_or_else(|| other.to_string()),
    }
}

/// Formats a range in a file as `line:column-line:column`; `None` for any other value.
fn format_range(value: &Value) -> Option<String> {
    let position = |name: &str| {
        let position = value.get(name)?;
        Some(format!("{}:{}", position.get("line")?.as_u64()?, position.get("column")?.as_u64()?))
    };
    Some(format!("{}-{}", position("start")?, position("end")?))
}

#[cfg(test)]
mod tests {
    use minds_toolset::{Code, Refusal, Success};
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(fields: Fields, expected: &[&str]) {
        let success = Success { summary: "done".to_owned(), fields };
        assert_eq!(blocks(&Answer { tool: "t".to_owned(), result: Ok(success) }), expected);
    }

    #[test]
    fn requested_text_has_its_own_block() {
        check(Fields::new().with("path", "a").with("content", "x: 1\n"), &["done\npath: a", "x: 1\n"]);
        check(Fields::new().with("hunk_id", "ab12").with("diff", "+x\n"), &["done\nhunk_id: ab12", "+x\n"]);
        check(Fields::new().with("content", ""), &["done", ""]);
    }

    #[test]
    fn lists_have_a_line_per_item() {
        let entries = json!([{"name": "a", "kind": "file", "size": null}, "b"]);
        check(Fields::new().with("entries", entries), &["done\nentries:\n- kind: file, name: a\n- b"]);
        check(Fields::new().with("entries", json!([])), &["done\nentries: none"]);
        let many = Value::from(vec![1; MAX_ITEMS + 2]);
        let success = Success { summary: String::new(), fields: Fields::new().with("many", many) };
        let text = blocks(&Answer { tool: "t".to_owned(), result: Ok(success) });
        assert!(text[0].ends_with("- 1\n- and 2 more"), "{text:?}");
    }

    #[test]
    fn ranges_are_short() {
        let range = json!({"start": {"line": 5, "column": 3}, "end": {"line": 5, "column": 9}});
        check(
            Fields::new().with("problems", json!([{"range": range}])),
            &["done\nproblems:\n- range: 5:3-5:9"],
        );
    }

    #[test]
    fn a_value_of_several_lines_stays_in_one() {
        check(Fields::new().with("name", "a\nb"), &["done\nname: \"a\\nb\""]);
    }

    #[test]
    fn a_refusal_begins_with_its_code() {
        let refusal = Refusal::new(Code::FileNotFound, "`x`: there is no such file").next("list");
        let answer = Answer { tool: "t".to_owned(), result: Err(refusal) };
        assert_eq!(blocks(&answer), ["FILE_NOT_FOUND: `x`: there is no such file\nnext: list"]);
    }

    #[test]
    fn a_refusal_shows_the_current_lines() {
        let current =
            json!({"start_line": 9, "lines": ["a", "", "b"], "truncated": false, "total_lines": 20});
        let refusal =
            Refusal::new(Code::ContentChanged, "no").details(Fields::new().with("current", current));
        let answer = Answer { tool: "t".to_owned(), result: Err(refusal) };
        assert_eq!(blocks(&answer), ["CONTENT_CHANGED: no", "   9| a\n  10| \n  11| b\n"]);
    }

    #[test]
    fn a_refusal_shows_the_current_content() {
        let details = Fields::new().with("current_content_hash", "sha256:ab").with("current_content", "a\nb");
        let refusal = Refusal::new(Code::HASH_MISMATCH, "no").details(details.with("more", "x"));
        let answer = Answer { tool: "t".to_owned(), result: Err(refusal) };
        assert_eq!(blocks(&answer), ["HASH_MISMATCH: no\ncurrent_content_hash: sha256:ab", "a\nb"]);
    }
}
