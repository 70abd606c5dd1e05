use minds_diagnostics::{Diagnostic, rule};

use super::Check;

rule! {
    pub(crate) static RULE {
        code: "access/reserved-scope",
        summary: "an entry allows access that is never granted",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "reserved_scope.md",
    }
}

pub(super) fn check(check: &mut Check<'_>) {
    for (list, entry) in check.patterns().filter(|(list, _)| !list.starts_with("no_")) {
        let pattern = &entry.value;
        let (area, tools) = if pattern.is_encapsulated() {
            ("task packages are encapsulated", "the tools for task documents")
        } else if list == "write_dirs" && pattern.is_at_or_below(".minds") {
            ("general tools never write below `.minds`", "the toolset `team-mgmt`")
        } else if list == "write_dirs" && pattern.is_in_git() {
            ("general tools never write below `.git`", "git")
        } else {
            continue;
        };
        check.report(&RULE, entry, |_, label| {
            Diagnostic::new(
                &RULE,
                format!("`{}` in `{list}` allows nothing: {area}", entry.value.as_written()),
            )
            .primary(label.message("never takes effect"))
            .help(format!("remove the entry; use {tools} for this area"))
        });
    }
}
