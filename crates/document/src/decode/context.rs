//! Collection of findings while decoding.

use minds_diagnostics::{Diagnostic, Problems, Rule, did_you_mean};

use super::Fields;
use crate::{Format, Node, Value, rules};

/// Collects what decoding finds.
#[derive(Debug, Default)]
pub struct Context {
    problems: Problems,
}

impl Context {
    /// Returns a context without problems.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the findings.
    pub fn into_problems(self) -> Problems {
        self.problems
    }

    /// Reads `node` as a mapping; reports any other node.
    pub fn fields<'c, 'd>(&'c mut self, node: Node<'d>) -> Option<Fields<'c, 'd>> {
        if node.value() == Value::Mapping {
            Some(Fields::new(self, node))
        } else {
            self.type_error(node, "a mapping");
            None
        }
    }

    /// Reports that `node` must be `expected` ("a string", "a list of strings"), unless it was already reported.
    pub fn type_error(&mut self, node: Node<'_>, expected: &str) {
        self.type_error_with(node, expected, |found| found);
    }

    /// Reports that `node` must be `expected`. `more` can add a fix or a more specific help than "write …".
    pub fn type_error_with(
        &mut self,
        node: Node<'_>,
        expected: &str,
        more: impl FnOnce(Diagnostic) -> Diagnostic,
    ) {
        if node.value() == Value::Unknown {
            return;
        }
        self.report(node, &rules::TYPE, || {
            let found = type_of(node);
            let message = format!("{} must be {expected}, not {found}", describe(node));
            // There is nothing to point at in an empty file.
            let label = if node.span().end() == 0 { "" } else { found };
            let found = Diagnostic::new(&rules::TYPE, message).primary(node.label().message(label));
            let found = more(found);
            if found.help.is_some() { found } else { found.help(type_help(node, expected)) }
        });
    }

    /// Reports that the value of `node` is not allowed: "`x` must be …". The help is "write …" unless `more` sets one.
    pub fn value_error(&mut self, node: Node<'_>, must: &str, more: impl FnOnce(Diagnostic) -> Diagnostic) {
        self.report(node, &rules::VALUE, || {
            let message = format!("{} must be {must}", describe(node));
            let found = more(Diagnostic::new(&rules::VALUE, message).primary(node.label()));
            if found.help.is_some() { found } else { found.help(format!("write {must}")) }
        });
    }

    /// Reports that the string `text` of `node` is not one of `choices`, with the nearest one as help.
    pub fn choice_error<'w>(
        &mut self,
        node: Node<'_>,
        text: &str,
        choices: impl Iterator<Item = &'w str> + Clone,
        more: impl FnOnce(Diagnostic) -> Diagnostic,
    ) {
        let listed: Vec<String> = choices.clone().map(|choice| format!("`{choice}`")).collect();
        let must = match listed.as_slice() {
            [only] => only.clone(),
            several => format!("one of {}", several.join(", ")),
        };
        self.value_error(node, &must, |found| more(found.maybe_help(did_you_mean(text, choices))));
    }

    /// Reports each of `keys` as missing in the mapping `node`, in a finding of its own. The default `help` is to add
    /// the key.
    ///
    /// Nothing is reported if the source contains more than the tree: the keys may be in the rest.
    pub fn missing_keys(&mut self, node: Node<'_>, keys: &[&str], help: Option<&str>) {
        if node.document().is_partial() {
            return;
        }
        for key in keys {
            self.report(node, &rules::MISSING_KEY, || {
                let owner = match node.key().and_then(Node::scalar_text) {
                    Some(owner) => format!("`{owner}`"),
                    None if node.index().is_some() => describe(node),
                    None => "the file".to_owned(),
                };
                let sign = if node.document().format() == Format::Toml { " =" } else { ":" };
                let help = help.map_or_else(|| format!("add `{key}{sign}`"), str::to_owned);
                Diagnostic::new(&rules::MISSING_KEY, format!("{owner} lacks the key `{key}`"))
                    .primary(node.label().message(format!("no `{key}` here")))
                    .help(help)
            });
        }
    }

    /// Adds the finding that `build` returns for `rule` at `node`, with the pointer of `node`, unless it would not be
    /// shown.
    pub fn report(&mut self, node: Node<'_>, rule: &'static Rule, build: impl FnOnce() -> Diagnostic) {
        self.problems.report(node.document().source(), node.span(), rule, || {
            let mut found = build();
            if found.pointer.is_none() {
                found = found.pointer(node.pointer());
            }
            found
        });
    }
}

/// Returns the help for a value that must be `expected`.
fn type_help(node: Node<'_>, expected: &str) -> String {
    let is_null = node.value() == Value::Null;
    if node.key().is_none() && node.index().is_none() {
        return "write `key: value` lines".to_owned();
    }
    if is_null && node.index().is_some() {
        return format!("write {expected}, or remove the item");
    }
    let empty = match expected {
        _ if !is_null || expected.contains(" or ") => None,
        list if list.starts_with("a list") => Some("[]"),
        mapping if mapping.starts_with("a mapping") => Some("{}"),
        _ => None,
    };
    match empty {
        Some(empty) => format!("write {expected}; an empty one is `{empty}`"),
        None => format!("write {expected}"),
    }
}

/// Returns the type of a node for a message, as in "not an integer".
fn type_of(node: Node<'_>) -> &'static str {
    let digits = node.scalar_text().map(|text| text.strip_prefix(['+', '-']).unwrap_or(text));
    match node.value() {
        // It has the form of an integer, but too many digits.
        Value::Float(_) if digits.is_some_and(|digits| digits.bytes().all(|c| c.is_ascii_digit())) => {
            "a number of more than 63 bits"
        }
        value => value.type_name(),
    }
}

/// Returns the name of a node for a message: its key, its index in a list, or "the file".
pub(super) fn describe(node: Node<'_>) -> String {
    if let Some(key) = node.key() {
        return format!("`{}`", key.scalar_text().unwrap_or_default());
    }
    match (node.index(), node.parent()) {
        (Some(index), Some(list)) => format!("item {} of {}", index + 1, describe(list)),
        _ => "the file".to_owned(),
    }
}
