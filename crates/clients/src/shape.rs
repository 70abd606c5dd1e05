//! The keys and types of a file, as the data of its client states them.

use std::collections::BTreeMap;

use crate::tree::{Item, Value};

/// A value that a key accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// Every value; used for keys that exist but are not checked.
    Any,
    /// A string.
    String,
    /// `true` or `false`.
    Boolean,
    /// A whole number.
    Integer,
    /// Any number.
    Number,
    /// A list.
    List,
    /// A mapping.
    Mapping,
    /// This string. In files without types, the word.
    Literal(String),
    /// The name of an agent of Claude Code.
    AgentName,
    /// The name of an agent of Gemini CLI.
    PlainName,
    /// The name of a skill.
    SkillName,
    /// A list of tools, or a string with their names.
    Tools,
    /// The name of one tool.
    Tool,
    /// The name of a model.
    Model,
    /// A model with its provider, `provider/model`.
    ProviderModel,
    /// The permissions of opencode.
    Permission,
}

/// What is known about a value: its types, and the values in it.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    /// The types of which the value has one; empty if the values in it determine the type.
    pub types: Vec<Type>,
    /// The known keys.
    pub keys: BTreeMap<String, Shape>,
    /// The values of a mapping with keys of the user.
    pub each_value: Option<Box<Shape>>,
    /// The items of a list.
    pub each_item: Option<Box<Shape>>,
}

impl Type {
    fn parse(word: &str) -> Option<Self> {
        if let Some(text) = word.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
            return Some(Self::Literal(text.to_owned()));
        }
        Some(match word {
            "any" => Self::Any,
            "string" => Self::String,
            "boolean" => Self::Boolean,
            "integer" => Self::Integer,
            "number" => Self::Number,
            "list" => Self::List,
            "mapping" => Self::Mapping,
            "name" => Self::AgentName,
            "gemini-name" => Self::PlainName,
            "skill-name" => Self::SkillName,
            "tools" => Self::Tools,
            "tool" => Self::Tool,
            "model" => Self::Model,
            "provider-model" => Self::ProviderModel,
            "permission" => Self::Permission,
            _ => return None,
        })
    }

    /// Returns whether the type of a value is right; its content is checked by other rules.
    pub(crate) fn accepts(&self, item: &Item) -> bool {
        match (self, &item.value) {
            (Self::Literal(text), Value::String(value)) => text == value,
            (Self::Literal(text), Value::Bool(value)) => *text == value.to_string(),
            (Self::Any, _)
            | (_, Value::Unknown)
            | (
                Self::String
                | Self::AgentName
                | Self::PlainName
                | Self::SkillName
                | Self::Tool
                | Self::Model
                | Self::ProviderModel,
                Value::String(_),
            )
            | (Self::Boolean, Value::Bool(_))
            | (Self::Integer | Self::Number, Value::Integer(_))
            | (Self::Number, Value::Float(_))
            | (Self::List | Self::Tools, Value::List(_))
            | (Self::Mapping, Value::Mapping(_))
            // No value at all is an empty list.
            | (Self::Tools, Value::String(_) | Value::Null)
            | (Self::Permission, Value::String(_) | Value::Mapping(_)) => true,
            _ => false,
        }
    }

    /// Returns the name for messages, as in "write a string".
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Any => "a value".into(),
            Self::Boolean => "`true` or `false`".into(),
            Self::Integer => "an integer".into(),
            Self::Number => "a number".into(),
            Self::List => "a list".into(),
            Self::Mapping => "a mapping".into(),
            Self::Literal(text) => format!("`{text}`"),
            Self::Tools => "a list of tools".into(),
            Self::Permission => "`allow`, `ask`, `deny` or a mapping".into(),
            _ => "a string".into(),
        }
    }
}

impl Shape {
    /// Adds a key in the notation of the data: `a.b` is `b` in the mapping `a`, `a.*` each value of the mapping `a`, and
    /// `a[]` each item of the list `a`.
    pub(crate) fn add(&mut self, path: &str, types: &str) -> Result<(), String> {
        let mut shape = self;
        for segment in path.split('.') {
            let lists = segment.matches("[]").count();
            let key = segment.trim_end_matches("[]");
            shape = if key == "*" {
                shape.each_value.get_or_insert_default()
            } else {
                shape.keys.entry(key.to_owned()).or_default()
            };
            for _ in 0..lists {
                shape = shape.each_item.get_or_insert_default();
            }
        }
        for word in types.split('|') {
            let word = word.trim();
            shape.types.push(Type::parse(word).ok_or_else(|| format!("unknown type `{word}` of `{path}`"))?);
        }
        Ok(())
    }

    /// Returns the types that a value may have.
    pub(crate) fn expected_types(&self) -> Vec<Type> {
        if !self.types.is_empty() {
            self.types.clone()
        } else if self.each_item.is_some() {
            vec![Type::List]
        } else {
            vec![Type::Mapping]
        }
    }
}
