//! The descriptions of foreign tools for clients.

use std::borrow::Cow;

use minds_core::catalog;
use serde_json::{Map, Value, json};

use crate::fleet::is_of_fleet;
use crate::{Code, ForeignTool, Hints, ToolDescriptor};

/// The hints that clients read as truth values.
const HINTS: [&str; 4] = ["destructiveHint", "idempotentHint", "openWorldHint", "readOnlyHint"];

impl ForeignTool {
    /// Returns the description for clients. Values with which clients would refuse the complete list of tools are left out.
    pub fn descriptor(&self) -> ToolDescriptor {
        ToolDescriptor {
            meta: Some(Map::from_iter([
                ("minds/original".to_owned(), self.original.as_str().into()),
                ("minds/server".to_owned(), self.server.as_str().into()),
            ])),
            annotations: Hints::Foreign(self.hints()),
            description: self.description().into(),
            input_schema: self.input().into(),
            name: Cow::Owned(self.name.clone()),
            output_schema: self.output_schema.clone().map(Value::Object),
            title: self.title.clone(),
            toolset: Cow::Owned(self.server.clone()),
        }
    }

    fn description(&self) -> String {
        if self.is_available {
            return self.description.clone();
        }
        let note = format!(
            "The server `{}` does not run at present: calls are refused with `{}` until it runs again.",
            self.server,
            Code::ServerUnavailable
        );
        if self.description.is_empty() { note } else { format!("{note}\n\n{}", self.description) }
    }

    /// Returns the hints of the server, with the one that is true for every foreign tool.
    fn hints(&self) -> Map<String, Value> {
        let is_valid = |name: &str, value: &Value| match name {
            "title" => value.is_string(),
            name => !HINTS.contains(&name) || value.is_boolean(),
        };
        let valid = self.annotations.iter().filter(|(name, value)| is_valid(name, value));
        let mut hints: Map<String, Value> =
            valid.map(|(name, value)| (name.clone(), value.clone())).collect();
        hints.insert("openWorldHint".to_owned(), true.into());
        hints
    }

    /// Returns the schema of the arguments, which are always an object.
    fn input(&self) -> Map<String, Value> {
        let mut schema = self.input_schema.clone();
        if schema.get("type").is_none_or(|kind| kind != "object") {
            schema.insert("type".to_owned(), json!("object"));
        }
        schema
    }

    /// Returns whether the toolset and the name differ from all built-in ones. Members have tools by their toolset, so a
    /// server with the id of a built-in one would give its tools to every member who has that. Only the toolset `fleet` is
    /// built in, and has tools from another program.
    pub(crate) fn is_distinct(&self) -> bool {
        is_of_fleet(self)
            || (!catalog::is_toolset_name(&self.server) && !catalog::is_builtin_tool(&self.name))
    }
}
