use minds_diagnostics::{Diagnostic, rule};
use minds_document::Spanned;

use super::FileCheck;
use crate::mcp::affixes::{Shape, added_affixes};
use crate::mcp::transform::apply;
use crate::mcp::{Mcp, ServerFields, Transform};

rule! {
    pub(crate) static RULE {
        code: "mcp/renamed-filter",
        summary: "a whitelist or blacklist uses the name that a tool has after `transform`",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "renamed_filter.md",
    }
}

pub(super) fn check(check: &mut FileCheck<'_, Mcp>) {
    for server in &check.content.servers {
        let Some(fields) = server.fields.as_given() else { continue };
        check_server(check, &fields.value);
    }
}

fn check_server(check: &mut FileCheck<'_, Mcp>, fields: &ServerFields) {
    let (Some(steps), Some(filter)) = (fields.steps(), fields.tools.as_given()) else { return };
    let steps: Vec<&Transform> = steps.iter().map(|step| &step.value).collect();
    let Some(shape) = added_affixes(&steps) else { return };
    for (key, list) in [("whitelist", &filter.value.whitelist), ("blacklist", &filter.value.blacklist)] {
        for entry in list.as_given().into_iter().flat_map(|list| &list.value.items) {
            let Some(original) = original_name(&entry.value, &shape, &steps) else { continue };
            report(check, key, entry, &original);
        }
    }
}

/// Returns the original name of a tool if `entry` is its name after `transform`.
///
/// A tool of a server may have an original name that begins with the prefix. Therefore the prefix or suffix must include a
/// separator, so that it would be doubled, as in `browser_browser_open`.
fn original_name(entry: &str, shape: &Shape, steps: &[&Transform]) -> Option<String> {
    let is_separator = |c: char| !c.is_ascii_alphanumeric();
    let Shape { head, tail, .. } = shape;
    let has_head = head.ends_with(is_separator) && entry.starts_with(head.as_str());
    let has_tail = tail.starts_with(is_separator) && entry.ends_with(tail.as_str());
    if !has_head && !has_tail {
        return None;
    }
    let rest = if has_head { entry.strip_prefix(head.as_str())? } else { entry };
    let rest = if has_tail { rest.strip_suffix(tail.as_str())? } else { rest };
    let is_doubled = apply(entry, steps.iter().copied())? == [head.as_str(), entry, tail].concat();
    if rest.is_empty() || !is_doubled {
        return None;
    }
    // A replaced prefix is part of the original name.
    let replaced = steps.iter().rev().find_map(|step| match step {
        Transform::ReplacePrefix { remove, .. } if !remove.is_empty() => Some(format!("{remove}{rest}")),
        _ => None,
    });
    let becomes_entry = |name: &String| apply(name, steps.iter().copied()).as_deref() == Some(entry);
    Some(replaced.filter(becomes_entry).unwrap_or_else(|| rest.to_owned()))
}

fn report(check: &mut FileCheck<'_, Mcp>, key: &str, entry: &Spanned<String>, original: &str) {
    let name = &entry.value;
    check.report(&RULE, entry, |_, label| {
        Diagnostic::new(&RULE, format!("`{key}` uses `{name}`, which is the name after `transform`"))
            .primary(label.message("matches no tool of the server"))
            .note("`whitelist` and `blacklist` are compared with the original tool names of the server")
            .help(format!("write `{original}`"))
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(entry: &str, steps: &[Transform], expected: Option<&str>) {
        let steps: Vec<&Transform> = steps.iter().collect();
        let shape = added_affixes(&steps).expect("the steps are followed");
        assert_eq!(original_name(entry, &shape, &steps).as_deref(), expected, "{entry}: {steps:?}");
    }

    fn prefix(text: &str) -> Transform {
        Transform::Prefix(text.into())
    }

    fn replace(remove: &str, add: &str) -> Transform {
        Transform::ReplacePrefix { remove: remove.into(), add: add.into() }
    }

    #[test]
    fn the_original_name_is_found() {
        check("web_open", &[prefix("web_")], Some("open"));
        check("web_*", &[prefix("web_")], Some("*"));
        check("open", &[prefix("web_")], None);
        check("web_", &[prefix("web_")], None);
        check("w_x_open", &[prefix("x_"), prefix("w_")], Some("open"));
        check("open_mcp", &[Transform::Suffix("_mcp".into())], Some("open"));
        check("web_open_mcp", &[prefix("web_"), Transform::Suffix("_mcp".into())], Some("open"));
        check("my_open", &[replace("stock_", "my_")], Some("stock_open"));
        // These are already original names.
        check("stock_open", &[replace("stock_", "my_")], None);
        check("web_open", &[replace("web_", "web_")], None);
        // A name can begin with the same letters by coincidence.
        check("build", &[prefix("b")], None);
        check("anything", &[], None);
    }
}
