use minds_diagnostics::{Diagnostic, rule};

use super::Check;

rule! {
    pub(crate) static RULE {
        code: "access/dead-extension",
        summary: "an entry of an extension list matches no file",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "dead_extension.md",
    }
}

pub(super) fn check(check: &mut Check<'_>) {
    let lists = check.team.field_groups().flat_map(|fields| fields.access.extensions());
    let entries = lists.filter_map(|(_, list)| list.as_given()).flat_map(|list| &list.value.0.items);
    for entry in entries.filter(|entry| !entry.value.can_match()) {
        check.report(&RULE, entry, |_, label| {
            let extension = entry.value.as_str();
            let last = extension.rsplit('.').next().unwrap_or(extension).trim_matches(['*', ' ']);
            let help =
                if last.is_empty() { "remove the entry".to_owned() } else { format!("write `{last}`") };
            Diagnostic::new(&RULE, format!("no file has the extension `{extension}`"))
                .primary(label.message("never matches"))
                .note("the extension of a file is the text after its last dot; wildcards are not supported")
                .help(help)
        });
    }
}
