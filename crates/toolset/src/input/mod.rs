//! The arguments of a call, as the type that a tool declares.
//!
//! `serde` ends at the first error, but a model that learns of all problems at once needs fewer calls. If the arguments do
//! not fit their type, each one is therefore deserialized alone: the error is about its name or its value, or about a
//! missing one. The types contain the messages and every tolerance, so a schema validator would only repeat the checks, with
//! messages that would have to be rewritten for models, and would make the command larger.

mod argument;
mod problem;
mod values;

use std::iter;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::de::value::MapDeserializer;
use serde_json::{Map, Value};

use self::argument::Argument;
use self::problem::Problem;
pub(crate) use self::values::{Choice, Count, MatchNumber, TextList};
use crate::Code;
use crate::answer::{Fields, Refusal};
use crate::schema;

/// The maximum length of a string argument, and of a file that is written, in bytes.
pub(crate) const MAX_TEXT: usize = 4 * 1024 * 1024;
/// The maximum number of problems in a refusal.
const MAX_PROBLEMS: usize = 5;
/// The maximum length of an unknown name in a message, in characters.
const MAX_NAME_CHARACTERS: usize = 40;

/// Returns the arguments of a call.
///
/// # Errors
///
/// Refuses them with all problems at once.
pub(crate) fn parse<A: DeserializeOwned + JsonSchema>(values: &Value) -> Result<A, Refusal> {
    let Value::Object(fields) = values else {
        return Err(refusal(vec!["the arguments must be an object".to_owned()], names::<A>()));
    };
    let problem = if fields.values().any(is_too_long) {
        None
    } else {
        match A::deserialize(Argument(values)) {
            Ok(arguments) => return Ok(arguments),
            Err(problem) => Some(problem),
        }
    };
    let names = names::<A>();
    let mut problems = problems::<A>(fields, names);
    if problems.is_empty() {
        // A condition about several arguments together.
        problems.extend(problem.map(|problem| problem.to_string()));
    }
    Err(refusal(problems, names))
}

/// Returns the names of the arguments, in the order of the declaration.
fn names<A: DeserializeOwned>() -> &'static [&'static str] {
    // No argument has an empty name, and the error about an unknown one contains all names.
    match check_alone::<A>("", &Value::Null) {
        Some(Problem::UnknownName(names)) => names,
        _ => &[],
    }
}

/// Deserializes one argument without the other ones.
fn check_alone<A: DeserializeOwned>(name: &str, value: &Value) -> Option<Problem> {
    A::deserialize(MapDeserializer::new(iter::once((name, Argument(value))))).err()
}

fn problems<A: DeserializeOwned + JsonSchema>(fields: &Map<String, Value>, names: &[&str]) -> Vec<String> {
    let mut problems = Vec::new();
    for (name, value) in fields {
        match check_alone::<A>(name, value) {
            Some(Problem::UnknownName(_)) => problems.push(describe_unknown_argument(name, names)),
            _ if is_too_long(value) => problems.push(format!("`{name}` is longer than {MAX_TEXT} bytes")),
            Some(Problem::Value(problem)) => problems.push(format!("`{name}` {problem}")),
            Some(Problem::Missing) | None => {}
        }
    }
    let required = schema::required_names::<A>();
    for name in names.iter().filter(|name| required.iter().any(|required| required == *name)) {
        if !fields.contains_key(*name) {
            problems.push(format!("`{name}` is missing"));
        }
    }
    problems
}

fn is_too_long(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.len() > MAX_TEXT)
}

fn describe_unknown_argument(name: &str, names: &[&str]) -> String {
    let mut shown: String = name.chars().take(MAX_NAME_CHARACTERS).flat_map(char::escape_debug).collect();
    if shown.chars().count() > MAX_NAME_CHARACTERS || name.chars().nth(MAX_NAME_CHARACTERS).is_some() {
        shown = shown.chars().take(MAX_NAME_CHARACTERS).chain(['…']).collect();
    }
    match minds_diagnostics::find_nearest(name, names.iter().copied(), 1).first() {
        Some(near) => format!("unknown argument `{shown}`; did you mean `{near}`?"),
        None => format!("unknown argument `{shown}`"),
    }
}

fn refusal(mut problems: Vec<String>, names: &[&str]) -> Refusal {
    let more = problems.len().saturating_sub(MAX_PROBLEMS);
    problems.truncate(MAX_PROBLEMS);
    if more > 0 {
        problems.push(format!("and {more} more"));
    }
    let next = if names.is_empty() {
        "call it without arguments".to_owned()
    } else {
        format!("the arguments are {}", names.join(", "))
    };
    let message = problems.join("; ");
    Refusal::new(Code::InvalidArgs, message).next(next).details(Fields::new().with("problems", problems))
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use minds_edit::Occurrence;

    use super::*;
    use crate::NoFields;

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Arguments {
        path: String,
        content: String,
        is_deep: Option<bool>,
        depth: Option<Count>,
        #[serde(default)]
        format: Choice<Format>,
        #[serde(default)]
        topics: TextList,
        #[serde(default)]
        occurrence: MatchNumber,
    }

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Format {
        Text,
        Diff,
    }

    fn parse(values: &Value) -> Result<Arguments, Refusal> {
        super::parse(values)
    }

    #[track_caller]
    fn check(values: &Value, expected: &str) {
        let refusal = parse(values).expect_err("the arguments have problems");
        assert_eq!((refusal.code, refusal.message.as_str()), (Code::InvalidArgs, expected));
        let next = "the arguments are path, content, is_deep, depth, format, topics, occurrence";
        assert_eq!(refusal.next.as_deref(), Some(next));
        let problems: Vec<&str> = expected.split("; ").filter(|part| !part.starts_with("did ")).collect();
        let details = refusal.details.and_then(|details| details.get("problems").cloned());
        assert_eq!(details.and_then(|value| value.as_array().map(Vec::len)), Some(problems.len()));
    }

    #[test]
    fn values_have_their_types() {
        let values = json!({"path": "a", "content": "", "is_deep": true, "depth": 2.0, "format": "diff",
            "topics": ["x"], "occurrence": "last"});
        let parsed = parse(&values).expect("the arguments are valid");
        let expected = Arguments {
            path: "a".into(),
            content: String::new(),
            is_deep: Some(true),
            depth: Some(Count(2)),
            format: Choice(Some(Format::Diff)),
            topics: TextList(vec!["x".into()]),
            occurrence: MatchNumber(Some(Occurrence::Last)),
        };
        assert_eq!(parsed, expected);
    }

    #[test]
    fn empty_values_of_models_mean_that_nothing_is_set() {
        let of = |occurrence: Value| {
            parse(&json!({"path": "", "content": "", "format": "", "occurrence": occurrence}))
        };
        for (given, expected) in [
            (json!(""), None),
            (json!(0), None),
            (json!("0"), None),
            (json!(3), Some(Occurrence::Number(3))),
            (json!("03"), Some(Occurrence::Number(3))),
            (json!("last"), Some(Occurrence::Last)),
        ] {
            let parsed = of(given).expect("the arguments are valid");
            assert_eq!((parsed.occurrence, parsed.format), (MatchNumber(expected), Choice(None)));
        }
        for given in [json!("first"), json!(-1), json!(1.5), json!("1234567890"), json!(null), json!([1])] {
            let refusal = of(given).expect_err("the argument has a problem");
            assert_eq!(refusal.message, "`occurrence` must be a number from 1, or `last`");
        }
    }

    #[test]
    fn all_problems_are_reported_at_once() {
        check(
            &json!({"is_deep": "yes", "depth": -1, "format": "yaml", "topics": ["a", 1], "content": null}),
            "`content` must be a string; `depth` must be an integer, 0 or more; `format` must be one of text, diff; \
             `is_deep` must be true or false; `topics` must be a list of strings; and 1 more",
        );
        check(&json!({}), "`path` is missing; `content` is missing");
        check(
            &json!({"path": 1, "contents": "", "content": "", "format": 3}),
            "unknown argument `contents`; did you mean `content`?; `format` must be one of text, diff; `path` must be a string",
        );
        let long = "x".repeat(MAX_TEXT + 1);
        check(&json!({"path": long, "content": ""}), "`path` is longer than 4194304 bytes");
        check(&json!([]), "the arguments must be an object");
    }

    #[test]
    fn null_is_not_a_value() {
        check(&json!({"path": "", "content": "", "depth": null}), "`depth` must be an integer, 0 or more");
        check(&json!({"path": "", "content": "", "is_deep": null}), "`is_deep` must be true or false");
    }

    #[test]
    fn a_tool_without_arguments_takes_none() {
        assert!(super::parse::<NoFields>(&json!({})).is_ok());
        let refusal = super::parse::<NoFields>(&json!({"a\nb": 1})).expect_err("there are no arguments");
        assert_eq!(refusal.message, "unknown argument `a\\nb`");
        assert_eq!(refusal.next.as_deref(), Some("call it without arguments"));
    }
}
