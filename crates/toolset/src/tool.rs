//! What a tool is.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::answer::{Refusal, Success};
use crate::arguments::{self, Argument};
use crate::call::Call;
use crate::{Area, answer::Fields};

/// A tool: its name, what it takes and gives, and what it does.
#[derive(Debug)]
pub struct Tool {
    /// The name, which is a contract.
    pub name: &'static str,
    /// The toolsets that have it; the first is the one it is listed under.
    pub toolsets: &'static [&'static str],
    /// What it can reach.
    pub area: Area,
    /// For a model that has never seen the workspace: the purpose, what refusals mean, the next step.
    pub description: &'static str,
    /// What it takes.
    pub arguments: &'static [Argument],
    /// What it gives beyond `status`, `tool` and `summary`.
    pub output: &'static [OutputField],
    /// What it does to the workspace, as hints.
    pub annotations: Annotations,
    /// Does it.
    pub run: fn(&Call<'_>) -> Result<Success, Refusal>,
}

/// Hints about what a tool does. All four are always said, because what is left out means the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[allow(clippy::struct_excessive_bools, reason = "the protocol has these four")]
pub struct Annotations {
    /// Nothing in the workspace changes.
    pub read_only_hint: bool,
    /// Something that was there may be lost.
    pub destructive_hint: bool,
    /// Calling it again with the same arguments changes nothing more.
    pub idempotent_hint: bool,
    /// It reaches beyond the workspace. No tool here does.
    pub open_world_hint: bool,
}

impl Annotations {
    /// Reads only.
    pub const READS: Self = Self::new(true, false, true);
    /// Adds something, and takes nothing away.
    pub const ADDS: Self = Self::new(false, false, false);
    /// Changes or removes something.
    pub const CHANGES: Self = Self::new(false, true, false);
    /// Takes something away; a second call finds nothing any more.
    pub const REMOVES: Self = Self::new(false, true, true);
    /// Makes sure of something: a second call changes nothing.
    pub const ENSURES: Self = Self::new(false, false, true);

    const fn new(read_only_hint: bool, destructive_hint: bool, idempotent_hint: bool) -> Self {
        Self { read_only_hint, destructive_hint, idempotent_hint, open_world_hint: false }
    }
}

/// A value of a result.
#[derive(Clone, Copy, Debug)]
pub struct OutputField {
    /// Its name.
    pub name: &'static str,
    /// Its type in a JSON Schema.
    pub kind: &'static str,
}

/// A tool as programs see it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolDescriptor {
    /// The name.
    pub name: &'static str,
    /// The toolset it is listed under.
    pub toolset: &'static str,
    /// What it is for.
    pub description: &'static str,
    /// What it takes, as a JSON Schema.
    pub input_schema: Value,
    /// What it gives, as a JSON Schema that a refusal fits too.
    pub output_schema: Value,
    /// What it does to the workspace.
    pub annotations: Annotations,
}

impl Tool {
    /// Returns the tool as programs see it, as one of `toolset`.
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

    /// Returns a success of this tool.
    pub(crate) fn done(summary: impl Into<String>, fields: Fields) -> Success {
        Success { summary: summary.into(), fields }
    }
}
