//! The gateway with servers that behave in all ways.

mod accepted;
mod audit;
mod exposure;
mod failures;
mod leases;
mod reload;
mod server;

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use minds_mcp_gateway::documents::{GatewayState, ServerStatus, ServerTools};
use minds_mcp_gateway::{Gateway, Options};
use minds_toolset::{
    CallClient, Code, ForeignAnswer, ForeignCall, ForeignTool, Refusal, RunningCall, ServerState,
    ToolSource as _,
};
use serde_json::{Map, Value, json};

/// The time for anything that is waited for.
const PATIENCE: Duration = Duration::from_mins(1);
const STEP: Duration = Duration::from_millis(2);

/// A workspace whose servers are files.
struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("ws/.minds")).unwrap();
        std::fs::create_dir_all(folder.path().join("servers")).unwrap();
        Self { folder }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Writes a file of the workspace at once.
    fn write(&self, name: &str, text: &str) {
        let path = self.path("ws/.minds").join(name);
        let new = self.path("new");
        std::fs::write(&new, text).unwrap();
        std::fs::rename(new, path).unwrap();
    }

    /// Writes `mcp.yaml` with these servers: the id, and further lines of the entry.
    fn servers(&self, servers: &[(&str, &str)]) {
        let entries: Vec<String> = servers.iter().map(|(id, more)| self.entry(id, id, more)).collect();
        self.write("mcp.yaml", &format!("version: 1\nservers:\n{}", entries.concat()));
    }

    /// Returns the entry of a server with the behavior of a file.
    fn entry(&self, id: &str, behavior: &str, more: &str) -> String {
        let program = std::env::current_exe().unwrap();
        let more: Vec<String> = more.lines().map(|line| format!("    {line}\n")).collect();
        let more = more.concat();
        let behavior = self.path("servers").join(behavior);
        format!(
            "  {id}:\n    transport: stdio\n    command: {}\n    args: [--exact, 'gateway::server::serve', --nocapture, --quiet]\n    env: {{{}: {}}}\n{more}",
            program.display(),
            server::BEHAVIOR,
            behavior.display(),
        )
    }

    /// Writes the behavior of a server.
    fn behave(&self, server: &str, behavior: &Value) {
        let new = self.path("new-behavior");
        std::fs::write(&new, behavior.to_string()).unwrap();
        std::fs::rename(new, self.path("servers").join(format!("{server}.json"))).unwrap();
    }

    /// Writes the behavior of a server that works, with these tools.
    fn offer(&self, server: &str, tools: &[&str]) {
        self.behave(server, &json!({"tools": tools.iter().map(|name| tool(name)).collect::<Vec<_>>()}));
    }

    /// Lets a server continue at the step at which it hangs.
    fn let_continue(&self, server: &str) {
        std::fs::write(self.path("servers").join(format!("{server}.continue")), "").unwrap();
    }

    fn lines(&self, file: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.path("servers").join(file)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Returns the process ids of the starts of a server.
    fn starts(&self, server: &str) -> Vec<u32> {
        self.lines(&format!("{server}.starts")).iter().map(|line| line.parse().unwrap()).collect()
    }

    fn options(&self) -> Options {
        Options {
            workspace: self.path("ws"),
            state: self.path("state"),
            caller: "tester".to_owned(),
            is_lazy: false,
            is_recorded: true,
            is_relayed: false,
            accepted: None,
            fleet: None,
        }
    }

    /// Starts a gateway, and waits until its servers are known.
    fn start(&self) -> Gateway {
        let gateway = Gateway::start(self.options()).unwrap();
        gateway.wait_for_tools();
        gateway
    }

    /// Waits until a server has waited in a call.
    fn wait_for_line(&self, file: &str) {
        eventually("a line", || (!self.lines(file).is_empty()).then_some(()));
    }
}

fn tool(name: &str) -> Value {
    json!({"name": name, "description": format!("does {name}"), "inputSchema": {"type": "object"}})
}

/// Waits until a condition holds, and returns its value.
#[track_caller]
fn eventually<T>(what: &str, mut find: impl FnMut() -> Option<T>) -> T {
    let steps = PATIENCE.as_millis() / STEP.as_millis();
    for _ in 0..steps {
        if let Some(found) = find() {
            return found;
        }
        minds_process::pause(STEP);
    }
    panic!("{what} is waited for in vain");
}

fn is_running(pid: u32) -> bool {
    // A process that ended and was not waited for has no program.
    Path::new(&format!("/proc/{pid}/exe")).read_link().is_ok()
}

#[track_caller]
fn expect_end(pids: &[u32]) {
    eventually("the end of processes", || (!pids.iter().any(|pid| is_running(*pid))).then_some(()));
}

/// What a call of a test receives.
enum Received {
    Progress,
    Question(Box<dyn FnOnce(Map<String, Value>) + Send>),
    Answer(ForeignAnswer),
}

struct Client(Mutex<Sender<Received>>);

impl CallClient for Client {
    fn progress(&self, _: Map<String, Value>) {
        self.0.lock().unwrap().send(Received::Progress).ok();
    }

    fn elicit(&self, _: Map<String, Value>, reply: Box<dyn FnOnce(Map<String, Value>) + Send>) {
        self.0.lock().unwrap().send(Received::Question(reply)).ok();
    }

    fn answer(&self, answer: ForeignAnswer) {
        self.0.lock().unwrap().send(Received::Answer(answer)).ok();
    }
}

/// A call that runs.
struct Call {
    running: Box<dyn RunningCall>,
    received: Receiver<Received>,
}

impl Call {
    #[track_caller]
    fn answer(self) -> ForeignAnswer {
        loop {
            match self.received.recv_timeout(PATIENCE).expect("there is an answer") {
                Received::Answer(answer) => return answer,
                Received::Question(reply) => {
                    reply(Map::from_iter([("action".to_owned(), json!("accept"))]));
                }
                Received::Progress => {}
            }
        }
    }
}

/// What tests ask of a gateway.
trait Ask {
    fn names(&self) -> Vec<String>;
    fn server(&self, id: &str) -> ServerStatus;
    fn start_call(&self, conversation: &str, tool: &str, arguments: Value) -> Call;
    fn problem_ids(&self) -> Vec<String>;

    /// Calls a tool, and returns the structured content of its result.
    #[track_caller]
    fn call_in(&self, conversation: &str, tool: &str, arguments: Value) -> Result<Value, Refusal> {
        let answer = self.start_call(conversation, tool, arguments).answer();
        answer.map(|mut result| result.remove("structuredContent").unwrap())
    }

    /// Calls a tool that works, and returns the process id of its server.
    #[track_caller]
    fn pid_in(&self, conversation: &str, tool: &str) -> u32 {
        let result = self.call_in(conversation, tool, json!({})).unwrap();
        result["pid"].as_u64().unwrap().try_into().unwrap()
    }

    #[track_caller]
    fn wait_for_state(&self, id: &str, state: ServerState) -> ServerStatus {
        eventually(&format!("{state:?} of {id}"), || {
            Some(self.server(id)).filter(|server| server.state == state)
        })
    }

    #[track_caller]
    fn wait_for_names(&self, names: &[&str]) {
        eventually(&format!("tools {names:?}, which are {:?}", self.names()), || {
            (self.names() == names).then_some(())
        });
    }

    #[track_caller]
    fn wait_for_problems(&self, ids: &[&str]) {
        eventually(&format!("problems {ids:?}, which are {:?}", self.problem_ids()), || {
            (self.problem_ids() == ids).then_some(())
        });
    }
}

impl Ask for Gateway {
    fn names(&self) -> Vec<String> {
        self.tools().iter().map(|tool| tool.name.clone()).collect()
    }

    fn server(&self, id: &str) -> ServerStatus {
        let state: GatewayState = self.state();
        let none = || {
            serde_json::from_value(json!({
                "id": id, "transport": null, "enabled": false, "state": "not-started", "since": null,
                "fingerprint": null, "protocol": null, "tools": 0, "skipped": 0, "leases": 0, "in_flight": 0,
                "restarts": 0, "from_memory": false, "last_error": null, "log": [],
            }))
            .unwrap()
        };
        state.servers.into_iter().find(|server| server.id == id).unwrap_or_else(none)
    }

    #[track_caller]
    fn start_call(&self, conversation: &str, tool: &str, arguments: Value) -> Call {
        let tools = self.tools();
        let tool: ForeignTool =
            tools.iter().find(|one| one.name == tool).expect("there is such a tool").clone();
        let arguments = arguments.as_object().unwrap().clone();
        let (sender, received) = channel();
        let call = ForeignCall {
            conversation: conversation.to_owned(),
            caller: "coder".to_owned(),
            tool,
            arguments,
            can_elicit: true,
            accepts_tasks: true,
        };
        Call { running: self.call(call, Arc::new(Client(Mutex::new(sender)))), received }
    }

    fn problem_ids(&self) -> Vec<String> {
        self.state().problems.into_iter().map(|problem| problem.id).collect()
    }
}

/// Returns the tools of a server.
fn tools_of(gateway: &Gateway, id: &str) -> ServerTools {
    gateway.server_tools().into_iter().find(|server| server.id == id).unwrap()
}

#[track_caller]
fn expect_code(answer: Result<Value, Refusal>, code: Code) {
    assert_eq!(answer.map_err(|refusal| refusal.code), Err(code));
}
