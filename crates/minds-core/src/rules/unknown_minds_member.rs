use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

use minds_diagnostics::{Candidates, Diagnostic, Problems, SourceFile, Span, rule};
use minds_vfs::{Location, portable};

use crate::family::{TEAM_FILE, TeamFamily};

rule! {
    pub(crate) static RULE {
        code: "minds/unknown-member",
        summary: "a directory of minds files does not belong to any member",
        severity: Warning,
        suppressible: false,
        since: "0.1.0",
        page: "unknown_minds_member.md",
    }
}

/// The maximum number of directories for which a similar id is suggested: very many unknown names are not typos.
const MAX_SUGGESTIONS: usize = 1_000;

pub(super) fn check(family: &TeamFamily, problems: &mut Problems) {
    if family.minds.members.is_empty() {
        return;
    }
    let Some(ids) = family.member_ids() else { return };
    // Names that fold to the same string are the same directory on some systems.
    let folded: BTreeMap<String, &str> = ids.iter().map(|id| (portable::fold(id), *id)).collect();
    let known: BTreeSet<&str> = ids.iter().copied().collect();
    let mut suggestions = 0;
    let candidates = LazyCell::new(|| Candidates::new(ids.iter().copied()));
    for (name, folder) in &family.minds.members {
        // As in files, names that begin with `x-` are reserved for the user.
        if name.starts_with("x-") || known.contains(name.as_str()) {
            continue;
        }
        suggestions += 1;
        let found = match folded.get(&portable::fold(name)) {
            Some(id) => report_letter_case(name, id),
            None => report_unknown(name, (suggestions <= MAX_SUGGESTIONS).then(|| &*candidates)),
        };
        problems.push(found.primary(label(folder)));
    }
}

/// Returns a label for a directory.
fn label(folder: &Location) -> minds_diagnostics::Label {
    SourceFile::new(folder.to_string(), "").label(Span::at(0))
}

fn report_letter_case(name: &str, id: &str) -> Diagnostic {
    Diagnostic::new(&RULE, format!("the directory `{name}` and the member `{id}` differ in letter case"))
        .note("on case-sensitive file systems, the minds files of the member are not found")
        .help(format!("rename the directory to `{id}`"))
}

fn report_unknown(name: &str, ids: Option<&Candidates<'_>>) -> Diagnostic {
    let help = ids.and_then(|ids| ids.did_you_mean(name));
    Diagnostic::new(&RULE, format!("the directory `{name}` does not belong to any member"))
        .note("no member receives the minds files in it")
        .help(help.unwrap_or_else(|| {
            format!("add `{name}` to `members` in `{TEAM_FILE}`, or remove the directory")
        }))
}
