//! An agent after all layers are put together.

use std::collections::BTreeMap;

use minds_document::{Node, Spanned, secrets};
use serde_json::{Value, json};

use crate::covered::{self, Public};
use crate::family::{AgentEntry, FleetFamily, Layer, Prompt};
use crate::merge::{Merged, merge, merge_settings};
use crate::tools::{BUILTIN, Denial, Descriptor, Stand, ToolName, Verdict};

/// Where a transport is if nobody says so.
pub(crate) const DEFAULT_URL: &str = "redis://127.0.0.1:6379/0";

/// The key of where the transport is.
const URL_KEY: &str = "mcp.transport.url";

/// The key of what a provider is told of a model.
const SETTINGS_KEY: &str = "model_settings";

/// The keys of the file of an agent. What stands under another one is a mistake, and says nothing of the agent, the project
/// or the transport.
const AGENT_KEYS: &[&str] = &["name", "model", "prompt", "scratchpad", "tools", "fs", "telemetry", "exec"];

/// An agent as a runtime sees it.
#[derive(Clone, Debug)]
pub struct EffectiveAgent<'f> {
    /// The name, which is that of its directory.
    pub name: &'f str,
    /// The layer that it comes from.
    pub layer: &'f Layer,
    /// What stands there.
    pub entry: &'f AgentEntry,
    /// What all layers say about it, by key.
    pub fields: BTreeMap<String, EffectiveValue<'f>>,
    /// Each tool that is built in or named somewhere, by name, and whether the agent has it.
    pub tools: BTreeMap<ToolName, Verdict<'f>>,
}

/// A value, and where it comes from.
#[derive(Clone, Debug)]
pub struct EffectiveValue<'f> {
    /// The value; null if it could not be read.
    pub value: Value,
    /// The nodes that say it: each item of a list, and the list itself if it is empty; none if it is built in.
    pub from: Vec<Node<'f>>,
}

/// The texts of an agent's prompt.
#[derive(Clone, Copy, Debug)]
pub struct PromptTexts<'f> {
    /// The base; none if the agent names none that could be read.
    pub base: Option<Prompt<'f>>,
    /// The overlay; none if the agent names none that could be read.
    pub overlay: Option<Prompt<'f>>,
}

impl FleetFamily {
    /// Returns the agent with a name, in a project that is called `project` if no layer says otherwise; none if there is
    /// no such agent.
    pub fn effective(&self, name: &str, project: &str) -> Option<EffectiveAgent<'_>> {
        // The first layer that has it counts; all agents are not gathered for each of them.
        let (layer, (name, entry)) =
            self.layers.iter().find_map(|layer| Some((layer, layer.agents.get_key_value(name)?)))?;
        let mut fields = Collected::default();
        let own = entry.file.as_ref().and_then(|file| self.document(file)).filter(|_| !entry.is_legacy);
        if let Some(document) = own {
            for entry in document.root().entries().filter(|entry| AGENT_KEYS.contains(&entry.key)) {
                fields.add(entry.key, merge([entry.value]));
            }
        } else if let Some((id, model)) =
            entry.content().map(|agent| (agent.name.given(), agent.model.given()))
        {
            fields.add_text("name", id, self, entry);
            fields.add_text("model", model, self, entry);
            fields.add_allowed(self, entry);
        }
        self.add_model(entry, &mut fields);
        self.add_project(&mut fields);
        let defaults = [
            ("project.name", json!(project)),
            ("mcp.transport.kind", json!("redis")),
            (URL_KEY, json!(DEFAULT_URL)),
            ("scratchpad.max_iterations", json!(3)),
            ("scratchpad.score_lower_bound", json!(0.7)),
            ("telemetry.prometheus_port", json!(0)),
            ("exec.inherit_env", json!(false)),
        ];
        fields.combine_unsafe();
        for (key, value) in defaults {
            let built_in = EffectiveValue { value, from: Vec::new() };
            fields.0.entry(key.to_owned()).or_insert(built_in);
        }
        Some(EffectiveAgent { name, layer, entry, fields: fields.0, tools: self.tools_of(entry) })
    }

    /// Adds what the layers say of the agent's model.
    fn add_model<'f>(&'f self, entry: &'f AgentEntry, fields: &mut Collected<'f>) {
        let model = entry.content().and_then(|agent| agent.model.given()).map(|model| model.value.as_str());
        let Some(id) = model else { return };
        let models: Vec<Node<'f>> = self
            .roots(|layer| layer.models.as_ref())
            .filter_map(|root| root.get("models")?.get(id))
            .collect();
        let mut merged = merge(models.iter().copied());
        if let Some(Merged::Mapping(entries)) = &mut merged {
            entries.retain(|(key, _)| *key != SETTINGS_KEY);
        }
        fields.add(&format!("models.{id}"), merged);
        // These are the provider's, and may mean anything there.
        let settings = models.iter().filter_map(|model| model.get(SETTINGS_KEY));
        fields.add(&format!("models.{id}.{SETTINGS_KEY}"), merge_settings(settings));
    }

    /// Adds what the layers say of the project.
    fn add_project<'f>(&'f self, fields: &mut Collected<'f>) {
        let projects: Vec<Node<'f>> = self.roots(|layer| layer.project.as_ref()).collect();
        for key in ["name", "description"] {
            let named = projects.iter().filter_map(|root| root.get(key));
            fields.add(&format!("project.{key}"), merge(named));
        }
        let days = projects
            .iter()
            .filter_map(|root| root.get("retention_days").or_else(|| root.get("retention")?.get("days")));
        fields.add("project.retention_days", merge(days));
        let tools: Vec<Node<'f>> = self.roots(|layer| layer.tools.as_ref()).collect();
        let transports = tools.iter().filter_map(|root| {
            let mcp = root.get("mcp")?;
            Some(mcp.get("transport").unwrap_or(mcp))
        });
        fields.add_public("mcp.transport", &transports.collect::<Vec<_>>(), covered::TRANSPORT);
        let said = |key: &'static str| tools.iter().filter_map(move |root| root.get(key));
        fields.add_public("security", &said("security").collect::<Vec<_>>(), covered::SECURITY);
        fields.add("project.tools", merge(said("tools")));
        fields.add("redact", merge(said("redact")));
    }

    /// Returns each tool that is built in or named somewhere, and whether an agent has it.
    pub fn tools_of<'f>(&'f self, entry: &'f AgentEntry) -> BTreeMap<ToolName, Verdict<'f>> {
        let is_known = entry.content().is_some()
            && entry
                .file
                .as_ref()
                .and_then(|file| self.document(file))
                .is_some_and(|tree| !tree.is_partial());
        let own = entry.content().map(|agent| &agent.tools);
        let places = [self.project_tools(), Stand::of(own, is_known)];
        let mut names: Vec<ToolName> = places.iter().flat_map(Stand::named).cloned().collect();
        names.extend(BUILTIN.iter().filter_map(|tool| ToolName::parse(tool.name).ok()));
        names.into_iter().map(|name| (name.clone(), Stand::judge(&places, &name))).collect()
    }

    /// Returns the descriptors of the built-in tools that an agent has.
    pub fn descriptors_of(&self, entry: &AgentEntry) -> Vec<&'static Descriptor<'static>> {
        let tools = self.tools_of(entry);
        let is_given = |tool: &&Descriptor<'_>| {
            ToolName::parse(tool.name).is_ok_and(|name| matches!(tools.get(&name), Some(Ok(()))))
        };
        BUILTIN.iter().filter(is_given).collect()
    }
}

impl AgentEntry {
    /// Returns the texts of the prompt.
    pub fn prompt_texts(&self) -> PromptTexts<'_> {
        let files = self.content().and_then(|agent| agent.prompt.given()).map(|files| &files.value);
        let text = |path: Option<&Spanned<crate::model::PromptPath>>| {
            path.map(|path| self.prompt_at(&self.prompt_location(&path.value)))
        };
        PromptTexts {
            base: text(files.and_then(|files| files.base.given())),
            overlay: text(files.and_then(|files| files.overlay.given())),
        }
    }
}

impl<'l> EffectiveAgent<'l> {
    /// Returns the names of the tools that the agent has.
    pub fn given_tools(&self) -> impl Iterator<Item = &ToolName> {
        self.tools.iter().filter(|(_, verdict)| verdict.is_ok()).map(|(name, _)| name)
    }

    /// Returns the value of a field as people may see it: an address without its password.
    pub fn shown(&self, key: &str) -> Option<Value> {
        let value = &self.fields.get(key)?.value;
        match value.as_str().filter(|_| key == URL_KEY) {
            Some(url) => Some(json!(covered::without_credentials(url))),
            None => Some(value.clone()),
        }
    }

    /// Returns why the agent lacks a tool, in words, if it lacks it.
    pub fn why_not(&self, tool: &ToolName) -> Option<&'static str> {
        let denial: &Denial<'l> = self.tools.get(tool)?.as_ref().err()?;
        Some(match denial {
            Denial::Denied(0, _) => "denied by the project",
            Denial::Denied(..) => "denied by the agent",
            Denial::NotAllowed(0) => "not allowed by the project",
            Denial::NotAllowed(_) => "not allowed by the agent",
            Denial::Unreadable(0) => "a list of the project cannot be read",
            Denial::Unreadable(_) => "a list of the agent cannot be read",
        })
    }
}

/// Values by key.
#[derive(Default)]
struct Collected<'f>(BTreeMap<String, EffectiveValue<'f>>);

impl<'f> Collected<'f> {
    /// Adds each value below `merged`; its keys follow `key`. Secrets are redacted everywhere.
    fn add(&mut self, key: &str, merged: Option<Merged<'f>>) {
        let Some(merged) = merged else { return };
        merged.leaves(&mut |keys, leaf| {
            let value = secrets::covered_below(keys, leaf.to_json());
            let key = std::iter::once(key).chain(keys.iter().copied()).collect::<Vec<_>>().join(".");
            self.0.insert(key, EffectiveValue { value, from: leaf.nodes().to_vec() });
        });
    }

    /// Adds what mappings say under the keys of `public`, and covers everything else: a key with a slip is an error, and no
    /// reason to print a secret.
    fn add_public(&mut self, key: &str, mappings: &[Node<'f>], public: Public) {
        let mut references = Vec::new();
        let mut cover = |key: String, from: Option<Node<'f>>| {
            let covered = EffectiveValue { value: json!(secrets::COVERED), from: from.into_iter().collect() };
            self.0.insert(key, covered);
        };
        let (mut shown, mut hidden) = (Vec::new(), Vec::new());
        match merge(mappings.iter().copied()) {
            Some(Merged::Mapping(entries)) => {
                (shown, hidden) =
                    entries.into_iter().partition(|(name, value)| covered::is_public(public, name, value));
            }
            Some(Merged::Single(node)) => cover(key.to_owned(), Some(node)),
            Some(Merged::List(items)) => cover(key.to_owned(), items.first().copied()),
            Some(empty @ Merged::Empty(_)) => return self.add(key, Some(empty)),
            None => {}
        }
        for (name, value) in hidden {
            if let Some((variable, node)) = covered::variable(public, name, &value) {
                let value = EffectiveValue { value: json!({ "env": variable }), from: vec![node] };
                references.push((format!("{key}.{name}"), value));
                continue;
            }
            cover(format!("{key}.{name}"), covered::first(mappings, name));
        }
        for (name, value) in shown {
            self.add(&format!("{key}.{name}"), Some(value));
        }
        self.0.extend(references);
    }

    /// Replaces what the agent and the project say about `unsafe` with what counts: it needs both.
    fn combine_unsafe(&mut self) {
        let said = [self.0.remove("tools.unsafe"), self.0.remove("project.tools.unsafe")];
        let is_true = |field: &Option<EffectiveValue<'f>>| {
            field.as_ref().is_some_and(|field| field.value == Value::Bool(true))
        };
        let is_unsafe = said.iter().all(is_true);
        // Where one of them says no, that one decides.
        let deciding =
            said.into_iter().flatten().filter(|field| is_unsafe || field.value != Value::Bool(true));
        let from: Vec<Node<'f>> = deciding.flat_map(|field| field.from).collect();
        self.0.insert("tools.unsafe".to_owned(), EffectiveValue { value: json!(is_unsafe), from });
    }

    /// Adds a text of the file of an agent.
    fn add_text(
        &mut self,
        key: &str,
        text: Option<&'f Spanned<String>>,
        family: &'f FleetFamily,
        entry: &'f AgentEntry,
    ) {
        let document = entry.file.as_ref().and_then(|file| family.document(file));
        let (Some(text), Some(document)) = (text, document) else { return };
        let from = vec![document.node(text.node)];
        self.0.insert(key.to_owned(), EffectiveValue { value: json!(text.value), from });
    }

    /// Adds the tools that an agent of the older form has.
    fn add_allowed(&mut self, family: &'f FleetFamily, entry: &'f AgentEntry) {
        let document = entry.file.as_ref().and_then(|file| family.document(file));
        let lists = entry.content().and_then(|agent| agent.tools.given());
        let allowed = lists.and_then(|lists| lists.value.allow.given());
        let (Some(allowed), Some(document)) = (allowed, document) else { return };
        let tools = &allowed.value.items;
        let from: Vec<Node<'f>> = if tools.is_empty() {
            vec![document.node(allowed.node)]
        } else {
            tools.iter().map(|tool| document.node(tool.node)).collect()
        };
        let value = tools.iter().map(|tool| json!(tool.value.to_string())).collect();
        self.0.insert("tools.allow".to_owned(), EffectiveValue { value, from });
    }
}
