//! Connections to servers that behave in all ways.

mod calls;
mod end;
mod fake;
mod handshake;
mod http;
#[cfg(feature = "tls")]
mod tls;
mod web;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use minds_mcp_gateway::client::{
    CallError, CallLimits, ConnectError, Connection, Exchange, Options, ServerEvents, Times,
};
use minds_mcp_gateway::{StdioServer, Transport};
use serde_json::{Map, Value, json};
use tokio::sync::watch;

/// Records what a server tells.
#[derive(Default)]
struct Events {
    log: watch::Sender<Vec<String>>,
    changes: watch::Sender<usize>,
}

impl ServerEvents for Events {
    fn tools_changed(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    fn log(&self, line: &str) {
        self.log.send_modify(|log| log.push(line.to_owned()));
    }
}

impl Events {
    /// Waits for a line that contains this.
    async fn line(&self, text: &str) -> String {
        let find = |log: &Vec<String>| log.iter().find(|line| line.contains(text)).cloned();
        let mut log = self.log.subscribe();
        let log = log.wait_for(|log| find(log).is_some()).await.unwrap();
        find(&log).unwrap()
    }
}

/// A connection can be used by several tasks.
#[test]
fn futures_can_move_between_threads() {
    fn check<T: Send>(_: T) {}
    fn check_all(connection: &'static Connection, transport: &'static Transport, options: &'static Options) {
        check(Connection::open(transport, options, Arc::new(Events::default())));
        check(connection.call("", Map::new(), Client::new(), CallLimits::default()));
        check(connection.list_tools(CallLimits::default()));
        check(connection.close(true));
        check(connection.wait_for_end());
    }
    let _: fn(_, _, _) = check_all;
}

type Reply = Box<dyn FnOnce(Map<String, Value>) + Send>;
type Answer = Box<dyn Fn(&Map<String, Value>) -> Option<Value> + Send + Sync>;

/// Records progress, and answers questions.
struct Client {
    progress: Mutex<Vec<Value>>,
    questions: Mutex<Vec<Value>>,
    /// None leaves the question open.
    answer: Answer,
    /// Replies that were not used.
    open: Mutex<Vec<Reply>>,
    accepts_tasks: bool,
}

impl Client {
    fn new() -> Arc<Self> {
        Self::answering(|_| Some(json!({"action": "accept", "content": {"name": "x"}})))
    }

    fn answering(answer: impl Fn(&Map<String, Value>) -> Option<Value> + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self {
            progress: Mutex::default(),
            questions: Mutex::default(),
            answer: Box::new(answer),
            open: Mutex::default(),
            accepts_tasks: false,
        })
    }

    fn accepting_tasks() -> Arc<Self> {
        let client = Arc::into_inner(Self::new()).unwrap();
        Arc::new(Self { accepts_tasks: true, ..client })
    }
}

impl Exchange for Client {
    fn accepts_tasks(&self) -> bool {
        self.accepts_tasks
    }

    fn progress(&self, progress: Map<String, Value>) {
        self.progress.lock().unwrap().push(progress.into());
    }

    fn elicit(&self, question: Map<String, Value>, reply: Reply) {
        let answer = (self.answer)(&question);
        self.questions.lock().unwrap().push(question.into());
        match answer {
            Some(answer) => reply(answer.as_object().unwrap().clone()),
            None => self.open.lock().unwrap().push(reply),
        }
    }
}

/// The server of `fake`, with the ways in which it behaves.
fn program(ways: &str) -> StdioServer {
    let args = ["--exact", "client::fake::serve", "--nocapture", "--quiet"];
    StdioServer {
        command: std::env::current_exe().unwrap().to_str().unwrap().to_owned(),
        args: args.map(str::to_owned).to_vec(),
        env: vec![(fake::WAYS.to_owned(), ways.to_owned())],
        directory: std::env::temp_dir(),
    }
}

/// The same, started by a shell after a script.
fn program_after(script: &str, ways: &str) -> StdioServer {
    let server = program(ways);
    let mut args = vec!["-c".to_owned(), format!("{script}; exec \"$0\" \"$@\""), server.command.clone()];
    args.extend(server.args.iter().cloned());
    StdioServer { command: "sh".to_owned(), args, ..server }
}

/// Short times for what never happens.
fn options() -> Options {
    let short = Duration::from_millis(100);
    Options { times: Times { discovery: short, stop_step: short, ..Times::default() }, ..Options::default() }
}

async fn open(server: StdioServer) -> Result<(Connection, Arc<Events>), ConnectError> {
    open_with(server, &Options::default()).await
}

async fn open_with(
    server: StdioServer,
    options: &Options,
) -> Result<(Connection, Arc<Events>), ConnectError> {
    let events = Arc::new(Events::default());
    let connection = Connection::open(&Transport::Stdio(server), options, Arc::clone(&events) as _).await?;
    Ok((connection, events))
}

async fn call(connection: &Connection, tool: &str, arguments: Value) -> Result<Value, CallError> {
    call_as(connection, tool, arguments, &Client::new()).await
}

async fn call_as(
    connection: &Connection,
    tool: &str,
    arguments: Value,
    client: &Arc<Client>,
) -> Result<Value, CallError> {
    let arguments = arguments.as_object().unwrap().clone();
    let client = Arc::clone(client) as Arc<dyn Exchange>;
    connection.call(tool, arguments, client, CallLimits::default()).await.map(Value::Object)
}
