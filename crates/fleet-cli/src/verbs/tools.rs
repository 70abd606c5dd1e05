//! `tools`

use std::fmt::Write as _;
use std::process::ExitCode;

use minds_diagnostics::JsonDocument;
use minds_fleet_protocol::Json;
use minds_fleet_protocol::methods::ToolsList;
use minds_output::Output;
use minds_process::monotonic;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::args::ToolsArgs;
use crate::command_error::CommandError;
use crate::session::Session;
use crate::{document, table};

/// The tools of an agent.
#[derive(Serialize, JsonSchema)]
pub(crate) struct AgentTools {
    id: String,
    tools: Vec<Json>,
    sandbox: String,
    transport: Transport,
    servers: Vec<Json>,
    layers: Vec<String>,
    /// The program that performs the turns, and what it may do.
    #[serde(skip_serializing_if = "Option::is_none")]
    engine: Option<Json>,
}

impl JsonDocument for AgentTools {
    const NAME: &'static str = "fleet-tools";
}

/// The state of the transport.
#[derive(Serialize, JsonSchema)]
struct Transport {
    /// Its kind: `local` or `redis`.
    kind: &'static str,
    /// Whether the agent answered.
    ok: bool,
    /// How long the answer took, in milliseconds.
    latency_ms: f64,
}

pub(super) fn run(
    session: &Session<'_>,
    args: &ToolsArgs,
    out: &mut Output,
) -> Result<ExitCode, CommandError> {
    let agent = session.id(&args.agent)?;
    let mut client = session.connect(&agent)?;
    let start = monotonic();
    let listed = client.call(&ToolsList {})?;
    let latency = monotonic().saturating_sub(start).as_secs_f64() * 1e3;
    let kind = session.place.transport.kind();
    let found = AgentTools {
        id: agent.to_string(),
        tools: listed.tools,
        sandbox: listed.sandbox,
        transport: Transport { kind, ok: true, latency_ms: (latency * 1e3).round() / 1e3 },
        servers: listed.servers,
        engine: listed.engine,
        layers: session.place.layers.iter().map(|layer| layer.as_str().to_owned()).collect(),
    };
    if out.is_json() {
        document::write(out, &found);
        return Ok(ExitCode::SUCCESS);
    }
    let rows: Vec<Vec<String>> = found.tools.iter().map(row).collect();
    let text = table::render(&["TOOL", "GIVEN", "CONFIRM", "NOTE"], &rows, out.is_colored());
    out.push_styled(&text);
    if let Some(engine) = &found.engine {
        out.data(&describe(&engine.decode().unwrap_or_default()));
    }
    out.data(&format!("sandbox {}, transport {kind} ({latency:.1} ms)\n", found.sandbox));
    Ok(ExitCode::SUCCESS)
}

/// Describes the program that performs the turns: what it may do, and whether its own settings say the same.
fn describe(engine: &Value) -> String {
    let text = |key: &str| engine.get(key).and_then(Value::as_str).unwrap_or_default();
    let settings = if engine.get("settings") == Some(&Value::Bool(true)) {
        "its own settings say the same"
    } else {
        "it decides itself when it asks"
    };
    let mut lines = format!("engine {} ({}), {settings}\n", text("name"), text("program"));
    let permissions = engine.get("permissions").and_then(Value::as_object);
    for permission in ["allow", "ask", "deny"] {
        let is_so = |(_, given): &(&String, &Value)| given.as_str() == Some(permission);
        let kinds = permissions.into_iter().flatten().filter(is_so).map(|(kind, _)| kind.as_str());
        let kinds: Vec<&str> = kinds.collect();
        if !kinds.is_empty() {
            // Writing to a string cannot fail.
            let _ = writeln!(lines, "  {permission:5}  {}", kinds.join(", "));
        }
    }
    lines
}

fn row(tool: &Json) -> Vec<String> {
    let tool: Value = tool.decode().unwrap_or_default();
    let text = |key: &str| tool.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let yes = |key: &str| if tool.get(key) == Some(&Value::Bool(true)) { "yes" } else { "no" }.to_owned();
    let reason = text("reason");
    vec![text("name"), yes("given"), yes("confirm"), if reason.is_empty() { text("doc") } else { reason }]
}
