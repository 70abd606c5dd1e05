//! Tasks of servers: results that are asked for later, of the tasks extension of the protocol.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The key of the id in results and parameters.
const ID: &str = "taskId";
/// The type of a result that is a task.
const TASK: &str = "task";
/// Separates the id of the server, which never contains it, from the id of the task.
const SEPARATOR: char = '/';

/// A request about a task of a server that was authorized.
#[derive(Clone, Debug)]
pub struct TaskRequest {
    /// The conversation that asks.
    pub conversation: String,
    /// The id of the server.
    pub server: String,
    /// What is to be done.
    pub action: TaskAction,
    /// The parameters of the protocol, with the id of the task at the server.
    pub params: Map<String, Value>,
}

/// What is to be done with a task of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TaskAction {
    /// Return its state, and its result once there is one.
    Get,
    /// Answer its questions.
    Update,
    /// Cancel it.
    Cancel,
}

impl TaskAction {
    /// Returns the method of the protocol.
    pub fn method(self) -> &'static str {
        match self {
            Self::Get => "tasks/get",
            Self::Update => "tasks/update",
            Self::Cancel => "tasks/cancel",
        }
    }

    /// Returns the action of a method.
    pub fn of_method(method: &str) -> Option<Self> {
        [Self::Get, Self::Update, Self::Cancel].into_iter().find(|action| action.method() == method)
    }
}

/// Adds the server to the id of a task in a result, because ids are unique at a server only.
pub fn qualify_task(mut result: Map<String, Value>, server: &str) -> Map<String, Value> {
    let is_task = result.get("resultType").is_some_and(|kind| kind == TASK) || result.contains_key("status");
    if let Some(Value::String(id)) = result.get_mut(ID).filter(|_| is_task) {
        *id = format!("{server}{SEPARATOR}{id}");
    }
    result
}

/// Takes the server out of the id of a task in parameters, and returns it; `None` if it is not the id of a task of a server.
pub fn take_server_of_task(params: &mut Map<String, Value>) -> Option<String> {
    let id = params.get_mut(ID)?;
    let (server, task) = id.as_str()?.split_once(SEPARATOR)?;
    if server.is_empty() || task.is_empty() {
        return None;
    }
    let (server, task) = (server.to_owned(), task.to_owned());
    *id = task.into();
    Some(server)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: &Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn tasks_are_known_by_their_server() {
        let task = json!({"resultType": "task", "taskId": "a/b", "status": "working", "x": 1});
        let mut qualified = qualify_task(object(&task), "files");
        assert_eq!(qualified["taskId"], "files/a/b");
        assert_eq!(take_server_of_task(&mut qualified).as_deref(), Some("files"));
        assert_eq!(Value::Object(qualified), task);
        assert_eq!(
            qualify_task(object(&json!({"status": "completed", "taskId": "1"})), "files")["taskId"],
            "files/1"
        );
        for other in [json!({"content": [], "taskId": "1"}), json!({"resultType": "task", "taskId": 7})] {
            assert_eq!(Value::Object(qualify_task(object(&other), "files")), other);
        }
        for id in [json!(""), json!("files"), json!("/1"), json!("files/"), json!(7)] {
            let mut params = object(&json!({"taskId": id}));
            assert_eq!(take_server_of_task(&mut params), None, "{id}");
        }
    }
}
