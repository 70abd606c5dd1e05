//! A gateway whose servers are functions.

use std::sync::mpsc::channel;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use minds_toolset::{
    ActionOutcome, CallClient, Code, ForeignAnswer, ForeignCall, ForeignTool, Refusal, RunningCall,
    ServerAction, ServerState, TaskRequest, ToolSource,
};
use serde_json::{Map, Value, json};

/// What a source was asked to do, in order.
pub(super) type Log = Arc<Mutex<Vec<String>>>;

/// A source whose tools behave according to their original name.
#[derive(Default)]
pub(super) struct FakeSource {
    tools: Mutex<Arc<[ForeignTool]>>,
    subscribers: Mutex<Vec<Box<dyn Fn() + Send + Sync>>>,
    pub(super) log: Log,
    /// The calls, in order.
    pub(super) calls: Mutex<Vec<ForeignCall>>,
    /// Whether calls of `gate` are answered.
    gate: Arc<(Mutex<bool>, Condvar)>,
}

impl std::fmt::Debug for FakeSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FakeSource")
    }
}

impl FakeSource {
    /// Returns a source with a tool of `browser` for each name, and one of the server `tickets`.
    pub(super) fn new(names: &[&str]) -> Arc<Self> {
        let source = Arc::new(Self::default());
        let tools = names.iter().map(|name| tool("browser", name));
        source.set(tools.chain([tool("tickets", "find")]).collect());
        source
    }

    /// Replaces the tools, and wakes the subscribers.
    pub(super) fn set(&self, tools: Vec<ForeignTool>) {
        *self.tools.lock().unwrap() = tools.into();
        for changed in &*self.subscribers.lock().unwrap() {
            changed();
        }
    }

    /// Returns how often the log has an entry.
    pub(super) fn count(&self, entry: &str) -> usize {
        self.log.lock().unwrap().iter().filter(|known| *known == entry).count()
    }

    /// Waits for an entry of the log.
    #[track_caller]
    pub(super) fn wait_for(&self, entry: &str) {
        self.wait_for_count(entry, 1);
    }

    /// Waits until the log has an entry this often.
    #[track_caller]
    pub(super) fn wait_for_count(&self, entry: &str, count: usize) {
        for _ in 0..6_000 {
            if self.count(entry) >= count {
                return;
            }
            minds_process::pause(std::time::Duration::from_millis(10));
        }
        panic!("no `{entry}` in {:?}", self.log.lock().unwrap());
    }

    /// Lets the calls of `gate` be answered.
    pub(super) fn open_gate(&self) {
        *self.gate.0.lock().unwrap() = true;
        self.gate.1.notify_all();
    }

    /// Returns the conversations of the calls, in order.
    pub(super) fn conversations(&self) -> Vec<String> {
        self.calls.lock().unwrap().iter().map(|call| call.conversation.clone()).collect()
    }
}

/// Returns a tool that runs.
pub(super) fn tool(server: &str, name: &str) -> ForeignTool {
    ForeignTool {
        name: format!("web_{name}"),
        server: server.to_owned(),
        original: name.to_owned(),
        title: None,
        description: format!("does {name}"),
        input_schema: object(json!({"type": "object"})),
        output_schema: None,
        annotations: Map::new(),
        is_available: true,
    }
}

pub(super) fn object(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

/// The result of `echo`, with content and members that no revision of the protocol knows.
pub(super) fn strange_result(arguments: &Map<String, Value>) -> Value {
    json!({
        "content": [
            {"type": "text", "text": "é", "x-more": 1},
            {"type": "hologram", "rays": [1, 2.5, null]},
            {"type": "resource_link", "uri": "not a uri"},
        ],
        "structuredContent": {"arguments": arguments},
        "isError": false,
        "_meta": {"example.org/x": [{"deep": true}]},
        "x-member": "kept",
    })
}

impl ToolSource for FakeSource {
    fn tools(&self) -> Arc<[ForeignTool]> {
        Arc::clone(&self.tools.lock().unwrap())
    }

    fn call(&self, call: ForeignCall, client: Arc<dyn CallClient>) -> Box<dyn RunningCall> {
        self.calls.lock().unwrap().push(call.clone());
        let running = Running(Arc::clone(&self.log), call.tool.original.clone());
        let gate = Arc::clone(&self.gate);
        thread::spawn(move || {
            if call.tool.original == "gate" {
                drop(gate.1.wait_while(gate.0.lock().unwrap(), |is_open| !*is_open).unwrap());
            }
            if let Some(answer) = perform(&call, client.as_ref()) {
                client.answer(answer);
            }
            // A call that hangs is still known to its server.
            if call.tool.original == "hang" {
                std::mem::forget(client);
            }
        });
        Box::new(running)
    }

    fn task(&self, request: TaskRequest, client: Arc<dyn CallClient>) -> Box<dyn RunningCall> {
        let TaskRequest { conversation: _, server, action, params } = request;
        self.log.lock().unwrap().push(format!("{action:?} {server} {}", Value::Object(params)));
        let answer = if server == "browser" {
            Ok(object(json!({"resultType": "complete", "taskId": "browser/1", "status": "working", "x": 1})))
        } else {
            Err(Refusal::new(Code::ServerUnavailable, "it does not run"))
        };
        client.answer(answer);
        Box::new(Running(Arc::clone(&self.log), "task".to_owned()))
    }

    fn act(&self, conversation: &str, server: &str, action: ServerAction) -> Result<ActionOutcome, Refusal> {
        self.log.lock().unwrap().push(format!("{action:?} {server} {conversation}"));
        Ok(ActionOutcome { state: ServerState::Ready, released: true })
    }

    fn end_conversation(&self, conversation: &str) {
        self.log.lock().unwrap().push(format!("end {conversation}"));
    }

    fn subscribe(&self, changed: Box<dyn Fn() + Send + Sync>) {
        self.subscribers.lock().unwrap().push(changed);
    }

    fn wait_for_tools(&self) {
        self.log.lock().unwrap().push("wait".to_owned());
    }
}

/// Calls a tool of the source; `None` if there is no answer.
fn perform(call: &ForeignCall, client: &dyn CallClient) -> Option<ForeignAnswer> {
    let text = |text: &str| json!({"content": [{"type": "text", "text": text}]});
    let result = match call.tool.original.as_str() {
        "echo" => strange_result(&call.arguments),
        "count" => {
            for number in 1..=3 {
                client.progress(object(json!({"progress": number, "total": 3, "message": "counting"})));
            }
            text("counted")
        }
        "later" if call.accepts_tasks => json!({"resultType": "task", "taskId": "browser/1", "x": 1}),
        "numbers" => json!({"content": [], "structuredContent": [1, 2], "resultType": "complete"}),
        "ask" | "ask_twice" => {
            let mut actions = Vec::new();
            for _ in 0..if call.tool.original == "ask" { 1 } else { 2 } {
                actions.push(ask(client, &call.arguments));
            }
            json!({"content": [], "structuredContent": {"answers": actions}})
        }
        // Its question is never answered, and it ends.
        "impatient" => {
            client.elicit(question(&call.arguments), Box::new(|_| ()));
            thread::sleep(std::time::Duration::from_millis(50));
            text("done without you")
        }
        "refuse" => {
            return Some(Err(Refusal::new(Code::TimedOut, "no answer in 300 s").next("try again")));
        }
        "hang" | "vanish" => return None,
        name => text(name),
    };
    Some(Ok(object(result)))
}

fn question(arguments: &Map<String, Value>) -> Map<String, Value> {
    let mut question = object(json!({
        "message": "which one?",
        "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}, "x-unknown": 1},
    }));
    question.extend(arguments.clone());
    question
}

fn ask(client: &dyn CallClient, arguments: &Map<String, Value>) -> Value {
    let (reply, replied) = channel();
    client.elicit(question(arguments), Box::new(move |answer| reply.send(answer).unwrap()));
    replied.recv().map_or_else(|_| json!("none"), Value::Object)
}

struct Running(Log, String);

impl RunningCall for Running {
    fn cancel(self: Box<Self>) {
        self.0.lock().unwrap().push(format!("cancel {}", self.1));
    }
}
