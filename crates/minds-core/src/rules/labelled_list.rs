use minds_diagnostics::{Diagnostic, Rule, Severity};
use minds_document::{Node, Value};

use super::Check;
use crate::model::Routing;

pub(crate) static RULE: Rule = Rule {
    code: "team/labelled-list",
    summary: "a list of labelled texts would read better as a mapping",
    default_severity: Severity::Info,
    is_allowable: true,
    since: "0.1.0",
    page: include_str!("labelled_list.md"),
};

/// A label of more characters is a sentence.
const LONGEST_LABEL: usize = 40;

pub(super) fn check(check: &mut Check<'_>) {
    for fields in check.team.field_groups() {
        for (key, field) in [("gofor", &fields.gofor), ("nogo", &fields.rare().nogo)] {
            let Some(given) = field.given().filter(|given| given.value == Routing::Items) else { continue };
            let mut items = check.document.node(given.node).items().peekable();
            let has_label = |item: Node<'_>| matches!(item.value(), Value::String(text) if is_labelled(text));
            if items.peek().is_some() && items.all(has_label) {
                check.report(&RULE, given, |_, label| {
                    Diagnostic::new(&RULE, format!("every item of `{key}` has a label"))
                        .primary(label.message("a list of `label: text`"))
                        .help("write a mapping from labels to texts")
                });
            }
        }
    }
}

fn is_labelled(text: &str) -> bool {
    if !text.contains([':', '：']) {
        return false;
    }
    let Some((label, rest)) = text.split_once(": ").or_else(|| text.split_once('：')) else { return false };
    let label = label.trim();
    !label.is_empty()
        && label.chars().count() <= LONGEST_LABEL
        && !label.contains(['.', '。', ',', '，', '!', '?'])
        && !rest.trim().is_empty()
}
