//! Tables of fields, from the schemas of the decoded types.

use minds_document::json_schema::{Draft, JsonSchema, file_schema};
use minds_document::yaml::KeyOrder;
use serde_json::{Map, Value};

use crate::Language;
use crate::table::Table;

/// One field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FieldRow {
    pub(crate) name: String,
    pub(crate) kind: String,
    /// The default, or when the field is required.
    pub(crate) default: String,
    pub(crate) is_required: bool,
    pub(crate) about: String,
}

/// A JSON Schema with its definitions.
pub(crate) struct Shape {
    whole: Value,
}

impl Shape {
    /// Returns the schema of `T`.
    pub(crate) fn of<T: JsonSchema>() -> Self {
        Self { whole: Draft::Draft202012.render(&file_schema::<T>()) }
    }

    /// Returns the fields of a mapping, those in `order` first. `with_inner` adds the fields of inner mappings.
    pub(crate) fn fields(&self, language: Language, order: &[&str], with_inner: bool) -> Vec<FieldRow> {
        let mut rows = Vec::new();
        for (name, shape, need) in self.properties(&self.whole, order) {
            rows.push(self.row(language, name.to_owned(), shape, &need));
            if with_inner {
                let inner = self.properties(shape, &[]).into_iter();
                rows.extend(
                    inner.map(|(part, shape, need)| {
                        self.row(language, format!("{name}.{part}"), shape, &need)
                    }),
                );
            }
        }
        rows
    }

    fn row(&self, language: Language, name: String, shape: &Value, need: &Need) -> FieldRow {
        let default = match (need, shape.get("default")) {
            (Need::Always, _) => language.pick("required", "必填").to_owned(),
            (Need::With(words), _) => {
                language.pick(format!("required with {words}"), format!("{words} 时必填"))
            }
            (Need::Never, Some(value)) => format!("`{value}`"),
            (Need::Never, None) => "–".to_owned(),
        };
        let about = shape.get("description").or_else(|| self.resolve(shape).get("description"));
        let about = about.and_then(Value::as_str).unwrap_or_default().to_owned();
        let is_required = !matches!(need, Need::Never);
        FieldRow { name, kind: self.kind(language, shape), default, is_required, about }
    }

    /// Returns the keys of a mapping in order, each with its schema and when it is required.
    fn properties<'s>(&'s self, shape: &'s Value, order: &[&str]) -> Vec<(&'s str, &'s Value, Need)> {
        let shape = self.resolve(shape);
        let Some(properties) = shape.get("properties").and_then(Value::as_object) else { return Vec::new() };
        let mut found: Vec<(&str, &Value, Need)> =
            properties.iter().map(|(name, inner)| (name.as_str(), inner, Need::of(shape, name))).collect();
        found.sort_by_key(|(name, ..)| order.iter().position(|known| known == name).unwrap_or(order.len()));
        found
    }

    /// Resolves a reference.
    fn resolve<'s>(&'s self, shape: &'s Value) -> &'s Value {
        let name = shape.get("$ref").and_then(Value::as_str).and_then(|name| name.strip_prefix("#/$defs/"));
        name.and_then(|name| self.whole.get("$defs")?.get(name)).unwrap_or(shape)
    }

    /// Describes the values that a schema allows.
    fn kind(&self, language: Language, shape: &Value) -> String {
        let shape = self.resolve(shape);
        let Some(shape) = shape.as_object() else { return language.pick("anything", "任意值").to_owned() };
        if let Some(value) = shape.get("const") {
            return format!("`{value}`");
        }
        if let Some(words) = words(shape) {
            return words.join(", ");
        }
        if let Some(shapes) = shape.get("anyOf").and_then(Value::as_array) {
            let mut kinds: Vec<String> = shapes.iter().map(|shape| self.kind(language, shape)).collect();
            kinds.dedup();
            return kinds.join(language.pick(" or ", "或"));
        }
        match shape.get("type").and_then(Value::as_str) {
            Some("string") => language.pick("string", "文本").to_owned(),
            Some("boolean") => language.pick("boolean", "布尔值").to_owned(),
            Some("number") => language.pick("number", "数字").to_owned(),
            Some("null") => "null".to_owned(),
            Some("integer") => integer(language, shape),
            Some("object") => language.pick("mapping", "映射").to_owned(),
            Some("array") => self.list(language, shape),
            _ => language.pick("anything", "任意值").to_owned(),
        }
    }

    fn list(&self, language: Language, shape: &Map<String, Value>) -> String {
        let item = shape.get("items").map(|item| self.resolve(item)).and_then(|item| item.get("type"));
        match item.and_then(Value::as_str) {
            Some("string") => language.pick("list of strings", "文本列表").to_owned(),
            Some("object") => language.pick("list of mappings", "映射列表").to_owned(),
            _ => language.pick("list", "列表").to_owned(),
        }
    }
}

/// When a key is required.
enum Need {
    Always,
    /// If another key has one of these values.
    With(String),
    Never,
}

impl Need {
    fn of(mapping: &Value, name: &str) -> Self {
        let demands = |shape: &Value| {
            let names = shape.get("required").and_then(Value::as_array);
            names.is_some_and(|names| names.iter().any(|known| known == name))
        };
        if demands(mapping) {
            return Self::Always;
        }
        let mut conditions = mapping.get("allOf").and_then(Value::as_array).into_iter().flatten();
        let condition = conditions.find(|condition| condition.get("then").is_some_and(demands));
        let values = condition.and_then(|condition| condition.pointer("/if/properties")?.as_object());
        let values = values.into_iter().flatten().filter_map(|(_, shape)| words(shape.as_object()?));
        let words: Vec<String> = values.flatten().collect();
        if words.is_empty() { Self::Never } else { Self::With(words.join(", ")) }
    }
}

fn integer(language: Language, shape: &Map<String, Value>) -> String {
    match (shape.get("minimum"), shape.get("maximum")) {
        (Some(least), Some(most)) => {
            language.pick(format!("integer from {least} to {most}"), format!("{least} 到 {most} 的整数"))
        }
        (Some(least), None) => {
            language.pick(format!("integer, {least} or more"), format!("不小于 {least} 的整数"))
        }
        _ => language.pick("integer", "整数").to_owned(),
    }
}

/// Returns the strings that a schema allows, if it is an enumeration.
fn words(shape: &Map<String, Value>) -> Option<Vec<String>> {
    let code = |word: &Value| word.as_str().map(|word| format!("`{word}`"));
    if let Some(words) = shape.get("enum").and_then(Value::as_array) {
        return words.iter().map(code).collect();
    }
    let cases = shape.get("oneOf").and_then(Value::as_array)?;
    cases.iter().map(|case| code(case.get("const")?)).collect()
}

/// Returns a table of fields.
pub(crate) fn table(language: Language, rows: &[FieldRow]) -> String {
    let heads = language.pick(["field", "type", "default", "meaning"], ["字段", "类型", "默认值", "含义"]);
    let mut table = Table::new(&heads);
    for row in rows {
        table.row([format!("`{}`", row.name).as_str(), &row.kind, &row.default, &row.about]);
    }
    table.finish().0
}

/// Returns the known keys at a path of a file, in the order in which they are written.
pub(crate) fn order(file: &str, path: &[&str]) -> Vec<&'static str> {
    let Some(mut at) = minds_core::key_order(file) else { return Vec::new() };
    let mut path = path.iter();
    loop {
        match at {
            KeyOrder::Named(each) | KeyOrder::Items(each) => at = each,
            KeyOrder::Free => return Vec::new(),
            KeyOrder::Fields(_) | KeyOrder::Keys(_) => {
                let Some(next) = path.next() else { return at.fields().map(|(name, _)| name).collect() };
                match at.fields().find(|(name, _)| name == next) {
                    Some((_, inner)) => at = inner,
                    None => return Vec::new(),
                }
            }
        }
    }
}
