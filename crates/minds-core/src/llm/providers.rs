//! All available providers and models: the built-in ones, and those that `llm.yaml` adds or replaces.

use super::model::{ApiType, Llm, Models, OwnProvider};
use crate::catalog::{self, BuiltinProvider};
use crate::family::LlmFile;
use crate::name_index::NameIndex;

/// The providers that members can refer to.
#[derive(Debug, Default)]
pub struct Providers {
    /// The providers of `llm.yaml`, each of which replaces a built-in one with the same key.
    own: Vec<FileProvider>,
    keys: NameIndex,
    /// Whether `llm.yaml` could not be read completely, so that it may define further providers.
    is_incomplete: bool,
}

#[derive(Debug)]
struct FileProvider {
    api_type: Option<ApiType>,
    /// `None` if the models could not be read.
    models: Option<NameIndex>,
}

/// One provider.
#[derive(Clone, Copy, Debug)]
pub struct Provider<'p>(Inner<'p>);

#[derive(Clone, Copy, Debug)]
enum Inner<'p> {
    Builtin(&'static BuiltinProvider),
    Own(&'p FileProvider),
}

impl Providers {
    /// Combines the providers of `llm.yaml` with the built-in ones.
    pub(crate) fn merge(file: Option<&LlmFile>) -> Self {
        let Some(file) = file else { return Self::default() };
        let Some(Llm { providers, providers_field, is_complete }) = &file.llm else {
            return Self { is_incomplete: true, ..Self::default() };
        };
        let is_partial = file.document.as_ref().is_none_or(minds_document::Document::is_partial);
        Self {
            own: providers.iter().map(FileProvider::new).collect(),
            keys: providers.iter().map(|provider| provider.key.value.as_str()).collect(),
            is_incomplete: !is_complete || is_partial || providers_field.as_given().is_none(),
        }
    }

    /// Returns the provider with a key.
    pub fn find(&self, key: &str) -> Option<Provider<'_>> {
        let own = self.keys.position(key).and_then(|place| self.own.get(place)).map(Inner::Own);
        own.or_else(|| catalog::find_provider(key).map(Inner::Builtin)).map(Provider)
    }

    /// Returns whether an unreadable part of `llm.yaml` may define a key that is not found.
    pub fn is_incomplete(&self) -> bool {
        self.is_incomplete
    }

    /// Returns the keys of all providers, starting with those of `llm.yaml`.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.keys.iter().chain(catalog::PROVIDERS.iter().map(|provider| provider.key))
    }
}

impl FileProvider {
    fn new(provider: &OwnProvider) -> Self {
        let Some(fields) = provider.fields.as_given() else { return Self { api_type: None, models: None } };
        let names = |models: &Models| models.items.iter().map(|model| model.key.value.as_str()).collect();
        let models = fields.value.models.as_given().filter(|models| models.value.is_complete);
        Self {
            api_type: fields.value.api_type.as_given().map(|api_type| api_type.value),
            models: models.map(|models| names(&models.value)),
        }
    }
}

impl<'p> Provider<'p> {
    /// Returns the protocol, if known.
    pub fn api_type(self) -> Option<&'p str> {
        match self.0 {
            Inner::Builtin(provider) => Some(provider.api_type),
            Inner::Own(provider) => provider.api_type.map(ApiType::as_str),
        }
    }

    /// Returns the built-in definition, if the provider is built in.
    pub fn builtin(self) -> Option<&'static BuiltinProvider> {
        match self.0 {
            Inner::Builtin(provider) => Some(provider),
            Inner::Own(_) => None,
        }
    }

    /// Returns the keys of the models; `None` if they could not be read.
    pub fn models(self) -> Option<Vec<&'p str>> {
        match self.0 {
            Inner::Builtin(provider) => Some(provider.models.iter().map(|model| model.key).collect()),
            Inner::Own(provider) => Some(provider.models.as_ref()?.iter().collect()),
        }
    }

    /// Returns whether the provider has a model, or may have it if not all models are known.
    pub fn may_have(self, model: &str) -> bool {
        match self.0 {
            Inner::Builtin(provider) => provider.accepts(model),
            Inner::Own(provider) => {
                // A provider without models is an error, so its models are not known.
                provider.models.as_ref().is_none_or(|models| models.is_empty() || models.contains(model))
            }
        }
    }
}
