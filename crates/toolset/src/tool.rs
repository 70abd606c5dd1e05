//! The definition of a tool.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::answer::{Refusal, Success};
use crate::arguments::{self, Argument};
use crate::call::Call;
use crate::{Area, answer::Fields};

/// A tool: name, input, output and implementation.
#[derive(Debug)]
pub struct Tool {
    /// The name, which is stable.
    pub name: &'static str,
    /// The toolsets that include it. It is listed under the first one.
    pub toolsets: &'static [&'static str],
    /// The area that it accesses.
    pub area: Area,
    /// The description for models: purpose, meaning of refusals, next step.
    pub description: &'static str,
    /// The arguments.
    pub arguments: &'static [Argument],
    /// The output fields besides `status`, `tool` and `summary`.
    pub output: &'static [OutputField],
    /// Hints about its effects.
    pub annotations: Annotations,
    /// Runs the tool.
    pub run: fn(&Call<'_>) -> Result<Success, Refusal>,
}

/// Hints about the effects of a tool. All four are always present, because clients assume the worst for missing ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[allow(clippy::struct_excessive_bools, reason = "the protocol has these four")]
pub struct Annotations {
    /// It does not change the workspace.
    pub read_only_hint: bool,
    /// It may destroy data.
    pub destructive_hint: bool,
    /// Calling it again with the same arguments has no further effect.
    pub idempotent_hint: bool,
    /// It interacts with systems outside the workspace, which no built-in tool does.
    pub open_world_hint: bool,
}

impl Annotations {
    /// Only reads.
    pub const READS: Self = Self::new(true, false, true);
    /// Adds data without removing any.
    pub const ADDS: Self = Self::new(false, false, false);
    /// Changes or removes data.
    pub const CHANGES: Self = Self::new(false, true, false);
    /// Removes data; a second call finds nothing.
    pub const REMOVES: Self = Self::new(false, true, true);
    /// Ensures a state; a second call changes nothing.
    pub const ENSURES: Self = Self::new(false, false, true);

    const fn new(read_only_hint: bool, destructive_hint: bool, idempotent_hint: bool) -> Self {
        Self { read_only_hint, destructive_hint, idempotent_hint, open_world_hint: false }
    }
}

/// A field of an answer.
#[derive(Clone, Copy, Debug)]
pub struct OutputField {
    /// The name.
    pub name: &'static str,
    /// The type in JSON Schema.
    pub kind: &'static str,
}

/// The description of a tool for clients.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolDescriptor {
    /// The name.
    pub name: &'static str,
    /// The toolset under which it is listed.
    pub toolset: &'static str,
    /// The description for models.
    pub description: &'static str,
    /// The input as a JSON Schema.
    pub input_schema: Value,
    /// The output as a JSON Schema, which refusals match too.
    pub output_schema: Value,
    /// Hints about its effects.
    pub annotations: Annotations,
}

impl Tool {
    /// Returns the description for clients, listed under `toolset`.
    pub fn descriptor(&self, toolset: &'static str) -> ToolDescriptor {
        ToolDescriptor {
            name: self.name,
            toolset,
            description: self.description,
            input_schema: arguments::schema(self.arguments),
            output_schema: self.output_schema(),
            annotations: self.annotations,
        }
    }

    fn output_schema(&self) -> Value {
        let mut properties = Map::new();
        properties.insert("status".into(), json!({"enum": ["ok", "error"]}));
        for field in self.output {
            properties.insert(field.name.into(), json!({"type": field.kind}));
        }
        json!({"type": "object", "properties": properties, "required": ["status", "tool"]})
    }

    /// Returns a success.
    pub(crate) fn done(summary: impl Into<String>, fields: Fields) -> Success {
        Success { summary: summary.into(), fields }
    }
}
