//! An agent after all layers are put together.

mod defaults;

use std::collections::BTreeMap;

use minds_document::{Keys as _, Node, Spanned};
use minds_text::secrets;
use serde_json::{Value, json};

use self::defaults::URL_KEY;
use crate::family::{AgentEntry, FleetFamily, Layer, Prompt};
use crate::merge::{MergedValue, merge, merge_settings};
use crate::model::{Agent, TransportKind};
use crate::redact::{self, Public};
use crate::tools::{BUILTIN, Denial, Descriptor, MergedToolLists, ToolName, Verdict};

/// The key of the settings for the provider.
const SETTINGS_KEY: &str = "model_settings";

/// An agent after merging all layers.
#[derive(Clone, Debug)]
pub struct EffectiveAgent<'f> {
    /// The name of its directory.
    pub name: &'f str,
    /// Its layer.
    pub layer: &'f Layer,
    /// The entry.
    pub entry: &'f AgentEntry,
    /// The merged fields, by key.
    pub fields: BTreeMap<String, EffectiveValue<'f>>,
    /// All built-in and listed tools by name, and whether the agent has them.
    pub tools: BTreeMap<ToolName, Verdict<'f>>,
}

/// A value with its origin.
#[derive(Clone, Debug)]
pub struct EffectiveValue<'f> {
    /// The value; null if unreadable.
    pub value: Value,
    /// The nodes of the value: each item of a list, or the list itself if it is empty. Empty for built-in values.
    pub from: Vec<Node<'f>>,
}

/// The files of a prompt.
#[derive(Clone, Copy, Debug)]
pub struct PromptContents<'f> {
    /// The base; `None` without a readable path.
    pub base: Option<Prompt<'f>>,
    /// The overlay; `None` without a readable path.
    pub overlay: Option<Prompt<'f>>,
}

impl FleetFamily {
    /// Returns the merged agent with a name; `None` if it does not exist. `project` is the default name of the project.
    pub fn effective(&self, name: &str, project: &str) -> Option<EffectiveAgent<'_>> {
        // The first layer with the agent is used; collecting all agents would be slower.
        let (layer, (name, entry)) =
            self.layers.iter().find_map(|layer| Some((layer, layer.agents.get_key_value(name)?)))?;
        let mut fields = EffectiveValues::default();
        let own = entry.file.as_ref().and_then(|file| self.document(file)).filter(|_| !entry.is_legacy);
        if let Some(document) = own {
            // Unknown keys are errors, and do not affect the agent, the project or the transport.
            for entry in document.root().entries().filter(|entry| Agent::is_key(entry.key)) {
                fields.add(entry.key, merge([entry.value]));
            }
        } else if let Some((id, model)) =
            entry.content().map(|agent| (agent.name.as_given(), agent.model.as_given()))
        {
            fields.add_text("name", id, self, entry);
            fields.add_text("model", model, self, entry);
            fields.add_allowed(self, entry);
        }
        self.add_model(entry, &mut fields);
        self.add_project(&mut fields);
        fields.combine_unsafe();
        fields.combine_confirm();
        for (key, value) in defaults::built_in(&fields.0, project) {
            let built_in = EffectiveValue { value, from: Vec::new() };
            fields.0.entry(key.to_owned()).or_insert(built_in);
        }
        Some(EffectiveAgent { name, layer, entry, fields: fields.0, tools: self.tools_of(entry) })
    }

    /// Adds the model of the agent.
    fn add_model<'f>(&'f self, entry: &'f AgentEntry, fields: &mut EffectiveValues<'f>) {
        let model =
            entry.content().and_then(|agent| agent.model.as_given()).map(|model| model.value.as_str());
        let Some(id) = model else { return };
        let models: Vec<Node<'f>> = self
            .roots(|layer| layer.models.as_ref())
            .filter_map(|root| root.get("models")?.get(id))
            .collect();
        let mut merged = merge(models.iter().copied());
        if let Some(MergedValue::Mapping(entries)) = &mut merged {
            entries.retain(|(key, _)| *key != SETTINGS_KEY);
        }
        fields.add(&format!("models.{id}"), merged);
        // These belong to the provider and are not interpreted.
        let settings = models.iter().filter_map(|model| model.get(SETTINGS_KEY));
        fields.add(&format!("models.{id}.{SETTINGS_KEY}"), merge_settings(settings));
    }

    /// Adds the fields of the project.
    fn add_project<'f>(&'f self, fields: &mut EffectiveValues<'f>) {
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
        fields.add_public("mcp.transport", &transports.collect::<Vec<_>>(), redact::TRANSPORT);
        let values_of = |key: &'static str| tools.iter().filter_map(move |root| root.get(key));
        fields.add_public("security", &values_of("security").collect::<Vec<_>>(), redact::SECURITY);
        fields.add("project.tools", merge(values_of("tools")));
        fields.add("kb", merge(values_of("kb")));
        fields.add("tuning", merge(values_of("tuning")));
        fields.add("redact", merge(values_of("redact")));
    }

    /// Returns all built-in and listed tools, and whether an agent has them.
    pub fn tools_of<'f>(&'f self, entry: &'f AgentEntry) -> BTreeMap<ToolName, Verdict<'f>> {
        let places = self.tool_lists(entry);
        let mut names: Vec<ToolName> = places.iter().flat_map(MergedToolLists::tool_names).cloned().collect();
        names.extend(BUILTIN.iter().filter_map(|tool| ToolName::parse(tool.name).ok()));
        names.into_iter().map(|name| (name.clone(), MergedToolLists::evaluate(&places, &name))).collect()
    }

    /// Returns whether a tool of an agent waits for a confirmation.
    pub fn needs_confirmation(&self, entry: &AgentEntry, tool: &ToolName) -> bool {
        MergedToolLists::needs_confirmation(&self.tool_lists(entry), tool)
    }

    /// Returns the lists of the project and of an agent.
    fn tool_lists<'f>(&'f self, entry: &'f AgentEntry) -> [MergedToolLists<'f>; 2] {
        let is_known = entry.content().is_some()
            && entry
                .file
                .as_ref()
                .and_then(|file| self.document(file))
                .is_some_and(|tree| !tree.is_partial());
        let own = entry.content().map(|agent| &agent.tools);
        [self.project_tools(), MergedToolLists::of(own, is_known)]
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
    /// Returns the files of the prompt.
    pub fn prompt_files(&self) -> PromptContents<'_> {
        let files = self.content().and_then(|agent| agent.prompt.as_given()).map(|files| &files.value);
        let text = |path: Option<&Spanned<crate::model::PromptPath>>| {
            path.map(|path| self.prompt_at(&self.prompt_location(&path.value)))
        };
        PromptContents {
            base: text(files.and_then(|files| files.base.as_given())),
            overlay: text(files.and_then(|files| files.overlay.as_given())),
        }
    }
}

impl<'l> EffectiveAgent<'l> {
    /// Returns the names of the tools that the agent has.
    pub fn given_tools(&self) -> impl Iterator<Item = &ToolName> {
        self.tools.iter().filter(|(_, verdict)| verdict.is_ok()).map(|(name, _)| name)
    }

    /// Returns the kind of the transport; `None` if it cannot be read.
    ///
    /// Without `kind`, a transport with a `url` is a Redis server; any other, and none, is local.
    pub fn transport_kind(&self) -> Option<TransportKind> {
        defaults::transport_kind(&self.fields)
    }

    /// Returns the value of a field, without passwords in URLs.
    pub fn redacted_value(&self, key: &str) -> Option<Value> {
        let value = &self.fields.get(key)?.value;
        match value.as_str().filter(|_| key == URL_KEY) {
            Some(url) => Some(json!(redact::without_credentials(url))),
            None => Some(value.clone()),
        }
    }

    /// Returns why the agent does not have a tool; `None` if it has the tool.
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
struct EffectiveValues<'f>(BTreeMap<String, EffectiveValue<'f>>);

impl<'f> EffectiveValues<'f> {
    /// Adds each value of `merged`, with its keys appended to `key`. Secrets are redacted.
    fn add(&mut self, key: &str, merged: Option<MergedValue<'f>>) {
        let Some(merged) = merged else { return };
        merged.leaves(&mut |keys, leaf| {
            let value = secrets::redact_value(keys, leaf.to_json());
            let key = std::iter::once(key).chain(keys.iter().copied()).collect::<Vec<_>>().join(".");
            self.0.insert(key, EffectiveValue { value, from: leaf.nodes().to_vec() });
        });
    }

    /// Adds the values of public keys, and redacts the remaining ones, because a misspelled key may hide a secret.
    fn add_public(&mut self, key: &str, mappings: &[Node<'f>], public: Public) {
        let mut references = Vec::new();
        let mut cover = |key: String, from: Option<Node<'f>>| {
            let covered =
                EffectiveValue { value: json!(secrets::REDACTED), from: from.into_iter().collect() };
            self.0.insert(key, covered);
        };
        let (mut shown, mut hidden) = (Vec::new(), Vec::new());
        match merge(mappings.iter().copied()) {
            Some(MergedValue::Mapping(entries)) => {
                (shown, hidden) =
                    entries.into_iter().partition(|(name, value)| redact::is_public(public, name, value));
            }
            Some(MergedValue::Single(node)) => cover(key.to_owned(), Some(node)),
            Some(MergedValue::List(items)) => cover(key.to_owned(), items.first().copied()),
            Some(empty @ MergedValue::Empty(_)) => return self.add(key, Some(empty)),
            None => {}
        }
        for (name, value) in hidden {
            if let Some((variable, node)) = redact::variable(public, name, &value) {
                let value = EffectiveValue { value: json!({ "env": variable }), from: vec![node] };
                references.push((format!("{key}.{name}"), value));
                continue;
            }
            cover(format!("{key}.{name}"), redact::first(mappings, name));
        }
        for (name, value) in shown {
            self.add(&format!("{key}.{name}"), Some(value));
        }
        self.0.extend(references);
    }

    /// Replaces both `unsafe` fields by the effective value, which needs both.
    fn combine_unsafe(&mut self) {
        let values = [self.0.remove("tools.unsafe"), self.0.remove("project.tools.unsafe")];
        let is_true = |field: &Option<EffectiveValue<'f>>| {
            field.as_ref().is_some_and(|field| field.value == Value::Bool(true))
        };
        let is_unsafe = values.iter().all(is_true);
        // If one of them is false, it decides.
        let deciding =
            values.into_iter().flatten().filter(|field| is_unsafe || field.value != Value::Bool(true));
        let from: Vec<Node<'f>> = deciding.flat_map(|field| field.from).collect();
        self.0.insert("tools.unsafe".to_owned(), EffectiveValue { value: json!(is_unsafe), from });
    }

    /// Replaces both `confirm` fields by the effective value, the tools of both lists.
    fn combine_confirm(&mut self) {
        let lists = [self.0.remove("project.tools.confirm"), self.0.remove("tools.confirm")];
        let mut lists = lists.into_iter().flatten();
        let Some(mut all) = lists.next() else { return };
        for other in lists {
            match (&mut all.value, other.value) {
                (Value::Array(items), Value::Array(others)) => {
                    let known = items.len();
                    for (item, node) in others.into_iter().zip(other.from) {
                        if !items.iter().take(known).any(|known| *known == item) {
                            items.push(item);
                            all.from.push(node);
                        }
                    }
                }
                // One of them cannot be read.
                (value, _) => {
                    *value = Value::Null;
                    all.from.extend(other.from);
                }
            }
        }
        self.0.insert("tools.confirm".to_owned(), all);
    }

    /// Adds a string from the file of an agent.
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
        let lists = entry.content().and_then(|agent| agent.tools.as_given());
        let allowed = lists.and_then(|lists| lists.value.allow.as_given());
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
