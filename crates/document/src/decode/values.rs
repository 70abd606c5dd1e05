//! Decoding of types that all formats share.

use minds_diagnostics::{Diagnostic, Span};

use super::{Context, Decode, Spanned};
use crate::yaml::KeyOrder;
use crate::{Format, Node, Value, toml};

/// A string. A number, a boolean or null is never converted to one.
pub type Text = String;

impl Decode for Text {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        match node.value() {
            Value::String(text) => Some(text.to_owned()),
            Value::Bool(_) | Value::Integer(_) | Value::Float(_) | Value::Date(_) => {
                cx.type_error_with(node, "a string", |found| quote(found, node));
                None
            }
            _ => {
                cx.type_error(node, "a string");
                None
            }
        }
    }
}

impl Decode for bool {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        if let Value::Bool(value) = node.value() {
            return Some(value);
        }
        cx.type_error_with(node, "`true` or `false`", |found| {
            let Value::String(text) = node.value() else { return found };
            let boolean = match text.to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" | "y" => "true",
                "false" | "no" | "off" | "n" => "false",
                _ => return found,
            };
            let found = found.help(format!("write `{boolean}`"));
            if !node.is_rewritable() {
                return found;
            }
            found.fix(format!("write `{boolean}`"), node.document().source(), node.span(), boolean)
        });
        None
    }
}

/// A number that is neither infinite nor NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FiniteNumber(pub f64);

impl Decode for FiniteNumber {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        match node.value() {
            #[expect(
                clippy::cast_precision_loss,
                reason = "the formats know only 64-bit floating point numbers"
            )]
            Value::Integer(value) => Some(Self(value as f64)),
            Value::Float(value) if value.is_finite() => Some(Self(value)),
            Value::Float(_) => {
                cx.value_error(node, "a finite number", |found| found);
                None
            }
            _ => {
                cx.type_error_with(node, "a number", |found| unquote(found, node));
                None
            }
        }
    }
}

/// A list that contains its valid items even if its other items were reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List<T> {
    /// The valid items, in order.
    pub items: Vec<Spanned<T>>,
    /// Whether all items are valid. Nothing that depends on the complete list may be derived from an incomplete one.
    pub is_complete: bool,
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self { items: Vec::new(), is_complete: true }
    }
}

/// Decodes a list, item by item; reports a value that is not a list as not being `expected`.
pub fn decode_list<'d, T>(
    node: Node<'d>,
    cx: &mut Context,
    expected: &str,
    mut decode: impl FnMut(Node<'d>, &mut Context) -> Option<T>,
) -> Option<List<T>> {
    if node.value() != Value::Sequence {
        cx.type_error_with(node, expected, |found| bracket(found, node));
        return None;
    }
    // Counting is cheap, and lists are many: spare capacity would be most of their memory.
    let mut list = List { items: Vec::with_capacity(node.items().count()), is_complete: true };
    for item in node.items() {
        match decode(item, cx) {
            Some(value) => list.items.push(Spanned::new(value, item)),
            None => list.is_complete = false,
        }
    }
    Some(list)
}

/// A type whose values occur in lists.
pub trait ListItem: Decode {
    /// What messages call a list of such values, as in "a list of strings".
    const LIST: &'static str;
}

impl ListItem for Text {
    const LIST: &'static str = "a list of strings";
}

impl<T: ListItem> Decode for List<T> {
    const ORDER: KeyOrder = KeyOrder::Items(const { &T::ORDER });

    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        decode_list(node, cx, T::LIST, T::decode)
    }
}

fn quote(found: Diagnostic, node: Node<'_>) -> Diagnostic {
    if !node.is_rewritable() {
        return found;
    }
    let source = node.document().source();
    let quoted = format!("\"{}\"", source.slice(node.span()));
    found.help(format!("quote it: `{quoted}`")).fix("quote the value", source, node.span(), quoted)
}

/// Offers to write a number without quotes.
fn unquote(found: Diagnostic, node: Node<'_>) -> Diagnostic {
    let Value::String(text) = node.value() else { return found };
    let is_number = match node.document().format() {
        Format::Yaml => {
            text.parse::<f64>().is_ok_and(f64::is_finite) && text.starts_with(|c: char| c.is_ascii_digit())
        }
        Format::Toml => toml::is_number(text),
    };
    if node.is_plain() || !is_number || !node.is_rewritable() {
        return found;
    }
    let source = node.document().source();
    found.help(format!("write `{text}` without quotes")).fix("remove the quotes", source, node.span(), text)
}

/// Offers to turn a single name, or names with commas between them, into a list. Other strings are ambiguous.
fn bracket(found: Diagnostic, node: Node<'_>) -> Diagnostic {
    let Value::String(value) = node.value() else { return found };
    let source = node.document().source();
    let line = source.slice(Span::new(0, node.span().start())).rsplit('\n').next().unwrap_or_default();
    let is_yaml = node.document().format() == Format::Yaml;
    // After a key, a dash begins a string; on a line of its own it is probably an item indicator.
    if is_yaml && value.starts_with('-') && line.trim().is_empty() {
        return found.help("put a space after each `-` of the list");
    }
    let names: Vec<&str> = value.split([',', ';']).flat_map(str::split_whitespace).collect();
    let is_name = |name: &str| {
        let name = name.trim();
        !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || "[]{}#:;,".contains(c))
    };
    let is_clear =
        if node.is_plain() { value.split(',').all(is_name) } else { is_name(value) && value.trim() == value };
    if !is_clear || !node.is_rewritable() {
        let simple = (2..=8).contains(&names.len()) && names.iter().all(|name| is_name(name));
        return if simple {
            let names = if is_yaml { names.join(", ") } else { format!("\"{}\"", names.join("\", \"")) };
            found.help(format!("if several are meant, write `[{names}]`"))
        } else {
            found
        };
    }
    let listed = format!("[{}]", source.slice(node.span()));
    found.help(format!("write `{listed}`")).fix("make it a list", source, node.span(), listed)
}
