//! Decodes `minds.toml`.

use minds_document::yaml::KeyOrder;
use minds_document::{Context, Decode, Field, Keys, Node, Spanned, Text, decode_keys};

use super::Gateway;
use super::model::{Check, LanguageTag, Settings, TaskHome};
use crate::rules::invalid_task_home;

impl Decode for Settings {
    const ORDER: KeyOrder = KeyOrder::of::<Self>();

    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut settings: Self = decode_table(node, cx)?;
        if node.repeats("task_maintainers") {
            // It is not known which of the lists is valid.
            settings.task_maintainers = Field::Unreadable(Spanned::new((), node));
        }
        Some(settings)
    }
}

impl Decode for Check {
    const ORDER: KeyOrder = KeyOrder::of::<Self>();

    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        decode_table(node, cx)
    }
}

/// Decodes a table. A field is unreadable if it is absent and an unreadable line may have contained it.
fn decode_table<T: Keys>(table: Node<'_>, cx: &mut Context) -> Option<T> {
    let mut value: T = decode_keys(table, cx, |_| None)?;
    if table.document().is_partial() {
        value.mark_unreadable(&|_| Some(Spanned::new((), table)));
    }
    Some(value)
}

impl Decode for Gateway {
    const ORDER: KeyOrder = KeyOrder::of::<Self>();

    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        decode_table(node, cx)
    }
}

impl Decode for LanguageTag {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let text = Text::decode(node, cx)?;
        let tag = Self::parse(&text);
        if tag.is_none() {
            cx.value_error(node, "a language tag such as `en`, `zh` or `pt-BR`", |found| found);
        }
        tag
    }
}

impl Decode for TaskHome {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let path = Text::decode(node, cx)?;
        Self::parse(&path).map_err(|error| invalid_task_home::report(node, &path, &error, cx)).ok()
    }
}
