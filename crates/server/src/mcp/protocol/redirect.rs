//! Calls of tools of servers, whose results the library must not decode.
//!
//! The library decodes results of `tools/call`, and does not keep what it does not know, such as new kinds of content. A
//! request whose parameters it cannot decode is given to the handler as JSON, and may have any result. Therefore
//! `requestState` of these calls becomes a list, which the library cannot decode.

use minds_toolset::TaskAction;
use rmcp::model::CustomRequest;
use serde_json::{Map, Value};

const METHOD: &str = "tools/call";
const STATE: &str = "requestState";

/// A call that was redirected.
#[derive(Debug)]
pub(super) struct DirectCall {
    /// The tool.
    pub(super) name: String,
    pub(super) arguments: Map<String, Value>,
    /// The state of an earlier result that required input.
    pub(super) state: Option<String>,
    /// The answers to the questions of that result.
    pub(super) responses: Map<String, Value>,
}

/// Redirects a message if it is a valid call of a foreign tool, or about a task; returns whether it is.
pub(super) fn redirect(message: &mut Value, is_foreign: impl FnOnce(&str) -> bool) -> bool {
    if redirect_task(message) {
        return true;
    }
    let is_call = message.get("method").is_some_and(|method| method == METHOD);
    let Some(params) = message.get_mut("params").and_then(Value::as_object_mut) else { return false };
    let is_valid = |name: &str, is_kind: fn(&Value) -> bool| params.get(name).is_none_or(is_kind);
    let is_valid = is_call
        && is_valid("arguments", Value::is_object)
        && is_valid("inputResponses", Value::is_object)
        && is_valid(STATE, Value::is_string);
    if !is_valid || !params.get("name").and_then(Value::as_str).is_some_and(is_foreign) {
        return false;
    }
    let state = params.remove(STATE);
    params.insert(STATE.to_owned(), state.into_iter().collect());
    true
}

/// Redirects a message about a task: its id becomes a list, which the library cannot decode.
fn redirect_task(message: &mut Value) -> bool {
    let method = message.get("method").and_then(Value::as_str);
    let id = method.and_then(TaskAction::of_method).and(message.pointer_mut("/params/taskId"));
    let Some(id) = id.filter(|id| id.is_string()) else { return false };
    *id = vec![id.take()].into();
    true
}

/// A request about a task of a server.
#[derive(Debug)]
pub(super) struct DirectTaskRequest {
    pub(super) action: TaskAction,
    /// The parameters, without the metadata of the client.
    pub(super) params: Map<String, Value>,
}

impl DirectTaskRequest {
    /// Returns the request about a task; `None` for any other request.
    pub(super) fn parse(request: &CustomRequest) -> Option<Self> {
        let action = TaskAction::of_method(&request.method)?;
        let mut params = request.params.as_ref()?.as_object()?.clone();
        params.remove("_meta");
        let id = params.get_mut("taskId")?;
        *id = id.as_array_mut()?.pop()?;
        Some(Self { action, params })
    }
}

/// Returns whether a request was redirected.
pub(super) fn is_redirected(request: &CustomRequest) -> bool {
    let state = || request.params.as_ref()?.get(STATE);
    request.method == METHOD && state().is_some_and(Value::is_array)
}

impl DirectCall {
    /// Takes the call, and its arguments, out of redirected parameters; `None` if it continues an earlier call.
    pub(super) fn take(params: &mut Map<String, Value>) -> Option<Self> {
        if !params.get(STATE)?.as_array()?.is_empty() {
            return None;
        }
        let name = params.get("name")?.as_str()?.to_owned();
        let arguments = match params.remove("arguments") {
            Some(Value::Object(arguments)) => arguments,
            _ => Map::new(),
        };
        Some(Self { name, arguments, state: None, responses: Map::new() })
    }

    /// Returns the call of a request; `None` for any other request.
    pub(super) fn parse(request: CustomRequest) -> Option<Self> {
        if !is_redirected(&request) {
            return None;
        }
        let Some(Value::Object(mut params)) = request.params else { return None };
        let mut object = |name: &str| match params.remove(name) {
            Some(Value::Object(object)) => Some(object),
            Some(_) => None,
            None => Some(Map::new()),
        };
        let (arguments, responses) = (object("arguments")?, object("inputResponses")?);
        let state = params.get(STATE).and_then(|state| state.get(0)?.as_str()).map(ToOwned::to_owned);
        let name = params.get("name")?.as_str()?.to_owned();
        Some(Self { name, arguments, state, responses })
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::{ClientJsonRpcMessage, ClientRequest};
    use serde_json::json;

    use super::*;

    /// The call that a message becomes, as its name, arguments and state; `None` if it is not redirected.
    #[allow(clippy::needless_pass_by_value, reason = "cases read better")]
    fn call(params: Value) -> Option<(String, Value, Option<String>)> {
        let mut message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let before = message.clone();
        if !redirect(&mut message, |name| name == "theirs") {
            assert_eq!(message, before);
            return None;
        }
        let message: ClientJsonRpcMessage = serde_json::from_value(message).unwrap();
        let ClientJsonRpcMessage::Request(request) = message else { panic!("a request") };
        let ClientRequest::CustomRequest(custom) = request.request else {
            panic!("the library decodes the call: {:?}", request.request)
        };
        let call = DirectCall::parse(custom).unwrap();
        Some((call.name, call.arguments.into(), call.state))
    }

    #[test]
    fn calls_of_foreign_tools_are_not_decoded_by_the_library() {
        let arguments = json!({"a": [1, {"b": null}]});
        let found = call(json!({"name": "theirs", "arguments": arguments, "_meta": {"progressToken": 1}}));
        assert_eq!(found, Some(("theirs".to_owned(), arguments, None)));
        assert_eq!(call(json!({"name": "theirs"})), Some(("theirs".to_owned(), json!({}), None)));
        let found = call(json!({"name": "theirs", "requestState": "s", "inputResponses": {}}));
        assert_eq!(found, Some(("theirs".to_owned(), json!({}), Some("s".to_owned()))));
    }

    #[test]
    fn requests_about_tasks_are_not_decoded_by_the_library() {
        let params = json!({"taskId": "files/1", "x": [1], "_meta": {"progressToken": 1}});
        for action in [TaskAction::Get, TaskAction::Update, TaskAction::Cancel] {
            let mut message = json!({"jsonrpc": "2.0", "id": 1, "method": action.method(), "params": params});
            assert!(redirect(&mut message, |_| false));
            let message: ClientJsonRpcMessage = serde_json::from_value(message).unwrap();
            let ClientJsonRpcMessage::Request(request) = message else { panic!("a request") };
            let ClientRequest::CustomRequest(custom) = request.request else {
                panic!("the library decodes the request: {:?}", request.request)
            };
            let found = DirectTaskRequest::parse(&custom).unwrap();
            assert_eq!(found.action, action);
            assert_eq!(Value::Object(found.params), json!({"taskId": "files/1", "x": [1]}));
        }
        let mut invalid = json!({"jsonrpc": "2.0", "id": 1, "method": "tasks/get", "params": {"taskId": 1}});
        assert!(!redirect(&mut invalid, |_| true));
    }

    #[test]
    fn other_messages_are_left_as_they_are() {
        for params in [
            json!({"name": "ours", "arguments": {}}),
            json!({"name": "theirs", "arguments": []}),
            json!({"name": "theirs", "requestState": []}),
            json!({"name": "theirs", "inputResponses": 1}),
            json!({"name": 7}),
            json!({}),
        ] {
            assert_eq!(call(params.clone()), None, "{params}");
        }
        let mut other =
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"name": "theirs"}});
        assert!(!redirect(&mut other, |_| true));
        let custom = CustomRequest::new("tools/call", Some(json!({"name": "theirs", "arguments": []})));
        assert!(DirectCall::parse(custom).is_none());
    }
}
