//! Decodes `llm.yaml`.

use minds_diagnostics::Diagnostic;
use minds_document::{Context, Decode, Entry, Field, List, Node, Spanned, Text, UrlKind, Value};

use super::model::{ApiType, Llm, Model, ModelFields, Models, OwnProvider, ProviderFields};
use crate::named_entries::{NamedEntries, own_entries};
use crate::rules::MODELS_LIST;
use crate::string_values::{decode_non_blank, decode_one_of};

/// Keys that only providers have, for a hint about a provider at the wrong level.
const PROVIDER_KEYS: [&str; 4] = ["apiType", "baseUrl", "apiKeyEnvVar", "models"];

impl Decode for Llm {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let mut providers = Vec::new();
        let mut is_complete = true;
        let mut providers_field = fields.read_with("providers", |node, cx| {
            if node.value() != Value::Mapping {
                cx.type_error(node, "a mapping from keys to providers");
                return None;
            }
            let named = NamedEntries::of(node, cx);
            is_complete = named.is_complete;
            providers = named.entries.iter().map(|entry| provider(entry, cx)).collect();
            Some(())
        });
        let meant = fields.finish_with(|entry| {
            looks_like_a_provider(entry)
                .then(|| format!("indent `{}` below `providers` if it is meant as a provider", entry.key))
        });
        meant.mark_unreadable("providers", &mut providers_field);
        let has_misplaced = own_entries(node).any(|entry| looks_like_a_provider(&entry));
        // A provider at the wrong level is not reported as missing as well.
        if providers_field.is_absent() && !has_misplaced {
            cx.missing_keys(node, &["providers"], None);
        }
        Some(Self { providers, providers_field, is_complete: is_complete && !has_misplaced })
    }
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
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let api_type: Field<ApiType> = fields.read("apiType");
        let is_url = api_type.as_given().is_some_and(|api_type| api_type.value.has_url());
        let mut provider = Self {
            name: fields.read("name"),
            api_type,
            base_url: fields.read_with("baseUrl", |node, cx| {
                if is_url { UrlKind::HTTP.decode(node, cx) } else { decode_non_blank(node, cx) }
            }),
            api_key_env_var: fields.read("apiKeyEnvVar"),
            tech_spec_url: fields.read("tech_spec_url"),
            api_mgmt_url: fields.read("api_mgmt_url"),
            api_quirks: fields.read_with("apiQuirks", quirks),
            model_param_options: fields.read("model_param_options"),
            models: fields.read("models"),
        };
        let meant = fields.finish_with(|entry| {
            matches!(entry.key, "apiKey" | "api_key").then(|| {
                "do not write keys into this file: name an environment variable in `apiKeyEnvVar`".to_owned()
            })
        });
        meant.mark_unreadable("apiType", &mut provider.api_type);
        meant.mark_unreadable("baseUrl", &mut provider.base_url);
        meant.mark_unreadable("apiKeyEnvVar", &mut provider.api_key_env_var);
        meant.mark_unreadable("models", &mut provider.models);
        let needs_key = provider.api_type.as_given().is_some_and(|api_type| api_type.value.needs_key());
        let lacks = [
            ("apiType", provider.api_type.is_absent()),
            ("baseUrl", provider.base_url.is_absent()),
            ("apiKeyEnvVar", needs_key && provider.api_key_env_var.is_absent()),
            ("models", provider.models.is_absent()),
        ];
        let missing: Vec<&str> = lacks.iter().filter(|(_, lacks)| *lacks).map(|(key, _)| *key).collect();
        for key in missing {
            let words = ApiType::ALL.map(|api_type| format!("`{}`", api_type.as_str())).join(", ");
            let help = (key == "apiType").then(|| format!("add `apiType:` with one of {words}"));
            cx.missing_keys(node, &[key], help.as_deref());
        }
        Some(provider)
    }
}

impl Decode for ApiType {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let word = decode_one_of(node, Self::ALL.into_iter().map(Self::as_str), cx, |found, _| found)?;
        Self::ALL.into_iter().find(|api_type| api_type.as_str() == word)
    }
}

fn quirks(node: Node<'_>, cx: &mut Context) -> Option<List<Text>> {
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

impl Decode for Models {
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
    Some(ModelFields {
        name: fields.read("name"),
        context_length: fields.read_with("context_length", positive),
        input_length: fields.read_with("input_length", positive),
        output_length: fields.read_with("output_length", positive),
        optimal_max_tokens: fields.read_with("optimal_max_tokens", positive),
        critical_max_tokens: fields.read_with("critical_max_tokens", positive),
        caution_remediation_cadence_generations: fields
            .read_with("caution_remediation_cadence_generations", positive),
        context_window: fields.read("context_window"),
        optimization: fields.read("optimization"),
        supports_thinking: fields.read("supports_thinking"),
        default_thinking: fields.read("default_thinking"),
        supports_image_input: fields.read("supports_image_input"),
        supports_tool_choice: fields.read("supports_tool_choice"),
        other_keys: keys
            .iter()
            .filter(|entry| !ModelFields::KEYS.contains(&entry.key))
            .map(|entry| Spanned::new(entry.key.to_owned(), entry.key_node))
            .collect(),
    })
}

/// Decodes a positive integer.
fn positive(node: Node<'_>, cx: &mut Context) -> Option<u64> {
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
