//! What tools take: tables, from which both the schema and the check are made.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::Code;
use crate::answer::{Fields, Refusal};

/// The longest text that an argument takes, in bytes; a file that is written has no more.
pub(crate) const MAX_TEXT: usize = 4 * 1024 * 1024;

/// An argument of a tool.
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    /// Its name, which is a contract.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// Whether it must be given.
    pub is_required: bool,
    /// What it means, for a model.
    pub about: &'static str,
}

/// What an argument takes.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A text of at most 4 MiB.
    Text,
    /// A whole number from 0 on.
    Count,
    /// `true` or `false`.
    Flag,
    /// One of these words; the empty text means that it is not set.
    OneOf(&'static [&'static str]),
    /// A list of texts.
    Texts,
    /// Which of several places: a number from 1 on, also as a text, or `last`; 0 and the empty text mean that it is not set.
    Occurrence,
}

/// Which of several places is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Occurrence {
    /// The one with this number, from 1 on.
    Number(u64),
    /// The last one.
    Last,
}

impl Argument {
    /// Returns an argument that must be given.
    pub const fn required(name: &'static str, kind: Kind, about: &'static str) -> Self {
        Self { name, kind, is_required: true, about }
    }

    /// Returns an argument that may be left out.
    pub const fn optional(name: &'static str, kind: Kind, about: &'static str) -> Self {
        Self { name, kind, is_required: false, about }
    }

    fn schema(&self) -> Value {
        let mut schema = match self.kind {
            Kind::Text => json!({"type": "string"}),
            Kind::Count => json!({"type": "integer", "minimum": 0}),
            Kind::Flag => json!({"type": "boolean"}),
            Kind::OneOf(words) => json!({"enum": words.iter().copied().chain([""]).collect::<Vec<_>>()}),
            Kind::Texts => json!({"type": "array", "items": {"type": "string"}}),
            Kind::Occurrence => {
                json!({"type": ["integer", "string"], "minimum": 0, "pattern": "^([0-9]{1,9}|last)?$"})
            }
        };
        if let (Some(schema), false) = (schema.as_object_mut(), self.about.is_empty()) {
            schema.insert("description".into(), self.about.into());
        }
        schema
    }

    /// Returns what is wrong with a value.
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
            (Kind::Count, _) => Some(format!("`{name}` must be a whole number from 0 on")),
            (Kind::OneOf(words), Value::String(word))
                if word.is_empty() || words.contains(&word.as_str()) =>
            {
                None
            }
            (Kind::OneOf(words), _) => Some(format!("`{name}` must be one of {}", words.join(", "))),
            (Kind::Texts, Value::Array(items)) if items.iter().all(Value::is_string) => None,
            (Kind::Texts, _) => Some(format!("`{name}` must be a list of strings")),
            (Kind::Occurrence, value) if parse_occurrence(value).is_some() => None,
            (Kind::Occurrence, _) => Some(format!("`{name}` must be a number from 1 on, or `last`")),
        }
    }
}

/// Returns a whole number from 0 on; JSON has one kind of numbers, so `1.0` is one.
fn parse_whole_number(value: &Value) -> Option<u64> {
    if let Some(number) = value.as_u64() {
        return Some(number);
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is whole and in range")]
    let number =
        |number: f64| (number.fract() == 0.0 && (0.0..=9e15).contains(&number)).then_some(number as u64);
    value.as_f64().and_then(number)
}

/// Returns which place is meant, and none in it if the argument is not set.
#[allow(clippy::option_option, reason = "what cannot be read is another thing than what is not set")]
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

/// Values that were found to be as the tool takes them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arguments(Map<String, Value>);

impl Arguments {
    /// Checks `values` against what a tool takes.
    ///
    /// # Errors
    ///
    /// Refuses them with all problems at once.
    pub(crate) fn read(arguments: &[Argument], values: Value) -> Result<Self, Refusal> {
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

    /// Returns a text; none if it is not given.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str()
    }

    /// Returns a word; none if it is not given or empty.
    pub(crate) fn word(&self, name: &str) -> Option<&str> {
        self.text(name).filter(|word| !word.is_empty())
    }

    /// Returns a number; none if it is not given.
    pub(crate) fn count(&self, name: &str) -> Option<u64> {
        self.0.get(name).and_then(parse_whole_number)
    }

    /// Returns a flag, or what it is where it is not given.
    pub(crate) fn flag(&self, name: &str, default: bool) -> bool {
        self.0.get(name).and_then(Value::as_bool).unwrap_or(default)
    }

    /// Returns a list of texts; none of them if it is not given.
    pub(crate) fn string_list(&self, name: &str) -> Vec<&str> {
        self.0.get(name).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
    }

    /// Returns which of several places is meant; none if it is not set.
    pub(crate) fn occurrence(&self, name: &str) -> Option<Occurrence> {
        self.0.get(name).and_then(parse_occurrence).flatten()
    }
}

/// How many problems are told; who has more than these starts anew.
const MAX_PROBLEMS: usize = 5;
/// How much of an unknown name is told.
const MAX_NAME_CHARACTERS: usize = 40;

fn describe_unknown_argument(name: &str, arguments: &[Argument]) -> String {
    let mut shown: String = name.chars().take(MAX_NAME_CHARACTERS).flat_map(char::escape_debug).collect();
    if shown.chars().count() > MAX_NAME_CHARACTERS || name.chars().nth(MAX_NAME_CHARACTERS).is_some() {
        shown = shown.chars().take(MAX_NAME_CHARACTERS).chain(['…']).collect();
    }
    match minds_diagnostics::nearest(name, arguments.iter().map(|argument| argument.name), 1).first() {
        Some(near) => format!("there is no argument `{shown}`; did you mean `{near}`?"),
        None => format!("there is no argument `{shown}`"),
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
        format!("it takes {}", names.join(", "))
    };
    let message = problems.join("; ");
    Refusal::new(Code::InvalidArgs, message).next(next).details(Fields::new().with("problems", problems))
}
