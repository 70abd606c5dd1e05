//! Decodes `minds.toml`.

use minds_document::{Context, Decode, Field, Node, Spanned, Text};

use super::model::{Check, LanguageTag, Settings, TaskHome};
use crate::rules::invalid_task_home;

impl Decode for Settings {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let mut settings = Self {
            task_home: fields.read_with("task_home", task_home),
            task_maintainers: fields.read("task_maintainers"),
            language: fields.read_with("language", language),
            check: fields.read("check"),
        };
        let meant = fields.finish();
        meant.mark_unreadable("task_home", &mut settings.task_home);
        meant.mark_unreadable("task_maintainers", &mut settings.task_maintainers);
        meant.mark_unreadable("language", &mut settings.language);
        meant.mark_unreadable("check", &mut settings.check);
        mark_lost(node, &mut settings.task_home);
        mark_lost(node, &mut settings.task_maintainers);
        mark_lost(node, &mut settings.language);
        mark_lost(node, &mut settings.check);
        if node.repeats("task_maintainers") {
            // It is not known which of the lists is valid.
            settings.task_maintainers = Field::Unreadable(Spanned::new((), node));
        }
        Some(settings)
    }
}

impl Decode for Check {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let mut check = Self { strict: fields.read("strict") };
        fields.finish().mark_unreadable("strict", &mut check.strict);
        mark_lost(node, &mut check.strict);
        Some(check)
    }
}

/// Makes a field unreadable if it is absent and an unreadable line may have contained it.
fn mark_lost<T>(table: Node<'_>, field: &mut Field<T>) {
    if field.is_absent() && table.document().is_partial() {
        *field = Field::Unreadable(Spanned::new((), table));
    }
}

fn language(node: Node<'_>, cx: &mut Context) -> Option<LanguageTag> {
    let text = Text::decode(node, cx)?;
    let tag = LanguageTag::parse(&text);
    if tag.is_none() {
        cx.value_error(node, "a language tag such as `en`, `zh` or `pt-BR`", |found| found);
    }
    tag
}

fn task_home(node: Node<'_>, cx: &mut Context) -> Option<TaskHome> {
    let path = Text::decode(node, cx)?;
    TaskHome::parse(&path).map_err(|error| invalid_task_home::report(node, &path, &error, cx)).ok()
}
