//! A folder with what an agent may access, and its tools.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use minds_agent_tools::policy::{EnginePolicy, Policy};
use minds_agent_tools::{
    Call, Decision, Level, SupervisorProgram, ToolEvent, ToolOutcome, ToolSettings, Toolbox,
};
use minds_fleet_protocol::FailureCode;
use serde_json::{Map, Value};
use tempfile::TempDir;

/// The tools of this version.
pub(crate) const TOOLS: [&str; 7] =
    ["agents.list", "agents.spawn", "fs.list", "fs.read", "fs.stat", "fs.write", "os.exec"];

/// A folder with the working folder `work`, the whitelisted `data`, and `outside`, which the agent may not access.
pub(crate) struct Place {
    folder: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        for folder in ["work", "data", "outside"] {
            std::fs::create_dir(place.path(folder)).unwrap();
        }
        place.write("outside/canary", "secret of the owner\n");
        place
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    pub(crate) fn text(&self, path: &str) -> String {
        self.path(path).to_str().unwrap().to_owned()
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.path(path)).unwrap_or_else(|_| "none".to_owned())
    }

    /// Returns a policy that gives all tools in both folders.
    pub(crate) fn policy(&self) -> Policy {
        Policy {
            tools: names(&TOOLS),
            cwd: self.text("work"),
            folders: [self.text("work"), self.text("data")].into(),
            engine: Some(EnginePolicy { kind: "llm".to_owned(), ..EnginePolicy::default() }),
            ..Policy::default()
        }
    }

    /// Returns settings in which the files say the same as what was accepted.
    pub(crate) fn settings(&self) -> ToolSettings {
        settings(&self.policy())
    }

    /// Returns tools with these settings.
    pub(crate) fn tools(&self) -> Toolbox<'static> {
        toolbox(&self.settings())
    }
}

pub(crate) fn names(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

pub(crate) fn settings(policy: &Policy) -> ToolSettings {
    ToolSettings {
        files: policy.clone(),
        accepted: policy.clone(),
        reasons: BTreeMap::new(),
        output_bytes: 65_536,
        partial_flush: Duration::from_millis(40),
        protected: Vec::new(),
        temporary: PathBuf::from("/nonexistent"),
        secret_variables: Vec::new(),
        sandbox: Level::Full,
    }
}

pub(crate) fn toolbox(settings: &ToolSettings) -> Toolbox<'static> {
    let mut tools = Toolbox::new(Box::new(|| Ok(Vec::new())), supervisor());
    tools.configure(settings);
    tools
}

/// Returns a supervisor that does not exist, so that no command runs.
pub(crate) fn supervisor() -> SupervisorProgram {
    SupervisorProgram { program: PathBuf::from("/nonexistent/supervisor"), args: Vec::new() }
}

/// Judges a call and runs it if it may run, without the confirmation of a person.
pub(crate) fn call(tools: &mut Toolbox<'_>, name: &str, arguments: Value) -> ToolOutcome {
    let arguments = to_arguments(arguments);
    let call = Call { id: "call-0", name, arguments: &arguments };
    match tools.judge(call) {
        Decision::Run => end(tools, call),
        Decision::Refuse(outcome) => outcome,
        Decision::Ask(question) => panic!("{question:?}"),
    }
}

/// Runs a call to its end.
pub(crate) fn end(tools: &mut Toolbox<'_>, call: Call<'_>) -> ToolOutcome {
    let mut running = tools.run(call);
    loop {
        if let Some(ToolEvent::Ended(outcome)) = running.next(Duration::from_secs(1)) {
            return outcome;
        }
    }
}

pub(crate) fn to_arguments(value: Value) -> Result<Map<String, Value>, String> {
    match value {
        Value::Object(members) => Ok(members),
        other => Err(other.to_string()),
    }
}

/// Returns the code of an outcome; `ok` without one.
pub(crate) fn code(outcome: &ToolOutcome) -> &str {
    match &outcome.code {
        Some(FailureCode::Known(code)) => code.as_str(),
        Some(_) => "unknown",
        None if outcome.is_ok => "ok",
        None => "failed",
    }
}

/// Returns the value that a call succeeded with.
#[track_caller]
pub(crate) fn value(outcome: &ToolOutcome) -> Value {
    assert!(outcome.is_ok, "{outcome:?}");
    serde_json::from_str(&outcome.content).unwrap()
}
