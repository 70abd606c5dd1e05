//! Which providers and models there are: the built-in ones, and those that `llm.yaml` adds or replaces.
//!
//! Of `llm.yaml` this reads the names that `team.yaml` refers to, and the protocol of each provider.

use minds_diagnostics::{Diagnostic, Severity};
use minds_document::{Context, Decode, Field, Node, Text, Value};

use crate::catalog::{self, BuiltinProvider};
use crate::family::Reading;
use crate::rules::MODELS_LIST;

/// The providers that members can name.
#[derive(Debug, Default)]
pub struct Providers {
    /// Those of `llm.yaml`, each of which replaces a built-in one of the same key.
    own: Vec<OwnProvider>,
    /// Whether `llm.yaml` has parts that could not be read, so that more providers may be meant.
    is_incomplete: bool,
}

#[derive(Debug)]
struct OwnProvider {
    key: String,
    api_type: Option<String>,
    /// None if the models could not be read.
    models: Option<Vec<String>>,
}

/// One provider.
#[derive(Clone, Copy, Debug)]
pub struct Provider<'p>(Inner<'p>);

#[derive(Clone, Copy, Debug)]
enum Inner<'p> {
    Builtin(&'static BuiltinProvider),
    Own(&'p OwnProvider),
}

impl Providers {
    /// Reads the providers of `llm.yaml`.
    pub(crate) fn merge(file: &Reading, cx: &mut Context) -> Self {
        match file {
            Reading::Absent => Self::default(),
            Reading::Unreadable => Self { own: Vec::new(), is_incomplete: true },
            Reading::Read(document) => {
                let own = read(document.root(), cx);
                Self { is_incomplete: own.is_none(), own: own.unwrap_or_default() }
            }
        }
    }

    /// Returns the provider with a key.
    pub fn find(&self, key: &str) -> Option<Provider<'_>> {
        let own = self.own.iter().find(|provider| provider.key == key).map(Inner::Own);
        own.or_else(|| catalog::find_provider(key).map(Inner::Builtin)).map(Provider)
    }

    /// Returns whether a key that is not found may still be meant by a part of `llm.yaml` that could not be read.
    pub fn is_incomplete(&self) -> bool {
        self.is_incomplete
    }

    /// Returns the keys of all providers, those of `llm.yaml` first.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        let own = self.own.iter().map(|provider| provider.key.as_str());
        own.chain(catalog::PROVIDERS.iter().map(|provider| provider.key))
    }
}

impl<'p> Provider<'p> {
    /// Returns the protocol, if it is known.
    pub fn api_type(self) -> Option<&'p str> {
        match self.0 {
            Inner::Builtin(provider) => Some(provider.api_type),
            Inner::Own(provider) => provider.api_type.as_deref(),
        }
    }

    /// Returns the keys of the models; none if they could not be read.
    pub fn models(self) -> Option<Vec<&'p str>> {
        match self.0 {
            Inner::Builtin(provider) => Some(provider.models.iter().map(|model| model.key).collect()),
            Inner::Own(provider) => Some(provider.models.as_ref()?.iter().map(String::as_str).collect()),
        }
    }

    /// Returns whether the provider has a model, as far as that is known.
    pub fn may_have(self, model: &str) -> bool {
        match self.0 {
            Inner::Builtin(provider) => provider.models.iter().any(|known| known.key == model),
            Inner::Own(provider) => {
                provider.models.as_ref().is_none_or(|models| models.iter().any(|known| known == model))
            }
        }
    }
}

fn read(root: Node<'_>, cx: &mut Context) -> Option<Vec<OwnProvider>> {
    let mut fields = cx.fields(root)?;
    let providers = fields.required_with("providers", |node, cx| {
        if node.value() != Value::Mapping {
            cx.type_error(node, "a mapping from keys to providers");
            return None;
        }
        let entries = node.entries().filter(|entry| !entry.key.starts_with("x-"));
        Some(entries.map(|entry| provider(entry.key, entry.value, cx)).collect())
    });
    match providers {
        Field::Given(providers) => Some(providers.value),
        _ => None,
    }
}

fn provider(key: &str, node: Node<'_>, cx: &mut Context) -> OwnProvider {
    let mut own = OwnProvider { key: key.to_owned(), api_type: None, models: None };
    let Some(mut fields) = cx.fields(node) else { return own };
    own.api_type = fields.optional::<Text>("apiType").given().map(|api_type| api_type.value.clone());
    let models = fields.required_with("models", models);
    own.models = models.given().map(|models| models.value.clone());
    own
}

fn models(node: Node<'_>, cx: &mut Context) -> Option<Vec<String>> {
    match node.value() {
        Value::Mapping => {
            let entries = node.entries().filter(|entry| !entry.key.starts_with("x-"));
            Some(entries.map(|entry| entry.key.to_owned()).collect())
        }
        Value::Sequence => {
            cx.report(node, Severity::Warning, || {
                Diagnostic::new(&MODELS_LIST, "`models` is a list of names")
                    .primary(node.label().message("a list"))
                    .help("write a mapping: each name as a key, its lengths below")
            });
            let names: Vec<Option<String>> = node.items().map(|item| Text::decode(item, cx)).collect();
            names.into_iter().collect()
        }
        _ => {
            cx.type_error(node, "a mapping from keys to models");
            None
        }
    }
}
