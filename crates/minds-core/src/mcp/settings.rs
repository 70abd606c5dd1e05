//! Decodes environment variables and headers.

use minds_diagnostics::Diagnostic;
use minds_document::json_schema::{Keywords as _, Schema, SchemaGenerator, any_of, json, mapping, string};
use minds_document::{Context, Decode as _, Field, Keys, Node, Spanned, Text, Value, decode_keys, rules};

use super::model::{Setting, SettingValue};
use crate::EnvVar;

pub(super) fn env(node: Node<'_>, cx: &mut Context) -> Option<Vec<Setting>> {
    let help = "write a name without `=` and control characters";
    settings(node, cx, ("an environment variable", help), is_variable, |node, cx| value(node, cx, false))
}

pub(super) fn headers(node: Node<'_>, cx: &mut Context) -> Option<Vec<Setting>> {
    let help = "write a name of letters, digits and `-`, such as `X-Api-Key`";
    settings(node, cx, ("a header", help), is_header, |node, cx| value(node, cx, true))
}

/// Returns whether a string is a valid name of an environment variable.
fn is_variable(name: &str) -> bool {
    !name.is_empty() && !name.contains(|c: char| c == '=' || c.is_control())
}

/// Returns whether a string can be the value of a header, or a prefix of one: RFC 9110 allows no control characters except
/// tabs. A line break would add headers to the request.
fn is_header_value(text: &str) -> bool {
    !text.contains(|c: char| c.is_ascii_control() && c != '\t')
}

/// Reports an invalid header value or prefix. The value is not quoted, because it may be a secret.
fn check_header_value(what: &str, text: &str, node: Node<'_>, cx: &mut Context) {
    if !is_header_value(text) {
        cx.report(node, &rules::VALUE, || {
            Diagnostic::new(
                &rules::VALUE,
                format!("{what} of a header must not have line breaks or other control characters"),
            )
            .primary(node.label())
            .help("write it on one line; tabs are allowed")
        });
    }
}

/// Returns whether a string is a valid header name: a token of RFC 9110.
fn is_header(name: &str) -> bool {
    let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    !name.is_empty() && name.chars().all(is_token)
}

fn settings(
    node: Node<'_>,
    cx: &mut Context,
    (what, help): (&str, &str),
    is_name: fn(&str) -> bool,
    read: impl Fn(Node<'_>, &mut Context) -> Option<SettingValue>,
) -> Option<Vec<Setting>> {
    if node.value() != Value::Mapping {
        cx.type_error(node, "a mapping from names to values");
        return None;
    }
    // Names that begin with `x-` are ordinary names of variables and headers.
    let settings = node.entries().filter_map(|entry| {
        if cx.is_merge_key(&entry) {
            return None;
        }
        if !is_name(entry.key) {
            cx.report(entry.key_node, &rules::VALUE, || {
                Diagnostic::new(&rules::VALUE, format!("`{}` cannot be the name of {what}", entry.key))
                    .primary(entry.key_node.label())
                    .help(help)
            });
        }
        let value = match read(entry.value, cx) {
            Some(value) => Field::Given(Spanned::new(value, entry.value)),
            None => Field::Unreadable(Spanned::new((), entry.value)),
        };
        Some(Setting { name: Spanned::new(entry.key.to_owned(), entry.key_node), value })
    });
    Some(settings.collect())
}

const EXPECTED: &str = "a string or a mapping with `env`";

fn value(node: Node<'_>, cx: &mut Context, is_header: bool) -> Option<SettingValue> {
    match node.value() {
        Value::Mapping => variable(node, cx, is_header),
        Value::Null => {
            cx.type_error_with(node, EXPECTED, |found| found.help("write `\"\"` for an empty string"));
            None
        }
        Value::Sequence => {
            cx.type_error(node, EXPECTED);
            None
        }
        _ => {
            let text = Text::decode(node, cx)?;
            if is_header {
                check_header_value("the value", &text, node, cx);
            }
            Some(SettingValue::Literal(text))
        }
    }
}

/// An environment variable as the value of a variable of a program.
#[derive(Default, Keys)]
#[keys(title = "variable")]
pub(super) struct Variable {
    /// The environment variable with the value.
    #[key(required)]
    env: Field<EnvVar>,
}

/// An environment variable as the value of a header.
#[derive(Default, Keys)]
#[keys(title = "variable")]
pub(super) struct HeaderVariable {
    /// The environment variable with the value.
    #[key(required)]
    env: Field<EnvVar>,
    /// The text that is prepended to the value.
    #[key(decode = prefix, schema = header_value_schema, examples = ["Bearer "])]
    prefix: Field<Text>,
}

fn variable(node: Node<'_>, cx: &mut Context, is_header: bool) -> Option<SettingValue> {
    let HeaderVariable { env, prefix } = if is_header {
        decode_keys(node, cx, |_| None)?
    } else {
        let Variable { env } = decode_keys(node, cx, |entry| {
            (entry.key == "prefix")
                .then(|| "only headers have a prefix: put the complete value into the variable".to_owned())
        })?;
        HeaderVariable { env, prefix: Field::Absent }
    };
    let name = env.as_given()?.value.clone();
    (!prefix.is_unreadable()).then(|| SettingValue::Variable {
        name,
        prefix: prefix.as_given().map(|prefix| prefix.value.clone()),
    })
}

pub(super) fn env_schema(generator: &mut SchemaGenerator) -> Schema {
    let variable = generator.subschema_for::<Variable>();
    mapping(any_of([string(), variable]))
        .with("propertyNames", names("^[^=\\u0000-\\u001f\\u007f-\\u009f]+$"))
}

pub(super) fn headers_schema(generator: &mut SchemaGenerator) -> Schema {
    let variable = generator.subschema_for::<HeaderVariable>();
    mapping(any_of([header_value_schema(generator), variable]))
        .with("propertyNames", names("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$"))
}

fn header_value_schema(_: &mut SchemaGenerator) -> Schema {
    string().pattern(
        "^[^\\u0000-\\u0008\\u000a-\\u001f\\u007f]*$",
        "must not have line breaks or other control characters",
    )
}

/// Returns the schema of names that match a regular expression and are not a merge key.
fn names(expression: &str) -> serde_json::Value {
    json!({ "pattern": expression, "not": { "const": "<<" } })
}

fn prefix(node: Node<'_>, cx: &mut Context) -> Option<Text> {
    let text = Text::decode(node, cx)?;
    check_header_value("the prefix", &text, node, cx);
    Some(text)
}
