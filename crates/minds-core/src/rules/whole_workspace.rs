use minds_access_control::Remark;
use minds_diagnostics::{Diagnostic, rule};

use super::{Check, ListedPattern};

rule! {
    pub(crate) static RULE {
        code: "access/whole-workspace",
        summary: "an entry covers the whole workspace",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "whole_workspace.md",
    }
}

pub(super) fn check(check: &mut Check<'_>, remarkable: &[ListedPattern<'_>]) {
    for (list, entry) in remarkable {
        if !entry.value.remarks().contains(&Remark::WholeWorkspace) {
            continue;
        }
        check.report(&RULE, entry, |_, label| {
            let effect = match *list {
                "no_read_dirs" => "nothing can be read",
                "no_write_dirs" => "nothing can be written",
                "read_dirs" => "everything can be read",
                _ => "everything can be written",
            };
            Diagnostic::new(&RULE, format!("`{}` covers the whole workspace", entry.value.as_written()))
                .primary(label.message(effect))
                .help(if list.starts_with("no_") {
                    "name the intended directories"
                } else {
                    "name the intended directories; without a list everything is allowed anyway"
                })
        });
    }
}
