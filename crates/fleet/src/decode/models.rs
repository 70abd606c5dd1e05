//! `models.yaml`

use minds_document::{Context, Decode, Entry, Field, Node, Spanned, Value};

use super::says_nothing;
use crate::model::{Inference, Model, ModelFields, Models};
use crate::rules::{legacy_form, unknown_parameter};
use crate::scalars::{integer, mapping, not_blank, number};

/// Keys that only a model has, for a hint about one at the wrong level.
const MODEL_KEYS: [&str; 3] = ["provider", "context_window_size", "default_inference"];

impl Decode for Models {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        if says_nothing(node) {
            return Some(Self { is_complete: true, ..Self::default() });
        }
        let mut fields = cx.fields(node)?;
        let (mut models, mut is_complete) = (Vec::new(), true);
        let mut models_field = fields.read_with("models", |node, cx| {
            if node.value() != Value::Mapping {
                cx.type_error(node, "a mapping from ids to models");
                return None;
            }
            for entry in node.entries().filter(|entry| !entry.key.starts_with("x-")) {
                if cx.is_merge_key(&entry) {
                    is_complete = false;
                } else {
                    models.push(model(&entry, cx));
                }
            }
            Some(())
        });
        let meant = fields.finish_with(|entry| {
            let looks_like_a_model = entry.value.entries().any(|entry| MODEL_KEYS.contains(&entry.key));
            looks_like_a_model
                .then(|| format!("indent `{}` below `models` if it is meant as a model", entry.key))
        });
        meant.mark_unreadable("models", &mut models_field);
        let has_misplaced = node.entries().any(|entry| entry.key != "models" && !entry.key.starts_with("x-"));
        Some(Self { models, models_field, is_complete: is_complete && !has_misplaced })
    }
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
    let mut read = ModelFields {
        name: fields.read("name"),
        description: fields.read("description"),
        provider: fields.read_with("provider", not_blank),
        context_window_size: fields
            .read_with("context_window_size", |node, cx| integer(node, cx, 1, i64::MAX)),
        default_inference: fields.read("default_inference"),
        model_settings: fields.read_with("model_settings", mapping),
    };
    let id = fields.entry("id");
    let meant = fields.finish();
    meant.mark_unreadable("provider", &mut read.provider);
    meant.mark_unreadable("context_window_size", &mut read.context_window_size);
    meant.mark_unreadable("default_inference", &mut read.default_inference);
    if let Some(id) = id.filter(|id| String::decode(id.value, cx).is_some()) {
        legacy_form::report(
            id.key_node,
            "`id` is of an older form: the key is the id of a model",
            cx,
            |found| {
                let said = id.value.scalar_text().unwrap_or_default();
                let is_same = said == model.key;
                found.help(if is_same {
                    "remove it".to_owned()
                } else {
                    format!("name the model `{said}`, or remove it")
                })
            },
        );
    }
    Some(read)
}

impl Decode for Inference {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        // What is unknown here may be a parameter that some provider has, so nothing is lost but a warning.
        if node.value() != Value::Mapping {
            cx.type_error(node, "a mapping");
            return None;
        }
        let mut read = Self::default();
        for entry in node.entries().filter(|entry| !entry.key.starts_with("x-")) {
            let Entry { key, value, .. } = entry;
            match key {
                "max_tokens" => read.max_tokens = field(value, integer(value, cx, 1, i64::MAX)),
                "stream" => read.stream = field(value, bool::decode(value, cx)),
                "temperature" => read.temperature = field(value, number(value, cx, 0.0, f64::INFINITY)),
                "top_p" => read.top_p = field(value, number(value, cx, 0.0, 1.0)),
                "top_k" => read.top_k = field(value, integer(value, cx, 1, i64::MAX)),
                "seed" => read.seed = field(value, integer(value, cx, i64::MIN, i64::MAX)),
                "stop" => read.stop = field(value, minds_document::List::decode(value, cx)),
                _ if cx.is_merge_key(&entry) => {}
                _ => unknown_parameter::report(&entry, cx),
            }
        }
        Some(read)
    }
}

fn field<T>(node: Node<'_>, read: Option<T>) -> Field<T> {
    match read {
        Some(value) => Field::Given(Spanned::new(value, node)),
        None => Field::Unreadable(Spanned::new((), node)),
    }
}
