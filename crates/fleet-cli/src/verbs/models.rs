//! `models`

use std::process::ExitCode;

use minds_diagnostics::JsonDocument;
use minds_fleet_protocol::Redactor;
use minds_operations::FleetModel;
use minds_output::Output;
use schemars::JsonSchema;
use serde::Serialize;

use crate::session::Session;
use crate::{document, table};

/// The models of a fleet.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Models {
    models: Vec<Model>,
}

impl JsonDocument for Models {
    const NAME: &'static str = "fleet-models";
}

/// A model, and whether it can be used.
#[derive(Serialize, JsonSchema)]
struct Model {
    id: String,
    provider: Option<String>,
    adapter: Option<String>,
    base_url: Option<String>,
    key_env: Option<String>,
    key_set: bool,
    context_window_size: Option<u64>,
    agents: Vec<String>,
}

pub(super) fn run(session: &Session<'_>, out: &mut Output) -> ExitCode {
    let models: Vec<Model> = session.place.models.iter().map(|model| describe(session, model)).collect();
    if models.is_empty() && !out.is_json() {
        Output::remark("the fleet has no models; `.ateam/models.yaml` defines them");
    }
    if out.is_json() {
        document::write(out, &Models { models });
    } else if !models.is_empty() {
        let rows: Vec<Vec<String>> = models.iter().map(row).collect();
        let heading = ["MODEL", "PROVIDER", "ADAPTER", "CONTEXT", "KEY", "AGENTS"];
        let text = table::render(&heading, &rows, out.is_colored());
        out.push_styled(&text);
    }
    ExitCode::SUCCESS
}

fn describe(session: &Session<'_>, model: &FleetModel) -> Model {
    // The models of a compose root are those of its runtimes.
    let uses = |agent: &&minds_operations::FleetAgent| {
        !agent.is_of_compose_root && agent.model.as_ref().is_some_and(|used| used.id == model.id)
    };
    let agents = session.place.agents.iter().filter(uses).map(|agent| agent.id.clone()).collect();
    Model {
        id: model.id.clone(),
        provider: model.provider.clone(),
        adapter: model.api_type.clone(),
        base_url: model.base_url.as_deref().map(without_secrets),
        key_env: model.key_variable.clone(),
        key_set: has_key(model),
        context_window_size: model.context_window_size,
        agents,
    }
}

/// Returns a URL without a password in it.
fn without_secrets(url: &str) -> String {
    let redactor = Redactor::new([""; 0], [""; 0]);
    redactor.map_or_else(|_| String::new(), |redactor| redactor.redact(url).into_owned())
}

/// Returns whether the variable with the key of a model is set.
pub(super) fn has_key(model: &FleetModel) -> bool {
    let value = model.key_variable.as_deref().and_then(|name| minds_process::variable(name).ok().flatten());
    value.is_some_and(|value| !value.is_empty())
}

fn row(model: &Model) -> Vec<String> {
    let key = match (&model.key_env, model.key_set) {
        (None, _) => "none".to_owned(),
        (Some(name), true) => format!("{name} set"),
        (Some(name), false) => format!("{name} missing"),
    };
    vec![
        model.id.clone(),
        model.provider.clone().unwrap_or_else(|| "?".to_owned()),
        model.adapter.clone().unwrap_or_else(|| "?".to_owned()),
        model.context_window_size.map(|size| size.to_string()).unwrap_or_default(),
        key,
        model.agents.join(" "),
    ]
}
