//! `models.yaml`

use minds_document::json_schema::{Keywords as _, Schema, SchemaGenerator, json, mapping_of, string};
use minds_document::yaml::KeyOrder;
use minds_document::{Context, Decode, Entry, Field, Keys as _, Node, Spanned, Text, UrlKind, Value};
use minds_vfs::WorkspacePath;

use super::is_empty_layer;
use crate::model::{Inference, Model, ModelFields, ModelSettings, Models};
use crate::rules::{legacy_form, unknown_parameter};

/// Keys that only a model has, for a hint about one at the wrong level.
const MODEL_KEYS: [&str; 3] = ["provider", "context_window_size", "default_inference"];

impl Decode for Models {
    const ORDER: KeyOrder = KeyOrder::of::<Self>();

    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        if is_empty_layer(node) {
            return Some(Self { is_complete: true, ..Self::default() });
        }
        let mut models = Self::from_fields(cx.fields(node)?, |entry| {
            let looks_like_a_model = entry.value.entries().any(|entry| MODEL_KEYS.contains(&entry.key));
            looks_like_a_model
                .then(|| format!("indent `{}` below `models` if it is meant as a model", entry.key))
        });
        models.is_complete =
            node.entries().all(|entry| Self::is_key(entry.key) || entry.key.starts_with("x-"));
        if let Some(place) = models.models_field.as_given() {
            let entries = node.document().node(place.node).entries();
            for entry in entries.filter(|entry| !entry.key.starts_with("x-")) {
                if cx.is_merge_key(&entry) {
                    models.is_complete = false;
                } else {
                    models.models.push(model(&entry, cx));
                }
            }
        }
        Some(models)
    }
}

/// Checks that the models are a mapping.
pub(crate) fn models(node: Node<'_>, cx: &mut Context) -> Option<()> {
    if node.value() != Value::Mapping {
        cx.type_error(node, "a mapping from ids to models");
        return None;
    }
    Some(())
}

pub(crate) fn models_schema(generator: &mut SchemaGenerator) -> Schema {
    mapping_of::<ModelFields>(generator).snippet(
        "model",
        "A model with the length of its context in tokens",
        &json!({ "${1:model}": { "provider": "${2:openai}", "context_window_size": 128_000 } }),
    )
}

fn model(entry: &Entry<'_>, cx: &mut Context) -> Model {
    let fields = match fields_of(entry, cx) {
        Some(fields) => Field::Given(Spanned::new(fields, entry.value)),
        None => Field::Unreadable(Spanned::new((), entry.value)),
    };
    Model { id: Spanned::new(entry.key.to_owned(), entry.key_node), fields }
}

fn fields_of(model: &Entry<'_>, cx: &mut Context) -> Option<ModelFields> {
    let mut fields = cx.fields(model.value)?;
    let id = fields.entry("id");
    let read = ModelFields::from_fields(fields, |_| None);
    if let Some(id) = id.filter(|id| String::decode(id.value, cx).is_some()) {
        legacy_form::report(
            id.key_node,
            "`id` is an older form: the key is the id of a model",
            cx,
            |found| {
                let id_text = id.value.scalar_text().unwrap_or_default();
                let is_same = id_text == model.key;
                found.help(if is_same {
                    "remove it".to_owned()
                } else {
                    format!("name the model `{id_text}`, or remove it")
                })
            },
        );
    }
    Some(read)
}

/// The settings stay in the order of the file, because they belong to the provider.
impl Decode for ModelSettings {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let settings = Self::read_keys(&mut cx.fields(node)?);
        for entry in node.entries() {
            cx.is_merge_key(&entry);
        }
        Some(settings)
    }
}

pub(crate) fn base_url(node: Node<'_>, cx: &mut Context) -> Option<Text> {
    UrlKind::HTTP.decode(node, cx)
}

pub(crate) fn base_url_schema(_: &mut SchemaGenerator) -> Schema {
    UrlKind::HTTP.json_schema()
}

/// Reads the path of a file below the directory of the layer.
pub(crate) fn script_path(node: Node<'_>, cx: &mut Context) -> Option<WorkspacePath> {
    let text = Text::decode(node, cx)?;
    match WorkspacePath::normalize(&text) {
        Ok(path) if !path.is_root() && !text.ends_with('/') => Some(path),
        Ok(_) | Err(_) => {
            cx.value_error(node, "the path of a file below the directory that contains `.ateam`", |found| {
                found
            });
            None
        }
    }
}

pub(crate) fn script_path_schema(_: &mut SchemaGenerator) -> Schema {
    string()
        .pattern("^[^/\\\\]+(/[^/\\\\]+)*$", "must be a path below the directory that contains `.ateam`")
        .examples([".ateam/script.jsonl"])
}

/// The parameters stay in the order of the file, because some providers have further ones.
impl Decode for Inference {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let inference = Self::read_keys(&mut cx.fields(node)?);
        // An unknown key may be a parameter of some provider, so it is only a warning.
        let unknown = node.entries().filter(|entry| !Self::is_key(entry.key) && !entry.key.starts_with("x-"));
        for entry in unknown {
            if !cx.is_merge_key(&entry) {
                unknown_parameter::report(&entry, cx);
            }
        }
        Some(inference)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hint_about_a_model_depends_on_declared_keys() {
        assert!(MODEL_KEYS.iter().all(|key| ModelFields::is_key(key)));
    }
}
