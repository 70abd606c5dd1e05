//! Servers that are reached over HTTP.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use minds_mcp_gateway::client::{CallError, CallLimits, Connection, Options};
use minds_mcp_gateway::{HttpServer, Transport};
use serde_json::{Value, json};

use super::web::{Reply, Seen, Sessions, Web, event, modern};
use super::{Client, Events, call, call_as, options};

async fn open(server: HttpServer, options: &Options) -> Result<Connection, String> {
    let transport = Transport::Http(server);
    let opened = Connection::open(&transport, options, Arc::new(Events::default())).await;
    opened.map_err(|error| {
        assert!(!format!("{error} {error:?}").contains("s3cr3t"), "{error:?}");
        error.to_string()
    })
}

async fn connect(web: &Web) -> Connection {
    open(web.server(), &Options::default()).await.unwrap()
}

fn done(seen: &Seen) -> Reply {
    Reply::result(
        seen,
        &json!({"content": [{"type": "odd", "x": 1.50}], "x-more": seen.body["params"]["arguments"]}),
    )
}

#[tokio::test]
async fn a_server_without_handshake_is_shared() {
    let web = Web::start(|seen| modern(seen, done)).await;
    let connection = connect(&web).await;
    assert!(connection.is_shareable() && connection.pid().is_none());
    assert_eq!(connection.protocol(), "2026-07-28");
    let tools = connection.list_tools(CallLimits::default()).await.unwrap();
    assert_eq!(tools[0].name, "t");
    let result = call(&connection, "t", json!({"where": "north"})).await.unwrap();
    assert_eq!(result, json!({"content": [{"type": "odd", "x": 1.5}], "x-more": {"where": "north"}}));
    let seen = &web.all("tools/call")[0];
    for (name, value) in [
        ("authorization", "Bearer s3cr3t-header"),
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "t"),
        ("mcp-param-region", "north"),
        ("mcp-session-id", ""),
    ] {
        assert_eq!(seen.header(name), value, "{name}");
    }
    assert_eq!(web.names(), ["server/discover", "tools/list", "tools/call"]);
    connection.close(false).await;
    connection.wait_for_end().await;
}

/// Its calls could not be sent as the revision requires. Earlier revisions do not know these headers.
#[tokio::test]
async fn a_tool_whose_headers_are_not_valid_is_left_out() {
    let list = |seen: &Seen| {
        let tool = |name: &str, header: &str| {
            let property = json!({"type": "string", "x-mcp-header": header});
            json!({"name": name, "inputSchema": {"type": "object", "properties": {"p": property}}})
        };
        let tools = [tool("valid", "Region"), tool("empty", ""), tool("colon", "a:b")];
        Reply::result(
            seen,
            &json!({"tools": tools, "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}),
        )
    };
    let names = async |web: &Web| {
        let tools = connect(web).await.list_tools(CallLimits::default()).await.unwrap();
        tools.into_iter().map(|tool| tool.name).collect::<Vec<_>>()
    };
    let web = Web::start(move |seen| match seen.name() {
        "tools/list" => list(seen),
        _ => modern(seen, done),
    })
    .await;
    assert_eq!(names(&web).await, ["valid"]);
    let sessions = Sessions::default();
    let web = Web::start(move |seen| match seen.name() {
        "tools/list" => list(seen),
        _ => sessions.decide(seen, done),
    })
    .await;
    assert_eq!(names(&web).await, ["valid", "empty", "colon"]);
}

/// The headers of the protocol come first.
#[tokio::test]
async fn a_configured_header_does_not_replace_one_of_the_protocol() {
    let web = Web::start(|seen| modern(seen, done)).await;
    let names = [
        "Accept",
        "Content-Type",
        "Content-Length",
        "Host",
        "Mcp-Session-Id",
        "MCP-Protocol-Version",
        "X-Own",
    ];
    let headers = names.map(|name| (name.to_owned(), "1".to_owned())).to_vec();
    let connection = open(HttpServer { headers, ..web.server() }, &Options::default()).await.unwrap();
    call(&connection, "t", json!({})).await.unwrap();
    let seen = &web.all("tools/call")[0];
    let found = ["accept", "content-type", "mcp-session-id", "mcp-protocol-version", "x-own"]
        .map(|name| seen.header(name));
    assert_eq!(found, ["application/json, text/event-stream", "application/json", "", "2026-07-28", "1"]);
    assert_eq!(seen.header("host"), format!("127.0.0.1:{}", web.port));
}

#[tokio::test]
async fn a_session_is_used_and_ended() {
    let sessions = Sessions::default();
    let web = Web::start(move |seen| sessions.decide(seen, done)).await;
    let connection = connect(&web).await;
    assert_eq!((connection.protocol(), connection.is_shareable()), ("2025-11-25", false));
    assert_eq!(connection.list_tools(CallLimits::default()).await.unwrap().len(), 1);
    call(&connection, "t", json!({})).await.unwrap();
    connection.close(false).await;
    assert_eq!(web.wait_for("DELETE").await[0].header("mcp-session-id"), "session-1");
    let seen = &web.all("tools/call")[0];
    assert_eq!(
        (seen.header("mcp-session-id"), seen.header("mcp-protocol-version")),
        ("session-1", "2025-11-25")
    );
}

#[tokio::test]
async fn an_expired_session_is_opened_again_once() {
    let sessions = Arc::new(Sessions::default());
    let state = Arc::clone(&sessions);
    let web = Web::start(move |seen| state.decide(seen, done)).await;
    let connection = connect(&web).await;
    *sessions.expired.lock().unwrap() = true;
    assert_eq!(call(&connection, "t", json!({"n": 1})).await.unwrap()["x-more"], json!({"n": 1}));
    let ids: Vec<String> =
        web.all("tools/call").iter().map(|seen| seen.header("mcp-session-id").to_owned()).collect();
    assert_eq!(ids, ["session-1", "session-2"]);

    // A server without any session left is not asked for ever.
    let sessions = Arc::new(Sessions::default());
    let state = Arc::clone(&sessions);
    let web = Web::start(move |seen| state.decide(seen, |_| Reply::status(404))).await;
    let connection = connect(&web).await;
    let error = call(&connection, "t", json!({})).await.unwrap_err();
    assert_eq!(error.to_string(), "the HTTP session expired");
    assert_eq!((web.all("initialize").len(), web.all("tools/call").len()), (2, 2));
}

#[tokio::test]
async fn a_configured_session_is_resumed_without_handshake() {
    let sessions = Sessions::default();
    let web = Web::start(move |seen| match seen.header("mcp-session-id") {
        "given" if seen.name() == "tools/call" => done(seen),
        "given" => Reply::status(405),
        _ => sessions.decide(seen, done),
    })
    .await;
    let server = HttpServer { session: Some("given".to_owned()), ..web.server() };
    let connection = open(server.clone(), &Options::default()).await.unwrap();
    call(&connection, "t", json!({})).await.unwrap();
    assert!(web.all("initialize").is_empty() && web.all("server/discover").is_empty());
    connection.close(true).await;

    // It may have expired.
    let server = HttpServer { session: Some("other".to_owned()), ..server };
    let connection = open(server, &Options::default()).await.unwrap();
    call(&connection, "t", json!({})).await.unwrap();
    assert_eq!(web.all("initialize").len(), 1);
}

/// Answers a call with events, which depend on the call.
fn stream(seen: &Seen, messages: &[Value]) -> Reply {
    let (sender, reply) = Reply::events();
    for message in messages {
        sender.send(event(message)).unwrap();
    }
    let result = json!({"content": [], "x": 1});
    let response = json!({"jsonrpc": "2.0", "id": seen.body["id"], "result": result});
    // Parts of a stream can be cut anywhere, and its lines can end in other ways.
    let response = format!(": comment\r\nevent: message\r\ndata: {response}\r\n\r\n");
    for part in response.as_bytes().chunks(7) {
        sender.send(String::from_utf8(part.to_vec()).unwrap()).unwrap();
    }
    reply
}

#[tokio::test]
async fn progress_comes_with_the_events_of_a_call() {
    let call_of = |seen: &Seen| {
        let token = &seen.body["params"]["_meta"]["progressToken"];
        let params = json!({"progressToken": token, "progress": 3});
        stream(seen, &[json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})])
    };
    let sessions = Sessions::default();
    let old = Web::start(move |seen| sessions.decide(seen, call_of)).await;
    let new = Web::start(move |seen| modern(seen, call_of)).await;
    for web in [old, new] {
        let connection = connect(&web).await;
        let client = Client::new();
        let result = call_as(&connection, "t", json!({}), &client).await.unwrap();
        assert_eq!(result, json!({"content": [], "x": 1}));
        assert_eq!(*client.progress.lock().unwrap(), [json!({"progress": 3})]);
    }
}

/// The stream on which a question arrives says which call it belongs to.
#[tokio::test]
async fn a_question_reaches_its_call_among_several() {
    type Open = (Value, tokio::sync::mpsc::UnboundedSender<String>);
    let open: Arc<Mutex<Vec<Open>>> = Arc::default();
    let (sessions, calls) = (Sessions::default(), Arc::clone(&open));
    let web = Web::start(move |seen| {
        if seen.name() == "reply" {
            for (id, sender) in calls.lock().unwrap().drain(..) {
                let result = json!({"content": [], "x": seen.body["result"]});
                sender.send(event(&json!({"jsonrpc": "2.0", "id": id, "result": result}))).unwrap();
            }
            return Reply::status(202);
        }
        sessions.decide(seen, |seen| {
            let (sender, reply) = Reply::events();
            calls.lock().unwrap().push((seen.body["id"].clone(), sender));
            reply
        })
    })
    .await;
    let connection = connect(&web).await;
    let (first, second) = (Client::new(), Client::new());
    let ask = async {
        while open.lock().unwrap().len() < 2 {
            tokio::task::yield_now().await;
        }
        let params = json!({"message": "Who?", "requestedSchema": {}});
        let question = json!({"jsonrpc": "2.0", "id": 7, "method": "elicitation/create", "params": params});
        open.lock().unwrap()[1].1.send(event(&question)).unwrap();
    };
    let (one, two, ()) = tokio::join!(
        call_as(&connection, "first", json!({}), &first),
        call_as(&connection, "second", json!({}), &second),
        ask,
    );
    let answer = json!({"action": "accept", "content": {"name": "x"}});
    assert_eq!((&one.unwrap()["x"], &two.unwrap()["x"]), (&answer, &answer));
    let asked = [first, second].map(|client| client.questions.lock().unwrap().len());
    let tools: Vec<String> = web.all("tools/call").iter().map(|seen| seen.tool().to_owned()).collect();
    let expected = if tools[1] == "second" { [0, 1] } else { [1, 0] };
    assert_eq!(asked, expected);
}

#[tokio::test]
async fn a_dropped_call_is_cancelled_at_the_server() {
    type Open = tokio::sync::mpsc::UnboundedSender<String>;
    let open: Arc<Mutex<Option<Open>>> = Arc::default();
    let hang = |open: &Arc<Mutex<Option<Open>>>| {
        let (sender, reply) = Reply::events();
        *open.lock().unwrap() = Some(sender);
        reply
    };
    let (sessions, sender) = (Sessions::default(), Arc::clone(&open));
    let old = Web::start(move |seen| sessions.decide(seen, |_| hang(&sender))).await;
    let sender = Arc::clone(&open);
    let new = Web::start(move |seen| modern(seen, |_| hang(&sender))).await;
    let limits = CallLimits { idle: Duration::from_millis(50), ..CallLimits::default() };
    for (web, is_old) in [(old, true), (new, false)] {
        let connection = connect(&web).await;
        let error = connection.call("t", serde_json::Map::new(), Client::new(), limits).await.unwrap_err();
        assert!(matches!(error, CallError::TimedOut { is_idle: true, .. }), "{error}");
        if is_old {
            let cancelled = &web.wait_for("notifications/cancelled").await[0];
            assert_eq!(cancelled.body["params"]["requestId"], web.all("tools/call")[0].body["id"]);
        }
        // The response is not read anymore.
        let sender = open.lock().unwrap().take().unwrap();
        sender.closed().await;
    }
}

type Decide = Box<dyn Fn(&Seen) -> Reply + Send + Sync>;

#[tokio::test]
async fn an_error_says_what_failed() {
    let text = |status, kind, text| move |_: &Seen| Reply::new(status, kind, text);
    let answers: Vec<(Decide, &str)> = vec![
        (Box::new(|_| Reply::status(401)), "the server answered with HTTP status 401 (Unauthorized)"),
        (Box::new(|_| Reply::status(403)), "the server answered with HTTP status 403 (Forbidden)"),
        (Box::new(|_| Reply::status(404)), "the server answered with HTTP status 404 (Not Found)"),
        (Box::new(|_| Reply::status(503)), "the server answered with HTTP status 503 (Service Unavailable)"),
        (
            Box::new(text(200, "text/html", "<html>")),
            "the server answered with neither JSON nor a stream of events",
        ),
        (
            Box::new(text(200, "application/json", "{")),
            "the server answered with something else than a response",
        ),
        (
            Box::new(|seen| Reply::refusal(seen, -32000)),
            "the server refused the connection with error -32000: no",
        ),
        (
            Box::new(|_| Reply::status(307).with("location", "http://127.0.0.2:1/")),
            "the server redirects to another origin",
        ),
        (Box::new(|_| Reply::status(308).with("location", "/again")), "the server redirects again and again"),
        (
            Box::new(text(200, "text/event-stream", ": nothing\n\n")),
            "the server does not speak the Model Context Protocol",
        ),
    ];
    for (answer, expected) in answers {
        let web = Web::start(answer).await;
        assert_eq!(open(web.server(), &options()).await.err().as_deref(), Some(expected));
    }
    let web = Web::start(|seen| modern(seen, done)).await;
    let server = web.server();
    drop(web);
    let error = open(server.clone(), &options()).await.err().unwrap();
    assert_eq!(error, "the server cannot be reached: connection refused");
    for url in ["ftp://x/", "http:///x", "no url", "/mcp"] {
        let server = HttpServer { url: url.to_owned(), ..server.clone() };
        assert_eq!(open(server, &options()).await.err().as_deref(), Some("the URL cannot be used"), "{url}");
    }
    let headers = vec![("X-Key".to_owned(), "s3cr3t\n".to_owned())];
    let error = open(HttpServer { headers, ..server }, &options()).await.err();
    assert_eq!(error.as_deref(), Some("the header `X-Key` cannot be used"));
}

#[tokio::test]
async fn calls_that_fail_leave_the_connection_usable() {
    let web = Web::start(|seen| {
        modern(seen, |seen| {
            let result = |size| json!({"content": [{"type": "text", "text": "x".repeat(size)}]});
            let (sender, events) = Reply::events();
            let response = |size| json!({"jsonrpc": "2.0", "id": seen.body["id"], "result": result(size)});
            match seen.tool() {
                "status" => Reply::status(502),
                "refusal" => Reply::refusal(seen, -32602),
                "bad-request" => {
                    let error = json!({"code": -32602, "message": "no"});
                    let message = json!({"jsonrpc": "2.0", "id": seen.body["id"], "error": error});
                    Reply::new(400, "application/json", &message.to_string())
                }
                "large" => Reply::result(seen, &result(9 << 20)),
                "too-large" => Reply::result(seen, &result(17 << 20)),
                "too-large-event" => {
                    sender.send(event(&response(17 << 20))).unwrap();
                    events
                }
                "cut" => {
                    sender.send(": nothing\n\n".to_owned()).unwrap();
                    events
                }
                "redirect" if seen.path == "/mcp" => Reply::status(307).with("location", "/moved"),
                _ => done(seen),
            }
        })
    })
    .await;
    let connection = connect(&web).await;
    for (tool, expected) in [
        ("status", "the server answered with HTTP status 502 (Bad Gateway)"),
        ("refusal", "the server answered with error -32602: no"),
        ("bad-request", "the server answered with error -32602: no"),
        ("large", "the result of the server has more than 8388608 bytes"),
        ("too-large", "the server sent a message of more than 16777216 bytes"),
        ("too-large-event", "the server sent a message of more than 16777216 bytes"),
        ("cut", "the server closed the connection"),
    ] {
        assert_eq!(call(&connection, tool, json!({})).await.unwrap_err().to_string(), expected, "{tool}");
        assert_eq!(web.all("tools/call").iter().filter(|seen| seen.tool() == tool).count(), 1, "{tool}");
    }
    assert_eq!(call(&connection, "redirect", json!({"a": 1})).await.unwrap()["x-more"], json!({"a": 1}));
}

#[tokio::test]
async fn a_server_that_does_not_answer_the_discovery_makes_a_handshake() {
    let sessions = Sessions::default();
    let keep: Mutex<Vec<tokio::sync::mpsc::UnboundedSender<String>>> = Mutex::default();
    let web = Web::start(move |seen| {
        if seen.name() == "server/discover" {
            let (sender, reply) = Reply::events();
            keep.lock().unwrap().push(sender);
            return reply;
        }
        sessions.decide(seen, done)
    })
    .await;
    let connection = open(web.server(), &options()).await.unwrap();
    assert_eq!(connection.protocol(), "2025-11-25");
    call(&connection, "t", json!({})).await.unwrap();
}
