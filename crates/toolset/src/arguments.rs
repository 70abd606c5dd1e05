//! Arguments of tools: tables from which both the JSON Schema and the validation are derived.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::Code;
use crate::answer::{Fields, Refusal};

/// The maximum length of a string argument, and of a file that is written, in bytes.
pub(crate) const MAX_TEXT: usize = 4 * 1024 * 1024;

/// An argument of a tool.
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    /// The name, which is stable.
    pub name: &'static str,
    /// The type of the value.
    pub kind: Kind,
    /// Whether it is required.
    pub is_required: bool,
    /// The description for models.
    pub about: &'static str,
}

/// The type of an argument.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A string of at most 4 MiB.
    Text,
    /// An integer, 0 or more.
    Count,
    /// `true` or `false`.
    Flag,
    /// One of these strings; an empty string means that it is not set.
    OneOf(&'static [&'static str]),
    /// A list of strings.
    StringList,
    /// Which of several matches: a number from 1, also as a string, or `last`; 0 and an empty string mean that it is not set.
    Occurrence,
}

/// Selects one of several matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Occurrence {
    /// By its number, from 1.
    Number(u64),
    /// The last match.
    Last,
}

impl Argument {
    /// Returns a required argument.
    pub const fn required(name: &'static str, kind: Kind, about: &'static str) -> Self {
        Self { name, kind, is_required: true, about }
    }

    /// Returns an optional argument.
    pub const fn optional(name: &'static str, kind: Kind, about: &'static str) -> Self {
        Self { name, kind, is_required: false, about }
    }

    fn schema(&self) -> Value {
        let mut schema = match self.kind {
            Kind::Text => json!({"type": "string"}),
            Kind::Count => json!({"type": "integer", "minimum": 0}),
            Kind::Flag => json!({"type": "boolean"}),
            Kind::OneOf(words) => json!({"enum": words.iter().copied().chain([""]).collect::<Vec<_>>()}),
            Kind::StringList => json!({"type": "array", "items": {"type": "string"}}),
            Kind::Occurrence => {
                json!({"type": ["integer", "string"], "minimum": 0, "pattern": "^([0-9]{1,9}|last)?$"})
            }
        };
        if let (Some(schema), false) = (schema.as_object_mut(), self.about.is_empty()) {
            schema.insert("description".into(), self.about.into());
        }
        schema
    }

    /// Returns the problem with a value, if any.
    fn problem(&self, value: &Value) -> Option<String> {
        let name = self.name;
        match (self.kind, value) {
            (Kind::Text | Kind::OneOf(_) | Kind::Occurrence, Value::String(text))
                if text.len() > MAX_TEXT =>
            {
                Some(format!("`{name}` is longer than {MAX_TEXT} bytes"))
            }
            (Kind::Text, Value::String(_)) | (Kind::Flag, Value::Bool(_)) => None,
            (Kind::Text, _) => Some(format!("`{name}` must be a string")),
            (Kind::Flag, _) => Some(format!("`{name}` must be true or false")),
            (Kind::Count, value) if parse_whole_number(value).is_some() => None,
            (Kind::Count, _) => Some(format!("`{name}` must be an integer, 0 or more")),
            (Kind::OneOf(words), Value::String(word))
                if word.is_empty() || words.contains(&word.as_str()) =>
            {
                None
            }
            (Kind::OneOf(words), _) => Some(format!("`{name}` must be one of {}", words.join(", "))),
            (Kind::StringList, Value::Array(items)) if items.iter().all(Value::is_string) => None,
            (Kind::StringList, _) => Some(format!("`{name}` must be a list of strings")),
            (Kind::Occurrence, value) if parse_occurrence(value).is_some() => None,
            (Kind::Occurrence, _) => Some(format!("`{name}` must be a number from 1, or `last`")),
        }
    }
}

/// Returns an integer, 0 or more. JSON does not distinguish numbers, so `1.0` is an integer.
fn parse_whole_number(value: &Value) -> Option<u64> {
    if let Some(number) = value.as_u64() {
        return Some(number);
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is whole and in range")]
    let number =
        |number: f64| (number.fract() == 0.0 && (0.0..=9e15).contains(&number)).then_some(number as u64);
    value.as_f64().and_then(number)
}

/// Returns the selected match; the inner `None` means that the argument is not set.
#[allow(clippy::option_option, reason = "an invalid value differs from one that is not set")]
fn parse_occurrence(value: &Value) -> Option<Option<Occurrence>> {
    let number = match value {
        Value::String(text) if text.is_empty() => 0,
        Value::String(text) if text == "last" => return Some(Some(Occurrence::Last)),
        Value::String(text) if text.len() <= 9 && text.bytes().all(|byte| byte.is_ascii_digit()) => {
            text.parse().ok()?
        }
        other => parse_whole_number(other)?,
    };
    Some((number > 0).then_some(Occurrence::Number(number)))
}

/// Returns the JSON Schema of `arguments`.
pub(crate) fn schema(arguments: &[Argument]) -> Value {
    let properties: Map<String, Value> =
        arguments.iter().map(|argument| (argument.name.to_owned(), argument.schema())).collect();
    let mut schema = json!({"type": "object", "properties": properties, "additionalProperties": false});
    let required: Vec<&str> =
        arguments.iter().filter(|argument| argument.is_required).map(|argument| argument.name).collect();
    if let (Some(schema), false) = (schema.as_object_mut(), required.is_empty()) {
        schema.insert("required".into(), required.into());
    }
    schema
}

/// Valid values of the arguments of a call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arguments(Map<String, Value>);

impl Arguments {
    /// Validates `values`.
    ///
    /// # Errors
    ///
    /// Refuses them with all problems at once.
    pub(crate) fn parse(arguments: &[Argument], values: Value) -> Result<Self, Refusal> {
        let Value::Object(values) = values else {
            return Err(refusal(vec!["the arguments must be an object".to_owned()], arguments));
        };
        let mut problems = Vec::new();
        for (name, value) in &values {
            match arguments.iter().find(|argument| argument.name == name) {
                Some(argument) => problems.extend(argument.problem(value)),
                None => problems.push(describe_unknown_argument(name, arguments)),
            }
        }
        for argument in arguments.iter().filter(|argument| argument.is_required) {
            if !values.contains_key(argument.name) {
                problems.push(format!("`{}` is missing", argument.name));
            }
        }
        if problems.is_empty() { Ok(Self(values)) } else { Err(refusal(problems, arguments)) }
    }

    /// Returns a string; `None` if it is not set.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str()
    }

    /// Returns a string; `None` if it is not set or empty.
    pub(crate) fn word(&self, name: &str) -> Option<&str> {
        self.text(name).filter(|word| !word.is_empty())
    }

    /// Returns a number; `None` if it is not set.
    pub(crate) fn count(&self, name: &str) -> Option<u64> {
        self.0.get(name).and_then(parse_whole_number)
    }

    /// Returns a flag, or `default` if it is not set.
    pub(crate) fn flag(&self, name: &str, default: bool) -> bool {
        self.0.get(name).and_then(Value::as_bool).unwrap_or(default)
    }

    /// Returns a list of strings, empty if it is not set.
    pub(crate) fn string_list(&self, name: &str) -> Vec<&str> {
        self.0.get(name).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
    }

    /// Returns the selected match; `None` if it is not set.
    pub(crate) fn occurrence(&self, name: &str) -> Option<Occurrence> {
        self.0.get(name).and_then(parse_occurrence).flatten()
    }
}

/// The maximum number of problems in a refusal.
const MAX_PROBLEMS: usize = 5;
/// The maximum length of an unknown name in a message, in characters.
const MAX_NAME_CHARACTERS: usize = 40;

fn describe_unknown_argument(name: &str, arguments: &[Argument]) -> String {
    let mut shown: String = name.chars().take(MAX_NAME_CHARACTERS).flat_map(char::escape_debug).collect();
    if shown.chars().count() > MAX_NAME_CHARACTERS || name.chars().nth(MAX_NAME_CHARACTERS).is_some() {
        shown = shown.chars().take(MAX_NAME_CHARACTERS).chain(['…']).collect();
    }
    match minds_diagnostics::find_nearest(name, arguments.iter().map(|argument| argument.name), 1).first() {
        Some(near) => format!("unknown argument `{shown}`; did you mean `{near}`?"),
        None => format!("unknown argument `{shown}`"),
    }
}

fn refusal(mut problems: Vec<String>, arguments: &[Argument]) -> Refusal {
    let more = problems.len().saturating_sub(MAX_PROBLEMS);
    problems.truncate(MAX_PROBLEMS);
    if more > 0 {
        problems.push(format!("and {more} more"));
    }
    let names: Vec<&str> = arguments.iter().map(|argument| argument.name).collect();
    let next = if names.is_empty() {
        "call it without arguments".to_owned()
    } else {
        format!("the arguments are {}", names.join(", "))
    };
    let message = problems.join("; ");
    Refusal::new(Code::InvalidArgs, message).next(next).details(Fields::new().with("problems", problems))
}
