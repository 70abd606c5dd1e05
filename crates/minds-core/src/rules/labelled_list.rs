use minds_diagnostics::{Diagnostic, Label, rule};
use minds_document::{Node, Value};

use super::Check;
use crate::model::Routing;

rule! {
    pub(crate) static RULE {
        code: "team/labelled-list",
        summary: "a list of labelled strings would be clearer as a mapping",
        severity: Info,
        suppressible: true,
        since: "0.1.0",
        page: "labelled_list.md",
    }
}

/// The maximum length of a label in characters; longer text is a sentence.
const MAX_LABEL: usize = 40;

/// The maximum number of further lists that are marked; the rest are only counted.
const MAX_MARKED: usize = 4;

/// Reports one finding for the whole file, because the advice is the same for each list.
pub(super) fn check(check: &mut Check<'_>) {
    let mut lists = Vec::new();
    for fields in check.team.field_groups() {
        for (key, field) in [("gofor", &fields.gofor), ("nogo", &fields.nogo)] {
            let Some(given) = field.as_given().filter(|given| given.value == Routing::Items) else {
                continue;
            };
            let mut items = check.document.node(given.node).items().peekable();
            let has_label = |item: Node<'_>| matches!(item.value(), Value::String(text) if is_labelled(text));
            if items.peek().is_some() && items.all(has_label) {
                lists.push((key, given));
            }
        }
    }
    lists.sort_by_key(|(_, given)| given.span.start());
    let source = check.document.source();
    let Some((&(key, first), more)) = lists.split_first() else { return };
    // A comment at the first list suppresses the advice for the whole file. One at another list excludes only that list, which
    // gets a finding of its own, so that the comment has a finding to suppress.
    let (suppressed, more): (Vec<_>, Vec<_>) =
        more.iter().partition(|(_, given)| source.is_suppressed(&RULE, given.span));
    for (key, given) in suppressed {
        check.report(&RULE, given, |_, label| build_finding(key, label));
    }
    check.report(&RULE, first, |document, label| {
        let marked = more.iter().take(MAX_MARKED);
        let found = marked.fold(build_finding(key, label), |found, (_, list)| {
            found.secondary(document.source().label(list.span).message("another list"))
        });
        match more.len().saturating_sub(MAX_MARKED) {
            0 => found,
            1 => found.note("1 more list in this file has the same form"),
            many => found.note(format!("{many} more lists in this file have the same form")),
        }
    });
}

fn build_finding(key: &str, label: Label) -> Diagnostic {
    Diagnostic::new(&RULE, format!("every item of `{key}` has a label"))
        .primary(label.message("a list of `label: text`"))
        .help("write a mapping from labels to strings")
}

fn is_labelled(text: &str) -> bool {
    if !text.contains([':', '：']) {
        return false;
    }
    let Some((label, rest)) = text.split_once(": ").or_else(|| text.split_once('：')) else { return false };
    let label = label.trim();
    !label.is_empty()
        && label.chars().count() <= MAX_LABEL
        && !label.contains(['.', '。', ',', '，', '!', '?'])
        && !rest.trim().is_empty()
}
