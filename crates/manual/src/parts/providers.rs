//! Built-in providers and models, and those of the workspace.

use std::collections::BTreeSet;

use minds_core::LLM_FILE;
use minds_core::catalog::{BuiltinModel, PROVIDERS, find_provider};
use minds_core::llm::{OwnProvider, ProviderFields};
use minds_document::{Field, Node};
use minds_workspace::without_secrets;

use super::Context;
use crate::table::{Table, brief, code, codes};

/// The maximum size of the rows from files of the workspace, in bytes.
const MAX_BYTES: usize = 8 * 1024;
/// The maximum number of models of a provider of the workspace.
const MAX_MODELS: usize = 24;

pub(super) fn built_in(context: &Context<'_>) -> String {
    let heads = context.pick(
        ["provider", "name", "address", "models with lengths"],
        ["提供方", "名字", "地址", "模型及长度"],
    );
    let mut table = Table::new(&heads);
    for provider in PROVIDERS {
        let models: Vec<String> = provider.models.iter().map(model).collect();
        table.row([code(provider.key).as_str(), provider.name, provider.base_url, &models.join("; ")]);
    }
    table.finish().0
}

/// Returns a model with its lengths in tokens.
fn model(model: &BuiltinModel) -> String {
    let length = |length: Option<u32>| length.map_or_else(|| "?".to_owned(), |length| length.to_string());
    let [context, input, output] =
        [model.context_length, model.input_length, model.output_length].map(length);
    format!("{} {context}/{input}/{output}", code(model.key))
}

pub(super) fn in_workspace(context: &Context<'_>) -> String {
    let heads = context.pick(
        ["provider", "origin", "type", "key variable", "models"],
        ["提供方", "来源", "类型", "密钥的变量", "模型"],
    );
    let own = context.family.readable_llm().map(|(llm, _)| llm.providers.as_slice()).unwrap_or_default();
    let mut table = Table::new(&heads);
    for provider in own {
        own_row(context, &mut table, provider);
    }
    let is_replaced = |key: &str| own.iter().any(|provider| provider.key.value == key);
    for provider in PROVIDERS.iter().filter(|provider| !is_replaced(provider.key)) {
        let models = codes(provider.models.iter().map(|model| model.key), usize::MAX);
        let origin = context.pick("built in", "内置");
        table.row([
            code(provider.key).as_str(),
            origin,
            provider.api_type,
            &format!("`{}`", provider.api_key_env_var),
            &models,
        ]);
    }
    let (rows, left_out) = table.finish();
    without_secrets(LLM_FILE, &(notes(context, left_out) + &rows)).into_owned()
}

/// Returns the keys of the providers in one line, with the models of those that the team uses.
pub(super) fn names(context: &Context<'_>) -> String {
    let own = context.family.readable_llm().map(|(llm, _)| llm.providers.as_slice()).unwrap_or_default();
    let is_own = |key: &str| own.iter().any(|provider| provider.key.value == key);
    let team = context.family.readable_team();
    let used: BTreeSet<&str> = team
        .iter()
        .flat_map(|(team, _)| team.field_groups())
        .filter_map(|fields| fields.provider.as_given())
        .map(|provider| provider.value.as_str())
        .collect();
    let mut names: Vec<String> = Vec::new();
    for provider in own {
        let models = provider.fields.as_given().and_then(|fields| models(&fields.value));
        let models = models.map(|models| format!(" ({})", codes(models, MAX_MODELS))).unwrap_or_default();
        names.push(code(&provider.key.value) + &models);
    }
    for provider in PROVIDERS.iter().filter(|provider| !is_own(provider.key)) {
        let models = codes(provider.models.iter().map(|model| model.key), MAX_MODELS);
        let models = if used.contains(provider.key) { format!(" ({models})") } else { String::new() };
        names.push(code(provider.key) + &models);
    }
    let text = context.pick(
        format!("- Providers, with models of those in use: {}.\n", names.join(", ")),
        format!("- 提供方，以及在用者的模型：{}。\n", names.join(", ")),
    );
    without_secrets(LLM_FILE, &text).into_owned()
}

fn own_row(context: &Context<'_>, table: &mut Table, provider: &OwnProvider) {
    let key = provider.key.value.as_str();
    let origin = match find_provider(key) {
        Some(_) => context.pick("replaced in `.minds/llm.yaml`", "在 `.minds/llm.yaml` 中被替换"),
        None => context.pick("added in `.minds/llm.yaml`", "在 `.minds/llm.yaml` 中添加"),
    };
    let unreadable = context.pick("cannot be read", "读不懂");
    let Some(fields) = provider.fields.as_given().map(|fields| &fields.value) else {
        table.row_within(MAX_BYTES, [code(key).as_str(), origin, unreadable, unreadable, unreadable]);
        return;
    };
    let api_type = match &fields.api_type {
        Field::Given(api_type) => api_type.value.as_str(),
        _ => unreadable,
    };
    let variable = match &fields.api_key_env_var {
        Field::Given(variable) => code(variable.value.as_str()),
        Field::Absent => "–".to_owned(),
        Field::Unreadable(_) => unreadable.to_owned(),
    };
    let models = models(fields).map_or_else(|| unreadable.to_owned(), |keys| codes(keys, MAX_MODELS));
    table.row_within(MAX_BYTES, [code(key).as_str(), origin, api_type, &variable, &models]);
}

fn models(fields: &ProviderFields) -> Option<impl Iterator<Item = &str>> {
    let models = fields.models.as_given()?;
    Some(models.value.items.iter().map(|model| model.key.value.as_str()))
}

/// Returns notes about the table of all providers.
fn notes(context: &Context<'_>, left_out: usize) -> String {
    let mut notes = String::new();
    if context.family.providers.is_incomplete() {
        notes += context.pick(
            "Parts of `.minds/llm.yaml` cannot be read, so providers may be missing: see `team_mgmt_validate_llm_cfg({})`.\n\n",
            "`.minds/llm.yaml`有读不懂的部分，所以可能还有别的：`team_mgmt_validate_llm_cfg({})` 会说明原因。\n\n",
        );
    }
    if left_out > 0 {
        notes += &context.pick(
            format!("{left_out} more providers of `.minds/llm.yaml` are not shown.\n\n"),
            format!("`.minds/llm.yaml` 中还有 {left_out} 个提供方没有列出。\n\n"),
        );
    }
    notes
}

pub(super) fn param_options(context: &Context<'_>) -> String {
    let heads =
        context.pick(["provider", "parameter", "type", "description"], ["提供方", "参数", "类型", "说明"]);
    let mut table = Table::new(&heads);
    let mut is_empty = true;
    if let Some((llm, document)) = context.family.readable_llm() {
        for provider in &llm.providers {
            let Some(options) =
                provider.fields.as_given().and_then(|fields| fields.value.model_param_options.as_given())
            else {
                continue;
            };
            for section in document.node(options.node).entries() {
                for param in section.value.entries() {
                    is_empty = false;
                    let name = format!("{}.{}", section.key, param.key);
                    let [kind, about] = ["type", "description"].map(|key| text(param.value, key));
                    table.row_within(
                        MAX_BYTES,
                        [code(&provider.key.value).as_str(), &code(&name), &brief(kind), &brief(about)],
                    );
                }
            }
        }
    }
    if is_empty {
        return context
            .pick(
                "No provider of `.minds/llm.yaml` describes its parameters in `model_param_options`.",
                "`.minds/llm.yaml` 里没有提供方在 `model_param_options` 中描述它的参数。",
            )
            .to_owned();
    }
    let (text, left_out) = table.finish();
    let more = match left_out {
        0 => String::new(),
        _ => context
            .pick(format!("\n{left_out} more are not shown.\n"), format!("\n还有 {left_out} 个没有列出。\n")),
    };
    without_secrets(LLM_FILE, &(text + &more)).into_owned()
}

fn text<'n>(node: Node<'n>, key: &str) -> &'n str {
    node.get(key).and_then(Node::scalar_text).unwrap_or("–")
}
