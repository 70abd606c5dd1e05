//! Calls: results as they are, progress, questions, limits and errors.

use std::sync::Arc;
use std::time::Duration;

use minds_mcp_gateway::client::{CallError, CallLimits, Connection, Inheritance, MAX_TOOLS, Options};
use serde_json::{Value, json};

use super::{Client, StdioServer, call, call_as, open, open_with, program};

#[tokio::test]
async fn a_result_is_that_of_the_server() {
    let (connection, _) = open(program("")).await.unwrap();
    for result in [
        json!({"content": [{"type": "text", "text": "a\u{2028}b", "annotations": {"x": 1}}], "isError": true}),
        json!({
            "content": [{"type": "hologram", "data": [1, 2.50, -0.0, null]}, "not a block", 18_446_744_073_709_551_615_u64],
            "structuredContent": [1, {"b": null}], "_meta": {"a/b": {"c": 1}}, "x-more": true,
        }),
        json!({}),
        json!({"content": "wrong"}),
    ] {
        assert_eq!(call(&connection, "fixed", json!({"result": result})).await.unwrap(), result);
    }
    for result in [json!(null), json!([1]), json!("text")] {
        let error = call(&connection, "fixed", json!({"result": result})).await.unwrap_err();
        assert_eq!(error, CallError::Invalid, "{result}");
    }
    let error = call(&connection, "none", json!({})).await.unwrap_err();
    assert_eq!(error.to_string(), "the server answered with error -32602: unknown tool");
}

#[tokio::test]
async fn forms_of_answers_that_servers_use_are_read() {
    let (connection, events) = open(program("")).await.unwrap();
    for line in [
        r#"{"jsonrpc":"2.0","id":"ID","result":{"a":1}}"#,
        r#"{"id":ID,"result":{"a":1},"jsonrpc":"2.0","extra":[]}"#,
        r#"[{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"batch"}},{"id":ID,"result":{"a":1}}]"#,
        r#"{"jsonrpc":"2.0","id":99999,"result":{}}
{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}

{"jsonrpc":"2.0","id":ID,"result":{"a":1}}"#,
    ] {
        let result = call(&connection, "raw", json!({"line": line})).await;
        assert_eq!(result, Ok(json!({"a": 1})), "{line}");
    }
    events.line("info: batch").await;
    let deep = format!(r#"{{"id":ID,"result":{{"a":{}1{}}}}}"#, "[".repeat(500), "]".repeat(500));
    for (line, expected) in [
        (deep.as_str(), CallError::Invalid),
        (r#"{"id":ID}"#, CallError::Invalid),
        (r#"{"id":ID,"error":"text"}"#, CallError::Refused { code: 0, message: String::new() }),
    ] {
        assert_eq!(call(&connection, "raw", json!({"line": line})).await, Err(expected), "{line}");
    }
}

#[tokio::test]
async fn large_results_are_refused_and_the_connection_stays() {
    let (connection, _) = open(program("")).await.unwrap();
    let result = call(&connection, "large", json!({"size": 8_000_000})).await.unwrap();
    assert_eq!(result["content"][0]["text"].as_str().unwrap().len(), 8_000_000);
    let error = call(&connection, "large", json!({"size": 9_000_000})).await.unwrap_err();
    assert_eq!(error, CallError::TooLarge { limit: 8 << 20 });
    call(&connection, "echo", json!({})).await.unwrap();
    let error = call(&connection, "endless", json!({})).await.unwrap_err();
    assert_eq!(error.to_string(), "the server sent a line of more than 16777216 bytes");
    connection.wait_for_end().await;
}

#[tokio::test]
async fn progress_reaches_the_call() {
    for ways in ["", "modern"] {
        let (connection, _) = open(program(ways)).await.unwrap();
        let client = Client::new();
        call_as(&connection, "progress", json!({}), &client).await.unwrap();
        let expected = [
            json!({"progress": 1, "total": 10, "message": "m"}),
            json!({"progress": 2.5, "total": 10, "message": "m"}),
        ];
        assert_eq!(*client.progress.lock().unwrap(), expected, "{ways}");
    }
}

#[tokio::test]
async fn questions_reach_the_client_of_the_only_call() {
    for (ways, key) in [("", "reply"), ("modern", "who")] {
        let (connection, _) = open(program(ways)).await.unwrap();
        let client = Client::new();
        let result = call_as(&connection, "ask", json!({}), &client).await.unwrap();
        let reply = json!({"action": "accept", "content": {"name": "x"}});
        assert_eq!(result, json!({"content": [], "structuredContent": {key: reply}}));
        let schema = json!({"type": "object", "properties": {"n": {"type": "string", "x-odd": 1}}});
        let question = json!({"message": "Who?", "requestedSchema": schema});
        assert_eq!(*client.questions.lock().unwrap(), [question], "{ways}");

        // A client that forgets a question declines it.
        let client = Client::answering(|_| None);
        let call = call_as(&connection, "ask", json!({}), &client);
        let forget = async {
            while client.open.lock().unwrap().is_empty() {
                tokio::task::yield_now().await;
            }
            client.open.lock().unwrap().clear();
        };
        let (result, ()) = tokio::join!(call, forget);
        assert_eq!(result.unwrap()["structuredContent"][key], json!({"action": "decline"}), "{ways}");
    }
}

#[tokio::test]
async fn a_question_among_several_calls_is_declined() {
    let (connection, events) = open(program("")).await.unwrap();
    let client = Client::new();
    let hanging = call_as(&connection, "hang", json!({}), &client);
    tokio::pin!(hanging);
    let asking = async {
        events.line("hanging").await;
        call_as(&connection, "ask", json!({}), &client).await
    };
    tokio::select! {
        _ = &mut hanging => panic!("it hangs"),
        result = asking => {
            assert_eq!(result.unwrap()["structuredContent"]["reply"], json!({"action": "decline"}));
        }
    }
    assert!(client.questions.lock().unwrap().is_empty());
}

#[tokio::test]
async fn requests_that_were_not_offered_are_refused() {
    let (connection, _) = open(program("")).await.unwrap();
    let methods = json!({"methods": ["ping", "roots/list", "sampling/createMessage", "x/y"]});
    let result = call(&connection, "requests", methods).await.unwrap();
    let replies = result["structuredContent"]["replies"].as_array().unwrap();
    assert_eq!(replies[0], json!({}));
    for reply in &replies[1..] {
        assert_eq!(reply["code"], -32601, "{replies:?}");
    }
}

async fn limited(connection: &Connection, tool: &str, client: &Arc<Client>, limits: CallLimits) -> CallError {
    let arguments = json!({"end": false}).as_object().unwrap().clone();
    connection.call(tool, arguments, Arc::clone(client) as _, limits).await.unwrap_err()
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_cancelled_at_the_server() {
    let (connection, events) = open(program("")).await.unwrap();
    let (short, long) = (Duration::from_millis(50), Duration::from_mins(5));
    let client = Client::new();
    let error = limited(&connection, "hang", &client, CallLimits { total: long, idle: short }).await;
    assert_eq!(error, CallError::TimedOut { time: short, is_idle: true });
    assert!(events.line("got notifications/cancelled").await.contains("requestId"));
    let error = limited(&connection, "progress", &client, CallLimits { total: short, idle: long }).await;
    assert_eq!(error, CallError::TimedOut { time: short, is_idle: false });
    assert_eq!(client.progress.lock().unwrap().len(), 2);
    // A person who is asked can take long, but the time in all counts.
    let client = Client::answering(|_| None);
    let limits = CallLimits { total: 3 * short, idle: short };
    let error = limited(&connection, "ask", &client, limits).await;
    assert_eq!(error, CallError::TimedOut { time: limits.total, is_idle: false });
    assert_eq!(
        CallError::TimedOut { time: long, is_idle: true }.to_string(),
        "the server gave no sign of progress within 300 s"
    );
}

#[tokio::test]
async fn a_call_that_is_dropped_is_cancelled_at_the_server() {
    let (connection, events) = open(program("")).await.unwrap();
    {
        let hanging = call(&connection, "hang", json!({}));
        tokio::select! {
            _ = hanging => panic!("it hangs"),
            _ = events.line("hanging") => {}
        }
    }
    let id = events.line("hanging").await.replace("hanging ", "");
    let cancelled = events.line("got notifications/cancelled").await;
    assert_eq!(cancelled, format!(r#"got notifications/cancelled {{"requestId":{id}}}"#));
    call(&connection, "echo", json!({})).await.unwrap();
}

#[tokio::test]
async fn calls_run_at_the_same_time() {
    let (connection, _) = open(program("")).await.unwrap();
    let calls = (0..100).map(|n| {
        let connection = &connection;
        async move { (n, call(connection, "echo", json!({"n": n})).await.unwrap()) }
    });
    let mut calls: Vec<_> = calls.map(Box::pin).collect();
    // All are sent before the first one is waited for.
    for call in &mut calls {
        assert!(
            std::future::poll_fn(|context| std::task::Poll::Ready(call.as_mut().poll(context).is_pending()))
                .await
        );
    }
    for call in calls {
        let (n, result) = call.await;
        assert_eq!(result["structuredContent"], json!({"n": n}));
    }
}

#[tokio::test]
async fn messages_of_the_server_reach_their_receivers() {
    let (connection, events) = open(program("")).await.unwrap();
    call(&connection, "tell", json!({})).await.unwrap();
    assert_eq!(*events.changes.borrow(), 1);
    events.line("warning a: {\"b\":1}").await;
    events.line("not a message").await;
    call(&connection, "flood", json!({})).await.unwrap();
    let long = events.line("yyy").await;
    assert_eq!(long.len(), 8 << 10);
    assert!(events.log.borrow().iter().filter(|line| *line == "line").count() == 100_000);
}

#[tokio::test]
async fn all_pages_of_tools_are_listed() {
    let limits = CallLimits::default();
    let (connection, events) = open(program("")).await.unwrap();
    let tools = connection.list_tools(limits).await.unwrap();
    assert_eq!(tools.len(), 2);
    assert_eq!((tools[0].name.as_str(), tools[0].title.as_deref()), ("echo", Some("Echo")));
    assert_eq!(tools[0].description, "Says it again");
    assert_eq!(tools[0].input_schema, json!({"type": "object", "x-odd": [1, null]}));
    assert_eq!(tools[0].output_schema, Some(json!({"type": "object"})));
    assert_eq!(Value::from(tools[0].annotations.clone()), json!({"readOnlyHint": true, "x": 1}));
    assert_eq!((tools[1].name.as_str(), &tools[1].input_schema), ("second", &json!(7)));
    events.line("without a name").await;

    let (connection, _) = open(program("endless")).await.unwrap();
    assert_eq!(connection.list_tools(limits).await.unwrap().len(), MAX_TOOLS);
    let (connection, _) = open(program("no-page")).await.unwrap();
    assert_eq!(connection.list_tools(limits).await, Ok(Vec::new()));
    let (connection, _) = open(program("no-tools")).await.unwrap();
    assert_eq!(connection.list_tools(limits).await, Ok(Vec::new()));
    let (connection, _) = open(program("modern")).await.unwrap();
    assert_eq!(connection.list_tools(limits).await.unwrap().len(), 2);
}

async fn names(server: StdioServer, options: &Options) -> Vec<String> {
    let (connection, _) = open_with(server, options).await.unwrap();
    let result = call(&connection, "environment", json!({})).await.unwrap();
    serde_json::from_value(result["structuredContent"]["names"].clone()).unwrap()
}

/// The variables of the gateway are those of a process that this test starts.
#[test]
fn the_environment_is_inherited_or_basic() {
    let mut gateway = std::process::Command::new(std::env::current_exe().unwrap());
    gateway.args(["--exact", "client::calls::environments", "--nocapture"]).env(GATEWAY, "1");
    gateway.env("TERM", "dumb").env("MINDS_TEST_GIVEN", "of the gateway");
    gateway
        .envs(["MINDS_MCP_TOKEN", "ATEAM_REDIS_URL", "ATEAM_BOOTSTRAP_TOKEN"].map(|name| (name, "secret")));
    let output = gateway.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

const GATEWAY: &str = "MINDS_TEST_GATEWAY";

/// Does nothing unless it is started by the test above.
#[tokio::test]
async fn environments() {
    if std::env::var_os(GATEWAY).is_none() {
        return;
    }
    let has = |names: &[String], name: &str| names.iter().any(|one| one == name);
    let inherited = names(program(""), &Options::default()).await;
    assert!(has(&inherited, GATEWAY) && has(&inherited, super::fake::WAYS));
    assert!(
        !["MINDS_MCP_TOKEN", "ATEAM_REDIS_URL", "ATEAM_BOOTSTRAP_TOKEN"]
            .iter()
            .any(|name| has(&inherited, name))
    );
    let mut server = program("");
    server.env.push(("MINDS_MCP_TOKEN".to_owned(), "of the file".to_owned()));
    assert!(has(&names(server, &Options::default()).await, "MINDS_MCP_TOKEN"));
    let options = Options { inherited: Inheritance::Basic, ..Options::default() };
    let basic = names(program(""), &options).await;
    assert!(!has(&basic, GATEWAY) && has(&basic, super::fake::WAYS) && has(&basic, "TERM"));
}

#[tokio::test]
async fn a_task_is_returned_to_a_client_that_accepts_it() {
    let (connection, _) = open(program("modern,tasks")).await.unwrap();
    let task = call_as(&connection, "later", json!({}), &Client::accepting_tasks()).await.unwrap();
    assert_eq!(task, json!({"resultType": "task", "taskId": "t1", "status": "working", "x": 1}));
    let params = json!({"taskId": "t1"}).as_object().unwrap().clone();
    let state = connection.ask_about_task("tasks/get", params, CallLimits::default()).await.unwrap();
    assert_eq!((&state["status"], &state["result"]["taskId"]), (&json!("completed"), &json!("t1")));
    let result = call(&connection, "later", json!({})).await.unwrap();
    assert_eq!(result["content"][0]["text"], "at once");
    // Servers that do not declare tasks are not offered them.
    for ways in ["modern", "", "tasks"] {
        let (connection, _) = open(program(ways)).await.unwrap();
        let result = call_as(&connection, "later", json!({}), &Client::accepting_tasks()).await.unwrap();
        assert_eq!(result["content"][0]["text"], "at once", "{ways}");
    }
}
