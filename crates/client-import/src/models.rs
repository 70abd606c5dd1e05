//! Models and providers, and what `llm.yaml` needs for those that the catalog does not have.

use std::collections::BTreeMap;

use minds_clients::Client;
use minds_core::catalog::{self, BuiltinProvider};
use minds_diagnostics::Label;

use crate::findings::{Findings, shorten};
use crate::rules;
use crate::team::{ImportedProvider, ModelReference};

/// Words with which a client says that the model of the session is used.
const INHERITED: [&str; 5] = ["inherit", "default", "auto", "fast", ""];

/// The providers to which models belong whose names begin with these words.
const FAMILIES: [(&str, &str); 8] = [
    ("claude", "anthropic"),
    ("gpt", "openai"),
    ("o1", "openai"),
    ("o3", "openai"),
    ("o4", "openai"),
    ("codex", "openai"),
    ("gemini", "google"),
    ("gemma", "google"),
];

/// The providers that `llm.yaml` needs, by key.
#[derive(Clone, Debug, Default)]
pub(crate) struct Providers {
    own: BTreeMap<String, ImportedProvider>,
}

impl Providers {
    /// Adds a provider that a file defines.
    pub(crate) fn add(&mut self, provider: ImportedProvider) {
        self.own.entry(provider.key.clone()).or_insert(provider);
    }

    /// Returns the providers with models, by key.
    pub(crate) fn into_used(self) -> Vec<ImportedProvider> {
        self.own.into_values().filter(|provider| !provider.models.is_empty()).collect()
    }

    /// Finds the model that a client names; none for the model of the session, or if it is not known, which is reported.
    pub(crate) fn resolve(
        &mut self,
        client: &Client,
        text: &str,
        place: &Label,
        findings: &mut Findings,
    ) -> Option<ModelReference> {
        let text = text.trim();
        if INHERITED.contains(&text.to_ascii_lowercase().as_str()) {
            return None;
        }
        let reference = self.find(client, text);
        match &reference {
            None => findings.report(
                &rules::UNKNOWN_MODEL,
                place,
                format!("the model `{}` belongs to no provider that is known", shorten(text)),
                "the member has the model of the team; set `provider` and `model` in `.minds/team.yaml`, and add the provider to `.minds/llm.yaml`",
            ),
            Some(found) if self.own.get(&found.provider).is_some_and(|own| own.key.ends_with(ADDED)) => {
                findings.report(
                    &rules::UNKNOWN_MODEL,
                    place,
                    format!("the catalog does not have the model `{}`", shorten(text)),
                    format!("check the provider `{}`, which was added to `.minds/llm.yaml`", found.provider),
                );
            }
            Some(_) => {}
        }
        reference
    }

    fn find(&mut self, client: &Client, text: &str) -> Option<ModelReference> {
        // `sonnet[1m]` selects a context length.
        let text = text.split('[').next().unwrap_or_default().trim();
        if let Some((provider, model)) = text.split_once('/').filter(|(_, model)| !model.is_empty()) {
            if let Some(own) = self.own.get_mut(provider).filter(|_| model.len() <= MAX_KEY_BYTES) {
                own.models.insert(model.to_owned());
                return Some(reference(provider, model));
            }
            return self.find_in(catalog::find_provider(provider)?, model);
        }
        if let Some(provider) = client.team.provider.as_deref().and_then(catalog::find_provider)
            && let Some(model) = find_known(provider, text).or_else(|| find_alias(provider, text))
        {
            return Some(reference(provider.key, model));
        }
        let folded = text.to_ascii_lowercase();
        let family =
            FAMILIES.iter().find(|(word, _)| folded.starts_with(word)).map(|(_, provider)| *provider);
        let own = client.team.provider.as_deref().filter(|_| family.is_none_or(|family| family == "openai"));
        // Codex has the models of OpenAI.
        let provider = if own == Some("codex") { own } else { family };
        self.find_in(catalog::find_provider(provider?)?, text)
    }

    /// Returns a model of a provider of the catalog, which is added if the catalog does not have it.
    fn find_in(&mut self, provider: &BuiltinProvider, model: &str) -> Option<ModelReference> {
        if let Some(known) = find_known(provider, model) {
            return Some(reference(provider.key, known));
        }
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '/' | '@');
        if model.is_empty() || model.len() > MAX_KEY_BYTES || !model.chars().all(is_plain) {
            return None;
        }
        let key = format!("{}{ADDED}", provider.key);
        let own = self.own.entry(key.clone()).or_insert_with(|| ImportedProvider {
            key: key.clone(),
            name: format!("{} (added models)", provider.name),
            api_type: provider.api_type.to_owned(),
            base_url: provider.base_url.to_owned(),
            api_key_variable: provider.api_key_env_var.to_owned(),
            models: std::collections::BTreeSet::new(),
        });
        own.models.insert(model.to_owned());
        Some(reference(&key, model))
    }
}

/// The maximum length of a key that is written.
const MAX_KEY_BYTES: usize = 256;

/// The end of the keys of providers with models that the catalog does not have: a provider in `llm.yaml` replaces the
/// built-in one with the same key, so it needs another one.
const ADDED: &str = "-added";

fn reference(provider: &str, model: &str) -> ModelReference {
    ModelReference { provider: provider.to_owned(), model: model.to_owned() }
}

/// Returns the key of a model that differs only in its spelling: `claude-sonnet-4-5-20250929` is `claude-sonnet-4.5`.
fn find_known(provider: &BuiltinProvider, text: &str) -> Option<&'static str> {
    let wanted = normalize(text);
    provider.models.iter().map(|model| model.key).find(|key| normalize(key) == wanted)
}

/// Returns the last model with a word in its key, such as `sonnet`.
fn find_alias(provider: &BuiltinProvider, word: &str) -> Option<&'static str> {
    let word = word.to_ascii_lowercase();
    let is_word = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphabetic());
    let has_word = |key: &&str| key.split('-').any(|part| part == word);
    provider.models.iter().map(|model| model.key).rev().filter(|_| is_word).find(has_word)
}

fn normalize(id: &str) -> String {
    let id = id.to_ascii_lowercase().replace('.', "-");
    let id = id.strip_suffix("-latest").unwrap_or(&id);
    match id.rsplit_once('-') {
        Some((start, date)) if date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit()) => {
            start.to_owned()
        }
        _ => id.to_owned(),
    }
}

/// Returns the model of a team if no file names one: the first of the provider of the client.
pub(crate) fn assumed_model(client: &Client) -> ModelReference {
    match client.team.provider.as_deref() {
        Some("google") => reference("google", "gemini-2.5-pro"),
        Some("codex") => reference("codex", "gpt-5.2"),
        _ => reference("anthropic", "claude-sonnet-4.5"),
    }
}

#[cfg(test)]
mod tests {
    use minds_diagnostics::{SourceFile, Span};

    use super::*;

    #[track_caller]
    fn check(client: &str, text: &str, expected: Option<(&str, &str)>) {
        let client = Client::find(client).expect("the client is known");
        let mut findings = Findings::default();
        let place = SourceFile::new("x", "x").label(Span::at(0));
        let found = Providers::default().resolve(client, text, &place, &mut findings);
        let found = found.as_ref().map(|found| (found.provider.as_str(), found.model.as_str()));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn models_are_found_by_alias_and_spelling() {
        check("claude-code", "sonnet", Some(("anthropic", "claude-sonnet-5.5")));
        check("claude-code", "Opus", Some(("anthropic", "claude-opus-5.5")));
        check("claude-code", "claude-haiku-4-5-20251001", Some(("anthropic", "claude-haiku-4.5")));
        check("claude-code", "claude-opus-4-6", Some(("anthropic", "claude-opus-4.6")));
        check("claude-code", "claude-opus-9", Some(("anthropic-added", "claude-opus-9")));
        check("claude-code", "inherit", None);
        check("claude-code", "fable", Some(("anthropic", "claude-fable-5")));
        check("codex", "gpt-5.2", Some(("codex", "gpt-5.2")));
        check("codex", "gpt-9", Some(("codex-added", "gpt-9")));
        check("gemini", "gemini-2.5-pro", Some(("google", "gemini-2.5-pro")));
        check("opencode", "anthropic/claude-sonnet-4-5", Some(("anthropic", "claude-sonnet-4.5")));
        check("opencode", "local/x", None);
        check("copilot", "gpt-5.2", Some(("openai", "gpt-5.2")));
    }

    /// No rule about teams may advise against a name that a client accepts.
    #[test]
    fn the_catalog_accepts_the_names_of_clients() {
        const NOT_MODELS: [&str; 3] = ["inherit", "default", "auto"];
        for client in minds_clients::clients() {
            let Some(models) = &client.models else { continue };
            let own: Vec<_> = client.providers.iter().filter(|(_, form)| form.is_empty()).collect();
            for name in models.names.iter().filter(|name| !NOT_MODELS.contains(&name.as_str())) {
                for (provider, _) in &own {
                    let provider = catalog::find_provider(provider).expect("it is built in");
                    assert!(provider.accepts(name), "{}: `{name}` of `{}`", client.id, provider.key);
                }
            }
        }
    }

    #[test]
    fn the_assumed_models_are_in_the_catalog() {
        for client in minds_clients::clients() {
            let model = assumed_model(client);
            let provider = catalog::find_provider(&model.provider).expect("it is built in");
            assert!(provider.models.iter().any(|known| known.key == model.model), "{model:?}");
        }
    }
}
