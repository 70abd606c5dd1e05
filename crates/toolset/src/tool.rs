//! The definition of a tool.

use std::borrow::Cow;
use std::fmt;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::answer::{Fields, Refusal, Success};
use crate::call::Call;
use crate::{Area, input, schema};

/// A tool: name, effects and function.
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
    /// Hints about its effects.
    pub annotations: Annotations,
    /// What it does.
    pub body: Body,
}

/// What a tool does, with the types of its arguments and of its answer.
///
/// Both types are the only declaration of the names: the schemas for clients are generated from them.
pub trait Function {
    /// The arguments. The comment of a field is its description for models; unknown names are denied.
    type Arguments: DeserializeOwned + JsonSchema;
    /// The fields of the answer besides `status`, `tool` and `summary`. A field without a value is left out.
    type Output: Serialize + JsonSchema;

    /// Runs the tool.
    ///
    /// # Errors
    ///
    /// Refuses the call; then nothing was changed.
    fn run(call: &Call<'_>, arguments: Self::Arguments) -> Result<Outcome<Self::Output>, Refusal>;
}

/// The result of a [`Function`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome<T> {
    /// One line for people and models.
    pub summary: String,
    /// The result for programs.
    pub output: T,
}

impl<T> Outcome<T> {
    /// Returns an outcome.
    pub fn new(summary: impl Into<String>, output: T) -> Self {
        Self { summary: summary.into(), output }
    }
}

/// No arguments, or no fields of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoFields {}

/// A [`Function`] without its types.
#[derive(Clone, Copy)]
pub struct Body {
    input: fn() -> Value,
    output: fn() -> Value,
    fields: fn() -> Map<String, Value>,
    run: fn(&Call<'_>, &Value) -> Result<Success, Refusal>,
}

impl Body {
    /// Returns the body of a tool.
    pub const fn of<F: Function>() -> Self {
        Self {
            input: schema::input::<F::Arguments>,
            output: schema::output::<F::Output>,
            fields: schema::fields::<F::Output>,
            run: run::<F>,
        }
    }

    /// Returns the schema of the fields of the answer, in full.
    pub(crate) fn fields(&self) -> Map<String, Value> {
        (self.fields)()
    }

    /// Calls the function with arguments that were not checked yet.
    pub(crate) fn run(&self, call: &Call<'_>, arguments: &Value) -> Result<Success, Refusal> {
        (self.run)(call, arguments)
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Body").finish_non_exhaustive()
    }
}

fn run<F: Function>(call: &Call<'_>, arguments: &Value) -> Result<Success, Refusal> {
    let Outcome { summary, output } = F::run(call, input::parse(arguments)?)?;
    Ok(Success { summary, fields: Fields::of(&output) })
}

/// Hints about the effects of a tool. All four are always present, because clients assume the worst for missing ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(clippy::struct_excessive_bools, reason = "the protocol has these four")]
pub struct Annotations {
    /// It may destroy data.
    pub destructive_hint: bool,
    /// Calling it again with the same arguments has no further effect.
    pub idempotent_hint: bool,
    /// It interacts with systems outside the workspace, which no built-in tool does.
    pub open_world_hint: bool,
    /// It does not change the workspace.
    pub read_only_hint: bool,
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

/// The hints about the effects of a tool that is described to clients.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Hints {
    /// Those of a built-in tool.
    BuiltIn(Annotations),
    /// Those of a server, with `openWorldHint`. They grant nothing.
    Foreign(Map<String, Value>),
}

impl Hints {
    /// Returns whether a built-in tool is read-only. What a server says about its tools is not relied on.
    pub fn is_read_only(&self) -> bool {
        matches!(self, Self::BuiltIn(annotations) if annotations.read_only_hint)
    }
}

// The published schema describes built-in tools, which always have `outputSchema`, and neither `_meta` nor `title`.
/// The description of a tool for clients.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("required" = ["annotations", "description", "inputSchema", "name", "outputSchema", "toolset"]))]
pub struct ToolDescriptor {
    /// The server of a foreign tool (`minds/server`), and its name there (`minds/original`).
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub meta: Option<Map<String, Value>>,
    /// Hints about its effects.
    #[schemars(with = "Annotations")]
    pub annotations: Hints,
    /// The description for models.
    pub description: Cow<'static, str>,
    /// The input as a JSON Schema.
    pub input_schema: Value,
    /// The name.
    pub name: Cow<'static, str>,
    /// The output as a JSON Schema, which refusals match too.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Value")]
    pub output_schema: Option<Value>,
    /// The title of a foreign tool for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub title: Option<String>,
    /// The toolset under which it is listed.
    pub toolset: Cow<'static, str>,
}

impl Tool {
    /// Returns the description for clients, listed under `toolset`.
    pub fn descriptor(&self, toolset: &'static str) -> ToolDescriptor {
        ToolDescriptor {
            meta: None,
            annotations: Hints::BuiltIn(self.annotations),
            description: self.description.into(),
            input_schema: (self.body.input)(),
            name: self.name.into(),
            output_schema: Some((self.body.output)()),
            title: None,
            toolset: toolset.into(),
        }
    }
}
