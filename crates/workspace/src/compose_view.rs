//! The agents of a compose root, each value with its origin.

use std::collections::BTreeMap;

use minds_compose::{AgentFields, AgentRef, ComposeFamily, Hook, Members, RawScalar, RolePrompt};
use minds_document::{Document, Field, List, Spanned};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::redact::redact_value;
use crate::team::{ShownField, place};

/// The effective configuration of an agent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AgentView {
    /// The unique name, as `project:agent`.
    pub id: String,
    /// `manager` or `worker`.
    pub rank: String,
    /// The effective fields by key.
    pub fields: BTreeMap<&'static str, ShownField>,
}

/// Returns the agents of a compose root by project, managers first. Secrets are redacted with `*`.
pub fn show_agents(family: &ComposeFamily) -> Vec<AgentView> {
    family.agents().into_iter().filter_map(|agent| view(family, &agent)).collect()
}

/// Collects the fields of an agent.
struct View<'v> {
    document: &'v Document,
    fields: BTreeMap<&'static str, ShownField>,
}

fn view(family: &ComposeFamily, agent: &AgentRef<'_>) -> Option<AgentView> {
    let id = agent.id()?;
    let mut view = View { document: agent.document, fields: BTreeMap::new() };
    if let Some(head) = agent.project.head.as_given() {
        view.text("cwd", &head.value.cwd, None);
    }
    if let Some(fields) = agent.fields() {
        view.agent(fields);
    }
    view.channels(agent);
    if let Some((compose, document)) = family.readable() {
        let prefix =
            compose.supervisor.as_given().and_then(|supervisor| supervisor.value.tmux_prefix.as_given());
        let from = prefix.map(|prefix| place(document, prefix.node));
        let value = redact_value(&[], json!(format!("{}{}", compose.tmux_prefix(), id.stem())));
        view.fields.insert("session", ShownField { value, from });
        if agent.fields().is_some_and(|fields| fields.on_rate_limit.is_absent()) {
            let limits = compose.rate_limits.as_given();
            let named = limits.and_then(|limits| limits.value.default_on_hit.as_given());
            let named = named.filter(|named| !named.value.items.is_empty());
            let value = named.map_or_else(|| json!([Hook::BUILT_IN]), |named| string_list(&named.value));
            let from = named.map(|named| place(document, named.node));
            view.fields.insert("on_rate_limit", ShownField { value: redact_value(&[], value), from });
        }
    }
    Some(AgentView { id: id.to_string(), rank: agent.rank.to_string(), fields: view.fields })
}

impl View<'_> {
    fn agent(&mut self, fields: &AgentFields) {
        self.text("runtime", &fields.runtime, Some(AgentFields::DEFAULT_RUNTIME));
        self.text("model", &fields.model, None);
        self.text("permission_mode", &fields.permission_mode, None);
        self.text("autonomy", &fields.autonomy, Some(AgentFields::DEFAULT_AUTONOMY));
        self.text("effort", &fields.effort, None);
        self.text("reports_to", &fields.reports_to, None);
        self.text("display_name", &fields.display_name, None);
        self.list("can_dm", &fields.can_dm);
        self.list("can_broadcast", &fields.can_broadcast);
        self.list("on_rate_limit", &fields.on_rate_limit);
        self.field("role_prompt", &fields.role_prompt, |prompt| match prompt {
            RolePrompt::File(path) => json!(path.value),
            RolePrompt::Files(paths) => paths.items.iter().map(|path| path.value.as_str()).collect(),
        });
    }

    fn text(&mut self, key: &'static str, field: &Field<RawScalar>, otherwise: Option<&str>) {
        self.field(key, field, |text| json!(text.0));
        if let (true, Some(value)) = (field.is_absent(), otherwise) {
            self.fields.insert(key, ShownField { value: json!(value), from: None });
        }
    }

    fn list(&mut self, key: &'static str, field: &Field<List<RawScalar>>) {
        self.field(key, field, string_list);
    }

    fn field<T>(&mut self, key: &'static str, field: &Field<T>, show: impl FnOnce(&T) -> Value) {
        let Some(at) = field.place() else { return };
        let value = field.as_given().map_or(Value::Null, |given| show(&given.value));
        let from = Some(place(self.document, at.node));
        self.fields.insert(key, ShownField { value: redact_value(&[key], value), from });
    }

    /// Adds the channels of the agent.
    fn channels(&mut self, agent: &AgentRef<'_>) {
        let Some(channels) = agent.project.channels.as_given() else { return };
        let is_in = |members: &Spanned<Members>| match &members.value {
            Members::Everyone => true,
            Members::Listed(ids) => ids.items.iter().any(|id| id.value == agent.agent.id.value),
        };
        let joined =
            channels.value.items.iter().filter(|channel| channel.value.members.as_given().is_some_and(is_in));
        let names: Vec<&str> =
            joined.filter_map(|channel| Some(&*channel.value.name.as_given()?.value)).collect();
        if !names.is_empty() {
            let from = Some(place(self.document, channels.node));
            self.fields.insert("channels", ShownField { value: redact_value(&[], json!(names)), from });
        }
    }
}

fn string_list(list: &List<RawScalar>) -> Value {
    list.items.iter().map(|text| text.value.0.as_str()).collect()
}
