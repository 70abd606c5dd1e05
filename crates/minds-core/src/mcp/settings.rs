//! Decodes environment variables and headers.

use minds_diagnostics::Diagnostic;
use minds_document::{Context, Decode, Field, Node, Spanned, Text, Value, rules};

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

fn variable(node: Node<'_>, cx: &mut Context, is_header: bool) -> Option<SettingValue> {
    let mut fields = cx.fields(node)?;
    let mut name: Field<EnvVar> = fields.read("env");
    let prefix: Field<Text> = if is_header { fields.read_with("prefix", prefix) } else { Field::Absent };
    let meant = fields.finish_with(|entry| {
        (entry.key == "prefix")
            .then(|| "only headers have a prefix: put the complete value into the variable".to_owned())
    });
    meant.mark_unreadable("env", &mut name);
    if name.is_absent() {
        cx.missing_keys(node, &["env"], None);
    }
    let name = name.as_given()?.value.clone();
    (!prefix.is_unreadable()).then(|| SettingValue::Variable {
        name,
        prefix: prefix.as_given().map(|prefix| prefix.value.clone()),
    })
}

fn prefix(node: Node<'_>, cx: &mut Context) -> Option<Text> {
    let text = Text::decode(node, cx)?;
    check_header_value("the prefix", &text, node, cx);
    Some(text)
}
