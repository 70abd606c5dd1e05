//! Decodes `llm.yaml`.

use minds_diagnostics::Diagnostic;
use minds_document::json_schema::{
    Keywords as _, Schema, SchemaGenerator, any_of, integer, json, mapping_of, not_blank, string,
    string_values,
};
use minds_document::yaml::KeyOrder;
use minds_document::{
    Context, Decode, Entry, Field, Keys as _, List, Node, Spanned, Text, UrlKind, Value, inline_schema,
};

use super::model::{ApiType, Llm, Model, ModelFields, Models, OwnProvider, ProviderFields};
use crate::named_entries::{NamedEntries, own_entries};
use crate::rules::MODELS_LIST;
use crate::string_values::{decode_non_blank, decode_one_of};

/// Keys that only providers have, for a hint about a provider at the wrong level.
const PROVIDER_KEYS: [&str; 4] = ["apiType", "baseUrl", "apiKeyEnvVar", "models"];

impl Decode for Llm {
    const ORDER: KeyOrder = KeyOrder::of::<Self>();

    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut llm = Self::from_fields(cx.fields(node)?, |entry| {
            looks_like_a_provider(entry)
                .then(|| format!("indent `{}` below `providers` if it is meant as a provider", entry.key))
        });
        let has_misplaced = own_entries(node).any(|entry| looks_like_a_provider(&entry));
        llm.is_complete = !has_misplaced;
        if let Some(place) = llm.providers_field.as_given() {
            let named = NamedEntries::of(node.document().node(place.node), cx);
            llm.is_complete &= named.is_complete;
            llm.providers = named.entries.iter().map(|entry| provider(entry, cx)).collect();
        }
        // A provider at the wrong level is not reported as missing as well.
        if !has_misplaced {
            cx.missing_keys(node, &llm.missing_keys(), None);
        }
        Some(llm)
    }
}

/// Decodes the mapping of providers.
pub(super) fn providers(node: Node<'_>, cx: &mut Context) -> Option<()> {
    if node.value() == Value::Mapping {
        return Some(());
    }
    cx.type_error(node, "a mapping from keys to providers");
    None
}

pub(super) fn providers_schema(generator: &mut SchemaGenerator) -> Schema {
    mapping_of::<ProviderFields>(generator).snippet(
        "provider",
        "A provider with one model",
        &json!({
            "${1:my-provider}": {
                "name": "${2:My provider}",
                "apiType": "${3:openai-compatible}",
                "baseUrl": "${4:https://api.example.com/v1}",
                "apiKeyEnvVar": "${5:MY_API_KEY}",
                "models": { "${6:model}": { "context_length": 128_000 } },
            },
        }),
    )
}

fn looks_like_a_provider(entry: &Entry<'_>) -> bool {
    entry.key != "providers" && entry.value.entries().any(|entry| PROVIDER_KEYS.contains(&entry.key))
}

fn provider(entry: &Entry<'_>, cx: &mut Context) -> OwnProvider {
    let fields = match ProviderFields::decode(entry.value, cx) {
        Some(fields) => Field::Given(Spanned::new(fields, entry.value)),
        None => Field::Unreadable(Spanned::new((), entry.value)),
    };
    OwnProvider { key: Spanned::new(entry.key.to_owned(), entry.key_node), fields }
}

impl Decode for ProviderFields {
    const ORDER: KeyOrder = KeyOrder::of::<Self>();

    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let provider = Self::from_fields(cx.fields(node)?, |entry| {
            matches!(entry.key, "apiKey" | "api_key").then(|| {
                "do not write keys into this file: name an environment variable in `apiKeyEnvVar`".to_owned()
            })
        });
        let needs_key = provider.api_type.as_given().is_some_and(|api_type| api_type.value.needs_key());
        let mut missing = provider.missing_keys();
        if needs_key && provider.api_key_env_var.is_absent() {
            let at = missing.iter().position(|key| *key == "models").unwrap_or(missing.len());
            missing.insert(at, "apiKeyEnvVar");
        }
        for key in missing {
            let words = ApiType::ALL.map(|api_type| format!("`{}`", api_type.as_str())).join(", ");
            let help = (key == "apiType").then(|| format!("add `apiType:` with one of {words}"));
            cx.missing_keys(node, &[key], help.as_deref());
        }
        Some(provider)
    }
}

/// Decodes the base URL of a provider, which is a directory for one protocol.
pub(super) fn base_url(node: Node<'_>, cx: &mut Context) -> Option<Text> {
    let api_type = node.parent().and_then(|provider| provider.get("apiType"));
    // An invalid protocol is reported at its own place.
    let api_type = api_type.and_then(|api_type| ApiType::decode(api_type, &mut Context::new()));
    if api_type.is_some_and(ApiType::has_url) {
        UrlKind::HTTP.decode(node, cx)
    } else {
        decode_non_blank(node, cx)
    }
}

pub(super) fn base_url_schema(_: &mut SchemaGenerator) -> Schema {
    not_blank()
}

impl Decode for ApiType {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let word = decode_one_of(node, Self::ALL.into_iter().map(Self::as_str), cx, |found, _| found)?;
        Self::ALL.into_iter().find(|api_type| api_type.as_str() == word)
    }
}

inline_schema!(ApiType, |_| string_values(
    ApiType::ALL.into_iter().map(|api_type| (api_type.as_str(), api_type.summary()))
));

/// Decodes deviations from the protocol: one name, or a list of names.
pub(super) fn quirks(node: Node<'_>, cx: &mut Context) -> Option<List<Text>> {
    match node.value() {
        Value::String(quirk) => {
            Some(List { items: vec![Spanned::new(quirk.to_owned(), node)], is_complete: true })
        }
        Value::Sequence => List::decode(node, cx),
        _ => {
            cx.type_error(node, "a string or a list of strings");
            None
        }
    }
}

pub(super) fn quirks_schema(generator: &mut SchemaGenerator) -> Schema {
    any_of([string(), generator.subschema_for::<List<Text>>()])
}

impl Decode for Models {
    const ORDER: KeyOrder = KeyOrder::named::<ModelFields>();

    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        match node.value() {
            Value::Mapping => {
                let NamedEntries { entries, is_complete } = NamedEntries::of(node, cx);
                let items = entries.iter().map(|entry| model(entry, cx)).collect();
                Some(Self { items, is_complete, is_list: false })
            }
            Value::Sequence => {
                // An empty list is reported as empty, not as a list.
                if node.items().next().is_some() {
                    cx.report(node, &MODELS_LIST, || {
                        Diagnostic::new(&MODELS_LIST, "`models` is a list of names")
                            .primary(node.label().message("a list"))
                            .help("write a mapping with each name as a key and its lengths below")
                    });
                }
                let names = List::<Text>::decode(node, cx)?;
                let items = names.items.into_iter().map(|key| Model { key, fields: Field::Absent });
                Some(Self { items: items.collect(), is_complete: names.is_complete, is_list: true })
            }
            _ => {
                cx.type_error(node, "a mapping from keys to models");
                None
            }
        }
    }
}

inline_schema!(Models, |generator| {
    let models = mapping_of::<ModelFields>(generator).snippet(
        "model",
        "A model with its lengths in tokens",
        &json!({
            "${1:model}": {
                "name": "${2:Model}",
                "context_length": 128_000,
                "input_length": 128_000,
                "output_length": 8_192,
                "context_window": "128K",
            },
        }),
    );
    any_of([models, generator.subschema_for::<List<Text>>()])
});

fn model(entry: &Entry<'_>, cx: &mut Context) -> Model {
    let fields = match model_fields(entry, cx) {
        Some(fields) => Field::Given(Spanned::new(fields, entry.value)),
        None => Field::Unreadable(Spanned::new((), entry.value)),
    };
    Model { key: Spanned::new(entry.key.to_owned(), entry.key_node), fields }
}

fn model_fields(entry: &Entry<'_>, cx: &mut Context) -> Option<ModelFields> {
    let node = entry.value;
    if node.value() == Value::Null {
        cx.type_error_with(node, "a mapping", |found| {
            let empty = if node.span().is_empty() { " {}" } else { "{}" };
            found.help(format!("write `{}: {{}}` if it has no fields", entry.key)).fix(
                "write an empty mapping",
                node.document().source(),
                node.span(),
                empty,
            )
        });
        return None;
    }
    // Other keys are provider-specific, so only the merge key is unknown.
    let keys = NamedEntries::of(node, cx).entries;
    let mut fields = cx.fields(node)?;
    let others = keys.iter().filter(|entry| !ModelFields::KEYS.iter().any(|key| key.name == entry.key));
    let other_keys = others.map(|entry| Spanned::new(entry.key.to_owned(), entry.key_node)).collect();
    Some(ModelFields { other_keys, ..ModelFields::read_keys(&mut fields) })
}

/// Decodes a positive integer.
pub(super) fn positive(node: Node<'_>, cx: &mut Context) -> Option<u64> {
    const EXPECTED: &str = "a positive integer";
    let number = match node.value() {
        Value::Integer(number) => u64::try_from(number).ok().filter(|number| *number > 0),
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a number without a fraction within the bounds is an integer"
        )]
        Value::Float(number) if number.fract() == 0.0 && (1.0..1e15).contains(&number) => Some(number as u64),
        Value::Float(number) if number.fract() == 0.0 || !number.is_finite() => None,
        Value::String(text) => {
            cx.type_error_with(node, EXPECTED, |found| found.maybe_help(digits(text)));
            return None;
        }
        _ => {
            cx.type_error(node, EXPECTED);
            return None;
        }
    };
    if number.is_none() {
        cx.value_error(node, EXPECTED, |found| found);
    }
    number
}

pub(super) fn positive_schema(_: &mut SchemaGenerator) -> Schema {
    integer(1, None)
}

/// Returns a hint about the correct form of a number with separators, a suffix or quotes.
fn digits(text: &str) -> Option<String> {
    let text = text.trim();
    if text.ends_with(['k', 'K', 'm', 'M']) {
        return Some("write the number of tokens; `context_window` is the display form".to_owned());
    }
    let digits: String = text.chars().filter(|c| !matches!(c, '_' | ',' | '\'' | ' ')).collect();
    let is_number = !digits.is_empty() && digits.len() < 16 && digits.chars().all(|c| c.is_ascii_digit());
    is_number.then(|| format!("write `{digits}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hint_about_a_provider_depends_on_declared_keys() {
        assert!(PROVIDER_KEYS.iter().all(|key| ProviderFields::is_key(key)));
    }
}
