//! Results of tools of servers, in the form of the revision of the client.

use minds_toolset::{Answer, Refusal};
use rmcp::RoleServer;
use rmcp::model::ContentBlock;
use rmcp::service::RequestContext;
use serde_json::{Map, Value};

use super::convert;
use super::foreign::{is_newer, to_object};

/// The member of results that older revisions do not have.
const RESULT_TYPE: &str = "resultType";

/// Returns the result of a refused call.
pub(super) fn refusal(tool: String, refusal: Refusal) -> Map<String, Value> {
    let answer = Answer { tool, result: Err(refusal) };
    to_object(&convert::answer(&answer)).unwrap_or_default()
}

/// Adapts the members of a result that depend on the revision of the client, as the library does for other results.
pub(super) fn for_revision(
    mut result: Map<String, Value>,
    context: &RequestContext<RoleServer>,
) -> Map<String, Value> {
    if !is_newer(context) {
        return for_older(result);
    }
    result.entry(RESULT_TYPE).or_insert_with(|| "complete".into());
    result
}

/// Removes what clients of older revisions do not know.
pub(super) fn for_older(mut result: Map<String, Value>) -> Map<String, Value> {
    const STRUCTURED: &str = "structuredContent";
    result.remove(RESULT_TYPE);
    // Before this revision it was always an object.
    if let Some(value) = result.get(STRUCTURED).filter(|value| !value.is_object()).cloned() {
        result.remove(STRUCTURED);
        let block = to_object(&ContentBlock::text(value.to_string())).unwrap_or_default();
        if let Some(content) = result.get_mut("content").and_then(Value::as_array_mut)
            && !content.iter().any(|known| known.get("text") == block.get("text"))
        {
            content.insert(0, block.into());
        }
    }
    result
}
