use std::cell::LazyCell;
use std::collections::BTreeSet;

use minds_diagnostics::{Candidates, Diagnostic, Problems, rule};

use super::report;
use crate::family::{TEAM_FILE, TeamFamily};

rule! {
    pub(crate) static RULE {
        code: "settings/unknown-maintainer",
        summary: "an unknown member in `task_maintainers`",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "unknown_maintainer.md",
    }
}

pub(super) fn check(family: &TeamFamily, problems: &mut Problems) {
    let Some(file) = &family.settings else { return };
    let (Some(settings), Some(document)) = (&file.settings, &file.document) else { return };
    let Some(list) = settings.task_maintainers.as_given() else { return };
    let Some(ids) = family.member_ids() else { return };
    let candidates = LazyCell::new(|| Candidates::new(ids.iter().copied()));
    let known: BTreeSet<&str> = ids.iter().copied().collect();
    for id in list.value.items.iter().filter(|id| !known.contains(id.value.as_str())) {
        report(problems, document, &RULE, id, |_, label| {
            let help = candidates.did_you_mean(&id.value).unwrap_or_else(|| {
                format!("name a member, or add `{}` to `members` in `{TEAM_FILE}`", id.value)
            });
            Diagnostic::new(&RULE, format!("unknown member `{}`", id.value))
                .primary(label.message("no member has this id"))
                .note("only the listed members and the operator of the workspace may change tasks")
                .help(help)
        });
    }
}
