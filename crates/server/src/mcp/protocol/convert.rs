//! Conversion to types of the protocol.

use std::sync::Arc;

use minds_toolset::{Answer, Hints, ToolDescriptor};
use rmcp::model::{
    CallToolResult, ContentBlock, ErrorData, JsonObject, MetaObject, Prompt, PromptArgument, Resource,
    ResourceContents, ResourceTemplate, Tool, ToolAnnotations,
};
use serde_json::Value;

use crate::mcp::page::BadCursor;
use crate::mcp::{prompts, resources, text};

pub(super) fn tool(tool: ToolDescriptor) -> Tool {
    let annotations = match &tool.annotations {
        Hints::BuiltIn(hints) => ToolAnnotations::from_raw(
            None,
            Some(hints.read_only_hint),
            Some(hints.destructive_hint),
            Some(hints.idempotent_hint),
            Some(hints.open_world_hint),
        ),
        Hints::Foreign(hints) => {
            let hint = |name: &str| hints.get(name).and_then(Value::as_bool);
            ToolAnnotations::from_raw(
                hints.get("title").and_then(Value::as_str).map(ToOwned::to_owned),
                hint("readOnlyHint"),
                hint("destructiveHint"),
                hint("idempotentHint"),
                hint("openWorldHint"),
            )
        }
    };
    let mut shown = Tool::new_with_raw(tool.name, Some(tool.description), object(tool.input_schema))
        .with_annotations(annotations);
    if let Some(schema) = tool.output_schema {
        shown = shown.with_raw_output_schema(object(schema));
    }
    if let Some(title) = tool.title {
        shown = shown.with_title(title);
    }
    if let Some(meta) = tool.meta {
        shown = shown.with_meta(MetaObject(meta));
    }
    shown
}

/// Returns the size of a tool in a list of tools, in bytes.
pub(crate) fn listed_bytes(descriptor: ToolDescriptor) -> usize {
    serde_json::to_vec(&tool(descriptor)).map_or(0, |bytes| bytes.len())
}

fn object(value: Value) -> Arc<JsonObject> {
    Arc::new(match value {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    })
}

/// Converts an answer: a document for programs, and text for models.
pub(super) fn answer(answer: &Answer) -> CallToolResult {
    let blocks = text::blocks(answer).into_iter().map(ContentBlock::text).collect();
    let mut result =
        if answer.is_refused() { CallToolResult::error(blocks) } else { CallToolResult::success(blocks) };
    result.structured_content = Some(answer.to_json());
    result
}

pub(super) fn resource(resource: resources::Resource) -> Resource {
    Resource::new(resource.uri, resource.name)
        .with_description(resource.description)
        .with_mime_type(resource.mime)
}

pub(super) fn content(uri: &str, content: resources::Content) -> ResourceContents {
    ResourceContents::text(content.text, uri).with_mime_type(content.mime)
}

pub(super) fn template(template: &resources::Template) -> ResourceTemplate {
    ResourceTemplate::new(template.uri, template.name)
        .with_description(template.description)
        .with_mime_type(template.mime)
}

pub(super) fn prompt(prompt: &prompts::Prompt) -> Prompt {
    let argument = |argument: &prompts::PromptArgument| {
        PromptArgument::new(argument.name)
            .with_description(argument.description)
            .with_required(argument.is_required())
    };
    let arguments = prompt.arguments.iter().map(argument).collect();
    Prompt::from_raw(prompt.name, Some(prompt.description), Some(arguments)).with_title(prompt.title)
}

pub(super) fn bad_cursor(_: BadCursor) -> ErrorData {
    ErrorData::invalid_params("the cursor does not belong to this list", None)
}
