//! Why a call of a foreign tool has no result.

use minds_toolset::{Code, Fields, Refusal};
use serde_json::{Map, Value, json};

use crate::client::CallError;

/// Returns the refusal for a server that does not run.
pub(super) fn unavailable(server: &str, reason: &str) -> Refusal {
    with_server(
        Refusal::new(Code::ServerUnavailable, format!("the server `{server}` is not available: {reason}")),
        server,
    )
    .next("call again later, or restart the server with `mcp_restart` if you have that tool")
}

/// Returns the refusal for a server that is not in the file.
pub(super) fn unknown(server: &str, near: Option<&str>) -> Refusal {
    let refusal = Refusal::new(Code::UnknownServer, format!("`.minds/mcp.yaml` has no server `{server}`"));
    let next = near.map_or("use the id of a server in `.minds/mcp.yaml`".to_owned(), |near| {
        format!("did you mean `{near}`?")
    });
    with_server(refusal, server).next(next)
}

/// Returns the refusal for a server whose entry cannot be used.
pub(super) fn invalid(server: &str, reason: &str) -> Refusal {
    let message = format!("the entry of the server `{server}` is not valid: {reason}");
    with_server(Refusal::new(Code::ServerInvalid, message), server).next("fix the entry in `.minds/mcp.yaml`")
}

/// Returns the result of a failed call: a refusal, or the error that the server answered with. `redact` redacts secrets in
/// what the server wrote.
pub(super) fn of_call(
    server: &str,
    error: &CallError,
    redact: &dyn Fn(&str) -> String,
) -> Result<Map<String, Value>, Refusal> {
    let text = redact(&format!("server `{server}`: {error}"));
    let code = match error {
        // The server has judged the call, so the caller gets its answer.
        CallError::Refused { .. } => {
            let result = json!({"content": [{"type": "text", "text": text}], "isError": true});
            return Ok(result.as_object().cloned().unwrap_or_default());
        }
        CallError::TimedOut { .. } => Code::TimedOut,
        CallError::TooLarge { .. } => Code::TOO_LARGE,
        _ => return Err(unavailable(server, &redact(&error.to_string()))),
    };
    let next = match code {
        Code::TimedOut => "the call may have had effects: check before you call again",
        _ => "ask for less at once",
    };
    Err(with_server(Refusal::new(code, text), server).next(next))
}

/// Returns the refusal of a failed request about a task.
pub(super) fn of_task(server: &str, error: &CallError, redact: &dyn Fn(&str) -> String) -> Refusal {
    match error {
        CallError::TimedOut { .. } => {
            with_server(Refusal::new(Code::TimedOut, format!("server `{server}`: {error}")), server)
        }
        error => unavailable(server, &redact(&error.to_string())),
    }
}

fn with_server(refusal: Refusal, server: &str) -> Refusal {
    refusal.details(Fields::new().with("server", server))
}
