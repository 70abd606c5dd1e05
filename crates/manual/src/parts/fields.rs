//! The fields of files.

use minds_core::llm::{Llm, ModelFields, ProviderFields};
use minds_core::mcp::{Mcp, ServerFields};
use minds_core::settings::Settings;
use minds_core::{LLM_FILE, MCP_FILE, MemberFields, ModelParams, SETTINGS_FILE, TEAM_FILE, Team};
use minds_document::json_schema::JsonSchema;

use super::Context;
use crate::shapes::{FieldRow, Shape, order, table};
use crate::table::Table;

fn fields<T: JsonSchema>(context: &Context<'_>, file: &str, path: &[&str], with_inner: bool) -> String {
    let rows = Shape::of::<T>().fields(context.language, &order(file, path), with_inner);
    table(context.language, &rows)
}

pub(super) fn team(context: &Context<'_>) -> String {
    fields::<Team>(context, TEAM_FILE, &[], false)
}

pub(super) fn member(context: &Context<'_>) -> String {
    fields::<MemberFields>(context, TEAM_FILE, &["member_defaults"], false)
}

pub(super) fn provider(context: &Context<'_>) -> String {
    fields::<ProviderFields>(context, LLM_FILE, &["providers"], false)
}

pub(super) fn model(context: &Context<'_>) -> String {
    fields::<ModelFields>(context, LLM_FILE, &["providers", "models"], false)
}

pub(super) fn server(context: &Context<'_>) -> String {
    fields::<ServerFields>(context, MCP_FILE, &["servers"], true)
}

pub(super) fn settings(context: &Context<'_>) -> String {
    fields::<Settings>(context, SETTINGS_FILE, &[], true)
}

/// Returns the rules that most changes need.
pub(super) fn short_rules(context: &Context<'_>) -> String {
    context
        .pick(include_str!("../pages/en/short-rules.md"), include_str!("../pages/zh/short-rules.md"))
        .to_owned()
}

/// Returns the fields of all files by their types, and nothing else.
pub(super) fn short(context: &Context<'_>) -> String {
    let list = |head: &str, rows: Vec<FieldRow>| {
        let mut kinds: Vec<(String, Vec<String>)> = Vec::new();
        for row in rows {
            let need = if row.is_required { format!(" ({})", row.default) } else { String::new() };
            let kind = one_of(context, &row.kind) + &need;
            match kinds.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, names)) => names.push(row.name),
                None => kinds.push((kind, vec![row.name])),
            }
        }
        let kinds: Vec<String> =
            kinds.iter().map(|(kind, names)| format!("`{}` {kind}", names.join(", "))).collect();
        format!("- {head}: {}.\n", kinds.join("; "))
    };
    let language = context.language;
    let at = |shape: Shape, file: &str, path: &[&str], with_inner: bool| {
        shape.fields(language, &order(file, path), with_inner)
    };
    let mut text = list(&format!("`{TEAM_FILE}`"), at(Shape::of::<Team>(), TEAM_FILE, &[], false));
    text += &list(
        "`members.<id>`, `member_defaults`",
        at(Shape::of::<MemberFields>(), TEAM_FILE, &["member_defaults"], false),
    );
    text += &list(&format!("`{LLM_FILE}`"), at(Shape::of::<Llm>(), LLM_FILE, &[], false));
    let provider = at(Shape::of::<ProviderFields>(), LLM_FILE, &["providers"], false);
    text += &list("`providers.<key>`", provider);
    let model = at(Shape::of::<ModelFields>(), LLM_FILE, &["providers", "models"], false);
    text += &list("`providers.<key>.models.<key>`", model);
    text += &list(&format!("`{MCP_FILE}`"), at(Shape::of::<Mcp>(), MCP_FILE, &[], false));
    let server = at(Shape::of::<ServerFields>(), MCP_FILE, &["servers"], true);
    text += &list("`servers.<id>`", server);
    text += &list(&format!("`{SETTINGS_FILE}`"), at(Shape::of::<Settings>(), SETTINGS_FILE, &[], true));
    text
}

/// Introduces the words of an enumeration.
fn one_of(context: &Context<'_>, kind: &str) -> String {
    if kind.starts_with('`') && kind.contains(", ") {
        format!("{}{kind}", context.pick("one of ", "以下之一："))
    } else {
        kind.to_owned()
    }
}

/// A parameter, once for all sections that have it in the same way.
struct ParamRow {
    field: FieldRow,
    sections: Vec<String>,
}

pub(super) fn model_params(context: &Context<'_>) -> String {
    let rows = Shape::of::<ModelParams>().fields(context.language, &[], true);
    let mut params: Vec<ParamRow> = Vec::new();
    for row in &rows {
        let (section, name) = match row.name.split_once('.') {
            Some((section, name)) => (format!("`{section}`"), name),
            // A mapping here is a section, whose parameters have rows of their own.
            None if rows.iter().any(|inner| is_below(inner, &row.name)) => continue,
            None => (context.pick("beside the sections", "与各小节并列").to_owned(), row.name.as_str()),
        };
        let field = FieldRow { name: name.to_owned(), ..row.clone() };
        match params.iter_mut().find(|known| known.field == field) {
            Some(known) => known.sections.push(section),
            None => params.push(ParamRow { field, sections: vec![section] }),
        }
    }
    params.sort_by(|a, b| a.field.name.cmp(&b.field.name));
    let heads = context.pick(["parameter", "sections", "type", "meaning"], ["参数", "小节", "类型", "含义"]);
    let mut table = Table::new(&heads);
    for ParamRow { field, sections } in &params {
        table.row([format!("`{}`", field.name).as_str(), &sections.join(", "), &field.kind, &field.about]);
    }
    table.finish().0
}

fn is_below(row: &FieldRow, name: &str) -> bool {
    row.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'))
}
